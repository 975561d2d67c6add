"""Which things a question names, among those that the documents describe.

A name is compared as words, so "DYNAMIC-III" is "dynamic iii", and the longest name
wins. A name that is also an ordinary word counts only where it is written like a name
("DYNAMIC") or stands beside what such a thing is called ("the dynamic trial"). A first
word alone ("CIRCULATE") names all whose names begin with it, if none is called that.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile

import re2

from engine.model.passage import NAMED, Chunk
from engine.policy.names import CAPITALS, Token, WrittenName, find_names
from engine.policy.things import ThingRule
from engine.rank.referring import BESIDE, about_topic, refers, speaking
from engine.rank.view import Word
from engine.text import english
from engine.text.background import weigh
from engine.text.paragraphs import Labels, pick_parts
from engine.text.patterns import fold
from engine.text.words import STOPWORDS, stem, words

_TOKEN = re2.compile(r"[\pL\pN]+")
# What makes another name of the one before it: "DYNAMIC III", "MERMAID 2".
_NUMERAL = re2.compile(r"^(?:\d{1,3}|[ivx]+)$")  # not a year: "GALAXY 2024"
_OF_FIGURES = frozenset("-%\u2010\u2011\u2013")  # behind "3" of "3-year", "95" of "95%"
_APOSTROPHES = "'\u2019\u02bc\u00b4`"
UNKNOWN_TO_ENGLISH = 0.95  # weight from which a word can only be a name


@dataclass(frozen=True, slots=True)
class Naming:
    """What a question names.

    `documents` are those about it, `names` what they are called there, `unknown` the
    names that no document has. `lookup`: beyond names, nothing is asked but fields of
    what they name, of the `kinds` that the pack knows. `apart`: what is about other
    things is no answer. `parts` are the labels of the parts that are asked for, by
    document. `alone` says of a lookup that what is named has no fields: its own text is
    the answer, and nothing else is. `referred` says that such a thing is named with
    what it is about ("s. 34 security"), and no question asked of others. `said` are the
    words that name it.
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


def name_terms(text: str, rules: Sequence[ThingRule]) -> tuple[str, ...]:
    """Return the words of a question that may be names, to be searched for by
    themselves.
    """
    if not rules:
        return ()
    tokens = _tokens(text)
    called = _called(rules)
    said = [
        t.text for at, t in enumerate(tokens) if _may_name(text, tokens, at, called)
    ]
    named = [one.name for rule in rules for one in find_names(text, rule)]
    return tuple(dict.fromkeys(w for each in (*named, *said) for w in words(each)))


def naming(text: str, chunks: Sequence[Chunk], rules: Sequence[ThingRule]) -> Naming:
    """Return the things that a question names.

    Args:
        text: the question as understood.
        chunks: the candidates, among them those that were found by `name_terms`.
        rules: of the pack.
    """
    if not rules:
        return Naming()
    tokens = _tokens(text)
    matched = list(_longest(_matches(text, tokens, chunks, rules)))
    documents = dict.fromkeys(d for one in matched for d in sorted(one.documents))
    named: dict[str, tuple[str, ...]] = {}
    for one in matched:
        for kind, name in sorted(one.names):
            named[kind] = tuple(dict.fromkeys((*named.get(kind, ()), name)))
    taken = {at for one in matched for at in range(one.first, one.last)}
    beside = [t.text for at, t in enumerate(tokens) if at not in taken]
    only_about = refers(beside, _asking(rules))
    missing = _unknown(text, tokens, taken, chunks, rules)
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
        said=_asking(rules) | {tokens[at].text for at in taken},
        kinds=frozenset(rule.kind for rule in rules),
        apart=any(rule.apart for rule in rules if named.get(rule.kind)),
        parts=_parts(matched),
    )


def _parts(matched: Iterable["_Match"]) -> dict[str, set[Labels]]:
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


def _tokens(text: str) -> list[Token]:
    tokens = (
        Token(m.group().casefold(), m.start(), m.end()) for m in _TOKEN.finditer(text)
    )
    return [t for t in tokens if not (t.text == "s" and _is_possessive(text, t.start))]


