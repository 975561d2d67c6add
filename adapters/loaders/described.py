"""The thing that a document describes, with attributes from lines "Label: value".

The name of an attribute is the label in lower case with underscores ("Primary endpoint"
is `primary_endpoint`), and the whole line is quoted.
"""

from collections.abc import Iterator, Sequence

import re2

from engine.model.document import Attribute, Block, BlockKind, Thing

LINE = re2.compile(r"^(\p{Lu}[\pL -]{1,39}): \S")
SAYING = frozenset({BlockKind.PARAGRAPH, BlockKind.LIST_ITEM})


def make_thing(
    kind: str, names: Sequence[str], text: str, blocks: Sequence[Block]
) -> Thing:
    """Make the one thing that a whole canonical text describes."""
    return Thing(
        start=0,
        end=len(text),
        kind=kind,
        names=tuple(dict.fromkeys(names)),
        attributes=tuple(_list_attributes(text, blocks)),
    )


def _list_attributes(text: str, blocks: Sequence[Block]) -> Iterator[Attribute]:
    for block in blocks:
        labelled = LINE.match(block.of(text)) if block.kind in SAYING else None
        if labelled and block.quotable:
            yield Attribute(
                name=make_attribute_name(labelled.group(1)),
                start=block.start,
                end=block.end,
            )


def make_attribute_name(label: str) -> str:
    """Make the name of an attribute from its label."""
    return "_".join(label.lower().replace("-", " ").split())
