"""Footnotes of a page, placed behind the paragraph that first refers to them.

"A trailer may stay overnight.[note 1]", then "[note 1] Members-only". They are numbered
in the order of their references, because pages label them in many ways.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from adapters.loaders.canonical import CanonicalText, Piece
from engine.model.document import BlockKind
from engine.text.notes import format_mark


@dataclass(slots=True)
class Notes:
    """The notes of a page by their names, until they are placed.

    `read` returns the text of one, which may refer to others.
    """

    read: Callable[[str], str]
    numbers: dict[str, int] = field(default_factory=dict)
    waiting: list[str] = field(default_factory=list)
    placed: set[str] = field(default_factory=set)

    def refer(self, name: str) -> str:
        """Note a reference to a note and return its mark."""
        if name not in self.placed:
            self.placed.add(name)
            self.waiting.append(name)
        return self.number(name)

    def number(self, name: str) -> str:
        """Return the mark of a note, without a reference to it."""
        return format_mark(self.numbers.setdefault(name, len(self.numbers) + 1))

    def place(self, out: CanonicalText, lead_in: int | None = None) -> None:
        """Append the notes that were referred to and are not placed yet."""
        for name in self._waiting():
            number = self.numbers[name]
            text = f"{format_mark(number)} {self.read(name)}"
            out.add(Piece(BlockKind.PARAGRAPH, text, lead_in=lead_in, note=number))

    def _waiting(self) -> Iterator[str]:
        while self.waiting:
            yield self.waiting.pop(0)
