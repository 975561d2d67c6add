"""Would Discord take this message or form? Its documented limits as one table.

A character is a code point, as Discord's own servers count. Narrower than the platform
by policy, so that a reply can carry no foreign content: no embeds, files, media, polls,
stickers, forwarding or reading aloud.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from pydantic import TypeAdapter

from tests.platforms.shapes import (
    Problem,
    many,
    misshapen,
    nullable,
    number,
    one_of,
    repeated,
    ruled,
    shape,
    text,
)

SUPPRESS_EMBEDS, EPHEMERAL = 1 << 2, 1 << 6
SUPPRESS_NOTIFICATIONS, COMPONENTS_V2 = 1 << 12, 1 << 15
MOST_COMPONENTS = 40  # of a message of Components V2, nested ones counted
MOST_DISPLAYED = 4_000  # characters in all text displays of a message

Payload = Mapping[str, Any]
Call = Literal["create", "edit", "callback", "defer", "followup", "webhook_edit"]

# --- components -------------------------------------------------------------------

_ID = {"id": nullable(number(0, 2**31 - 1))}
CUSTOM_ID = text(100)
SNOWFLAKE = text(20, like=r"^\d+$") | number(0, 2**64 - 1)
LINK_STYLE = 5
BUTTON = ruled(
    shape(
        2,
        style=Literal[1, 2, 3, 4, 5],
        label=text(80),
        custom_id=nullable(CUSTOM_ID),
        url=nullable(text(512, like=r"^(https?|discord)://\S+$")),
        disabled=nullable(bool),
        **_ID,
    ),
    (
        "a link button has a url, every other one a custom_id",
        lambda b: (
            (b.url is None, b.custom_id is None)
            == (b.style != LINK_STYLE, b.style == LINK_STYLE)
        ),
    ),
)
ROW = shape(1, components=many(BUTTON, 5), **_ID)
TEXT = shape(10, content=text(4_000), **_ID)
SECTION = shape(9, components=many(TEXT, 3), accessory=BUTTON, **_ID)
LINE = shape(14, divider=nullable(bool), spacing=nullable(Literal[1, 2]), **_ID)
BOX = shape(
    17,
    components=many(one_of(ROW, SECTION, TEXT, LINE), MOST_COMPONENTS),
    accent_color=nullable(number(0, 0xFFFFFF)),
    spoiler=nullable(bool),
    **_ID,
)
ROWS: TypeAdapter[Any] = TypeAdapter(many(ROW, 5, 0))
LAYOUT: TypeAdapter[Any] = TypeAdapter(
    many(one_of(ROW, SECTION, TEXT, LINE, BOX), MOST_COMPONENTS)
)

# --- messages ---------------------------------------------------------------------

MENTIONS = ruled(
    shape(
        parse=nullable(list[Literal["users", "roles", "everyone"]]),
        users=nullable(many(SNOWFLAKE, 100, 0)),
        roles=nullable(many(SNOWFLAKE, 100, 0)),
        replied_user=nullable(bool),
    ),
    (
        "a kind of mention is either parsed or listed, not both",
        lambda m: not any(getattr(m, kind) for kind in m.parse or () if kind[0] != "e"),
    ),
)
REFERENCE = shape(
    message_id=SNOWFLAKE,
    channel_id=nullable(SNOWFLAKE),
    guild_id=nullable(SNOWFLAKE),
    fail_if_not_exists=nullable(bool),
)
_FLAGS = nullable(number(0, 2**31))
_SAID = {
    "content": nullable(text(2_000, 0)),
    "components": nullable(list[Any]),
    "allowed_mentions": nullable(MENTIONS),
    "flags": _FLAGS,
    "tts": nullable(Literal[False]),
    **dict.fromkeys(("attachments", "embeds"), nullable(many(Any, 0, 0))),
}
_NEW = {"nonce": nullable(text(25) | int), "enforce_nonce": nullable(bool)}
_MESSAGE = TypeAdapter[Any](shape(**_SAID))
_CREATED = TypeAdapter[Any](
    shape(**_SAID, **_NEW, message_reference=nullable(REFERENCE))
)
_DEFERRED = TypeAdapter[Any](shape(flags=_FLAGS))
_ANSWER = SUPPRESS_EMBEDS | EPHEMERAL | SUPPRESS_NOTIFICATIONS | COMPONENTS_V2
_EDIT = SUPPRESS_EMBEDS | COMPONENTS_V2
# What a call says, and the flags that it may set.
CALLS: dict[Call, tuple[TypeAdapter[Any], int]] = {
    "create": (_CREATED, SUPPRESS_EMBEDS | SUPPRESS_NOTIFICATIONS | COMPONENTS_V2),
    "edit": (_MESSAGE, _EDIT),
    "callback": (_MESSAGE, _ANSWER),
    "defer": (_DEFERRED, EPHEMERAL),
    "followup": (_MESSAGE, _ANSWER),
    "webhook_edit": (_MESSAGE, _EDIT),
}
_EDITS = ("edit", "webhook_edit")

# --- forms ------------------------------------------------------------------------

FIELD = ruled(
    shape(
        4,
        custom_id=CUSTOM_ID,
        style=Literal[1, 2],
        min_length=nullable(number(0, 4_000)),
        max_length=nullable(number(1, 4_000)),
        required=nullable(bool),
        value=nullable(text(4_000, 0)),
        placeholder=nullable(text(100)),
        label=(None, None),
        **_ID,
    ),
    (
        "min_length is above max_length",
        lambda f: (f.min_length or 0) <= (f.max_length or 4_000),
    ),
)
LABEL = shape(
    18, label=text(45), description=nullable(text(100, 0)), component=FIELD, **_ID
)
MODAL: TypeAdapter[Any] = TypeAdapter(
    shape(custom_id=CUSTOM_ID, title=text(45), components=many(one_of(LABEL, TEXT), 5))
)


def check_message(
    payload: Payload, call: Call = "create", *, v2: bool = False
) -> list[str]:
    """What Discord would refuse in a message, in words; empty when it is fine.

    Args:
        payload: the JSON of the call; of an interaction's callback its `data`.
        call: which call carries it: they differ in fields and in flags.
        v2: the message that is edited already is one of Components V2.
    """
    return [str(problem) for problem in message_problems(payload, call, v2=v2)]


def check_modal(payload: Payload) -> list[str]:
    """What Discord would refuse in a modal, in words; empty when it is fine."""
    return [str(problem) for problem in modal_problems(payload)]


def message_problems(
    payload: Payload, call: Call = "create", *, v2: bool = False
) -> list[Problem]:
    """As `check_message`, with the places and Discord's codes."""
    says, allowed = CALLS[call]
    found = misshapen(says, payload)
    flags = payload.get("flags") or 0
    if isinstance(flags, int):
        v2 = v2 or bool(flags & COMPONENTS_V2)
        if unknown := flags & ~allowed:
            found.append(_problem("flags", "BITFIELD", f"bits {unknown} not allowed"))
    if call == "defer":
        return found
    shown = payload.get("components")
    if isinstance(shown, list) and (shown or not v2):
        found += misshapen(LAYOUT if v2 else ROWS, shown, ("components",))
    found += _counts(payload)
    if v2 and payload.get("content") is not None:
        code = "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2"
        found.append(_problem("content", code, "cannot be used with Components V2"))
    if call not in _EDITS and not _shows(payload):
        found.append(_problem("content", "EMPTY", "an empty message is refused"))
    return found


