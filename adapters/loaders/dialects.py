"""Dialects of Markdown as structure: what their marks say is kept, the marks are not.

Boxes, tabs and alerts of MkDocs, MyST, Pandoc, Docusaurus, GitHub and Obsidian become
fences of colons (`::: box Title`) or admonitions (`!!! tab "Title"`), which the parser
knows. Links between notes, comments, highlights and attributes lose their marks. Code
is left alone.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import re2

from adapters.loaders.site_tags import CLOSE, OPEN, closing_of, without_tags

LONGEST = 150  # colons of the outermost fence: each one inside has fewer
# `[text](url){.external}`, `## Title {#id}`, `{: .note }`, `{: target="_blank"}`
_ATTRIBUTE = r"(?:[.#][\w:-]+|[\w-]+=(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s{}\"']+))"
ATTRIBUTES = re2.compile(rf"^\s*\{{:?\s*{_ATTRIBUTE}(?:\s+{_ATTRIBUTE})*\s*\}}")
BEHIND = re2.compile(rf"(^|[\s)\]`*_])\{{:?\s*{_ATTRIBUTE}(?:\s+{_ATTRIBUTE})*\s*\}}")
_FENCE = re2.compile(r"^([ \t>]*)(`{3,}|~{3,})[ \t]*([^`]*)$")
_MYST = re2.compile(r"^\{([a-z][\w:-]*)\}[ \t]*(.*)$")
_COLONS = re2.compile(r"^([ \t>]*):{3,}[ \t]*(.*)$")
_SLASHES = re2.compile(
    r"^([ \t>]*)/{3,}(?:[ \t]+([a-z][\w-]*)[ \t]*(?:\|[ \t]*(.*))?)?$"
)
_TAB = re2.compile(r"^([ \t>]*)===[!+]{0,2}[ \t]+(\"[^\n]*\")[ \t]*$")
_CALLOUT = re2.compile(r"^([ \t]*(?:>[ \t]*)+)\[!([A-Za-z][\w| -]*)\][+-]?[ \t]*(.*)$")
_QUOTES = re2.compile(r"^[ \t>]*")
_TERM = re2.compile(r"^[\pL\pN\"'*`][^\n]{0,80}$")
_DEFINES = re2.compile(r"^ {0,3}:[ \t]+\S")
_MYST_OPTION = re2.compile(r"^[ \t>]*:[\w-]+:([ \t].*)?$")
_BLOCK_OPTION = re2.compile(r"^(?: {4}|\t)[ \t]*[\w-]+:([ \t].*)?$")
_BRACED = re2.compile(r"^\{([^{}]*)\}[ \t]*(.*)$")
_TITLED = re2.compile(r"\b(?:title|summary|label|header)=[\"']([^\"']*)[\"']")
_BRACKETED = re2.compile(r"^[\w-]+\[([^\[\]]*)\]")
_HOLDS = re2.compile(r"^ {0,3}(?:[-*+]|\d{1,9}[.)]|!!!|\?\?\?|===|\[\^[^\]]+\]:)")
_GONE = re2.compile(
    r"^[ \t>]*(?:\[(?i:toc)\]|\[\[_?(?i:toc)_?\]\]|\{:(?i:toc)[^{}]*\}|\{\{(?i:toc)\}\}"
    r"|-{1,2}8<-{1,2}.*|\{[!*][^{}]*[!*]\}|\*\[[^\[\]]+\]:.*)[ \t]*$"
)
_INLINE = re2.compile(
    r"(?P<code>`+)|(?P<embed>!\[\[[^\[\]\n]*\]\])"
    r"|\[\[(?P<target>[^\[\]\n|]+?)(?:\\?\|(?P<alias>[^\[\]\n]+?))?\]\]"
    r"|(?P<comment>%%[^%]+%%)|==(?P<marked>[^=\s](?:[^=\n]*[^=\s])?)=="
    r"|\+\+(?P<keys>[\w-]+(?:\+[\w-]+)*)\+\+"
    r"|:(?:material|octicons|simple|fontawesome(?:-solid|-regular|-brands)?)"
    r"-(?P<icon>[a-z0-9-]+):"
)
_BOXES = frozenset(
    {
        *("admonition", "attention", "caution", "danger", "error", "hint", "important"),
        *("note", "seealso", "tip", "warning", "dropdown", "card", "grid", "tab-set"),
        *("tab-item", "grid-item", "grid-item-card", "sidebar", "topic", "margin"),
        *("aside", "versionadded", "versionchanged", "deprecated", "epigraph", "div"),
    }
)
_UNSEEN = frozenset(
    {"toctree", "contents", "tableofcontents", "include", "image", "bibliography"}
)
_BOLD_WITHOUT_SPACE = re2.compile(r"(\*\*[^*\s][^*\n]*[.:!?]\*\*)(\pL)")
_SPLIT_BOLD = re2.compile(r"(\w)\*{4}([^\w\s*])")


def plain(text: str) -> str:
    """`text` in the Markdown that the parser knows."""
    lines = _Lines()
    for line in _without_marks(text).split("\n"):
        lines.take(line)
    return "\n".join(lines.balanced())


def title_of(info: str) -> str:
    """The title behind a fence of colons: `tip Title`, `tip[Title]`, `{tip} Title`."""
    info = info.strip()
    titled = _TITLED.search(info)
    if titled:
        return str(titled.group(1))
    bracketed = _BRACKETED.match(info)
    if bracketed:
        return str(bracketed.group(1))
    braced = _BRACED.match(info)
    if braced:
        return str(braced.group(2))
    said = info.partition(" ")[2].strip()
    return "" if said.startswith("{") else said


# --- marks inside lines -----------------------------------------------------------


def _without_marks(text: str) -> str:
    """The text with tags and inline marks read, fenced code apart."""
    parts: list[str] = []
    prose: list[str] = []
    for line, code in _coded(text.split("\n")):
        if code and prose:
            parts.append(_inline("\n".join(prose)))
            prose.clear()
        (parts if code else prose).append(line)
    if prose:
        parts.append(_inline("\n".join(prose)))
    return "\n".join(parts)


def _coded(lines: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Each line, and whether it is of code; a box of MyST in a code fence is none."""
    opened: list[tuple[str, str]] = []  # marks of what is open, and what it is
    indent = _Indented()
    for line in lines:
        fence = _FENCE.match(line)
        marks, inside = opened[-1] if opened else ("", "box")
        if fence and opened and _closes(fence, marks):
            opened.pop()
            yield _closed(line, fence, inside), inside == "code"
        elif fence and inside == "box":
            kind = _kind(fence)
            opened.append((str(fence[2]), kind))
            yield _opened(line, fence, kind), kind == "code"
        else:
            code = inside == "code" or (not opened and indent.is_code(line))
            yield "" if inside == "unseen" else line, code


