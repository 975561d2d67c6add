"""English: its words of grammar and forms of questions, each once (english.toml; those
that ask for an answer of another shape in shapes.toml), and which words it has at all
(english_words.txt), read on first use."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import re2

from engine.text.patterns import compile_pattern

FILES = ("english.toml", "shapes.toml")
LIST = Path(__file__).with_name("english_words.txt")
_NAMED = re.compile(r"%([a-z_0-9|]+)%")


@cache
def _load_table(name: str) -> Mapping[str, str]:
    table: dict[str, str] = {}
    for file in FILES:
        text = Path(__file__).with_name(file).read_text(encoding="utf-8")
        table |= tomllib.loads(text).get(name, {})
    return table


@cache
def words(*lists: str) -> frozenset[str]:
    """Return the words of one or more lists."""
    return frozenset(
        word for name in lists for word in _load_table("words")[name].split()
    )


@cache
def phrases(name: str) -> frozenset[str]:
    """Return the phrases of a list, each a whole text of few words."""
    return frozenset(
        " ".join(p.split()) for p in _load_table("phrases")[name].split(",")
    )


def shorthand() -> Mapping[str, str]:
    """Return abbreviations that people type, in lower case, with the words they stand
    for.
    """
    return _load_table("shorthand")


@cache
def form(name: str) -> str:
    """Return the pattern of a form, with the forms and lists in it expanded."""
    return _NAMED.sub(_expand, _load_table("forms")[name].replace("\n", ""))


def _expand(named: re.Match[str]) -> str:
    name = named.group(1)
    if name in _load_table("forms"):
        return f"(?:{form(name)})"
    listed = sorted(words(*name.split("|")), key=lambda word: (-len(word), word))
    return f"(?:{'|'.join(map(re.escape, listed))})"


def find(name: str, text: str) -> re2._Match | None:
    """Search a text for a form, ignoring case."""
    return compile_pattern(form(name)).search(text)


def whole(name: str, text: str) -> re2._Match | None:
    """Match all of a text with a form, ignoring case."""
    return compile_pattern(form(name)).fullmatch(text)


def read_groups(match: re2._Match, *groups: str) -> list[str]:
    """Return the texts of groups of a match, empty where a group is empty."""
    return [str(match.group(group) or "") for group in groups]


def is_known(word: str) -> bool:
    """Return whether a word of four letters or more, in lower case, is in the English
    list.
    """
    return word in _load_words()


@cache
def _load_words() -> frozenset[str]:
    lines = LIST.read_text(encoding="utf-8").splitlines()
    return frozenset(line for line in lines if not line.startswith("#"))
