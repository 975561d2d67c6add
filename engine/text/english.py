"""English: its words of grammar and forms of questions, each once (english.toml; those
that ask for an answer of another shape in shapes.toml), and which words it has at all
(english_words.txt), read on first use."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import re2

from engine.text.patterns import compile_pattern

FILES = ("english.toml", "shapes.toml")
LIST = Path(__file__).with_name("english_words.txt")
_NAMED = re.compile(r"%([a-z_0-9|]+)%")
# How British and American spellings differ, for words in lower case.
_SPELLINGS = tuple(
    (re.compile(written), spelt)
    for written, spelt in (
        (r"(?<=[a-z]{3})is(?=(?:e[drs]?|ers|ing|ations?)$)", "iz"),
        (r"(?<=[a-z]{2})ys(?=(?:e[drs]?|ing)$)", "yz"),
        (r"(?<=[a-z]{2})our(?=(?:s|ed|ing|able|ful|al|ite|ites)?$)", "or"),
        (r"(?<=[a-z]{2})tre(?=s?$)", "ter"),
        (r"(?<=[a-z]{3}[ae])ll(?=(?:ed|ing|ers?)$)", "l"),
        (r"ae|oe(?!s?$)", "e"),
    )
)


_BRITISH = (
    ("iz", "is"),
    ("yz", "ys"),
    ("or", "our"),
    ("ter", "tre"),
    ("l", "ll"),
    ("e", "ae"),
    ("e", "oe"),
)


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
    """Return whether English has a word of four letters or more, in lower case."""
    return word in _load_words() or american(word) in _load_words()


def american(word: str) -> str:
    """Return a word as Americans spell it: "summarise", "tumours" and "diarrhoea" are
    "summarize", "tumors" and "diarrhea". What no such spelling is stays.
    """
    for written, spelt in _SPELLINGS:
        word = written.sub(spelt, word)
    return word


def spellings(word: str) -> Iterator[str]:
    """Yield other spellings of a word: "tumor" for "tumour", and the other way."""
    plain = american(word)
    if plain != word:
        yield plain
    for short, long in _BRITISH:
        for found in re.finditer(short, word):
            other = word[: found.start()] + long + word[found.end() :]
            if american(other) == plain:
                yield other


@cache
def _load_words() -> frozenset[str]:
    lines = LIST.read_text(encoding="utf-8").splitlines()
    return frozenset(line for line in lines if not line.startswith("#"))
