"""Patterns over text that others wrote: RE2 on folded text, so time stays linear."""

import unicodedata
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Annotated

import re2
from pydantic import AfterValidator, Field

LONGEST_PATTERN = 2_000  # characters; a longer one belongs in several
MEMORY = 8 << 20  # bytes RE2 may use for one pattern

_PLAIN = str.maketrans(
    "\N{LEFT SINGLE QUOTATION MARK}\N{RIGHT SINGLE QUOTATION MARK}"
    "\N{LEFT DOUBLE QUOTATION MARK}\N{RIGHT DOUBLE QUOTATION MARK}"
    "\N{HYPHEN}\N{NON-BREAKING HYPHEN}\N{EN DASH}\N{EM DASH}\N{MINUS SIGN}",
    "''\"\"-----",
)


@cache
def _options() -> re2.Options:
    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    options.max_mem = MEMORY
    return options


@lru_cache(maxsize=4_096)
def compiled(pattern: str) -> re2._Regexp:
    """The pattern, ignoring case.

    Raises:
        re2.error: RE2 does not accept it.
    """
    return re2.compile(pattern, _options())


def _checked(pattern: str) -> str:
    if len(pattern) > LONGEST_PATTERN:
        raise ValueError(f"pattern is longer than {LONGEST_PATTERN} characters")
    try:
        found = compiled(pattern).search("")
    except re2.error as error:
        raise ValueError(f"not a pattern that RE2 accepts: {error}") from error
    if found is not None:
        raise ValueError("pattern matches the empty text, so it matches everything")
    return pattern


Pattern = Annotated[str, Field(min_length=1), AfterValidator(_checked)]


def encodable(text: str) -> str:
    """The text with a question mark for each half of a broken pair of surrogates."""
    return text.encode("utf-8", "replace").decode("utf-8")


def fold(text: str) -> str:
    """The text as patterns see it: plain quotes and dashes, single spaces, no tricks.

    For matching only: offsets and characters differ from the original. Invisible
    characters are dropped, compatibility forms (full-width letters) made plain.
    """
    if not text.isascii():
        plain = unicodedata.normalize("NFKC", encodable(text)).translate(_PLAIN)
        text = "".join(c for c in plain if unicodedata.category(c) != "Cf")
    return " ".join(text.split())


def matches(patterns: Iterable[str], folded: str) -> bool:
    """Whether any pattern occurs in a text of `fold`; case never matters."""
    return any(compiled(pattern).search(folded) is not None for pattern in patterns)


def found(patterns: Iterable[str], folded: str) -> tuple[str, ...]:
    """What any pattern matches in a text of `fold`, in lower case, each once."""
    hits = (
        match.group().strip().casefold()
        for pattern in patterns
        for match in compiled(pattern).finditer(folded)
    )
    return tuple(dict.fromkeys(hits))


def matches_whole(patterns: Iterable[str], folded: str) -> bool:
    """Whether any pattern matches all of a text of `fold`."""
    return any(compiled(p).fullmatch(folded) is not None for p in patterns)


def remove(patterns: Iterable[str], folded: str) -> str:
    """A text of `fold` without what the patterns match, spaces in its place."""
    for pattern in patterns:
        folded = str(compiled(pattern).sub(" ", folded))
    return folded


def whole_words(terms: Iterable[str]) -> str | None:
    """One pattern that matches any of the terms as whole words; None without terms.

    Terms are data: no character of one is an operator. The longest term wins.
    """
    listed = sorted({fold(term) for term in terms}, key=lambda t: (-len(t), t))
    if not listed:
        return None
    return r"\b(?:" + "|".join(re2.escape(term) for term in listed) + r")\b"