def _is_possessive(text: str, at: int) -> bool:
    """Return whether what begins there is the s of "GALAXY's"."""
    return at > 1 and text[at - 1] in _APOSTROPHES and text[at - 2].isalnum()


def _matches(
    text: str,
    tokens: Sequence[Token],
    chunks: Sequence[Chunk],
    rules: Sequence[ThingRule],
) -> Iterator[_Match]:
    known = _known(chunks)
    for names in (known, _families(known)):
        for key, about in names.items():
            for at in _places(text, tokens, key, _called(rules)):
                yield _match(at, at + len(key), about)
    for rule in rules:
        for one in find_names(text, rule):
            meant = _meant(one, known)
            inside = sorted(one.inside(tokens))
            if meant and inside:
                match = _match(inside[0], inside[-1] + 1, meant)
                yield replace(match, labels=one.labels)


_About = frozenset[tuple[str, str, str]]  # document, kind, name


def _meant(one: "WrittenName", known: Mapping[tuple[str, ...], _About]) -> _About:
    """Return what a written name is that of."""
    key = _key(one.name)
    if not one.partial:
        return known.get(key, frozenset())
    number = _number(key)
    fitting = (k for k in known if _number(k) == number and set(key) <= set(k))
    return frozenset(about for k in fitting for about in known[k])


def _key(name: str) -> tuple[str, ...]:
    return tuple(token.text for token in _tokens(name))


def _known(chunks: Sequence[Chunk]) -> dict[tuple[str, ...], _About]:
    """Return what the candidates are about, by name."""
    known: dict[tuple[str, ...], _About] = {}
    for chunk in chunks:
        for thing in chunk.things:
            for name in thing.names:
                about = (chunk.document, thing.kind, name)
                known[_key(name)] = known.get(_key(name), frozenset()) | {about}
    return known


def _families(known: Mapping[tuple[str, ...], _About]) -> dict[tuple[str, ...], _About]:
    """Return the things whose names begin with one word that is no name by itself."""
    families: dict[tuple[str, ...], _About] = {}
    for key, about in known.items():
        first = key[:1]
        if len(key) > 1 and first not in known and not key[0].isdigit():
            families[first] = families.get(first, frozenset()) | about
    return families


def _places(
    text: str,
    tokens: Sequence[Token],
    key: tuple[str, ...],
    called: frozenset[str],
) -> Iterator[int]:
    """Yield where a name stands in a question."""
    for at in range(len(tokens) - len(key) + 1):
        run = tuple(token.text for token in tokens[at : at + len(key)])
        stands = run == key and _ends(text, tokens, at + len(key))
        if stands and (len(key) > 1 or _may_name(text, tokens, at, called)):
            yield at


def _number(key: tuple[str, ...]) -> tuple[str, ...]:
    """Return what a name begins with, as far as it is figures: 22 is another one than
    22.1.
    """
    return tuple(takewhile(str.isdigit, key))


def _match(first: int, last: int, about: Iterable[tuple[str, str, str]]) -> _Match:
    told = list(about)
    return _Match(
        first,
        last,
        frozenset(document for document, _, _ in told),
        frozenset((kind, name) for _, kind, name in told),
    )


def _longest(found: Iterable[_Match]) -> Iterator[_Match]:
    """Yield the matches that no longer one holds, in the order of the question."""
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


def _ends(text: str, tokens: Sequence[Token], last: int) -> bool:
    """Return whether a name ends there: no numeral and no second half goes on with it.

    "DYNAMIC 3" is another one; "DYNAMIC 3-year" and "DYNAMIC 95%" go on with a figure.
    """
    if last == len(tokens):
        return True
    following = tokens[last]
    between = text[tokens[last - 1].end : following.start]
    figure = text[following.end : following.end + 1] in _OF_FIGURES
    numeral = _NUMERAL.match(following.text) is not None and not figure
    return between != "-" and not (between == " " and numeral)


def _called(rules: Sequence[ThingRule]) -> frozenset[str]:
    return frozenset(
        stem(w) for rule in rules for each in rule.words for w in words(each)
    )


