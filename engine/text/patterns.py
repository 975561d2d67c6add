"""Patterns over foreign text: RE2 on folded text, so time stays linear."""

import unicodedata
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Annotated

import re2
from pydantic import AfterValidator, Field

LONGEST_PATTERN = 2_000  # characters; a longer one belongs in several
LONGEST_TITLE = 200  # characters of a title above a question
MEMORY = 8 << 20  # bytes RE2 may use for one pattern

_PLAIN = str.maketrans(
    "\N{LEFT SINGLE QUOTATION MARK}\N{RIGHT SINGLE QUOTATION MARK}"
    "\N{LEFT DOUBLE QUOTATION MARK}\N{RIGHT DOUBLE QUOTATION MARK}"
    "\N{HYPHEN}\N{NON-BREAKING HYPHEN}\N{EN DASH}\N{EM DASH}\N{MINUS SIGN}",
    "''\"\"-----",
)


@cache
def _make_options() -> re2.Options:
    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    options.max_mem = MEMORY
    return options


@lru_cache(maxsize=4_096)
def compile_pattern(pattern: str) -> re2._Regexp:
    """Compile a pattern that ignores case.

    Raises:
        re2.error: RE2 does not accept it.
    """
    return re2.compile(pattern, _make_options())


def _check_pattern(pattern: str) -> str:
    if len(pattern) > LONGEST_PATTERN:
        raise ValueError(f"pattern is longer than {LONGEST_PATTERN} characters")
    try:
        found = compile_pattern(pattern).search("")
    except re2.error as error:
        raise ValueError(f"not a pattern that RE2 accepts: {error}") from error
    if found is not None:
        raise ValueError("pattern matches the empty text, so it matches everything")
    return pattern


Pattern = Annotated[str, Field(min_length=1), AfterValidator(_check_pattern)]


def encodable(text: str) -> str:
    """Replace each half of a broken surrogate pair by a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")


def fold(text: str) -> str:
    """Fold a text for patterns: plain quotes and dashes, single spaces, no tricks.

    For matching only: offsets and characters differ from the original. Invisible
    characters are dropped, compatibility forms (full-width letters) made plain.
    """
    if not text.isascii():
        plain = unicodedata.normalize("NFKC", encodable(text)).translate(_PLAIN)
        text = "".join(c for c in plain if unicodedata.category(c) != "Cf")
    return " ".join(text.split())


def matches(patterns: Iterable[str], folded: str) -> bool:
    """Return whether any pattern occurs in a folded text; case never matters."""
    return any(
        compile_pattern(pattern).search(folded) is not None for pattern in patterns
    )


def find_all(patterns: Iterable[str], folded: str) -> tuple[str, ...]:
    """Return what the patterns match in a folded text, in lower case, without
    repetitions.
    """
    hits = (
        match.group().strip().casefold()
        for pattern in patterns
        for match in compile_pattern(pattern).finditer(folded)
    )
    return tuple(dict.fromkeys(hits))


def matches_whole(patterns: Iterable[str], folded: str) -> bool:
    """Return whether any pattern matches all of a folded text."""
    return any(compile_pattern(p).fullmatch(folded) is not None for p in patterns)


def remove(patterns: Iterable[str], folded: str) -> str:
    """Replace by a space what the patterns match in a folded text."""
    for pattern in patterns:
        folded = str(compile_pattern(pattern).sub(" ", folded))
    return folded


def build_word_pattern(terms: Iterable[str]) -> str | None:
    """Build one pattern that matches any of the terms as whole words; None without
    terms.

    Terms are data: no character of one is an operator. The longest term wins.
    """
    listed = sorted({fold(term) for term in terms}, key=lambda t: (-len(t), t))
    if not listed:
        return None
    return r"\b(?:" + "|".join(re2.escape(term) for term in listed) + r")\b"


def strip_meanings(text: str) -> str:
    """Return a question without the meanings that a glossary put behind its words:
    "chemo (chemotherapy)" is "chemo".
    """
    return str(compile_pattern(r" \([^)]*\)").sub("", text))


def put_below(title: str, text: str) -> str:
    """Return a question below a title: "Tamoxifen: can men take it?"."""
    short = " ".join(strip_meanings(title).split())[:LONGEST_TITLE]
    return f"{short}: {text}"


def take_from_below(title: str, text: str) -> str:
    """Return a question without the title that `put_below` put above it; else ""."""
    above = put_below(title, "")
    return text.removeprefix(above) if title and text.startswith(above) else ""
