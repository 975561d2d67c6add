"""The entities that a question names, among those that the documents describe.

A name is compared as words, so "DYNAMIC-III" is "dynamic iii", and the longest name
wins. A name that is also an ordinary word counts only where it is written like a name
("DYNAMIC") or beside the noun of such an entity ("the dynamic trial"). A first word
alone ("CIRCULATE") means all whose names begin with it, if none is called that.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile

import re2

from engine.model.passage import NAMED, Chunk
from engine.policy.names import CAPITALS, Token, WrittenName, find_names
from engine.policy.things import ThingRule
from engine.rank.referring import BESIDE, find_speaking, is_reference, rank_by_topic
from engine.rank.view import Word
from engine.text import english
from engine.text.background import weigh
from engine.text.paragraphs import Labels, pick_parts
from engine.text.patterns import fold
from engine.text.words import STOPWORDS, stem, words

_TOKEN = re2.compile(r"[\pL\pN]+")
# A numeral makes another name of the one before it: "DYNAMIC III", "MERMAID 2".
_NUMERAL = re2.compile(r"^(?:\d{1,3}|[ivx]+)$")  # not a year: "GALAXY 2024"
_OF_FIGURES = frozenset("-%\u2010\u2011\u2013")  # behind "3" of "3-year", "95" of "95%"
_APOSTROPHES = "'\u2019\u02bc\u00b4`"
UNKNOWN_TO_ENGLISH = 0.95  # weight from which a word can only be a name


@dataclass(frozen=True, slots=True)
class Naming:
    """The entities that a question names.

    `documents` are those about them, `names` their names there, `unknown` the names
    that no document has. `lookup`: beyond names, only fields of the entities are asked
    for, of the `kinds` that the pack knows. `apart`: passages about other entities are
    no answer. `parts` are the labels of the parts that are asked for, by document.
    `alone`: the entities of a lookup have no fields, so that their own text is the only
    answer. `referred`: such an entity is named with its subject ("s. 34 security"), and
    no other question is asked. `said` are the words that name it.
    """

    documents: tuple[str, ...] = ()
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    unknown: tuple[str, ...] = ()
    lookup: bool = False
    kinds: frozenset[str] = frozenset()
    apart: bool = False
    parts: Mapping[str, set[Labels]] = field(default_factory=dict)
    alone: bool = False
    referred: bool = False
    said: frozenset[str] = frozenset()


def find_name_terms(text: str, rules: Sequence[ThingRule]) -> tuple[str, ...]:
    """Return the words of a question that may be names, to search for."""
    if not rules:
        return ()
    tokens = _tokenize(text)
    called = _stem_nouns(rules)
    said = [
        t.text for at, t in enumerate(tokens) if _may_name(text, tokens, at, called)
    ]
    named = [one.name for rule in rules for one in find_names(text, rule)]
    return tuple(dict.fromkeys(w for each in (*named, *said) for w in words(each)))


def find_naming(
    text: str, chunks: Sequence[Chunk], rules: Sequence[ThingRule]
) -> Naming:
    """Find the entities that a question names.

    Args:
        text: the question as understood.
        chunks: the candidates, including those that were found by `find_name_terms`.
        rules: of the pack.
    """
    if not rules:
        return Naming()
    tokens = _tokenize(text)
    matched = list(_keep_longest(_find_matches(text, tokens, chunks, rules)))
    documents = dict.fromkeys(d for one in matched for d in sorted(one.documents))
    named: dict[str, tuple[str, ...]] = {}
    for one in matched:
        for kind, name in sorted(one.names):
            named[kind] = tuple(dict.fromkeys((*named.get(kind, ()), name)))
    taken = {at for one in matched for at in range(one.first, one.last)}
    beside = [t.text for at, t in enumerate(tokens) if at not in taken]
    only_about = is_reference(beside, _list_asking(rules))
    missing = _find_unknown(text, tokens, taken, chunks, rules)
    unknown = {
        name: inside for name, inside, partial in missing if only_about or not partial
    }
    taken.update(at for inside in unknown.values() for at in inside)
    alone = not any(rule.fields for rule in rules if rule.kind in named or not named)
    return Naming(
        documents=tuple(documents),
        names=named,
        unknown=tuple(unknown),
        lookup=bool(documents) and _is_lookup(tokens, taken, rules),
        alone=alone,
        referred=alone and only_about and bool(documents or unknown),
        said=_list_asking(rules) | {tokens[at].text for at in taken},
        kinds=frozenset(rule.kind for rule in rules),
        apart=any(rule.apart for rule in rules if named.get(rule.kind)),
        parts=_find_parts(matched),
    )


def _find_parts(matched: Iterable["_Match"]) -> dict[str, set[Labels]]:
    """Return the parts that are asked for, of documents that are not asked for as a
    whole.
    """
    found: dict[str, set[Labels]] = {}
    for one in matched:
        for document in one.documents:
            found.setdefault(document, set()).add(one.labels)
    return {document: parts for document, parts in found.items() if () not in parts}


# --- names ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Match:
    """Tokens [first, last) of the question as a name of documents."""

    first: int
    last: int
    documents: frozenset[str]
    names: frozenset[tuple[str, str]]
    labels: Labels = ()


def _tokenize(text: str) -> list[Token]:
    tokens = (
        Token(m.group().casefold(), m.start(), m.end()) for m in _TOKEN.finditer(text)
    )
    return [t for t in tokens if not (t.text == "s" and _is_possessive(text, t.start))]


def _is_possessive(text: str, at: int) -> bool:
    """Return whether the word at a position is the s of "GALAXY's"."""
    return at > 1 and text[at - 1] in _APOSTROPHES and text[at - 2].isalnum()


def _find_matches(
    text: str,
    tokens: Sequence[Token],
    chunks: Sequence[Chunk],
    rules: Sequence[ThingRule],
) -> Iterator[_Match]:
    known = _index_names(chunks)
    for names in (known, _index_families(known)):
        for key, about in names.items():
            for at in _find_places(text, tokens, key, _stem_nouns(rules)):
                yield _make_match(at, at + len(key), about)
    for rule in rules:
        for one in find_names(text, rule):
            meant = _resolve_name(one, known)
            inside = sorted(one.inside(tokens))
            if meant and inside:
                match = _make_match(inside[0], inside[-1] + 1, meant)
                yield replace(match, labels=one.labels)


_About = frozenset[tuple[str, str, str]]  # document, kind, name


def _resolve_name(
    one: "WrittenName", known: Mapping[tuple[str, ...], _About]
) -> _About:
    """Return the documents and names that a written name means."""
    key = _make_key(one.name)
    if not one.partial:
        return known.get(key, frozenset())
    number = _leading_figures(key)
    fitting = (k for k in known if _leading_figures(k) == number and set(key) <= set(k))
    return frozenset(about for k in fitting for about in known[k])


def _make_key(name: str) -> tuple[str, ...]:
    return tuple(token.text for token in _tokenize(name))


def _index_names(chunks: Sequence[Chunk]) -> dict[tuple[str, ...], _About]:
    """Return the entities of the candidates, by name."""
    known: dict[tuple[str, ...], _About] = {}
    for chunk in chunks:
        for thing in chunk.things:
            for name in thing.names:
                about = (chunk.document, thing.kind, name)
                known[_make_key(name)] = known.get(_make_key(name), frozenset()) | {
                    about
                }
    return known


def _index_families(
    known: Mapping[tuple[str, ...], _About],
) -> dict[tuple[str, ...], _About]:
    """Return the entities whose names begin with one word that is no name by itself."""
    families: dict[tuple[str, ...], _About] = {}
    for key, about in known.items():
        first = key[:1]
        if len(key) > 1 and first not in known and not key[0].isdigit():
            families[first] = families.get(first, frozenset()) | about
    return families


def _find_places(
    text: str,
    tokens: Sequence[Token],
    key: tuple[str, ...],
    called: frozenset[str],
) -> Iterator[int]:
    """Yield the positions of a name in a question."""
    for at in range(len(tokens) - len(key) + 1):
        run = tuple(token.text for token in tokens[at : at + len(key)])
        stands = run == key and _ends_name(text, tokens, at + len(key))
        if stands and (len(key) > 1 or _may_name(text, tokens, at, called)):
            yield at


def _leading_figures(key: tuple[str, ...]) -> tuple[str, ...]:
    """Return the leading figures of a name: 22 is another number than 22.1."""
    return tuple(takewhile(str.isdigit, key))


def _make_match(first: int, last: int, about: Iterable[tuple[str, str, str]]) -> _Match:
    told = list(about)
    return _Match(
        first,
        last,
        frozenset(document for document, _, _ in told),
        frozenset((kind, name) for _, kind, name in told),
    )


def _keep_longest(found: Iterable[_Match]) -> Iterator[_Match]:
    """Yield the matches that are in no longer one, in the order of the question."""
    every = sorted(found, key=lambda m: (m.first, -m.last))
    for one in every:
        size = one.last - one.first
        if not any(
            other.first <= one.first
            and one.last <= other.last
            and other.last - other.first > size
            for other in every
        ):
            yield one


def _ends_name(text: str, tokens: Sequence[Token], last: int) -> bool:
    """Return whether a name ends at a token: no numeral and no second half continues
    it.

    "DYNAMIC 3" is another name; "DYNAMIC 3-year" and "DYNAMIC 95%" continue with a
    figure.
    """
    if last == len(tokens):
        return True
    following = tokens[last]
    between = text[tokens[last - 1].end : following.start]
    figure = text[following.end : following.end + 1] in _OF_FIGURES
    numeral = _NUMERAL.match(following.text) is not None and not figure
    return between != "-" and not (between == " " and numeral)


def _stem_nouns(rules: Sequence[ThingRule]) -> frozenset[str]:
    return frozenset(
        stem(w) for rule in rules for each in rule.words for w in words(each)
    )


def _may_name(
    text: str, tokens: Sequence[Token], at: int, called: frozenset[str]
) -> bool:
    """Return whether a word is written like a name, or is in the place of one."""
    token = tokens[at]
    written = text[token.start : token.end]
    if token.text in STOPWORDS or stem(token.text) in called:
        return False
    if sum(map(str.isupper, written)) >= CAPITALS or any(map(str.isdigit, written)):
        return True
    if weigh(stem(token.text)) >= UNKNOWN_TO_ENGLISH:
        return True
    beside = tokens[max(0, at - 1) : at + 2]
    return any(stem(other.text) in called for other in beside)


# --- unknown names ----------------------------------------------------------------


def _find_unknown(
    text: str,
    tokens: Sequence[Token],
    taken: set[int],
    chunks: Sequence[Chunk],
    rules: Sequence[ThingRule],
) -> Iterator[tuple[str, frozenset[int], bool]]:
    """Yield names that no document has and no passage mentions, with their words.

    And whether each is only a part of a name.
    """
    for rule in rules:
        for one in find_names(text, rule):
            inside = one.inside(tokens)
            wanted = fold(one.name).casefold()
            known = any(wanted in fold(chunk.text).casefold() for chunk in chunks)
            if not inside & taken and not known:
                yield text[one.start : one.end], inside, one.partial


def judge_by_name(
    judged: Sequence[Chunk],
    found: Iterable[Chunk],
    naming: Naming,
    asked: Sequence[Word] = (),
) -> list[Chunk]:
    """Set the relevance of judged chunks by the entities that the question names.

    A lookup, which names an entity and asks only for its fields, is answered by its own
    record, however near its words are: a field is quoted, or reported missing. Where a
    part of it is named, that part of the `found` chunks replaces it. Passages about
    other entities, where these are mutually exclusive, answer nothing.

    An entity without fields that is named with its subject, of the content words
    `asked`, answers, too, unless it is about something else; no other entity replaces
    it.
    """
    every = [*found]
    about = set(naming.documents)
    own = [c for c in every if c.document in about and naming.alone]
    fits = (
        frozenset()
        if naming.lookup
        else find_speaking(own, asked, naming.said, referred=naming.referred)
    )
    wanted = {d: p for d, p in naming.parts.items() if naming.lookup or d in fits}
    parts = pick_parts(every, wanted)
    narrowed = {chunk.document for chunk in parts}
    alone = naming.lookup and naming.alone

    def by_name(chunk: Chunk) -> Chunk:
        if chunk.document in fits:
            return rank_by_topic(chunk, asked, naming.said, whole=naming.referred)
        if naming.referred and not naming.lookup and chunk.things:
            return set_relevance(chunk, min(chunk.relevance, BESIDE))
        if chunk.document in about:
            looked_up = naming.lookup and _is_thing(chunk, naming)
            return set_relevance(chunk, 1.0) if looked_up else chunk
        return set_relevance(chunk, 0.0) if naming.apart and chunk.things else chunk

    kept = (c for c in judged if not alone or c.document in about)
    whole = (c for c in kept if c.document not in narrowed)
    return [by_name(chunk) for chunk in (*whole, *parts)]


def _is_thing(chunk: Chunk, naming: Naming) -> bool:
    return any(thing.kind in naming.kinds for thing in chunk.things)


def set_relevance(chunk: Chunk, relevance: float) -> Chunk:
    """Set the relevance of a passage by its entity."""
    picks = (p.model_copy(update={"relevance": relevance}) for p in chunk.picks)
    parts = {**chunk.parts, NAMED: relevance}
    update = {"relevance": relevance, "parts": parts, "picks": tuple(picks)}
    return chunk.model_copy(update=update)


# --- lookups ----------------------------------------------------------------------


def _is_lookup(
    tokens: Sequence[Token], taken: set[int], rules: Sequence[ThingRule]
) -> bool:
    """Return whether only fields of the named entities are asked for."""
    fields = (f for rule in rules for f in rule.fields)
    asked = [w for f in fields for each in (f.label, *f.words) for w in words(each)]
    asked += [w for rule in rules for each in rule.asking for w in words(each)]
    known = {stem(word) for word in asked} | _stem_nouns(rules)
    empty = (STOPWORDS | english.words("stop", "shaping")) - english.words("reason")
    return all(
        at in taken or token.text in empty or stem(token.text) in known
        for at, token in enumerate(tokens)
    )


def _list_asking(rules: Sequence[ThingRule]) -> frozenset[str]:
    return frozenset(w for rule in rules for each in rule.asking for w in words(each))