def modal_problems(payload: Payload) -> list[Problem]:
    """As `check_modal`, with the places and Discord's codes."""
    return misshapen(MODAL, payload) + _unique(payload)


def components(node: object) -> Iterator[Payload]:
    """Every component of a message or of a component, nested ones too."""
    if not isinstance(node, Mapping):
        return
    children = node.get("components")
    below = list(children) if isinstance(children, list) else []
    below += [node[name] for name in ("accessory", "component") if name in node]
    for child in below:
        if isinstance(child, Mapping):
            yield child
            yield from components(child)


def displays(payload: Payload) -> Iterator[str]:
    """What the text displays of a message say."""
    for component in components(payload):
        content = component.get("content")
        if component.get("type") == 10 and isinstance(content, str):
            yield content


def _counts(payload: Payload) -> list[Problem]:
    """What is limited over the whole message."""
    number = sum(1 for _ in components(payload))
    displayed = sum(map(len, displays(payload)))
    found = _unique(payload)
    if number > MOST_COMPONENTS:
        said = f"{number} components, at most {MOST_COMPONENTS} in all"
        found.append(_problem("components", "COMPONENT_MAX_TOTAL", said))
    if displayed > MOST_DISPLAYED:
        said = f"{displayed} characters of text, at most {MOST_DISPLAYED} in all"
        found.append(_problem("components", "COMPONENT_DISPLAYABLE_TEXT", said))
    return found


def _unique(payload: Payload) -> list[Problem]:
    return [
        _problem(
            "components",
            "COMPONENT_DUPLICATED_ID",
            f"{name} {value!r} stands on more than one component",
        )
        for name in ("custom_id", "id")
        for value in repeated(each.get(name) for each in components(payload))
    ]


def _shows(payload: Payload) -> bool:
    content = payload.get("content")
    spoken = isinstance(content, str) and bool(content.strip())
    return spoken or bool(payload.get("components"))


def _problem(field: str, code: str, said: str) -> Problem:
    return Problem((field,), code, said)
