"""How a person stands in an order, whichever platform it was typed on: `<@ID>`.

Only what the platform itself made of a name that it knows comes in this form; what was
typed as letters never does, so whoever is named there exists.
"""

from collections.abc import Collection, Iterator

import re2

_MENTION = re2.compile(r"<@([A-Z0-9]{2,32})>")
Run = tuple[str, str | None]  # a text, or a mention with the id of its person


def mention(person: str) -> str:
    """A person by their id."""
    return f"<@{person}>"


def mentioned(word: str) -> str | None:
    """The id of the person that a word of an order names; None where it names none."""
    found = _MENTION.fullmatch(word)
    return found.group(1) if found else None


def runs(text: str, people: Collection[str]) -> Iterator[Run]:
    """The parts of a text: words as they are, and mentions of these people.

    Any other mention stands in what somebody wrote, and stays text (R-V7).
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
