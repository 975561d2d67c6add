"""The kinds of answer, as kinds.toml holds them: which a question asks for, and whether
a text shows one."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import re2

from engine.text.patterns import compiled

KEPT = 16_384  # sentences of which it is known whether they hold a kind of answer

_PART = re.compile(r"%([a-z_]+)%")


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of answer; its patterns are RE2, None where it has no such side.

    Attributes:
        name: what the features, the records and packs call it.
        asks: a question asks for it; any text that `shows` it is the better answer.
        shows: a text has one.
        insists: a question cannot do without it; no text answers that does not `holds`.
        holds: a text has what is insisted on: stricter than `shows`. Where a kind has
            none, engine/text/required.py says what holds it.
        nouns: they insist where "what is the …?" ends with one ("study permit fee").
        cased: whether `shows` minds capitals: a proper name is told by them.
    """

    name: str
    asks: str | None = None
    shows: str | None = None
    insists: str | None = None
    holds: str | None = None
    nouns: tuple[str, ...] = ()
    cased: bool = False


@cache
def _file() -> Mapping[str, Any]:
    text = Path(__file__).with_name("kinds.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def part(name: str) -> str:
    """A pattern that several kinds share, by its name."""
    return _joined(_file()["parts"][name])


def _joined(pattern: str) -> str:
    """A pattern of the file in one line, with its parts put in."""
    return _PART.sub(lambda named: part(named[1]), pattern.replace("\n", ""))


def _read(row: Mapping[str, Any]) -> Kind:
    patterns = ("asks", "shows", "insists", "holds")
    fields = {key: _joined(row[key]) if key in patterns else row[key] for key in row}
    return Kind(**fields | {"nouns": tuple(row.get("nouns", ()))})


@cache
def kinds() -> Mapping[str, Kind]:
    """All kinds by name, in the order of the file."""
    return {row["name"]: _read(row) for row in _file()["kind"]}


@cache
def asked_for() -> tuple[Kind, ...]:
    """The kinds that a question may ask for, first come, first asked."""
    return tuple(kind for kind in kinds().values() if kind.asks)


@cache
def insisted() -> tuple[Kind, ...]:
    """The kinds that a question may insist on, first come, first insisted on."""
    return tuple(kinds()[name] for name in _file()["insisted"])


def expected(question: str) -> str | None:
    """The kind of answer that `question` asks for, or None where any will do."""
    text = question.strip()
    for kind in asked_for():
        if compiled(str(kind.asks)).search(text):
            return kind.name
    return None


@cache
def _shown_by(name: str) -> re2._Regexp:
    kind = kinds()[name]
    return re2.compile(str(kind.shows)) if kind.cased else compiled(str(kind.shows))


@lru_cache(maxsize=KEPT)
def shows(kind: str, text: str) -> bool:
    """Whether `text` shows an answer of that kind; kept for the next question."""
    return _shown_by(kind).search(text) is not None
