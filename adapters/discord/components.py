"""The few components of a Discord message that we use, as plain payloads.

Every message is one of Components V2 (flag 32768): such a message has no embeds and
unfurls nothing. No payload notifies anyone.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from pydantic import JsonValue

from adapters.layout import clipped
from adapters.mail import Payload

Component = dict[str, JsonValue]

COMPONENTS_V2 = 1 << 15

TEXT = 4_000  # characters in all text displays of a message
LABEL = 80  # characters of a button's label
IN_A_ROW = 5  # buttons

ROW, _BUTTON = 1, 2
_TEXT_DISPLAY, _SEPARATOR, _CONTAINER = 10, 14, 17
_SECONDARY = 2  # the style of every button: none is more important


def notify_none() -> Component:
    """Make `allowed_mentions` that notify no person, whatever the text says."""
    return {"parse": []}


def text(shown: str) -> Component:
    """Make Markdown, at most TEXT characters and not empty."""
    return {"type": _TEXT_DISPLAY, "content": shown}


def texts(node: object) -> Iterator[str]:
    """Yield the texts of a message or of its components, in order."""
    if isinstance(node, list):
        for below in node:
            yield from texts(below)
    elif isinstance(node, Mapping):
        if isinstance(said := node.get("content"), str) and said:
            yield said
        yield from texts(node.get("components"))


def separator() -> Component:
    """Make a line."""
    return {"type": _SEPARATOR}


def button(custom_id: str, label: str) -> Component:
    """Make a button that comes back with its custom id."""
    shown = clipped(label, LABEL)
    return {
        "type": _BUTTON,
        "style": _SECONDARY,
        "label": shown,
        "custom_id": custom_id,
    }


def rows(buttons: Sequence[Component]) -> Iterable[Component]:
    """Put buttons into rows; none where there is none."""
    for start in range(0, len(buttons), IN_A_ROW):
        row: list[JsonValue] = list(buttons[start : start + IN_A_ROW])
        yield {"type": ROW, "components": row}


def message(
    shown: Sequence[Component],
    below: Sequence[Component] = (),
    colour: int | None = None,
) -> Payload:
    """Make a message for any call that carries one.

    Args:
        shown: the content of the box; text that is empty is left out by the caller.
        below: the content below it.
        colour: of the box's edge.
    """
    box: Component = {"type": _CONTAINER, "components": list(shown)}
    if colour is not None:
        box["accent_color"] = colour
    return {
        "flags": COMPONENTS_V2,
        "components": [box, *below],
        "allowed_mentions": notify_none(),
    }
