"""One record card for each entity that an answer is about.

No model drafts a card: its fields are in the pack's order, each quoted from the
document, or reported missing. So it is the same with a model and without.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import re2

from engine.model.document import Thing
from engine.model.frozen import Span
from engine.model.passage import Chunk
from engine.policy.rules import Material
from engine.policy.things import ThingField, ThingRule
from engine.text.markup import make_inert
from engine.text.quotable import cut_quotes, join_quotes
from engine.text.words import stems
from engine.verify.citations import Passage
from engine.verify.limits import Part


@dataclass(frozen=True, slots=True)
class _Record:
    """An entity, and the number of the first passage of the evidence about it."""

    number: int
    chunk: Chunk
    thing: Thing


def make_cards(material: Material, beside: Sequence[Part] = ()) -> list[Part]:
    """Make the cards of the entities that the question names, else of those found.

    Empty where the pack asks for no cards, or the evidence is about no such entity.

    Args:
        material: what is quoted from.
        beside: the other parts shown; where one is about an entity, it may state a
            field that its record lacks, which is then not reported missing.
    """
    rule = material.blocks
    if rule is None:
        return []
    return [
        part
        for record in _find_records(material, rule)
        for field in _order_fields(material, rule, record.thing)
        for part in _make_row(
            record, field, _word_absent(record, rule, material, beside), material
        )
    ]


def _find_records(material: Material, rule: ThingRule) -> Sequence[_Record]:
    """Return the entities of the evidence, named ones in the order of the question."""
    found: dict[tuple[str, int], _Record] = {}
    for number, chunk in enumerate(material.chunks, start=1):
        for thing in chunk.things:
            if thing.kind == rule.kind and thing.attributes:
                record = _Record(number, chunk, thing)
                found.setdefault((chunk.document, thing.start), record)
    named = [
        record
        for document in material.named
        for record in found.values()
        if record.chunk.document == document
    ]
    most = material.rules.most_in_section
    others = sorted(
        found.values(), key=lambda record: record.chunk.document not in material.leading
    )
    return named[:most] or others[: min(rule.most, most)]


def _order_fields(
    material: Material, rule: ThingRule, thing: Thing
) -> Sequence[ThingField]:
    """Return the fields in the pack's order; of a lookup, those asked for first.

    An asker for the results of a trial reads them above its register number; a field
    that its record lacks keeps its place.
    """
    if not (material.named or material.looked_up):
        return rule.fields
    said = {*stems(material.question)}

    def asked(field: ThingField) -> int:
        if next(_find_attributes(thing, field), None) is None:
            return 0
        words = said & {*stems(" ".join(field.words))}
        return 2 * len(said & {*stems(field.label)}) + len(words)

    return sorted(rule.fields, key=lambda field: -asked(field))


def _make_row(
    record: _Record, field: ThingField, absent: str, material: Material
) -> Iterator[Part]:
    """Yield a field as one quotation, or as the line that says it is missing.

    Each field is a separate passage; where these are more than a section may cite,
    neighbours become one citation, as any do.
    """
    chunk, thing = record.chunk, record.thing
    above = " ".join((chunk.title, *chunk.section))
    spans = [Span(start=a.start, end=a.end) for a in _find_attributes(thing, field)]
    if not spans:
        name = thing.names[0] if thing.names else chunk.title
        text = absent.format(label=field.label, name=name)
        yield Part(make_inert(text), (), (), sensitive=False, above=above, row=True)
        return
    quotes = tuple(cut_quotes(chunk, spans))
    text = join_quotes(quotes)
    first, last = min(s.start for s in spans), max(s.end for s in spans)
    yield Part(
        text=text,
        passages=(Passage(record.number, first, last),),
        quotes=quotes,
        sensitive=material.rules.sensitive(text, intended=material.intended),
        above=above,
        row=True,
    )


def _word_absent(
    record: _Record, rule: ThingRule, material: Material, beside: Sequence[Part]
) -> str:
    """Return the wording for a field that the record lacks."""
    names = set(record.thing.names)
    listed = "|".join(map(re2.escape, sorted(names)))
    known = re2.compile(rf"(?i)\b(?:{listed})\b")
    for part in beside:
        about = {
            name
            for passage in part.passages
            for thing in material.chunks[passage.number - 1].things
            for name in thing.names
        }
        if names & about or (names and known.search(part.text) is not None):
            return rule.unrecorded
    return rule.absent


def _find_attributes(thing: Thing, field: ThingField) -> Iterator[Span]:
    for attribute in thing.attributes:
        if attribute.name in field.attributes:
            yield attribute
