"""The gaps that a draft names, as far as a reader may see them (R-A5).

A gap is shown in the question's own words, so nothing that a model wrote is.
"""

from collections.abc import Iterator, Sequence

from engine.text.markup import inert
from engine.text.words import STOPWORDS, words

MOST_GAPS = 5


def gaps(named: Sequence[str], question: str) -> tuple[str, ...]:
    """The parts of a question that a draft names word for word; of others, none."""
    found = (_part(text, question) for text in named[:MOST_GAPS])
    return tuple(dict.fromkeys(part for part in found if part))


def _part(text: str, question: str) -> str:
    """Where the words of a text stand in the question, in a row; "" where nowhere."""
    wanted = words(text)
    if STOPWORDS.issuperset(wanted):
        return ""
    pieces = question.split()
    for start in range(len(pieces)):
        for end, said in _rows(pieces, start):
            if said == wanted:
                shown = " ".join(pieces[start:end])
                return inert(shown.strip(" ,;:.?!"))
            if len(said) >= len(wanted):
                break
    return ""


def _rows(pieces: Sequence[str], start: int) -> Iterator[tuple[int, list[str]]]:
    said: list[str] = []
    for end in range(start, len(pieces)):
        said += words(pieces[end])
        yield end + 1, said
