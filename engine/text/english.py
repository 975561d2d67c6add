"""English: its words of grammar and forms of questions, each once (english.toml), and
which words it has at all (english_words.txt), read on first use."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import re2

from engine.text.patterns import compiled

LIST = Path(__file__).with_name("english_words.txt")
_NAMED = re.compile(r"%([a-z_0-9|]+)%")


@cache
def _table(name: str) -> Mapping[str, str]:
    text = Path(__file__).with_name("english.toml").read_text(encoding="utf-8")
    table: Mapping[str, str] = tomllib.loads(text)[name]
    return table


@cache
def words(*lists: str) -> frozenset[str]:
    """The words of one or more lists."""
    return frozenset(word for name in lists for word in _table("words")[name].split())


@cache
def phrases(name: str) -> frozenset[str]:
    """Whole texts of few words."""
    return frozenset(" ".join(p.split()) for p in _table("phrases")[name].split(","))


def shorthand() -> Mapping[str, str]:
    """What people type for short in general English, in lower case."""
    return _table("shorthand")


@cache
def form(name: str) -> str:
    """The pattern of a form."""
    return _NAMED.sub(_put_in, _table("forms")[name].replace("\n", ""))


def _put_in(named: re.Match[str]) -> str:
    name = named.group(1)
    if name in _table("forms"):
        return f"(?:{form(name)})"
    listed = sorted(words(*name.split("|")), key=lambda word: (-len(word), word))
    return f"(?:{'|'.join(map(re.escape, listed))})"


def find(name: str, text: str) -> re2._Match | None:
    """Where a form first occurs in a text, ignoring case."""
    return compiled(form(name)).search(text)


def whole(name: str, text: str) -> re2._Match | None:
    """The match of a form with all of a text."""
    return compiled(form(name)).fullmatch(text)


def named(match: re2._Match, *groups: str) -> list[str]:
    """What groups of a match hold, empty where one holds nothing."""
    return [str(match.group(group) or "") for group in groups]


def known(word: str) -> bool:
    """Whether a word of four letters or more, in lower case, is an English one."""
    return word in _listed()


@cache
def _listed() -> frozenset[str]:
    lines = LIST.read_text(encoding="utf-8").splitlines()
    return frozenset(line for line in lines if not line.startswith("#"))
