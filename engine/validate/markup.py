"""Mentions, markup and addresses in prose and quotations, made inert (R-V7).

Nothing that a reader would read is removed: a character without width breaks what a
chat platform or a browser would act on. Addresses stay whole only below the prefixes of
the source register. Tags of robot descriptions, decorators and `package://` are text,
not markup, and stay as they are.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

import re2

BREAK = "\u200b"  # stands inside what must not be acted on

# The text up to where it is broken, and how it goes on.
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
# Marks that turn the order of characters round, hide some, or break a word.
_TURNING = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_UNSHOWN = dict.fromkeys((0xAD, *_TURNING, *range(0xE0000, 0xE0080)))


@dataclass(frozen=True, slots=True)
class Links:
    """The addresses that may appear: those below a prefix, and some exactly."""

    prefixes: tuple[str, ...] = ()
    exact: frozenset[str] = frozenset()

    def allow(self, address: str) -> bool:
        """Whether an address of a draft may stay whole.

        None with a user name, port, query or fragment may, none that climbs out of its
        folder or is not plain ASCII: a query can carry the conversation to a server.
        """
        if address.rstrip("/") in self.exact:
            return True
        if not address.isascii() or any(mark in address for mark in "\\@?#%|[]"):
            return False
        bare = "://" not in address
        forms = (f"https://{address}", f"https://www.{address}") if bare else (address,)
        return any(
            _below(_parts(form), _parts(prefix))
            for form in forms
            for prefix in self.prefixes
        )


NO_LINKS = Links()

# Characters that cannot be seen, or turn the order of others round.
_INVISIBLE = re2.compile(
    r"[\x{61c}\x{115f}\x{1160}\x{200b}-\x{200f}\x{202a}-\x{202e}\x{2060}-\x{206f}"
    r"\x{3164}\x{feff}\x{ffa0}\x{e0000}-\x{e0fff}]"
)


def foreign(text: str, links: Links) -> tuple[str, ...]:
    """The addresses of a text that may not appear."""
    return tuple(address for _, address in _addresses(text) if not links.allow(address))


def inert(text: str, links: Links = NO_LINKS) -> str:
    """The text as it may be shown: nothing in it acts, and every word is there.

    For prose and for what is shown of a quotation; the stored text of a quotation is
    never changed. Escaping for a platform comes after this, in its adapter.
    """
    shown = text.translate(_UNSHOWN)
    places = {_break_of(match) for match in _ACTIVE.finditer(shown)}
    places |= {
        start + _after_scheme(address)
        for start, address in _addresses(shown)
        if not links.allow(address)
    }
    pieces: list[str] = []
    done = 0
    for place in sorted(places):
        pieces += (shown[done:place], BREAK)
        done = place
    return "".join((*pieces, shown[done:]))


def _addresses(text: str) -> Iterator[tuple[int, str]]:
    """Where people and platforms would see an address, and the address."""
    for match in _ADDRESS.finditer(text):
        yield match.start(), str(match.group()).rstrip(_TRAILING)


def _break_of(match: re2._Match) -> int:
    """Where to break what matched: behind its first part."""
    return int(next(match.end(n) for n in (1, 3, 4, 5) if match.group(n) is not None))


def _after_scheme(address: str) -> int:
    """Behind "https:" or, without a scheme, before the first dot."""
    colon, dot = address.find(":"), address.find(".")
    return colon + 1 if 0 <= colon < 12 and (dot < 0 or colon < dot) else max(dot, 1)


def _parts(address: str) -> SplitResult | None:
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return None
    web = parts.scheme in ("http", "https") and port is None
    climbs = ".." in parts.path or "//" in parts.path
    return parts if web and not climbs else None


def _below(parts: SplitResult | None, prefix: SplitResult | None) -> bool:
    if parts is None or prefix is None:
        return False
    if (parts.scheme, parts.netloc.lower()) != (prefix.scheme, prefix.netloc.lower()):
        return False
    # A prefix may end inside a name ("…/treatment"); a folder needs its slash.
    return (parts.path + "/").startswith(prefix.path.rstrip("/") + "/")


def unseen(text: str) -> bool:
    """Whether a text holds characters that are not seen, or turn others round."""
    return _INVISIBLE.search(text) is not None
