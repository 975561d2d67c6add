"""The kinds of answer of kinds.toml: which one a question asks for, and which a text
has.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import re2

from engine.text.patterns import compile_pattern

KEPT = 16_384  # pairs of kind and sentence whose result is cached

_PART = re.compile(r"%([a-z_]+)%")


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of answer; its patterns are RE2, None where it has none of that use.

    Attributes:
        name: as features, records and packs call it.
        asks: matches a question for it; a text that `shows` it is the better answer.
        shows: matches a text that has one.
        insists: matches a question that only a text which `holds` it can answer.
        holds: stricter than `shows`. Where a kind has none, engine/text/required.py
            decides.
        nouns: they insist at the end of "what is the …?" ("study permit fee").
        cased: whether `shows` is case-sensitive: capitals mark a proper name.
    """

    name: str
    asks: str | None = None
    shows: str | None = None
    insists: str | None = None
    holds: str | None = None
    nouns: tuple[str, ...] = ()
    cased: bool = False


@cache
def _load_file() -> Mapping[str, Any]:
    text = Path(__file__).with_name("kinds.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def load_part(name: str) -> str:
    """Return a pattern that several kinds share, by its name."""
    return _expand(_load_file()["parts"][name])


def _expand(pattern: str) -> str:
    """Return a pattern of the file on one line, with the shared parts put in."""
    return _PART.sub(lambda named: load_part(named[1]), pattern.replace("\n", ""))


def _read_kind(row: Mapping[str, Any]) -> Kind:
    patterns = ("asks", "shows", "insists", "holds")
    fields = {key: _expand(row[key]) if key in patterns else row[key] for key in row}
    return Kind(**fields | {"nouns": tuple(row.get("nouns", ()))})


@cache
def load_kinds() -> Mapping[str, Kind]:
    """Load all kinds, by name, in the order of the file."""
    return {row["name"]: _read_kind(row) for row in _load_file()["kind"]}


@cache
def list_asked() -> tuple[Kind, ...]:
    """List the kinds that a question may ask for, by precedence."""
    return tuple(kind for kind in load_kinds().values() if kind.asks)


@cache
def list_insisted() -> tuple[Kind, ...]:
    """List the kinds that a question may insist on, by precedence."""
    return tuple(load_kinds()[name] for name in _load_file()["insisted"])


def detect_kind(question: str) -> str | None:
    """Detect the kind of answer that `question` asks for; None where any will do."""
    text = question.strip()
    for kind in list_asked():
        if compile_pattern(str(kind.asks)).search(text):
            return kind.name
    return None


@cache
def _compile_shows(name: str) -> re2._Regexp:
    kind = load_kinds()[name]
    return (
        re2.compile(str(kind.shows)) if kind.cased else compile_pattern(str(kind.shows))
    )


@lru_cache(maxsize=KEPT)
def shows(kind: str, text: str) -> bool:
    """Return whether `text` shows an answer of that kind; the result is cached."""
    return _compile_shows(kind).search(text) is not None
