"""What a reader sees of parts: the letters, without the form they stand in."""

from collections.abc import Iterable, Iterator, Sequence

from adapters.mail import Part
from tests.loopback.slack_state import Json

_LINES = {"rich_text_section", "rich_text_quote", "rich_text_preformatted"}


def lines(parts: Sequence[Part]) -> list[str]:
    """Every line of every message, in order."""
    return [line for part in parts for line in _lines(part.payload["blocks"])]


def message(part: Part) -> str:
    """One message as text."""
    return "\n".join(_lines(part.payload["blocks"]))


def values(parts: Sequence[Part], kind: str) -> Iterator[Json]:
    """Every object of one type in the messages."""
    return (node for node in _nodes([p.payload for p in parts]) if _is(node, kind))


def _is(node: Json, kind: str) -> bool:
    return node.get("type") == kind


def _lines(blocks: Iterable[Json]) -> Iterator[str]:
    for node in _nodes(list(blocks)):
        if node.get("type") in _LINES:
            yield "".join(_shown(run) for run in node["elements"])
        elif node.get("type") == "plain_text":
            yield node["text"]


def _shown(run: Json) -> str:
    if "channel_id" in run:
        return f"#{run['channel_id']}"
    return run.get("text") or f":{run.get('name') or run.get('user_id')}:"


def _nodes(node: object) -> Iterator[Json]:
    if isinstance(node, dict):
        yield node
        for value in node.values():
            yield from _nodes(value)
    elif isinstance(node, list | tuple):
        for value in node:
            yield from _nodes(value)
