"""Inline AsciiDoc as HTML: marks, macros and attributes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape

import re2

from adapters.loaders.canonical import UNSHOWN

KNOWN = {
    **{"nbsp": "\u00a0", "sp": " ", "empty": "", "blank": "", "lt": "<", "gt": ">"},
    **{"amp": "&", "plus": "+", "vbar": "|", "asterisk": "*", "apos": "'"},
    **{
        "quot": '"',
        "zwsp": "",
        "wj": "",
        "deg": "\u00b0",
        "startsb": "[",
        "endsb": "]",
    },
    **{"ldquo": "\u201c", "rdquo": "\u201d", "lsquo": "\u2018", "rsquo": "\u2019"},
    **{"caret": "^", "tilde": "~", "backslash": "\\", "backtick": "`", "cpp": "C++"},
    **{"two-colons": "::", "two-semicolons": ";;", "brvbar": "\u00a6"},
}
_KEPT = re2.compile(
    r"\\([*_`#^~{<\[+])|\+\+\+((?s:.*?))\+\+\+|\bpass:[a-z,]*\[((?s:.*?))\]"
    r"|`\+((?s:.*?))\+`|\B\+(\S|\S[^\n]*?\S)\+\B"
)
_ATTRIBUTE = re2.compile(r"\{([\w][\w-]*)\}")
_GONE = re2.compile(
    r"\(\(\((?s:.*?)\)\)\)|\bindexterm:\[[^\]]*\]|\[\[[\w:.-]+(?:,[^\]]*)?\]\]"
    r"|\banchor:[\w:.-]+\[[^\]]*\]|\bicon:[\w-]+\[[^\]]*\]"
)
_TERM = re2.compile(r"\(\(([^()]+)\)\)|\bindexterm2:\[([^\]]*)\]")
_NOTE = re2.compile(r"\bfootnote(?:ref)?:([\w-]*)\[((?:[^\[\]\\]|\\.|\[[^\]]*\])*)\]")
_FORMULA = re2.compile(r"\b(?:stem|latexmath|asciimath):\[[^\]]*\]")
_KEYS = re2.compile(r"\b(?:kbd|btn):\[([^\]]*)\]")
_MENU = re2.compile(r"\bmenu:([^\[\]\n]+)\[([^\]]*)\]")
_IMAGE = re2.compile(r"\bimage:[^\s:\[][^\[\n]*\[([^\],]*)[^\]]*\]")
_LINK = re2.compile(
    r"(?:\blink:|\bmailto:|\b(?:https?|ftp|irc)://)([^\s\[\]<>]*)\[((?:[^\[\]]|\\\])*)\]"
)
_REFERS = re2.compile(r"&lt;&lt;#?([^,&\n]+?)(?:,\s*([^&\n]+?))?&gt;&gt;")
_XREF = re2.compile(r"\bxref:([^\s\[\]]+)\[([^\]]*)\]")
_ROLED = r"(?:\[([\w .,#%-]*)\])?"
_MARKS = tuple(
    (re2.compile(pattern), tag)
    for pattern, tag in (
        (_ROLED + r"\*\*((?s:.+?))\*\*", "b"),
        (_ROLED + r"__((?s:.+?))__", "em"),
        (_ROLED + r"``((?s:.+?))``", "code"),
        (_ROLED + r"##((?s:.+?))##", "span"),
        (_ROLED + r"\B\*(\S|\S(?s:.*?)\S)\*\B", "b"),
        (_ROLED + r"\b_(\S|\S(?s:.*?)\S)_\b", "em"),
        (_ROLED + r"\B`(\S|\S(?s:.*?)\S)`\B", "code"),
        (_ROLED + r"\B#(\S|\S(?s:.*?)\S)#\B", "span"),
        (_ROLED + r"\^([^\s^]+)\^", "sup"),
        (_ROLED + r"~([^\s~]+)~", "sub"),
    )
)
_QUOTED = (
    (re2.compile(r'"`((?s:.+?))`"'), "\u201c", "\u201d"),
    (re2.compile(r"'`((?s:.+?))`'"), "\u2018", "\u2019"),
)
_SIGNS = (
    ("(C)", "\u00a9"),
    ("(R)", "\u00ae"),
    ("(TM)", "\u2122"),
    (" -- ", " \u2014 "),
)
_BREAK = re2.compile(r"[ \t]\+\n")
_STASH = re2.compile("\x02(\\d+)\x03")


@dataclass(slots=True)
class Inline:
    """The reader of lines; `names` are the titles of sections by their ids.

    `notes` are the footnotes so far, and `named` the numbers of those with a name.
    """

    attributes: dict[str, str]
    names: Mapping[str, str]
    notes: list[str] = field(default_factory=list)
    named: dict[str, int] = field(default_factory=dict)

    def read(self, text: str) -> str:
        """Convert some lines to HTML."""
        kept: list[str] = []

        def keep(found: re2._Match) -> str:
            raw = found.group(2)
            said = next((g for g in found.groups() if g is not None), "")
            kept.append(said if raw is not None else escape(said, quote=False))
            return f"\x02{len(kept) - 1}\x03"

        text = text.replace("\x02", "").replace("\x03", "")
        text = self.fill(str(_KEPT.sub(keep, text)))
        text = self.replace_macros(escape(text, quote=False))
        for pattern, begin, end in _QUOTED:
            text = str(pattern.sub(lambda m, b=begin, e=end: b + m.group(1) + e, text))
        for pattern, tag in _MARKS:
            text = str(pattern.sub(lambda m, t=tag: _render_mark(m, t), text))
        for sign, shown in _SIGNS:
            text = text.replace(sign, shown)
        text = str(_BREAK.sub("<br>", text))
        return str(_STASH.sub(lambda m: kept[int(m.group(1))], text))

    def fill(self, text: str) -> str:
        """Replace attributes by their values; an unknown one stays as written."""

        def value(found: re2._Match) -> str:
            name = str(found.group(1))
            held = self.attributes.get(name.lower(), KNOWN.get(name.lower()))
            return str(found.group()) if held is None else held

        return str(_ATTRIBUTE.sub(value, text))

    def replace_macros(self, text: str) -> str:
        text = str(_GONE.sub("", text))
        text = str(_TERM.sub(lambda m: m.group(1) or m.group(2) or "", text))
        text = str(_NOTE.sub(self.note, text))
        text = str(_FORMULA.sub(lambda _: UNSHOWN, text))
        text = str(_KEYS.sub(lambda m: m.group(1), text))
        text = str(_MENU.sub(lambda m: f"{m.group(1)} &gt; {m.group(2)}", text))
        text = str(_IMAGE.sub(lambda m: f'<img alt="{m.group(1)}">', text))
        text = str(_LINK.sub(_render_link, text))
        text = str(_REFERS.sub(self.refer, text))
        return str(_XREF.sub(self.refer, text))

    def note(self, found: re2._Match) -> str:
        """Make the reference to a footnote, and keep its text for the page's end."""
        name, said = str(found.group(1)), str(found.group(2)).strip()
        if not said and name in self.named:
            number = self.named[name]
        else:
            self.notes.append(said.replace("\\]", "]"))
            number = len(self.notes)
            if name:
                self.named[name] = number
        return f'<sup><a href="#note{number}" role="doc-noteref">{number}</a></sup>'

    def refer(self, found: re2._Match) -> str:
        """Return the words of a reference, or else the title of its target."""
        target, said = str(found.group(1)), found.group(2)
        name = self.names.get(target.rpartition("#")[2])
        return str(said or name or f"[{target}]")


def _render_link(found: re2._Match) -> str:
    """Return the words of a link, or else its address."""
    said = str(found.group(2)).replace("\\]", "]").rstrip("^")
    first = said.partition(",")[0] if "=" in said.partition(",")[2] else said
    address = str(found.group()).partition("[")[0].removeprefix("link:")
    return first.strip('"').rstrip("^") or address.removeprefix("mailto:")


def _render_mark(found: re2._Match, tag: str) -> str:
    """Put marked words into their tag, or strike them out where the role says so."""
    role, said = found.group(1) or "", found.group(2)
    tag = "s" if "line-through" in role else tag
    return f"<{tag}>{said}</{tag}>"
