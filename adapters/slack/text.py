"""Slack's own text format, read into plain text and written so that nothing is parsed.

In what Slack sends, a person's `& < >` are escaped, so angle brackets are always
Slack's: a mention, a channel, a link, a date.
"""

import re2

from adapters.reply import inert

_MARKED = re2.compile(r"<([^<>]*)>")
_ESCAPES = (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"))  # read in this order


def plain(text: str, bot_user: str | None = None, *, ids: bool = False) -> str:
    """Read what a person wrote, as they saw it: inert, without mentions of the bot.

    People, channels and links are shown by their labels; people and channels by their
    ids where they have none, or where `ids` asks for it.
    """
    text = inert(text)
    if bot_user:
        text = re2.sub(rf"<@{re2.escape(bot_user)}(?:\|[^<>]*)?>[,:]?\s?", "", text)
    shown: str = _MARKED.sub(lambda hit: _show_mark(hit.group(1), ids), text)
    for entity, character in _ESCAPES:
        shown = shown.replace(entity, character)
    return shown.strip()


def names_user(text: str, user: str) -> bool:
    """Tell whether the text names this person or bot."""
    hits = _MARKED.finditer(inert(text))
    return any(hit.group(1).partition("|")[0] == f"@{user}" for hit in hits)


def escape(text: str) -> str:
    """Escape the text so that Slack reads no mention, channel or link out of it."""
    for entity, character in reversed(_ESCAPES):
        text = text.replace(character, entity)
    return text


def _show_mark(marked: str, ids: bool) -> str:
    target, _, label = marked.partition("|")
    match target[:1]:
        case "@" | "#" as sign:
            named = label.removeprefix(sign)
            return target if ids or not named else sign + named
        case "!":
            return label or f"@{target[1:].partition('^')[0]}"
        case _:
            return label or target.removeprefix("mailto:")
