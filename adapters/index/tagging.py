"""Access tags as one column: none is lost or split, whatever it holds (R-S8)."""

import json
from collections.abc import Iterable


def pack_tags(tags: Iterable[str]) -> str:
    """The column of these tags; empty only where there is none."""
    listed = sorted(tags)
    return json.dumps(listed, ensure_ascii=False) if listed else ""


def unpack_tags(stored: str) -> frozenset[str]:
    """The tags of a column; those of an older index stand one a line."""
    if not stored:
        return frozenset()
    try:
        listed = json.loads(stored)
    except ValueError:
        listed = None
    lines = listed if isinstance(listed, list) else stored.split("\n")
    return frozenset(map(str, lines))
