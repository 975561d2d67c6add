"""Whom a Slack message would disturb, and where it could lead a reader.

Where Slack's behaviour is undocumented these checks assume the worse, so a message they
find nothing in is quiet on every client: bare addresses and domains count as links
wherever Slack may link them by itself, `@here` counts where it may be parsed, and code
marks save nobody.
"""

from collections.abc import Collection, Iterator, Mapping
from itertools import chain
from typing import Any

import re2
from markdown_it import MarkdownIt

Json = Mapping[str, Any]

# Only these calls fetch previews; an edit, a private post and a view do not.
UNFURLING = frozenset({"chat.postMessage", "response_url"})
_RUNS = {"user": "user_id", "usergroup": "usergroup_id", "broadcast": "range"}
_ADDRESSES = ("url", "image_url", "thumbnail_url", "title_url", "icon_url", "video_url")
_UNSEEN = ("metadata", "private_metadata", "value")

_ANGLED = re2.compile(r"<([^<>]*)>")
_GROUP_NAME = re2.compile(r"(?i)@(channel|here|everyone|group)\b")
_ADDRESS = re2.compile(r"(?i)\b(?:[a-z][a-z0-9+.\-]*://|mailto:|tel:)[^\s<>|]+")
_SCHEME = re2.compile(r"(?i)^[a-z][a-z0-9+.\-]*:")
_MAIL = re2.compile(r"(?i)[a-z0-9._%+\-]+@[a-z0-9\-]+(?:\.[a-z0-9\-]+)*\.[a-z]{2,24}")
_DOMAIN = re2.compile(
    r"(?:^|[^\pL\pN_@./:\-])((?:[\pL\pN][\pL\pN\-]*\.)+(\pL[\pL\pN\-]+)"
    r"(?:[/?#][^\s<>|]*)?)"
)
# Two letters are a country's; of the longer ones these are the common ones.
_ENDING = re2.compile(
    r"(?i)^(?:\pL\pL|com|org|net|edu|gov|mil|int|info|biz|name|pro|app|dev|xyz|site"
    r"|online|shop|store|tech|club|top|live|blog|wiki|cloud|page|link|click|news"
    r"|media|zip|mov|foo|[^a-z0-9\-]+)$"
)
_AFTER = ".,;:!?)]}'\"*_~`"


def pings(
    payload: Json, allowed: Collection[str] = (), method: str = "chat.postMessage"
) -> list[str]:
    """What in a message would notify somebody or make Slack fetch a page.

    Args:
        payload: the arguments of the call, or a view.
        allowed: ids of the people who may be mentioned.
        method: the Web API method, "response_url" or "view"; only some of them unfurl.

    Returns:
        One line for each finding; empty when nobody is disturbed.
    """
    found = list(_switches(payload, method))
    for text, parsed in _marked(payload):
        found += _mentions(text, allowed)
        if parsed:
            names = _GROUP_NAME.finditer(text)
            found += [f"{name.group(0)} may be parsed" for name in names]
    for node in _nodes(payload):
        whom = node.get(_RUNS.get(str(node.get("type")), ""))
        if whom is not None and whom not in allowed:
            found.append(f"rich text element {node['type']} {whom}")
    return found


def links(payload: Json) -> set[str]:
    """Every address that a reader could follow, as Slack would open it."""
    marked = (_in_mrkdwn(text, parsed) for text, parsed in _marked(payload))
    markdown = (_in_markdown(text) for text in _markdown(payload))
    own = (_own(node) for node in _nodes(payload))
    return set(chain(*marked, *markdown, *own))


# --- where text stands ------------------------------------------------------------


def _nodes(node: object) -> Iterator[Json]:
    if isinstance(node, Mapping):
        yield node
        for name, value in node.items():
            if name not in _UNSEEN:
                yield from _nodes(value)
    elif isinstance(node, list | tuple):
        for value in node:
            yield from _nodes(value)


def _marked(payload: Json) -> Iterator[tuple[str, bool]]:
    """Every text in mrkdwn or markdown, and whether Slack adds links of its own."""
    for text in _string(payload, "text"):
        yield text, payload.get("parse") != "none"
    for text in _markdown(payload):
        yield text, True
    for node in _nodes(payload):
        if node.get("type") == "mrkdwn":
            for text in _string(node, "text"):
                yield text, node.get("verbatim") is not True


def _markdown(payload: Json) -> Iterator[str]:
    yield from _string(payload, "markdown_text")
    for node in _nodes(payload):
        if node.get("type") == "markdown":
            yield from _string(node, "text")


def _string(node: Json, name: str) -> Iterator[str]:
    """The field's text, with broken surrogates replaced, when it has one."""
    value = node.get(name)
    if isinstance(value, str):
        yield value.encode("utf-8", "replace").decode("utf-8")


# --- pings ------------------------------------------------------------------------


def _switches(payload: Json, method: str) -> Iterator[str]:
    for name in ("unfurl_links", "unfurl_media"):
        if method in UNFURLING and payload.get(name) is not False:
            yield f"{name} is not switched off"
    if payload.get("link_names") not in (None, False):
        yield "link_names links groups and channels"
    if payload.get("parse") not in (None, "none"):
        yield f"parse={payload['parse']} makes mentions of names"
    if payload.get("attachments"):
        yield "attachments cannot be judged"


def _mentions(text: str, allowed: Collection[str]) -> Iterator[str]:
    for hit in _ANGLED.finditer(text):
        inner = hit.group(1)
        name = inner[1:].split("|")[0]
        shouted = inner.startswith("!") and not inner.startswith("!date^")
        if shouted or (inner.startswith("@") and name not in allowed):
            yield f"<{inner}>"


# --- links ------------------------------------------------------------------------


def _in_mrkdwn(text: str, parsed: bool) -> Iterator[str]:
    for hit in _ANGLED.finditer(text):
        inner = hit.group(1)
        target = inner.split("|")[0]
        if inner.startswith("!date^"):
            yield from _address("^".join(target.split("^")[3:]))
        elif not inner.startswith(("!", "@", "#")) and (
            "|" in inner or _SCHEME.search(target)
        ):
            yield from _address(target)
    if parsed:
        yield from _bare(_plain(_ANGLED.sub(" ", text)))


def _address(target: str) -> Iterator[str]:
    if target.strip():
        yield _plain(target.strip())


def _plain(text: str) -> str:
    """The text with Slack's three escapes undone."""
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def _bare(text: str) -> Iterator[str]:
    """Addresses, e-mail addresses and domains that Slack turns into links by itself."""
    for hit in _ADDRESS.finditer(text):
        yield hit.group(0).rstrip(_AFTER)
    for hit in _MAIL.finditer(text):
        yield f"mailto:{hit.group(0)}"
    for hit in _DOMAIN.finditer(text):
        if _ENDING.search(hit.group(2)):
            yield f"http://{hit.group(1).rstrip(_AFTER)}"


def _in_markdown(text: str) -> Iterator[str]:
    reader = MarkdownIt("commonmark")
    reader.validateLink = lambda url: True  # type: ignore[method-assign]  # no filter
    for token in chain.from_iterable(t.children or () for t in reader.parse(text)):
        for name in ("href", "src"):
            if name in token.attrs:
                yield str(token.attrs[name])
        yield from _bare(token.content)


def _own(node: Json) -> Iterator[str]:
    for name in _ADDRESSES:
        if isinstance(node.get(name), str):
            yield node[name]
