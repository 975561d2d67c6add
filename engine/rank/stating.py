"""Entities that a question asks for by what their records state.

"Which trials are recruiting?" names none. A record that states so answers it; one that
states something else does not, however near it is, nor does any text about its entity.
A record without the field is counted, never guessed.
"""

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass

from engine.model.document import Thing
from engine.model.passage import Chunk
from engine.policy.pack import Pack
from engine.policy.records import forms
from engine.policy.things import FieldValue, ThingField, ThingRule
from engine.rank.naming import set_relevance
from engine.text import english
from engine.text.patterns import fold, matches, remove
from engine.text.quotable import cut_quotes, join_quotes
from engine.text.words import STOPWORDS, stem, stemmed, stems, words


@dataclass(frozen=True, slots=True)
class Wanted:
    """The values that a question asks for: for each field those that it names.

    All of them, or any where the question says "or". `rest` are the other content words
    of the question.
    """

    rule: ThingRule
    fields: Sequence[tuple[ThingField, Sequence[FieldValue]]]
    any_of: bool
    rest: tuple[str, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(field.label.lower() for field, _ in self.fields)


@dataclass(frozen=True, slots=True)
class Narrowed:
    """The passages that may answer, and counts of the entities that do not."""

    chunks: Sequence[Chunk]
    silent: int
    otherwise: int


def find_wanted(text: str, rule: ThingRule, pack: Pack) -> Wanted | None:
    """Return the values that a question asks entities for; None where it names none."""
    said, fields = fold(text), []
    for field in rule.fields:
        values = []
        for value in field.values:
            if matches([value.asked], said):
                said = fold(remove([value.asked], said))
                values.append(value)
        if values:
            fields.append((field, values))
    of_fields = (word for field in rule.fields for word in field.words)
    known = (*rule.words, *rule.asking, *of_fields, *pack.retrieval.subject)
    empty = {*stems(" ".join(known)), *STOPWORDS, *english.words("stop", "shaping")}
    rest = (w for w in words(said) if w not in empty and stem(w) not in empty)
    any_of = "or" in words(text)
    return Wanted(rule, fields, any_of, tuple(dict.fromkeys(rest))) if fields else None


def narrow(judged: Sequence[Chunk], asked: Wanted, pack: Pack) -> Narrowed:
    """Keep the passages about entities that state the values, and about no entity.

    A record that states them and holds all other words of the question answers it, as
    one that the question names would.
    """
    records = {c.document: t for c in judged for t in _iterate_records(c, asked.rule)}
    states = {document: _states_values(document, judged, asked) for document in records}
    held = _find_holding(judged, asked.rest, pack)
    near = {c.document for c in judged if c.relevance >= pack.gate.used} | held
    names = {n for d, thing in records.items() if states[d] for n in thing.names}
    kept = (
        set_relevance(chunk, 1.0)
        if states.get(chunk.document) and chunk.document in held
        else chunk
        for chunk in judged
        if states.get(chunk.document, _fits(chunk, names, asked))
    )
    ordered = sorted(kept, key=lambda chunk: -chunk.relevance)
    return Narrowed(
        chunks=ordered,
        silent=sum(d in near for d, stated in states.items() if stated is None),
        otherwise=sum(d in near for d, stated in states.items() if stated is False),
    )


def _iterate_records(chunk: Chunk, rule: ThingRule) -> Iterable[Thing]:
    return (t for t in chunk.things if t.kind == rule.kind and t.attributes)


def _fits(chunk: Chunk, names: Set[str], asked: Wanted) -> bool:
    """Return whether a passage other than a record is about a kept entity, or about
    none.

    In the second case it has to hold the values itself.
    """
    about = {name for thing in chunk.things for name in thing.names}
    if about:
        return bool(about & names)
    said = fold(chunk.text)
    return all(matches([v.asked for v in each], said) for _, each in asked.fields)


def _states_values(
    document: str, judged: Sequence[Chunk], asked: Wanted
) -> bool | None:
    """Return whether a record states the values; None where it lacks the field."""
    said: list[bool | None] = []
    chunk = next(c for c in judged if c.document == document and c.things)
    for field, values in asked.fields:
        spans = [
            one
            for thing in _iterate_records(chunk, asked.rule)
            for one in thing.attributes
            if one.name in field.attributes
        ]
        text = fold(join_quotes(tuple(cut_quotes(chunk, spans)))) if spans else ""
        held = [matches([value.stated], text) for value in values]
        enough = any(held) if asked.any_of else all(held)
        said.append(enough if text else None)
    if False in said:
        return False
    return None if None in said else True


def _find_holding(
    judged: Sequence[Chunk], rest: Sequence[str], pack: Pack
) -> frozenset[str]:
    """Return the documents that hold all these words, in any of their meanings."""
    texts: dict[str, str] = {}
    for chunk in judged:
        said = "\n".join(
            (chunk.title, *chunk.section, chunk.text, *(e.text for e in chunk.context))
        )
        texts[chunk.document] = f"{texts.get(chunk.document, '')}{stemmed(said)}"
    meant = [
        [
            form
            for other in _list_synonyms(word, pack)
            for form in forms(other, pack.retrieval)
        ]
        for word in rest
    ]
    return frozenset(
        document
        for document, said in texts.items()
        if all(any(form in said for form in each) for each in meant)
    )


def _list_synonyms(word: str, pack: Pack) -> Sequence[str]:
    """Return a word, and those of the same kind: "colon" and "colorectal"."""
    groups = (group for group in pack.answer.kinds if word in group)
    return (word, *(other for group in groups for other in group))
