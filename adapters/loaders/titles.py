"""Titles of boxes and terms of definitions: what follows is told of them alone."""

from dataclasses import dataclass, field

from adapters.loaders.canonical import CanonicalText, Piece
from engine.model.document import BlockKind


@dataclass(slots=True)
class Titles:
    """The boxes that a walk stands in, each with the block of its title, if it has one.

    A box knows in how many lists it stands: a list inside it has a lead-in of its own.
    """

    out: CanonicalText
    boxes: list[tuple[int | None, int]] = field(default_factory=list)

    def of(self, lists: int) -> int | None:
        """The title of what is placed now, inside so many lists."""
        title, outside = self.boxes[-1] if self.boxes else (None, 0)
        return title if lists == outside else None

    @property
    def depth(self) -> int:
        """In how many boxes the walk stands."""
        return len(self.boxes)

    def open(self, lists: int) -> None:
        self.boxes.append((self.of(lists), lists))

    def close(self) -> None:
        if self.boxes:
            self.boxes.pop()

    def entitle(self, text: str) -> None:
        """Place the title of the innermost box, in the place of one that it had."""
        _, lists = self.boxes.pop()
        outer = self.of(lists)
        piece = Piece(BlockKind.PARAGRAPH, text, lead_in=outer, unfinished=True)
        placed = self.out.add(piece)
        self.boxes.append((outer if placed is None else placed, lists))

    def list_lead_in(self, lists: int, item: int | None) -> int | None:
        """What introduces a list that begins now: no paragraph of a box that ended."""
        lead_in = self.out.introduction(item)
        title = self.of(lists)
        if lead_in is None:
            return title
        before = self.out.blocks[lead_in]
        ended = before.kind is BlockKind.PARAGRAPH and before.level > self.depth
        return title if ended else lead_in
