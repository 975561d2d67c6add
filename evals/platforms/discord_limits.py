"""Whether a payload keeps Discord's limits, pings nobody and unfurls nothing.

Independent of every library that sends: a payload is the JSON that goes out.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import re2
from pydantic import TypeAdapter, ValidationError

from evals.platforms import discord_shapes as shapes

SUPPRESS_EMBEDS = 1 << 2
EPHEMERAL = 1 << 6
SUPPRESS_NOTIFICATIONS = 1 << 12
COMPONENTS_V2 = 1 << 15

MOST_COMPONENTS = 40  # of a message of Components V2, nested ones counted
MOST_DISPLAYED = 4_000  # characters in all text displays of a message
MOST_EMBEDDED = 6_000  # characters in all embeds of a message

Payload = Mapping[str, object]
Call = Literal["create", "edit", "callback", "defer", "followup", "webhook_edit"]

_ANSWER = SUPPRESS_EMBEDS | EPHEMERAL | SUPPRESS_NOTIFICATIONS | COMPONENTS_V2
_FLAGS: dict[Call, int] = {
    "create": SUPPRESS_EMBEDS | SUPPRESS_NOTIFICATIONS | COMPONENTS_V2,
    "edit": SUPPRESS_EMBEDS | COMPONENTS_V2,
    "callback": _ANSWER,
    "defer": EPHEMERAL,
    "followup": _ANSWER,
    "webhook_edit": SUPPRESS_EMBEDS | COMPONENTS_V2,
}
_EDITS = ("edit", "webhook_edit")

_TEXT_DISPLAY = 10
_ROWS: TypeAdapter[object] = TypeAdapter(shapes.Rows)
_LAYOUT: TypeAdapter[object] = TypeAdapter(shapes.Layout)
_MODAL: TypeAdapter[object] = TypeAdapter(shapes.Modal)
_MESSAGES: dict[Call, TypeAdapter[object]] = {
    "create": TypeAdapter(shapes.CreatedMessage),
    "edit": TypeAdapter(shapes.Message),
    "callback": TypeAdapter(shapes.Message),
    "defer": TypeAdapter(shapes.Deferral),
    "followup": TypeAdapter(shapes.Message),
    "webhook_edit": TypeAdapter(shapes.Message),
}

_MENTION = re2.compile(r"@everyone|@here|<@[!&]?\d+>")
# An escaped sign opens no code; in code nothing is clickable.
_CODE = re2.compile(r"\\[^0-9A-Za-z\s]|(?s:```.+?```|``.+?``|`[^`]+`)")
_SCHEME = r"(?i:https?|discord|steam|mailto|tel|sms)"
_MASKED = re2.compile(rf"\]\(\s*<?({_SCHEME}:[^\s<>()]*(?:\([^\s<>()]*\)[^\s<>()]*)*)")
_ANGLED = re2.compile(rf"<({_SCHEME}:[^\s<>]+)>")
_BARE = re2.compile(
    r"(?i)((?:https?|steam|discord)://[^\s<>]+|\bdiscord(?:\.gg|(?:app)?\.com/invite)/[\w-]+)"
)


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong in one place of a payload.

    `path` leads there, `code` is Discord's word for this kind of error where it has
    one, `text` says it to a person.
    """

    path: tuple[str | int, ...]
    code: str
    text: str

    def __str__(self) -> str:
        place = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in self.path)
        return f"{place.lstrip('.') or 'payload'}: {self.text}"


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
    found = _shape(_MESSAGES[call], payload)
    flags = payload.get("flags") or 0
    if isinstance(flags, int):
        v2 = v2 or bool(flags & COMPONENTS_V2)
        if unknown := flags & ~_FLAGS[call]:
            found.append(_problem("flags", "BITFIELD", f"bits {unknown} not allowed"))
    if call == "defer":
        return found
    components = payload.get("components")
    if isinstance(components, list) and (components or not v2):
        adapter = _LAYOUT if v2 else _ROWS
        found += _shape(adapter, components, ("components",))
    found += _counts(payload)
    found += _legacy(payload) if v2 else []
    if call not in _EDITS and not _shows(payload):
        found.append(_problem("content", "EMPTY", "an empty message is refused"))
    return found


