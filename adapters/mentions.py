"""Mentions of people in commands, in one form for all platforms: `<@ID>`.

Only the platform writes this form, for a name that it knows; typed letters never have
it, so a mentioned person exists.
"""

from collections.abc import Collection, Iterator

import re2

_MENTION = re2.compile(r"<@([A-Z0-9]{2,32})>")
Run = tuple[str, str | None]  # a text, or a mention with the id of its person


def mention(person: str) -> str:
    """Make a mention of a person from their id."""
    return f"<@{person}>"


def mentioned(word: str) -> str | None:
    """Return the id of the person that a word mentions, or None."""
    found = _MENTION.fullmatch(word)
    return found.group(1) if found else None


def runs(text: str, people: Collection[str]) -> Iterator[Run]:
    """Split a text into plain runs and mentions of these people.

    Any other mention was typed by somebody and stays text.
    """
    end = 0
    for found in _MENTION.finditer(text):
        if found.group(1) not in people:
            continue
        if found.start() > end:
            yield text[end : found.start()], None
        yield found.group(), found.group(1)
        end = found.end()
    if end < len(text):
        yield text[end:], None
