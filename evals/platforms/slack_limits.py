"""Would Slack take this message or view? Its limits, written apart from the renderer.

Every outcome of every suite is rendered when it is recorded, and its messages go
through `check_message` (R-C4, `evals/recording/platform_faults.py`), so the code that
writes blocks is never judged by itself. A list of problems in words comes back, empty
when Slack would show everything. Views belong to no outcome: tests judge them. `pings`
and `links` say whom a message would disturb and where it could lead (R-V7).
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from evals.platforms.slack_blocks import AnyView, Message, MessageBlocks, ViewBlocks
from evals.platforms.slack_reach import links, pings

__all__ = [
    "blocks_length",
    "check_blocks",
    "check_message",
    "check_view",
    "links",
    "pings",
]

Json = Mapping[str, Any]

MARKDOWN_TOTAL = 12_000  # over all markdown blocks of a message (their reference page)
TEXT_ALONE = 4_000  # longer text is split or cut where no blocks stand for it
# Undocumented: msg_blocks_too_long from 13,298 characters of markdown, and 125 earlier
# with a divider beside it (slackapi/bolt-js#2509).
BLOCKS_TOTAL = 13_200
DIVIDER = 125
VIEW_BYTES = 250_000  # view_too_large

_MESSAGE = TypeAdapter[Any](Message)
_VIEW = TypeAdapter[Any](AnyView)
_BLOCKS: dict[str, TypeAdapter[Any]] = {
    "message": TypeAdapter(MessageBlocks),
    "view": TypeAdapter(ViewBlocks),
}


def check_message(payload: Json) -> list[str]:
    """What is wrong with the arguments of a call that shows a message.

    Args:
        payload: the arguments of chat.postMessage, chat.postEphemeral or chat.update,
            the body for a response URL, or the payload of an acknowledgement.

    Returns:
        The problems in words, each beginning with the place; empty when there is none.
    """
    blocks = payload.get("blocks") or []
    text = payload.get("text") or ""
    problems = [*_misshapen(_MESSAGE, payload), *_unlike(blocks)]
    if isinstance(text, str) and len(text) > TEXT_ALONE and not blocks:
        problems.append(f"text: {len(text)} characters, at most {TEXT_ALONE} alone")
    if blocks and not text:
        problems.append("text: missing, though notifications show it, not the blocks")
    length = blocks_length(blocks)
    if length > BLOCKS_TOTAL:
        problems.append(f"blocks: {length} characters in all, at most {BLOCKS_TOTAL}")
    return problems


def check_view(payload: Json) -> list[str]:
    """What is wrong with a modal or an App Home; empty when nothing is."""
    problems = [*_misshapen(_VIEW, payload), *_unlike(payload.get("blocks") or [])]
    size = len(json.dumps(payload, default=str).encode())
    if size > VIEW_BYTES:
        problems.append(f"view: {size} bytes, at most {VIEW_BYTES}")
    return problems


def check_blocks(blocks: object, surface: Literal["message", "view"]) -> list[str]:
    """What is wrong with blocks alone, wherever they are to stand."""
    return [*_misshapen(_BLOCKS[surface], {"blocks": blocks}), *_unlike(blocks)]


def blocks_length(blocks: object) -> int:
    """The characters that Slack counts against `BLOCKS_TOTAL`."""
    length = 0
    for node in _nodes(blocks):
        text = node.get("text")
        length += len(text) if isinstance(text, str) else 0
        length += DIVIDER if node.get("type") == "divider" else 0
    return length


def _misshapen(shape: TypeAdapter[Any], payload: Json) -> list[str]:
    try:
        shape.validate_json(json.dumps(payload))
    except (TypeError, ValueError) as error:
        if not isinstance(error, ValidationError):
            return [f"payload: is no JSON: {error}"]
        return [
            f"{'.'.join(map(str, problem['loc'])) or 'payload'}: {problem['msg']}"
            for problem in error.errors(include_url=False, include_input=False)
        ]
    return []


def _unlike(blocks: object) -> Iterator[str]:
    """Problems between blocks: ids that repeat, markdown that is too long in all."""
    if not isinstance(blocks, list | tuple):
        return
    whole = [block for block in blocks if isinstance(block, dict)]
    for name in _repeated(block.get("block_id") for block in whole):
        yield f"blocks: block_id {name!r} stands twice"
    for number, block in enumerate(whole):
        for name in _repeated(node.get("action_id") for node in _nodes(block)):
            yield f"blocks.{number}: action_id {name!r} stands twice"
    markdown = [b.get("text") for b in whole if b.get("type") == "markdown"]
    length = sum(len(text) for text in markdown if isinstance(text, str))
    if length > MARKDOWN_TOTAL:
        yield f"blocks: {length} characters of markdown, at most {MARKDOWN_TOTAL}"


def _repeated(names: Iterable[object]) -> list[str]:
    counted = Counter(name for name in names if isinstance(name, str) and name)
    return [name for name, times in counted.items() if times > 1]


def _nodes(node: object) -> Iterator[Json]:
    """Every object in a structure, the outer ones first."""
    if isinstance(node, Mapping):
        yield node
        for value in node.values():
            yield from _nodes(value)
    elif isinstance(node, list | tuple):
        for value in node:
            yield from _nodes(value)
