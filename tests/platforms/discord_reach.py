"""Whom a Discord message would ping, and where it could lead a reader."""

from collections.abc import Iterator, Mapping

import re2

from tests.platforms.discord_limits import (
    COMPONENTS_V2,
    SUPPRESS_EMBEDS,
    Payload,
    components,
    displays,
)

_MENTION = re2.compile(r"@everyone|@here|<@[!&]?\d+>")
# An escaped sign opens no code; in code nothing is clickable.
_CODE = re2.compile(r"\\[^0-9A-Za-z\s]|(?s:```.+?```|``.+?``|`[^`]+`)")
_SCHEME = r"(?i:https?|discord|steam|mailto|tel|sms)"
_MASKED = re2.compile(rf"\]\(\s*<?({_SCHEME}:[^\s<>()]*(?:\([^\s<>()]*\)[^\s<>()]*)*)")
_ANGLED = re2.compile(rf"<({_SCHEME}:[^\s<>]+)>")
_BARE = re2.compile(
    r"(?i)((?:https?|steam|discord)://[^\s<>]+|\bdiscord(?:\.gg|(?:app)?\.com/invite)/[\w-]+)"
)


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
    found = {url for text in _spoken(payload) for url in _urls(text)}
    for component in components(payload):
        if isinstance(url := component.get("url"), str):
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


def _spoken(payload: Payload) -> Iterator[str]:
    """The texts whose mentions can ping."""
    if isinstance(content := payload.get("content"), str):
        yield content
    yield from displays(payload)


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
