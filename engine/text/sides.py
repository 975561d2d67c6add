"""The side of a named attribute that a question or a sentence is about.

"ctDNA-negative" and "ctDNA-positive", "stage II" and "stage III", "before surgery" and
"after surgery": a sentence that states another side, and not the one that was asked
about, is no answer, whatever else it shares. Only forms of words decide; a sentence
that states no side is kept.
"""

from collections.abc import Iterator, Mapping
from itertools import chain

import re2

from engine.text.english import is_known
from engine.text.patterns import fold
from engine.text.words import STOPWORDS, stem

# "HER2-negative", "ctDNA was negative", "negative for HER2", "HER2 positivity".
_SIGNED = re2.compile(
    r"(?i)\b(?P<thing>[a-z0-9][\w/+]*)(?:-|\s+(?:(?:test\w*|result\w*|status)\s+)?"
    r"(?:(?:is|are|was|were|came back|turned|tests?|tested)\s+)?)"
    r"(?P<side>negativ|positiv)(?:e|es|ity|ely)?\b"
)
_SIGNED_FOR = re2.compile(
    r"(?i)\b(?P<side>negativ|positiv)e\s+(?:test\w* )?for\s+(?P<thing>[a-z0-9][\w/+]*)"
)
# "a positive ctDNA result", "negative HER2 status".
_SIGNED_BEFORE = re2.compile(
    r"(?i)\b(?P<side>negativ|positiv)e\s+(?P<thing>[a-z0-9][\w/+]*)\s+"
    r"(?:results?|status|tests?|samples?|findings?)\b"
)
# "Was ALTAIR positive?" asks which it is, so either side answers.
_WHETHER = re2.compile(
    r"(?i)(?:^|[.?!,;:]\s*)(?:is|are|was|were)\s+"
    r"(?:(?:the|this|that|my|your|his|her|their|an?)\s+(?:\w+\s+)?)?"
    r"[a-z0-9][\w/+]*\s+(?:negative|positive)\s*(?:$|[.?!,;])"
)
# "stage II to IV", "type 2", "grades 1 and 2".
_VALUE = r"(?:[ivx]{1,4}|\d{1,2})[a-d]?"
_STEP = re2.compile(
    rf"(?i)\b(?P<thing>stage|grade|type|phase|class|category|tier|level)s?[ -]"
    rf"(?P<values>{_VALUE}(?:\s*(?:,|/|-|\x{{2013}}|to|and|or|through)\s*{_VALUE})*)\b"
)
_RANGE = re2.compile(rf"(?i)({_VALUE})\s*(?:-|\x{{2013}}|to|through)\s*({_VALUE})")
_ONE = re2.compile(rf"(?i)\b{_VALUE}\b")
# "before surgery", "prior to the scan", "pre-op", "post-exposure".
_WHEN = re2.compile(
    r"(?i)\b(?:(?P<side>before|prior to|after)\s+"
    r"(?:(?:the|an?|your|my|his|her|their|each|every)\s+)?(?P<thing>[a-z]{4,})"
    r"|(?P<side2>pre|post)-(?P<thing2>[a-z]{2,})\b)"
)
_BOTH = re2.compile(
    r"(?i)\b(?:before|after),? (?:and|or|as well as|and also) (?:before|after)\s+"
    r"(?:(?:the|an?|your|my)\s+)?(?P<thing>[a-z]{4,})"
)
_ROMAN = {"i": 1, "ii": 2, "iii": 3, "iv": 4, "v": 5, "vi": 6, "vii": 7, "viii": 8}
_EARLY = frozenset({"before", "prior to", "pre"})
# Words before a sign that name nothing: "a positive result".
_NOTHING = frozenset(
    """a an the is are was were be it this that if when of and or both false true very
    most more no not who tested test result results status patients people""".split()  # noqa: SIM905
)

SHORT = 2  # letters of what is too short for a name unless written like one ("vs")

Sides = Mapping[str, frozenset[str]]


def read_sides(text: str) -> Sides:
    """Return the sides that a text states, by attribute."""
    found: dict[str, set[str]] = {}
    for thing, side in _find_sides(fold(text)):
        found.setdefault(thing, set()).add(side)
    return {thing: frozenset(stated) for thing, stated in found.items()}


def find_unnamed(asked: str, said: str) -> list[str]:
    """Return attributes with a side that a question names and a text does not, as
    written.

    Times are left out: "before surgery" has many wordings.
    """
    question, held = str(_WHETHER.sub(" ", fold(asked))), read_sides(said)
    found = []
    for pattern in (_SIGNED, _SIGNED_FOR, _SIGNED_BEFORE, _STEP):
        for match in pattern.finditer(question):
            names = pattern is not _SIGNED or _names_attribute(match)
            one = read_sides(match.group()) if names else {}
            lacking = [
                t for t, wanted in one.items() if not wanted & held.get(t, set())
            ]
            if lacking:
                found.append(" ".join(match.group().split()))
    return list(dict.fromkeys(found))


def _names_attribute(match: re2._Match) -> bool:
    """Return whether words side by side name an attribute: "HER2 positive".

    A common word beside a sign may be a verb ("find positive"), or belong to another
    word ("vs negative").
    """
    thing, side = str(match["thing"]), str(match["side"])
    between = match.group()[len(thing) :].lower().partition(side.lower())[0]
    if between.strip():  # a hyphen, or "is"
        return True
    written = any(c.isdigit() or c.isupper() for c in thing[1:])
    return written or (len(thing) > SHORT and not is_known(thing.lower()))


def read_asked_sides(question: str) -> Sides:
    """Return the sides that a question is about, without those that it asks for."""
    return read_sides(str(_WHETHER.sub(" ", fold(question))))


def find_other_side(asked: Sides, said: Sides) -> str | None:
    """Return the side that a text states instead of the one that was asked about, or
    None.
    """
    for thing, wanted in asked.items():
        stated = said.get(thing, frozenset())
        if len(wanted) == 1 and stated and wanted.isdisjoint(stated):
            return f"{thing} {', '.join(sorted(stated))}"
    return None


def _find_sides(text: str) -> Iterator[tuple[str, str]]:
    signed = (_SIGNED, _SIGNED_FOR, _SIGNED_BEFORE)
    for found in chain.from_iterable(each.finditer(text) for each in signed):
        thing = str(found["thing"]).lower()
        if thing not in _NOTHING:
            yield stem(thing), f"{str(found['side']).lower()}e"
    for found in _STEP.finditer(text):
        for value in _expand_values(str(found["values"])):
            yield str(found["thing"]).lower(), value
    text = str(_BOTH.sub(r"before \g<thing> after \g<thing>", text))
    for found in _WHEN.finditer(text):
        thing = str(found["thing"] or found["thing2"]).lower()
        side = str(found["side"] or found["side2"]).lower()
        if thing in STOPWORDS:
            continue  # "before that"
        yield stem(thing), "before" if side in _EARLY else "after"


def _expand_values(listed: str) -> Iterator[str]:
    """Yield the values of a list and of its ranges, without the letter of a part of
    one.
    """
    for first, last in _RANGE.findall(listed):
        low, high = _parse_value(first), _parse_value(last)
        yield from (str(value) for value in range(low, min(high, low + 20) + 1))
    yield from (str(_parse_value(value)) for value in _ONE.findall(listed))


def _parse_value(value: str) -> int:
    plain = value.lower().rstrip("abcd")
    return _ROMAN.get(plain) or (int(plain) if plain.isdigit() else 0)
