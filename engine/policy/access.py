"""What an access tag is: one name, as people type it in a list with commas (R-S8).

Whatever reads tags asks here, because a tag that is empty or in truth two opens a
document to people for whom it was closed.
"""

from collections.abc import Collection

import re2

from engine.text.legible import disguise_of

UNREADABLE = re2.compile(r"[^\pL\pM\pN\pP\pS ]|[,\x{FFFD}]|^ | $")
LONGEST = 200  # characters


def flaw_of(tag: str) -> str | None:
    """Why a text is no access tag, as words behind its name; None where it is one."""
    if not tag.strip():
        return "is empty"
    if len(tag) > LONGEST:
        return f"is longer than {LONGEST} characters"
    if UNREADABLE.search(tag):
        return (
            "holds a comma, a line break, an invisible character, or a space at an end"
        )
    return disguise_of(tag)


def opens(wanted: Collection[str], held: Collection[str]) -> bool:
    """Whether who holds these tags may see what wants one of those; none: all may."""
    return not wanted or not set(held).isdisjoint(wanted)
