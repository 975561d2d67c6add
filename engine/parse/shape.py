"""The shape that an answer is asked for in: a page in short, its link, two things.

The forms are data (engine/text/shapes.toml). What is asked for and never done (a sum, a
translation, an essay) is told here too, so that one fixed line says what can be had.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from engine.text.english import find, read_groups, whole
from engine.text.patterns import fold
from engine.text.talk import UNDONE, Talk
from engine.text.words import STOPWORDS, words

LONGEST = 300  # characters of a text that asks for a shape
MOST_WORDS = 9  # of a page's name, or of one of two things
MOST_OF_NAME = 2  # words of a name that is all of a message
_MARKS = " ?!.,;:\"'“”"
_END = re.compile(r"(?<=[.!?;])\s+")
_NUMBERED = re.compile(r"(?P<head>.* )[^ ]*\d[^ ]*")
_PAIRS = (("one", "two"), ("first", "second"), ("this", "that"))

Kind = Literal["short", "link", "table"]
_PAGES: Mapping[Kind, str] = {
    "short": "asks_summary",
    "link": "asks_link",
    "table": "asks_table",
}


@dataclass(frozen=True, slots=True)
class Page:
    """A page that is asked for: in short, or its link alone.

    `name` is empty for that of the answer before.
    """

    kind: Kind
    name: str


def detect_undone(text: str) -> Talk | None:
    """Return what a message orders that is never done; None for any other."""
    folded = fold(text[:LONGEST])
    plain = [each.strip(_MARKS) for each in (folded, *_END.split(folded))]
    return next(
        (k for k in UNDONE if any(whole(k.value, each) for each in plain)), None
    )


def read_page(text: str) -> Page | None:
    """Return the page that a question asks for, None where it asks for something else.

    What only tells may stand beside it: "tldr lab 6? need it by 5".
    """
    plain = _fold_plain(text)
    said = _END.split(plain)
    for at, each in enumerate((plain, *said)):
        page = _match_page(each)
        beside = [*said[: at - 1], *said[at:]] if at else []
        if page is not None and not any(map(_is_question, beside)):
            return page
    return None


def _is_question(text: str) -> bool:
    return text.endswith("?") or find("begins", text) is not None


def _match_page(text: str) -> Page | None:
    plain = text.strip(_MARKS)
    for kind, form in _PAGES.items():
        match = whole(form, plain) if plain else None
        if match is not None:
            rest = next(filter(None, match.groupdict().values()), "")
            return _page(kind, rest)
    return None


def resolve_page(text: str, previous: str) -> Page | None:
    """Return the page that a question asks for, or names where it was asked back for.

    Of the answer before it has the name that `previous` asked about, if that has one.
    """
    page, before = read_page(text), read_page(previous)
    asked_back = before is not None and not before.name
    if page is None and before is not None and asked_back:
        return None if find("asks_first", fold(text)) else _page(before.kind, text)
    return page


def shorten_page(name: str) -> str:
    """Return the name of a page without what it is wanted for, empty without that.

    "diarrhea for a handover" may be a title; where it is none, "diarrhea" is meant.
    """
    match = whole("page_wanted", _fold_plain(name))
    return "" if match is None else read_groups(match, "page")[0]


def names_page(text: str) -> bool:
    """Tell whether all of a text may be the name of a page: "opening hours"."""
    plain = _fold_plain(text)
    said = [word for word in words(plain) if word not in STOPWORDS]
    brief = 0 < len(said) <= MOST_OF_NAME and len(plain.split()) == len(said)
    return brief and not any(find(form, plain) for form in ("begins", "pointing"))


def read_compared(text: str) -> tuple[str, ...]:
    """Return the two things that a question compares, each named in full.

    None where it asks which is better, or of somebody.

    Of "side effects of tamoxifen and letrozole" the second is "side effects of
    letrozole".
    """
    plain = _fold_plain(text)
    for form in ("compare", "differences", "differs", "versus"):
        match = whole(form, plain) if plain else None
        if match is None:
            continue
        groups = match.groupdict()
        pair = next(
            (groups[a], groups[b]) for a, b in _PAIRS if groups.get(a) is not None
        )
        found = tuple(map(_thing, _share_words(*pair)))
        return found if len(set(found)) == 2 and all(map(_is_side, found)) else ()
    return ()


def _fold_plain(text: str) -> str:
    """Fold the text for the forms; empty where it is too long for any."""
    return fold(text).strip(_MARKS) if len(text) <= LONGEST else ""


def _page(kind: Kind, rest: str) -> Page | None:
    rest = fold(rest).strip(_MARKS)
    if whole("this_page", rest):
        return Page(kind, "")
    match = whole("named_page", rest) or whole("page_behind", rest)
    name = read_groups(match, "page")[0] if match is not None else rest
    name = name.strip(_MARKS)
    said = [word for word in words(name) if word not in STOPWORDS]
    return Page(kind, name) if said and len(name.split()) <= MOST_WORDS else None


def _share_words(one: str, two: str) -> tuple[str, str]:
    """Share the words before the first and after the second of two things with both."""
    head, tail = whole("common_head", one), whole("common_tail", two)
    number = _NUMBERED.fullmatch(one)
    if number is not None and " " not in two and any(map(str.isdigit, two)):
        return one, f"{number['head']}{two}"
    if head is not None and not find("preposition_word", two):
        two = f"{read_groups(head, 'head')[0]}{two}"
    if tail is not None and not find("preposition_word", one):
        one = f"{one} {read_groups(tail, 'tail')[0]}"
    return one, two


def _thing(text: str) -> str:
    return text.strip(_MARKS)


def _is_side(text: str) -> bool:
    said = [word for word in words(text) if word not in STOPWORDS]
    return bool(said) and len(text.split()) <= MOST_WORDS and not whole("no_side", text)
