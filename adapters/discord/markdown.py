"""Texts of others in Discord's Markdown: every character visible, none of it working.

A backslash before a sign makes it plain; it is used only where the sign would do
something, because who copies a message gets the backslashes too. Checked against the
rules of the client (headings, lists, emphasis, code, links, mentions, emoji, time
stamps) and held by tests with tests/platforms/discord_reach.py.
"""

from collections.abc import Iterable, Iterator
from urllib.parse import quote

import re2

from adapters.layout import BULLET, item, marks
from adapters.reply import Piece, Quotation
from engine.policy.links import address

LONGEST_URL = 1_000
_SIGNS = str.maketrans({sign: f"\\{sign}" for sign in "\\*_~|`<[]"})
# The colons of an address, also of one that was cut, and of an emoji's name.
_COLONS = re2.compile(r"(?i:https?|discord|steam|mailto|tel|sms):|://|:[^\s:]+:")
_REST = (
    (re2.compile(r"(?i)@(everyone|here)"), r"\\@\1"),
    (re2.compile(r"(?i)(discord(?:app)?)\.(gg|com)"), r"\1\\.\2"),
    # Only at the beginning of a line: headings, subtext, quotes, lists, and numbers of
    # a list, which Discord would count again.
    (re2.compile(r"(?m)^([\s\p{Z}\p{Cf}]*)([-+#>])"), r"\1\\\2"),
    (re2.compile(r"(?m)^([\s\p{Z}\p{Cf}]*\d+)\."), r"\1\\."),
)
_BLANK = re2.compile(r"^[\s\p{Z}\p{Cf}]*$")
_FENCE = "```"
_SET = re2.compile(r"^(?:> |-# |### )+")
_ESCAPED = re2.compile(r"\\([^0-9A-Za-z\s])")
_SAFE = ":/?#@!$&*+,;=%~-._"  # of a URL; brackets and quotes could end the link


def plain(text: str) -> str:
    """Escape a text so that it does nothing:

    no markup, mention, link, emoji or preview.
    """
    said: str = _COLONS.sub(_escape_colons, text.translate(_SIGNS))
    for pattern, shown in _REST:
        said = pattern.sub(shown, said)
    return said


def is_blank(text: str) -> bool:
    """Tell whether there is nothing in it to see."""
    return _BLANK.match(text) is not None


def link(title: str, url: str | None) -> str:
    """Write a title that leads to a page; without a usable address the title alone."""
    target = _encode_url(url)
    if target is None:
        return plain(title)
    flat = title.translate({ord("["): "(", ord("]"): ")"})
    return f"[{plain(flat)}]({target})"


def list_item(title: str, url: str | None) -> str:
    """Write a line of a list that leads to a page."""
    return f"{BULLET}{link(title, url)}"


def strong(shown: str) -> str:
    """Make text bold, line by line; `shown` is Markdown already."""
    lines = (line.strip() for line in shown.split("\n"))
    return "\n".join(f"**{line}**" if line else "" for line in lines)


def small(shown: str) -> str:
    """Make text small and grey, line by line; `shown` is Markdown already."""
    return "\n".join(f"-# {line}" for line in shown.split("\n") if line.strip())


def cite(numbers: Iterable[int]) -> str:
    """Write the numbers of sources, set so that no quoted text looks like them."""
    shown = marks(tuple(numbers))
    return f"`{shown}`" if shown else ""


def read(shown: str) -> str:
    """Read a message of ours as it is seen: the text without what only sets it."""
    lines, fenced = [], False
    for line in shown.split("\n"):
        bare = line.removeprefix("> ")
        if bare == _FENCE:
            fenced = not fenced
        else:
            lines.append(bare if fenced else _ESCAPED.sub(r"\1", _SET.sub("", line)))
    return "\n".join(lines)


def quote_block(block: Quotation) -> str:
    """Write a block quote of every character of the quotation, then its sources."""
    shown = (piece for piece in block.pieces if piece.text.strip())
    lines = [line for piece in shown for line in _write_lines(piece)] or [""]
    mark = cite(block.numbers)
    if mark and lines[-1] == _FENCE:
        lines.append(mark)
    elif mark:
        lines[-1] = f"{lines[-1]} {mark}"
    return "\n".join(f"> {line}" for line in lines)


def _write_lines(piece: Piece) -> Iterator[str]:
    if piece.form == "code":
        yield from _write_code(piece.text)
        return
    text = " ".join(piece.text.split())
    if piece.form == "heading":
        yield strong(plain(text))
    else:
        yield plain(item(text) if piece.form == "item" else text)


def _write_code(text: str) -> Iterator[str]:
    """Write a fenced block; code that could end the fence is shown as text."""
    fenced = _FENCE not in text
    if fenced:
        yield _FENCE
    for line in text.split("\n"):
        yield line if fenced else plain(line)
    if fenced:
        yield _FENCE


def _escape_colons(found: re2._Match) -> str:
    matched: str = found[0]
    return matched.replace(":", r"\:")


def _encode_url(url: str | None) -> str | None:
    """Encode the address in the few characters that Discord takes into a link."""
    if not url or len(url) > LONGEST_URL or address(url) is None:
        return None
    return quote(url, safe=_SAFE)