def modal_problems(payload: Payload) -> list[Problem]:
    """As `check_modal`, with the places and Discord's codes."""
    return _shape(_MODAL, payload) + _unique(payload)


def pings(payload: Payload) -> list[str]:
    """Who might be notified by a message, in words; empty when nobody is.

    Only `allowed_mentions` that parse nothing and name nobody keep a mention in the
    text silent (R-S1, S4); without `allowed_mentions` the platform pings by default.
    """
    allowed = payload.get("allowed_mentions")
    if not isinstance(allowed, Mapping):
        return ["allowed_mentions is missing: the platform pings by default"]
    found = []
    if allowed.get("replied_user"):
        found.append("allowed_mentions.replied_user pings the author replied to")
    listed = [name for name in ("parse", "users", "roles") if allowed.get(name)]
    if "parse" not in allowed:
        listed.append("parse is missing")
    if listed:
        mentions = {m for text in _spoken(payload) for m in _MENTION.findall(text)}
        found += [f"{m} may ping: {', '.join(listed)}" for m in sorted(mentions)]
    return found


def links(payload: Payload) -> set[str]:
    """All URLs of a message that a person can click."""
    found = {url for text in _texts(payload) for url in _urls(text)}
    for component in _components(payload):
        if isinstance(url := component.get("url"), str):
            found.add(url)
    for embed in _embeds(payload):
        author = embed.get("author")
        for part in (embed, author if isinstance(author, Mapping) else {}):
            if isinstance(url := part.get("url"), str):
                found.add(url)
    return found


def unfurls(payload: Payload) -> bool:
    """Whether the platform may fetch a link of the text to show a preview of it.

    A message of Components V2 never unfurls, nor one with SUPPRESS_EMBEDS.
    """
    flags, content = payload.get("flags"), payload.get("content")
    if isinstance(flags, int) and flags & (SUPPRESS_EMBEDS | COMPONENTS_V2):
        return False
    return isinstance(content, str) and bool(_urls(content))


def _shape(
    adapter: TypeAdapter[object], value: object, at: tuple[str | int, ...] = ()
) -> list[Problem]:
    try:
        adapter.validate_python(value)
    except ValidationError as error:
        return [
            Problem((*at, *_path(e["loc"])), _code(e["type"]), e["msg"])
            for e in error.errors(include_url=False, include_input=False)
        ]
    return []