def _kind(fence: re2._Match) -> str:
    told = _MYST.match(str(fence[3]))
    name = str(told[1]) if told else ""
    return "unseen" if name in _UNSEEN else "box" if name in _BOXES else "code"


def _opened(line: str, fence: re2._Match, kind: str) -> str:
    told = _MYST.match(str(fence[3]))
    if kind == "box" and told:
        return f"{fence[1]}{OPEN} {told[2]}".rstrip()
    return "" if kind == "unseen" else line


def _closed(line: str, fence: re2._Match, kind: str) -> str:
    if kind == "box":
        return f"{fence[1]}{CLOSE}"
    return "" if kind == "unseen" else line


@dataclass(slots=True)
class _Indented:
    """Whether lines are code by their indent: not below an item or inside a box."""

    holds: bool = False
    code: bool = False
    blank: bool = True

    def is_code(self, line: str) -> bool:
        if not line.strip():
            self.blank = True
            return self.code
        deep = line.startswith(("    ", "\t"))
        if not deep:
            self.holds = bool(_HOLDS.match(line)) or (self.holds and line[0] == " ")
        self.code = deep and not self.holds and (self.blank or self.code)
        self.blank = False
        return self.code


def _closes(fence: re2._Match, marks: str) -> bool:
    same = bool(marks) and str(fence[2]).startswith(marks)
    return same and not str(fence[3]).strip()


def _inline(text: str) -> str:
    """Prose without marks of dialects; what stands in backticks stays."""
    text = without_tags(text)
    if not any(mark in text for mark in ("[[", "==", "%%", "{", "++", ":")):
        return text
    parts: list[str] = []
    at = 0
    for start, end, shown in _marks(text):
        parts += (_attributed(text[at:start]), shown)
        at = end
    return "".join((*parts, _attributed(text[at:])))


def _attributed(text: str) -> str:
    """Prose without attributes; fences of colons keep theirs, which may be a title."""
    if "{" not in text:
        return text
    return "\n".join(
        line if _COLONS.match(line) else str(BEHIND.sub(r"\1", line))
        for line in text.split("\n")
    )


def _marks(text: str) -> Iterator[tuple[int, int, str]]:
    """Where marks stand outside of code, and what is shown of each."""
    until = 0
    for found in _INLINE.finditer(text):
        start, end = found.span()
        if start < until:
            continue
        if found["code"]:
            until = closing_of(text, end, str(found["code"])) or end
            yield start, until, text[start:until]
            continue
        shown = _shown(text, found)
        if shown is not None:
            until = end
            yield start, end, shown


