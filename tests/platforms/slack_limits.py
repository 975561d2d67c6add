"""Would Slack take this message or view? Its documented limits as one table.

Read in docs.slack.dev/reference in 2026-11. A type that the bot has no use for does not
stand here and is refused, images first of all: they would be fetched from outside.
"""

import json
from collections.abc import Iterator
from typing import Any, Literal

from pydantic import TypeAdapter

from tests.platforms.shapes import (
    Problem,
    many,
    maybe,
    misshapen,
    nodes,
    number,
    one_of,
    repeated,
    ruled,
    shape,
    text,
)

BLOCKS, VIEW_BLOCKS = 50, 100
TEXT, TEXT_ALONE = 40_000, 4_000  # a longer one alone is split or cut
MARKDOWN = 12_000  # over all markdown blocks of a message
# Undocumented: msg_blocks_too_long from 13,298 characters of markdown, and 125 earlier
# with a divider beside it (slackapi/bolt-js#2509).
BLOCKS_TOTAL, DIVIDER = 13_200, 125
VIEW_BYTES = 250_000  # view_too_large

# --- texts ------------------------------------------------------------------------


def _plain(most: int) -> Any:
    return shape("plain_text", text=text(most), emoji=maybe(bool))


def _text(most: int) -> Any:
    marked = shape("mrkdwn", text=text(most), verbatim=maybe(bool))
    return one_of(_plain(most), marked)


ID = text(255)
URL = text(3_000, like=r"(?i)^(https?://|mailto:).")
STYLE = Literal["primary", "danger"]

# --- what is pressed and filled in ------------------------------------------------

CONFIRM = shape(
    title=_plain(100),
    text=_text(300),
    confirm=_plain(30),
    deny=_plain(30),
    style=maybe(STYLE),
)
_PRESSED = {"action_id": maybe(ID), "confirm": maybe(CONFIRM)}
BUTTON = shape(
    "button",
    text=_plain(75),
    value=maybe(text(2_000)),
    url=maybe(URL),
    style=maybe(STYLE),
    accessibility_label=maybe(text(75)),
    **_PRESSED,
)
OPTION = shape(text=_plain(75), value=text(150), description=maybe(_plain(75)))
RADIO = ruled(
    shape(
        "radio_buttons",
        options=many(OPTION, 10),
        initial_option=maybe(OPTION),
        **_PRESSED,
    ),
    (
        "what is chosen before stands among the options",
        lambda menu: menu.initial_option in (None, *menu.options),
    ),
)
ENTRY = shape(
    "plain_text_input",
    action_id=maybe(ID),
    initial_value=maybe(text(3_000, 0)),
    multiline=maybe(bool),
    min_length=maybe(number(0, 3_000)),
    max_length=maybe(number(1, 3_000)),
    focus_on_load=maybe(bool),
    placeholder=maybe(_plain(150)),
)
_THUMB = shape(text=_plain(75), value=text(2_000, 0))
FEEDBACK = shape(
    "feedback_buttons",
    action_id=maybe(ID),
    positive_button=_THUMB,
    negative_button=_THUMB,
)

# --- rich text --------------------------------------------------------------------

_STYLED = maybe(
    shape(bold=maybe(bool), italic=maybe(bool), strike=maybe(bool), code=maybe(bool))
)
_RUN = shape("text", text=text(TEXT), style=_STYLED)
_LINK = shape("link", url=text(3_000), text=maybe(text(TEXT)), style=_STYLED)
_LINE = one_of(
    _RUN,
    _LINK,
    shape("emoji", name=text(255)),
    shape("user", user_id=ID, style=_STYLED),
    shape("channel", channel_id=ID, style=_STYLED),
)
_BORDER = maybe(Literal[0, 1])
_SECTION = shape("rich_text_section", elements=many(_LINE, TEXT))
RICH = one_of(
    _SECTION,
    shape("rich_text_quote", elements=many(_LINE, TEXT), border=_BORDER),
    shape(
        "rich_text_preformatted",
        elements=many(one_of(_RUN, _LINK), TEXT),
        border=_BORDER,
    ),
    shape(
        "rich_text_list",
        style=Literal["bullet", "ordered"],
        elements=many(_SECTION, TEXT),
        indent=maybe(number(0, 8)),
        offset=maybe(number(0, TEXT)),
        border=_BORDER,
    ),
)

# --- blocks -----------------------------------------------------------------------


def _block(kind: str, **fields: Any) -> Any:
    return shape(kind, block_id=maybe(ID), **fields)


SECTION = ruled(
    _block(
        "section",
        text=maybe(_text(3_000)),
        fields=maybe(many(_text(2_000), 10)),
    ),
    ("either text or fields must say something", lambda s: s.text or s.fields),
)
_ANYWHERE = (
    SECTION,
    _block("header", text=_plain(150)),
    _block("divider"),
    _block("context", elements=many(_text(3_000), 10)),
    _block("actions", elements=many(one_of(BUTTON, RADIO), 25)),
    _block("rich_text", elements=many(RICH, TEXT)),
    _block(
        "input",
        label=_plain(2_000),
        element=one_of(ENTRY, RADIO),
        hint=maybe(_plain(2_000)),
        optional=maybe(bool),
    ),
)
_MESSAGE_BLOCK = one_of(
    *_ANYWHERE,
    _block("context_actions", elements=many(one_of(FEEDBACK, BUTTON), 5)),
    _block("markdown", text=text(MARKDOWN)),
)
_IN_MESSAGE = many(_MESSAGE_BLOCK, BLOCKS, 0)
_IN_VIEW = many(one_of(*_ANYWHERE), VIEW_BLOCKS, 0)

