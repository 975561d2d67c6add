"""Parts without their layout, for a platform that fails on the blocks.

All words are kept, and links with their addresses.
"""

from collections.abc import Callable, Iterator, Mapping

from pydantic import JsonValue

from adapters.discord import components
from adapters.discord.components import ROW
from adapters.layout import clipped, prose
from adapters.mail import Method, Part
from adapters.slack.blocks import SECTION, section
from adapters.slack.text import escape

# Characters of a Slack message: 40,000 are cut off, and an edit takes 4,000.
LONGEST, LONGEST_EDIT = 39_000, 4_000
_LINES = ("rich_text_section", "rich_text_quote", "rich_text_preformatted")
_ROWS = ("actions", "context_actions")
_NAMED = {"user": ("@", "user_id"), "channel": ("#", "channel_id")}

Written = Callable[[str], str]


def simple(part: Part) -> Part | None:
    """Make the part plain paragraphs over its buttons; None where no word is left.

    For a platform that refuses the layout. Slack would read markup into a text alone,
    where a quotation has to stay as it is.
    """
    blocks = part.payload.get("blocks")
    if not isinstance(blocks, list):
        return _with_rows(part)
    paragraphs: list[str] = []
    for line in _list_lines(blocks, str):
        for piece in prose(line, _fits_section) if line.strip() else ():
            if paragraphs and _fits_section(f"{paragraphs[-1]}\n{piece}"):
                paragraphs[-1] += f"\n{piece}"
            else:
                paragraphs.append(piece)
    if not paragraphs:
        return None
    shown: list[JsonValue] = [section(text) for text in paragraphs]
    shown += [b for b in blocks if isinstance(b, Mapping) and b.get("type") in _ROWS]
    return part.model_copy(update={"payload": {**part.payload, "blocks": shown}})


def _with_rows(part: Part) -> Part | None:
    """Make one text over the rows of buttons of a Discord message."""
    bare, shown = plain(part), part.payload.get("components")
    if bare is None or not isinstance(shown, list):
        return None
    text = bare.payload["components"]
    rows = [row for row in shown if isinstance(row, Mapping) and row.get("type") == ROW]
    over = text if isinstance(text, list) else []
    return bare.model_copy(
        update={"payload": {**bare.payload, "components": [*over, *rows]}}
    )


def _fits_section(text: str) -> bool:
    return len(text) <= SECTION


def plain(part: Part) -> Part | None:
    """Make the part one text, without buttons.

    Return None where no text is left, or where it is too long to be shown completely.
    """
    payload = dict(part.payload)
    if isinstance(blocks := payload.pop("blocks", None), list):
        said = "\n".join(_list_lines(blocks, escape))
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


def _list_lines(node: JsonValue, written: Written) -> Iterator[str]:
    """List the lines of Slack blocks, with each text written by `written`."""
    if isinstance(node, list):
        for below in node:
            yield from _list_lines(below, written)
    elif isinstance(node, Mapping) and node.get("type") != "actions":
        elements, text = node.get("elements"), node.get("text")
        if node.get("type") in _LINES and isinstance(elements, list):
            yield "".join(_write_run(run, written) for run in elements)
        elif isinstance(text, str):
            yield text if node.get("type") == "mrkdwn" else written(text)
        else:
            yield from _list_lines([text, elements], written)


def _write_run(run: JsonValue, written: Written) -> str:
    if not isinstance(run, Mapping):
        return ""
    mark, name = _NAMED.get(str(run.get("type")), ("", ""))
    if mark:
        named = f"{mark}{run.get(name)}"
        return f"<{named}>" if written is escape else named
    said, url = run.get("text"), run.get("url")
    named = written(said) if isinstance(said, str) else ""
    return f"{named} ({written(url)})" if isinstance(url, str) else named