def _shown(text: str, found: re2._Match) -> str | None:
    """What a mark shows; None where it is none."""
    start, end = found.span()
    before, after = text[start - 1 : start], text[end : end + 1]
    if found["embed"] is not None or found["comment"] is not None:
        return ""
    if found["icon"] is not None:
        return f"![{str(found['icon']).replace('-', ' ')}](icon)"
    if found["keys"] is not None:
        return None if before.isalnum() else str(found["keys"])
    if found["marked"] is not None:
        joined = before.isalnum() or after.isalnum() or "=" in (before, after)
        return None if joined else str(found["marked"])
    target, alias = found["target"], found["alias"]
    if after in {"(", "["} or str(target)[:1].isspace():
        return None
    if alias is not None:
        return str(alias).strip()
    if str(target).strip("_").lower() == "toc":
        return ""
    return str(target).strip("# ").replace("#", " > ")


# --- lines ------------------------------------------------------------------------


@dataclass(slots=True)
class _Box:
    """A fence that was opened: its line, what is before it, and how deep it is."""

    kind: str
    line: int
    prefix: str
    title: str
    depth: int


@dataclass(slots=True)
class _Lines:
    """Takes lines, and makes one kind of fence of all that open and close boxes."""

    lines: list[str] = field(default_factory=list)
    boxes: list[_Box] = field(default_factory=list)
    code: str = ""
    options: str = ""
    indented: bool = False

    def take(self, line: str) -> None:
        fence = _FENCE.match(line)
        if self.code or fence:
            closes = self.code and fence and _closes(fence, self.code)
            opened = str(fence[2]) if fence and not self.code else self.code
            self.code = "" if closes else opened
            self.lines.append(line)
        elif not self._option(line):
            self._prose(line)

    def balanced(self) -> list[str]:
        """The lines; a fence that was never closed is a line of its own."""
        for box in self.boxes:
            self.lines[box.line] = f"{box.prefix}{box.title}\n{box.prefix}".rstrip(" ")
        return self.lines

    def _option(self, line: str) -> bool:
        """Whether a line below a fence sets something, and so shows nothing."""
        colons = self.options == ":" and _MYST_OPTION.match(line)
        if colons or (self.options and _BLOCK_OPTION.match(line)):
            return True
        self.options = ""
        return False

    def _prose(self, line: str) -> None:
        colons, slashes = _COLONS.match(line), _SLASHES.match(line)
        tab, callout = _TAB.match(line), _CALLOUT.match(line)
        if _GONE.match(line):
            self.lines.append("")
        elif tab:
            self._admonition(f"{tab[1]}!!! tab {tab[2]}")
        elif callout and self._begins(str(callout[1])):
            title = f"{OPEN} {callout[3]}" if callout[3] else ""
            self.lines.append(f"{callout[1]}{title}".rstrip())
        elif colons and (colons[2] or self._open(":")):
            title = title_of(str(colons[2]))
            self._fence(":", str(colons[1]), title, opens=bool(colons[2]))
        elif slashes and (slashes[2] or self._open("/")):
            title = "" if slashes[2] == "html" else str(slashes[3] or "")
            self._fence("/", str(slashes[1]), title, opens=bool(slashes[2]))
        elif line.lstrip(" \t>").startswith(("!!! ", "??? ", "???+ ")):
            self._admonition(line)
        else:
            self._plain(line)

    def _begins(self, prefix: str) -> bool:
        """Whether a quote begins with a line; nothing else is the head of one."""
        before = _QUOTES.match(self.lines[-1]) if self.lines else None
        return before is None or str(before[0]).count(">") < prefix.count(">")

    def _open(self, kind: str) -> bool:
        return any(box.kind == kind for box in self.boxes)

    def _fence(self, kind: str, prefix: str, title: str, *, opens: bool) -> None:
        if opens:
            depth = self.boxes[-1].depth + 1 if self.boxes else 0
            box = _Box(kind, len(self.lines), prefix, title, depth)
            self.boxes.append(box)
            self.options = kind
            self.lines.append("")
            return
        at = max(n for n, box in enumerate(self.boxes) if box.kind == kind)
        box = self.boxes.pop(at)
        colons = ":" * max(3, LONGEST - box.depth)
        self.lines[box.line] = f"{box.prefix}{colons} box {box.title}".rstrip()
        self.lines.append(f"{prefix}{colons}")

    def _admonition(self, line: str) -> None:
        self.indented = True
        self.lines.append(line)

    def _join_terms(self) -> None:
        """Several terms of one definition stand on one line for the parser."""
        while len(self.lines) > 1 and all(map(_TERM.match, self.lines[-2:])):
            last = self.lines.pop()
            self.lines[-1] += f", {last}"

    def _plain(self, line: str) -> None:
        """Any other line. Two blank ones would end a box that is indented."""
        blank = not line.strip()
        if not blank and not line[0].isspace():
            self.indented = False
        if blank and self.indented and self.lines and not self.lines[-1].strip():
            return
        if _DEFINES.match(line):
            self._join_terms()
        if "**" in line:
            spaced = _BOLD_WITHOUT_SPACE.sub(r"\1 \2", line)
            line = str(_SPLIT_BOLD.sub(r"\1\2", spaced))
        self.lines.append(line)