# --- messages and views -----------------------------------------------------------

METADATA = shape(event_type=text(255, like=r"^\w+$"), event_payload=dict[str, Any])
MESSAGE = ruled(
    shape(
        blocks=maybe(_IN_MESSAGE),
        text=maybe(text(TEXT, 0)),
        markdown_text=maybe(text(MARKDOWN, 0)),
        metadata=maybe(METADATA | shape()),
        **dict.fromkeys(("channel", "user", "ts", "thread_ts"), maybe(ID)),
        **dict.fromkeys(("unfurl_links", "unfurl_media", "link_names"), maybe(bool)),
        parse=maybe(Literal["none", "full"]),
        response_type=maybe(Literal["ephemeral", "in_channel"]),
        **dict.fromkeys(("replace_original", "delete_original"), maybe(bool)),
    ),
    (
        "markdown_text stands alone, without text and blocks",
        lambda m: not (m.markdown_text and (m.text or m.blocks)),
    ),
    (
        "neither text nor blocks nor markdown_text",
        lambda m: m.text or m.blocks or m.markdown_text or m.delete_original,
    ),
)
_VIEW = {
    "blocks": _IN_VIEW,
    "callback_id": maybe(ID),
    "private_metadata": maybe(text(3_000, 0)),
}
VIEW = one_of(
    shape("home", **_VIEW),
    ruled(
        shape(
            "modal",
            title=_plain(24),
            submit=maybe(_plain(24)),
            close=maybe(_plain(24)),
            **_VIEW,
        ),
        (
            "submit is missing: the view has an input block",
            lambda v: v.submit or all(block.type != "input" for block in v.blocks),
        ),
    ),
)
_SHAPES: dict[str, TypeAdapter[Any]] = {
    "call": TypeAdapter(MESSAGE),
    "page": TypeAdapter(VIEW),
    "message": TypeAdapter(shape(blocks=_IN_MESSAGE)),
    "view": TypeAdapter(shape(blocks=_IN_VIEW)),
}


def check_message(payload: dict[str, Any]) -> list[str]:
    """What is wrong with the arguments of a call that shows a message, in words."""
    blocks, said = payload.get("blocks") or [], payload.get("text") or ""
    problems = [*_misshapen("call", payload), *_between(blocks)]
    if isinstance(said, str) and len(said) > TEXT_ALONE and not blocks:
        problems.append(f"text: {len(said)} characters, at most {TEXT_ALONE} alone")
    if blocks and not said:
        problems.append("text: missing, though notifications show it, not the blocks")
    length = blocks_length(blocks)
    if length > BLOCKS_TOTAL:
        problems.append(f"blocks: {length} characters in all, at most {BLOCKS_TOTAL}")
    return problems


def check_view(payload: dict[str, Any]) -> list[str]:
    """What is wrong with a modal or an App Home; empty when nothing is."""
    problems = [*_misshapen("page", payload), *_between(payload.get("blocks") or [])]
    size = len(json.dumps(payload, default=str).encode())
    if size > VIEW_BYTES:
        problems.append(f"view: {size} bytes, at most {VIEW_BYTES}")
    return problems


def check_blocks(blocks: object, surface: Literal["message", "view"]) -> list[str]:
    """What is wrong with blocks alone, wherever they are to stand."""
    return [*_misshapen(surface, {"blocks": blocks}), *_between(blocks)]


def blocks_length(blocks: object) -> int:
    """The characters that Slack counts against `BLOCKS_TOTAL`."""
    length = 0
    for node in nodes(blocks):
        said = node.get("text")
        length += len(said) if isinstance(said, str) else 0
        length += DIVIDER if node.get("type") == "divider" else 0
    return length


def _misshapen(name: str, payload: object) -> list[str]:
    found: list[Problem] = misshapen(_SHAPES[name], payload)
    return [str(problem) for problem in found]


def _between(blocks: object) -> Iterator[str]:
    """Problems between blocks: ids that repeat, markdown that is too long in all."""
    whole = [b for b in blocks if isinstance(b, dict)] if _listed(blocks) else []
    for name in repeated(block.get("block_id") for block in whole):
        yield f"blocks: block_id {name!r} stands twice"
    for place, block in enumerate(whole):
        for name in repeated(node.get("action_id") for node in nodes(block)):
            yield f"blocks.{place}: action_id {name!r} stands twice"
    markdown = [b.get("text") for b in whole if b.get("type") == "markdown"]
    length = sum(len(said) for said in markdown if isinstance(said, str))
    if length > MARKDOWN:
        yield f"blocks: {length} characters of markdown, at most {MARKDOWN}"


def _listed(blocks: object) -> bool:
    return isinstance(blocks, list | tuple)
