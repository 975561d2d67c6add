"""Mentions, markup and addresses in shown text, made inert.

Nothing that a reader would read is removed: a zero-width character breaks what a chat
platform or a browser would act on, every address included. Tags of robot descriptions,
decorators and `package://` are text, not markup, and stay as they are.
"""

from collections.abc import Iterator

import re2

BREAK = "\u200b"  # put into markup that must not be acted on

# The text before the break, and the text behind it.
_ACTIVE = re2.compile(
    # <@U1>, <#C1>, <!here>, <!-- -->, </command:1>, <:emoji:1>, <t:1>, <https://…|text>
    r"(?i)(<)([@#!]|/[a-z]+:\d|a?:\w+:\d|t:\d|id:|[a-z][a-z0-9+.-]*:[^\s:])"
    # HTML that loads or runs something
    r"|(</?)(?:a|img|script|iframe|object|embed|form|meta|style|svg|video|audio)[\s/>]"
    r"|(@)(?:everyone|here|channel|group)\b"
    # [text](address), ![image](address)
    r"|(\])\(\s*<?(?:[a-z][a-z0-9+.-]*:|/|#|www\.|[\w.-]+\.[a-z])"
)
_ADDRESS = re2.compile(
    r"(?i)\b(?:(?:https?|hxxps?|ftps?|wss?|file|slack|discord|steam|tg|skype)://"
    r"|(?:mailto|sms|javascript|vbscript|blob|view-source):\S|data:[a-z]+/|tel:[+\d]"
    r"|www\.)[^\s<>\"\x{201d}|]*"
    r"|\b(?:[\pL\pN-]+\.)+"
    r"(?:(?:com|org|net|gov|edu|int|info|biz|io|co|app|dev|xyz|top|site|online|click|link|"
    r"gg|ru|cn)\b(?:[/?#:][^\s<>\"\x{201d}]*)?|[a-z]{2}/[^\s<>\"\x{201d}]+)"
)
_TRAILING = ".,;:!?)]}*_'\u2019"
# Marks that reverse characters, hide some, or break a word.
_TURNING = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_UNSHOWN = dict.fromkeys((0xAD, *_TURNING, *range(0xE0000, 0xE0080)))


def make_inert(text: str) -> str:
    """Break everything in a text that a platform would act on; no word is lost.

    For words of our own and for the shown text of a quotation; its stored text is never
    changed. Escaping for a platform comes after this, in its adapter.
    """
    shown = text.translate(_UNSHOWN)
    places = {_find_break(match) for match in _ACTIVE.finditer(shown)}
    places |= {
        start + _find_address_break(address)
        for start, address in _find_addresses(shown)
    }
    pieces: list[str] = []
    done = 0
    for place in sorted(places):
        pieces += (shown[done:place], BREAK)
        done = place
    return "".join((*pieces, shown[done:]))


def _find_addresses(text: str) -> Iterator[tuple[int, str]]:
    """Yield the start and the text of what people and platforms take for an address."""
    for match in _ADDRESS.finditer(text):
        yield match.start(), str(match.group()).rstrip(_TRAILING)


def _find_break(match: re2._Match) -> int:
    """Return the position of the break in a match: behind its first part."""
    return int(next(match.end(n) for n in (1, 3, 4, 5) if match.group(n) is not None))


def _find_address_break(address: str) -> int:
    """Return the position of the break in an address: behind its scheme or before a
    dot.
    """
    colon, dot = address.find(":"), address.find(".")
    return colon + 1 if 0 <= colon < 12 and (dot < 0 or colon < dot) else max(dot, 1)
