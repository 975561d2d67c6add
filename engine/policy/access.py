"""The form of an access tag: one name, as people type it in a list with commas.

Every reader of tags checks them here, because a tag that is empty, or in truth two,
opens a document to people for whom it was closed.
"""

from collections.abc import Collection

import re2

from engine.text.legible import find_disguise

UNREADABLE = re2.compile(r"[^\pL\pM\pN\pP\pS ]|[,\x{FFFD}]|^ | $")
LONGEST = 200  # characters


def find_tag_flaw(tag: str) -> str | None:
    """Return why a text is no access tag, as words behind its name; None where it is
    one.
    """
    if not tag.strip():
        return "is empty"
    if len(tag) > LONGEST:
        return f"is longer than {LONGEST} characters"
    if UNREADABLE.search(tag):
        return (
            "holds a comma, a line break, an invisible character, or a space at an end"
        )
    return find_disguise(tag)


def opens(wanted: Collection[str], held: Collection[str]) -> bool:
    """Return whether a holder of tags may see a document with tags; without any, all
    may.
    """
    return not wanted or not set(held).isdisjoint(wanted)
