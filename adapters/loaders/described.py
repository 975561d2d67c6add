"""What a document describes, read from its lines "Label: what is said" (R-R2).

A line's label is the name of the attribute, in small letters with underscores
("Primary endpoint" is `primary_endpoint`), and the whole line is what is quoted.
"""

from collections.abc import Iterator, Sequence

import re2

from engine.model.document import Attribute, Block, BlockKind, Thing

LINE = re2.compile(r"^(\p{Lu}[\pL -]{1,39}): \S")
SAYING = frozenset({BlockKind.PARAGRAPH, BlockKind.LIST_ITEM})


def thing_of(
    kind: str, names: Sequence[str], text: str, blocks: Sequence[Block]
) -> Thing:
    """The one thing that a whole canonical text describes."""
    return Thing(
        start=0,
        end=len(text),
        kind=kind,
        names=tuple(dict.fromkeys(names)),
        attributes=tuple(_attributes(text, blocks)),
    )


def _attributes(text: str, blocks: Sequence[Block]) -> Iterator[Attribute]:
    for block in blocks:
        labelled = LINE.match(block.of(text)) if block.kind in SAYING else None
        if labelled and block.quotable:
            yield Attribute(
                name=slug(labelled.group(1)), start=block.start, end=block.end
            )


def slug(label: str) -> str:
    """The name of the attribute that a label stands for."""
    return "_".join(label.lower().replace("-", " ").split())