def _path(location: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """Without the component types that the validator puts after a place in a list."""
    kept: list[str | int] = []
    for part in location:
        if not (isinstance(part, int) and kept and isinstance(kept[-1], int)):
            kept.append(part)
    return tuple(kept)


def _code(kind: str) -> str:
    codes = {
        "string_too_long": "BASE_TYPE_MAX_LENGTH",
        "string_too_short": "BASE_TYPE_REQUIRED",
        "too_long": "BASE_TYPE_BAD_LENGTH",
        "too_short": "BASE_TYPE_BAD_LENGTH",
        "missing": "BASE_TYPE_REQUIRED",
        "literal_error": "BASE_TYPE_CHOICES",
        "union_tag_invalid": "BASE_TYPE_CHOICES",
        "extra_forbidden": "UNKNOWN_FIELD",
        "value_error": "COMPONENT_VALIDATION_FAILED",
    }
    return codes.get(kind, "BASE_TYPE_INVALID")


def _problem(field: str, code: str, text: str) -> Problem:
    return Problem((field,), code, text)


def _counts(payload: Payload) -> list[Problem]:
    """What is limited over the whole message."""
    components = list(_components(payload))
    displayed = sum(len(text) for text in _displays(payload))
    embedded = sum(len(text) for text in _embedded(payload))
    found = _unique(payload)
    if len(components) > MOST_COMPONENTS:
        text = f"{len(components)} components, at most {MOST_COMPONENTS} in all"
        found.append(_problem("components", "COMPONENT_MAX_TOTAL", text))
    if displayed > MOST_DISPLAYED:
        text = f"{displayed} characters of text, at most {MOST_DISPLAYED} in all"
        found.append(_problem("components", "COMPONENT_DISPLAYABLE_TEXT", text))
    if embedded > MOST_EMBEDDED:
        text = f"{embedded} characters of text, at most {MOST_EMBEDDED} in all"
        found.append(_problem("embeds", "MAX_EMBED_SIZE_EXCEEDED", text))
    return found


def _unique(payload: Payload) -> list[Problem]:
    found = []
    for name in ("custom_id", "id"):
        counts = Counter(
            value
            for component in _components(payload)
            if isinstance(value := component.get(name), str | int) and value
        )
        for value in (value for value, times in counts.items() if times > 1):
            text = f"{name} {value!r} stands on more than one component"
            found.append(_problem("components", "COMPONENT_DUPLICATED_ID", text))
    return found


def _legacy(payload: Payload) -> list[Problem]:
    code = "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2"
    text = "cannot be used with Components V2"
    content, embeds = payload.get("content"), payload.get("embeds")
    found = [] if content is None else [_problem("content", code, text)]
    return found + ([_problem("embeds", code, text)] if embeds else [])


def _shows(payload: Payload) -> bool:
    content = payload.get("content")
    spoken = isinstance(content, str) and bool(content.strip())
    return spoken or bool(payload.get("embeds") or payload.get("components"))


def _components(node: object) -> Iterator[Mapping[str, object]]:
    """Every component of a message or of a component, nested ones too."""
    if not isinstance(node, Mapping):
        return
    children = node.get("components")
    below = list(children) if isinstance(children, list) else []
    below += [node[name] for name in ("accessory", "component") if name in node]
    for child in below:
        if isinstance(child, Mapping):
            yield child
            yield from _components(child)


def _displays(payload: Payload) -> Iterator[str]:
    for component in _components(payload):
        content = component.get("content")
        if component.get("type") == _TEXT_DISPLAY and isinstance(content, str):
            yield content


def _spoken(payload: Payload) -> Iterator[str]:
    """The texts whose mentions can ping."""
    if isinstance(content := payload.get("content"), str):
        yield content
    yield from _displays(payload)


def _embeds(payload: Payload) -> Iterator[Mapping[str, object]]:
    embeds = payload.get("embeds")
    for embed in embeds if isinstance(embeds, list) else []:
        if isinstance(embed, Mapping):
            yield embed


def _embedded(payload: Payload) -> Iterator[str]:
    """The texts of all embeds that count."""
    for embed in _embeds(payload):
        fields = embed.get("fields")
        footer, author = embed.get("footer"), embed.get("author")
        parts = [embed, footer, author, *(fields if isinstance(fields, list) else [])]
        for part in parts:
            for name in ("title", "description", "text", "name", "value"):
                value = part.get(name) if isinstance(part, Mapping) else None
                if isinstance(value, str):
                    yield value


def _texts(payload: Payload) -> Iterator[str]:
    yield from _spoken(payload)
    yield from _embedded(payload)


def _urls(text: str) -> set[str]:
    """The clickable URLs of a text in Discord's Markdown."""
    plain = _CODE.sub(lambda m: m[0] if m[0].startswith("\\") else " ", text)
    found: set[str] = set()
    for pattern in (_MASKED, _ANGLED):
        found.update(pattern.findall(plain))
        plain = pattern.sub(" ", plain)
    found.update(_trimmed(url) for url in _BARE.findall(plain))
    return found


def _trimmed(url: str) -> str:
    """Without the punctuation that ends the sentence and not the link."""
    while url and (
        url[-1] in ".,:;\"']" or (url[-1] == ")" and url.count(")") > url.count("("))
    ):
        url = url[:-1]
    return url
