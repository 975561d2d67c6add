"""How words and turns are read so that those which say the same are one (R-V4).

The words are those of synonyms.py, the turns those of idioms.py. A pack's sources are
read the same way: what is exchanged is exchanged on both sides.
"""

from collections.abc import Iterator

import re2

from engine.validate.idioms import BEFORE, IRREGULAR, TURNS
from engine.validate.synonyms import WORDS

ROWS = tuple(tuple(line.split()) for line in WORDS.strip().splitlines())

# British and American spelling; each side is a stem.
_SPELLINGS = (
    ("tumour", "tumor"),
    ("colour", "color"),
    ("behaviour", "behavior"),
    ("diarrhoea", "diarrhea"),
    ("anaemi", "anemi"),
    ("leukaemi", "leukemi"),
    ("oedema", "edema"),
    ("fibre", "fiber"),
    ("centre", "center"),
    ("oestrogen", "estrogen"),
    ("counsell", "counsel"),
    ("labelled", "labeled"),
    ("modell", "model"),
    ("haem", "hem"),
    ("paediatric", "pediatric"),
    ("oesophag", "esophag"),
)
_BRITISH = re2.compile("|".join(british for british, _ in _SPELLINGS))
_AMERICAN = dict(_SPELLINGS)
_NOTHING = "*"  # what a turn that says nothing stands for
_COMMA = ", "  # before a link
_JOINS = frozenset({",", " "})  # how those begin that take a comma behind them along


def spelled(word: str) -> str:
    """The word in its American spelling."""
    found = _BRITISH.search(word)
    if found is None:
        return word
    return word[: found.start()] + _AMERICAN[found.group()] + word[found.end() :]


def turned(text: str) -> str:
    """The text with every turn of more than one word as the word it stands for."""
    text = "".join(_pieces(text))
    for pattern, stands in _BEFORE:
        text = pattern.sub(stands, text)
    return text


def _pieces(text: str) -> Iterator[str]:
    done = 0
    for match in _TURN.finditer(text):
        word = _STANDS[match.group(1).lower()]
        joins = word[:1] in _JOINS
        yield text[done : match.start()]
        yield word
        done = match.end() if joins else match.end(1)
    yield text[done:]


def _turns() -> Iterator[tuple[str, str]]:
    """Every turn in every form, and what stands for it."""
    for line in TURNS.strip().replace("\n    ", " ").splitlines():
        turns, _, word = line.partition(": ")
        word = word.strip()
        if word == _NOTHING:
            word = " "
        elif word.startswith(","):
            word = f"{_COMMA}{word[1:].strip()} "
        for turn in turns.split(","):
            for form in _forms(turn.strip()):
                yield form, word


def _forms(turn: str) -> Iterator[str]:
    verb, marked, rest = turn.partition("~")
    yield verb + rest
    if not marked:
        return
    stem = verb.removesuffix("e")
    regular = f"{verb}s {stem}ed {stem}ing"
    for form in IRREGULAR.get(verb, regular).split():
        yield form + rest


_BEFORE = tuple(
    (re2.compile(rf"(?i)\b{pattern}"), stands) for pattern, stands in BEFORE
)
_STANDS = dict(_turns())
_TURN = re2.compile(
    rf"(?i)\b({'|'.join(map(re2.escape, sorted(_STANDS, key=len, reverse=True)))})\b,?"
)
