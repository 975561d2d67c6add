"""Discord's Markdown to HTML, as far as adapters/discord/markdown.py writes it.

A sign that could mark something up and was neither escaped nor understood is an error:
the preview shows what Discord would make of a text, or nothing.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from xml.etree.ElementTree import Element

import re2

from bot.preview.elements import element, link, undrawable

PLATFORM = "Discord"

_FENCE = "```"
_INLINE = re2.compile(
    r"\\(?P<escaped>[^0-9A-Za-z\s])"
    r"|\*\*(?P<strong>(?:\\.|[^\\*])+)\*\*"
    r"|`(?P<code>[^`\\]+)`"
    r"|\[(?P<title>(?:\\.|[^\\\[\]])+)\]\((?P<target>https?://[^\s()<>]+)\)"
    r"|<(?P<mention>[@#]\d+)>"
)
_LOOSE = re2.compile(
    r"(?i)[\\*_~|`<\[\]]|://|@(?:everyone|here)|:[^\s:]+:|discord(?:app)?\.(?:gg|com)"
)
_STARTING = re2.compile(r"^[ \t]*(?:[-+#>]|\d+\.)")


def draw(text: str) -> Element:
    """A text display.

    Raises:
        Undrawable: a sign does something that is none of ours.
    """
    return element("div", "markdown", *_blocks(text.split("\n")))


# --- lines ------------------------------------------------------------------------


def _blocks(lines: Sequence[str]) -> Iterator[Element]:
    for quoted, run in groupby(lines, lambda line: line.startswith("> ")):
        if quoted:
            inside = [line.removeprefix("> ") for line in run]
            yield element("blockquote", "", *_unquoted(inside))
        else:
            yield from _unquoted(list(run))


def _unquoted(lines: Sequence[str]) -> Iterator[Element]:
    code: list[str] | None = None
    for line in lines:
        if line == _FENCE:
            if code is not None:
                yield element("pre", "", "\n".join(code))
            code = [] if code is None else None
        elif code is not None:
            code.append(line)
        else:
            yield _line(line)
    if code is not None:
        raise undrawable(PLATFORM, "a fence that is not closed")


def _line(line: str) -> Element:
    for mark, tag, kind in (("### ", "h4", ""), ("-# ", "div", "small")):
        if line.startswith(mark):
            return element(tag, kind, *_inline(line.removeprefix(mark)))
    if _STARTING.match(line):
        raise undrawable(PLATFORM, line)
    return element("div", "line" if line.strip() else "gap", *_inline(line))


# --- within a line ----------------------------------------------------------------


def _inline(text: str) -> Iterator[Element | str]:
    end = 0
    for found in _INLINE.finditer(text):
        yield _loose(text[end : found.start()])
        yield _marked(found)
        end = found.end()
    yield _loose(text[end:])


def _loose(text: str) -> str:
    """A text in which nothing is marked up."""
    if _LOOSE.search(text):
        raise undrawable(PLATFORM, text)
    return text


def _marked(found: re2._Match) -> Element | str:
    groups: dict[str, str] = found.groupdict()
    match {name: text for name, text in groups.items() if text is not None}:
        case {"escaped": sign}:
            return sign
        case {"strong": inside}:
            return element("b", "", *_inline(inside))
        case {"code": inside}:
            return element("code", "", inside)
        case {"title": title, "target": url}:
            return link(url, *_inline(title))
        case {"mention": named}:
            return element("span", "mention", named)
    raise undrawable(PLATFORM, found[0])
