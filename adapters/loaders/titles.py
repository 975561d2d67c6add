"""Titles of boxes and terms of definitions, which apply to the text below them."""

from dataclasses import dataclass, field

from adapters.loaders.canonical import CanonicalText, Piece
from engine.model.document import BlockKind


@dataclass(slots=True)
class Titles:
    """The open boxes of a walk, each with the block of its title, if it has one.

    A box also has the number of lists around it, because a list inside it has another
    lead-in.
    """

    out: CanonicalText
    boxes: list[tuple[int | None, int]] = field(default_factory=list)

    def of(self, lists: int) -> int | None:
        """Return the title for a block that is placed now, inside so many lists."""
        title, outside = self.boxes[-1] if self.boxes else (None, 0)
        return title if lists == outside else None

    @property
    def depth(self) -> int:
        """Return the number of open boxes."""
        return len(self.boxes)

    def open(self, lists: int) -> None:
        self.boxes.append((self.of(lists), lists))

    def close(self) -> None:
        if self.boxes:
            self.boxes.pop()

    def entitle(self, text: str) -> None:
        """Place the title of the innermost box, replacing an earlier one."""
        _, lists = self.boxes.pop()
        outer = self.of(lists)
        piece = Piece(BlockKind.PARAGRAPH, text, lead_in=outer, unfinished=True)
        placed = self.out.add(piece)
        self.boxes.append((outer if placed is None else placed, lists))

    def list_lead_in(self, lists: int, item: int | None) -> int | None:
        """Return what introduces a list that begins now, outside of closed boxes."""
        lead_in = self.out.introduction(item)
        title = self.of(lists)
        if lead_in is None:
            return title
        before = self.out.blocks[lead_in]
        ended = before.kind is BlockKind.PARAGRAPH and before.level > self.depth
        return title if ended else lead_in
