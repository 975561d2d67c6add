"""A sentence with quotations in it: what is quoted, and what is said around it."""

from collections.abc import Callable
from dataclasses import dataclass, field

from engine.validate.citations import Passage
from engine.validate.quotes import DEPTH, Anchored, quotations, without_marks


@dataclass(frozen=True, slots=True)
class Found:
    """An anchored quotation with the passages where it stands."""

    anchored: Anchored
    passages: tuple[Passage, ...]


@dataclass(slots=True)
class Reading:
    """A sentence with its quotations looked up.

    `shown` has every whole quotation in its source's own letters and no other
    quotation mark; `said` is what is left to be judged when these are out. `whole` and
    `pieces` are the anchored quotations: whole sentences, and parts of one. `total` and
    `unanchored` count quotations.
    """

    shown: str = ""
    said: str = ""
    whole: list[Found] = field(default_factory=list)
    pieces: list[Found] = field(default_factory=list)
    total: int = 0
    unanchored: int = 0

    def _add(self, text: str) -> None:
        said = _single_spaced(without_marks(text))
        self.shown += said
        self.said += said

    def _add_whole(self, found: Found) -> None:
        self.whole.append(found)
        self.shown += f"\u201c{found.anchored.quote.text}\u201d"
        self.said += " "


def _single_spaced(text: str) -> str:
    """The text with a single space for every run of white space, at its ends too."""
    before = " " if text[:1].isspace() else ""
    after = " " if text.strip() and text[-1].isspace() else ""
    return before + " ".join(text.split()) + after


def read(text: str, find: Callable[[str], Found | None]) -> Reading:
    """Look up every quotation of `text`.

    One that is not anchored loses its marks, and quotations inside it are looked up in
    their turn; so does a part of a sentence, which is shown whole beside the text.
    """
    reading = Reading()
    _read(reading, text, find, DEPTH)
    return reading


def _read(
    reading: Reading, text: str, find: Callable[[str], Found | None], depth: int
) -> None:
    done = 0
    for quotation in quotations(text):
        reading._add(text[done : quotation.start])
        done = quotation.end
        if not any(character.isalnum() for character in quotation.inner):
            continue
        reading.total += 1
        found = find(quotation.inner)
        if found is None:
            reading.unanchored += 1
            if depth > 1:
                _read(reading, quotation.inner, find, depth - 1)
            else:
                reading._add(quotation.inner)
        elif found.anchored.whole:
            reading._add_whole(found)
        else:
            reading.pieces.append(found)
            reading._add(quotation.inner)
    reading._add(text[done:])