def _may_name(
    text: str, tokens: Sequence[Token], at: int, called: frozenset[str]
) -> bool:
    """Return whether a word is written like a name, or stands where one does."""
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


# --- names that nothing bears -------------------------------------------------------


def _unknown(
    text: str,
    tokens: Sequence[Token],
    taken: set[int],
    chunks: Sequence[Chunk],
    rules: Sequence[ThingRule],
) -> Iterator[tuple[str, frozenset[int], bool]]:
    """Names that no document has and no passage speaks of, with their words.

    And whether it is part of a name alone.
    """
    for rule in rules:
        for one in find_names(text, rule):
            inside = one.inside(tokens)
            wanted = fold(one.name).casefold()
            known = any(wanted in fold(chunk.text).casefold() for chunk in chunks)
            if not inside & taken and not known:
                yield text[one.start : one.end], inside, one.partial


def judged_by_name(
    judged: Sequence[Chunk],
    found: Iterable[Chunk],
    naming: Naming,
    asked: Sequence[Word] = (),
) -> list[Chunk]:
    """Return the judged chunks; those that say what a named thing is, as the answer to
    a lookup.

    Who names a thing and asks for its fields alone is answered by its own record,
    whatever its words are near to: a field is quoted, or told to be missing. Where a
    part of it is named, that part of what was `found` takes its place. What is about
    other things, where these stand apart, answers nothing.

    So is a thing without fields that is named with what it is about, of the content
    words `asked` too: it answers unless it speaks of something else, and no other thing
    stands in for it.
    """
    every = [*found]
    about = set(naming.documents)
    own = [c for c in every if c.document in about and naming.alone]
    fits = (
        frozenset()
        if naming.lookup
        else speaking(own, asked, naming.said, referred=naming.referred)
    )
    wanted = {d: p for d, p in naming.parts.items() if naming.lookup or d in fits}
    parts = pick_parts(every, wanted)
    narrowed = {chunk.document for chunk in parts}
    alone = naming.lookup and naming.alone

    def by_name(chunk: Chunk) -> Chunk:
        if chunk.document in fits:
            return about_topic(chunk, asked, naming.said, whole=naming.referred)
        if naming.referred and not naming.lookup and chunk.things:
            return as_judged(chunk, min(chunk.relevance, BESIDE))
        if chunk.document in about:
            looked_up = naming.lookup and _is_thing(chunk, naming)
            return as_judged(chunk, 1.0) if looked_up else chunk
        return as_judged(chunk, 0.0) if naming.apart and chunk.things else chunk

    kept = (c for c in judged if not alone or c.document in about)
    whole = (c for c in kept if c.document not in narrowed)
    return [by_name(chunk) for chunk in (*whole, *parts)]


def _is_thing(chunk: Chunk, naming: Naming) -> bool:
    return any(thing.kind in naming.kinds for thing in chunk.things)


def as_judged(chunk: Chunk, relevance: float) -> Chunk:
    """Return the passage with a relevance that follows from what it is about."""
    picks = (p.model_copy(update={"relevance": relevance}) for p in chunk.picks)
    parts = {**chunk.parts, NAMED: relevance}
    update = {"relevance": relevance, "parts": parts, "picks": tuple(picks)}
    return chunk.model_copy(update=update)


# --- what is asked of them ------------------------------------------------------------


def _is_lookup(
    tokens: Sequence[Token], taken: set[int], rules: Sequence[ThingRule]
) -> bool:
    """Return whether only fields of what is named are asked for."""
    fields = (f for rule in rules for f in rule.fields)
    asked = [w for f in fields for each in (f.label, *f.words) for w in words(each)]
    asked += [w for rule in rules for each in rule.asking for w in words(each)]
    known = {stem(word) for word in asked} | _called(rules)
    empty = (STOPWORDS | english.words("stop", "shaping")) - english.words("reason")
    return all(
        at in taken or token.text in empty or stem(token.text) in known
        for at, token in enumerate(tokens)
    )


def _asking(rules: Sequence[ThingRule]) -> frozenset[str]:
    return frozenset(w for rule in rules for each in rule.asking for w in words(each))
