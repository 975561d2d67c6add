"""A part without its layout: the same words, for a platform that fails over the blocks.

Everything that was said is kept, links with their addresses; buttons are not.
"""

from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from adapters.discord import components
from adapters.layout import clipped
from adapters.mail import Method, Part
from adapters.slack.text import escaped

# Characters of a Slack message: 40,000 are cut off, and an edit takes 4,000.
LONGEST, LONGEST_EDIT = 39_000, 4_000
_LINES = ("rich_text_section", "rich_text_quote", "rich_text_preformatted")


def plain(part: Part) -> Part | None:
    """The part as one text under the same nonce; None where nothing is left of it.

    Nor is there one where the text alone would be too long to be shown whole.
    """
    payload = dict(part.payload)
    if isinstance(blocks := payload.pop("blocks", None), list):
        said = "\n".join(_lines(blocks))
        payload["text"] = said
        longest = LONGEST_EDIT if part.method is Method.UPDATE else LONGEST
    elif isinstance(shown := payload.get("components"), list):
        said = "\n\n".join(components.texts(shown))
        payload["components"] = [components.text(said)]
        longest = components.TEXT
    else:
        return None
    if not said.strip() or clipped(said, longest) != said:
        return None
    return part.model_copy(update={"payload": payload})


def _lines(node: JsonValue) -> Iterator[str]:
    """The lines of Slack blocks, escaped."""
    if isinstance(node, list):
        for below in node:
            yield from _lines(below)
    elif isinstance(node, Mapping) and node.get("type") != "actions":
        elements, text = node.get("elements"), node.get("text")
        if node.get("type") in _LINES and isinstance(elements, list):
            yield "".join(_run(run) for run in elements)
        elif isinstance(text, str):
            yield text if node.get("type") == "mrkdwn" else escaped(text)
        else:
            yield from _lines([text, elements])


def _run(run: JsonValue) -> str:
    if not isinstance(run, Mapping):
        return ""
    said, url = run.get("text"), run.get("url")
    named = escaped(said) if isinstance(said, str) else ""
    return f"{named} ({escaped(url)})" if isinstance(url, str) else named
