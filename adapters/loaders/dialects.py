"""Dialects of Markdown, converted to the Markdown that the parser knows.

Boxes, tabs and alerts of MkDocs, MyST, Pandoc, Docusaurus, GitHub and Obsidian become
fences of colons (`::: box Title`) or admonitions (`!!! tab "Title"`). Links between
notes, comments, highlights and attributes lose their marks. Code is left alone.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import re2

from adapters.loaders.site_tags import CLOSE, OPEN, find_closing, replace_tags

LONGEST = 150  # colons of the outermost fence; each inner one has fewer
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


def to_markdown(text: str) -> str:
    """Convert `text` to the Markdown that the parser knows."""
    lines = _Lines()
    for line in _strip_marks(text).split("\n"):
        lines.take(line)
    return "\n".join(lines.close_boxes())


def read_title(info: str) -> str:
    """Read the title behind a fence: `tip Title`, `tip[Title]`, `{tip} Title`."""
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


def _strip_marks(text: str) -> str:
    """Replace tags and inline marks, except in fenced code."""
    parts: list[str] = []
    prose: list[str] = []
    for line, code in _mark_code(text.split("\n")):
        if code and prose:
            parts.append(_strip_inline("\n".join(prose)))
            prose.clear()
        (parts if code else prose).append(line)
    if prose:
        parts.append(_strip_inline("\n".join(prose)))
    return "\n".join(parts)


def _mark_code(lines: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Mark each line as code or not; a box of MyST in a code fence is not code."""
    opened: list[tuple[str, str]] = []  # marks and kind of each open fence
    indent = _Indented()
    for line in lines:
        fence = _FENCE.match(line)
        marks, inside = opened[-1] if opened else ("", "box")
        if fence and opened and _is_closing(fence, marks):
            opened.pop()
            yield _write_closing(line, fence, inside), inside == "code"
        elif fence and inside == "box":
            kind = _read_kind(fence)
            opened.append((str(fence[2]), kind))
            yield _write_opening(line, fence, kind), kind == "code"
        else:
            code = inside == "code" or (not opened and indent.is_code(line))
            yield "" if inside == "unseen" else line, code


def _read_kind(fence: re2._Match) -> str:
    told = _MYST.match(str(fence[3]))
    name = str(told[1]) if told else ""
    return "unseen" if name in _UNSEEN else "box" if name in _BOXES else "code"


def _write_opening(line: str, fence: re2._Match, kind: str) -> str:
    told = _MYST.match(str(fence[3]))
    if kind == "box" and told:
        return f"{fence[1]}{OPEN} {told[2]}".rstrip()
    return "" if kind == "unseen" else line


def _write_closing(line: str, fence: re2._Match, kind: str) -> str:
    if kind == "box":
        return f"{fence[1]}{CLOSE}"
    return "" if kind == "unseen" else line


@dataclass(slots=True)
class _Indented:
    """Detects code by its indent, which does not count in an item or a box."""

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


def _is_closing(fence: re2._Match, marks: str) -> bool:
    same = bool(marks) and str(fence[2]).startswith(marks)
    return same and not str(fence[3]).strip()


def _strip_inline(text: str) -> str:
    """Strip the marks of dialects from prose, except in backticks."""
    text = replace_tags(text)
    if not any(mark in text for mark in ("[[", "==", "%%", "{", "++", ":")):
        return text
    parts: list[str] = []
    at = 0
    for start, end, shown in _find_marks(text):
        parts += (_strip_attributes(text[at:start]), shown)
        at = end
    return "".join((*parts, _strip_attributes(text[at:])))


def _strip_attributes(text: str) -> str:
    """Strip attributes from prose, except behind fences, where they may be titles."""
    if "{" not in text:
        return text
    return "\n".join(
        line if _COLONS.match(line) else str(BEHIND.sub(r"\1", line))
        for line in text.split("\n")
    )


def _find_marks(text: str) -> Iterator[tuple[int, int, str]]:
    """Find marks outside of code: start, end, and the text shown instead."""
    until = 0
    for found in _INLINE.finditer(text):
        start, end = found.span()
        if start < until:
            continue
        if found["code"]:
            until = find_closing(text, end, str(found["code"])) or end
            yield start, until, text[start:until]
            continue
        shown = _show_mark(text, found)
        if shown is not None:
            until = end
            yield start, end, shown


def _show_mark(text: str, found: re2._Match) -> str | None:
    """Return the text shown for a mark; None where it is not a mark."""
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
    """An open fence: its line, the prefix of its line, its title and depth."""

    kind: str
    line: int
    prefix: str
    title: str
    depth: int


@dataclass(slots=True)
class _Lines:
    """The lines so far, with all fences of boxes converted to one kind."""

    lines: list[str] = field(default_factory=list)
    boxes: list[_Box] = field(default_factory=list)
    code: str = ""
    options: str = ""
    indented: bool = False

    def take(self, line: str) -> None:
        fence = _FENCE.match(line)
        if self.code or fence:
            closes = self.code and fence and _is_closing(fence, self.code)
            opened = str(fence[2]) if fence and not self.code else self.code
            self.code = "" if closes else opened
            self.lines.append(line)
        elif not self._is_option(line):
            self._add_prose(line)

    def close_boxes(self) -> list[str]:
        """Return the lines, with fences that were never closed as plain lines."""
        for box in self.boxes:
            self.lines[box.line] = f"{box.prefix}{box.title}\n{box.prefix}".rstrip(" ")
        return self.lines

    def _is_option(self, line: str) -> bool:
        """Tell whether a line below a fence is an option, which shows nothing."""
        colons = self.options == ":" and _MYST_OPTION.match(line)
        if colons or (self.options and _BLOCK_OPTION.match(line)):
            return True
        self.options = ""
        return False

    def _add_prose(self, line: str) -> None:
        colons, slashes = _COLONS.match(line), _SLASHES.match(line)
        tab, callout = _TAB.match(line), _CALLOUT.match(line)
        if _GONE.match(line):
            self.lines.append("")
        elif tab:
            self._add_admonition(f"{tab[1]}!!! tab {tab[2]}")
        elif callout and self._begins_quote(str(callout[1])):
            title = f"{OPEN} {callout[3]}" if callout[3] else ""
            self.lines.append(f"{callout[1]}{title}".rstrip())
        elif colons and (colons[2] or self._has_open(":")):
            title = read_title(str(colons[2]))
            self._add_fence(":", str(colons[1]), title, opens=bool(colons[2]))
        elif slashes and (slashes[2] or self._has_open("/")):
            title = "" if slashes[2] == "html" else str(slashes[3] or "")
            self._add_fence("/", str(slashes[1]), title, opens=bool(slashes[2]))
        elif line.lstrip(" \t>").startswith(("!!! ", "??? ", "???+ ")):
            self._add_admonition(line)
        else:
            self._add_plain(line)

    def _begins_quote(self, prefix: str) -> bool:
        """Tell whether a quote begins with the next line."""
        before = _QUOTES.match(self.lines[-1]) if self.lines else None
        return before is None or str(before[0]).count(">") < prefix.count(">")

    def _has_open(self, kind: str) -> bool:
        return any(box.kind == kind for box in self.boxes)

    def _add_fence(self, kind: str, prefix: str, title: str, *, opens: bool) -> None:
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

    def _add_admonition(self, line: str) -> None:
        self.indented = True
        self.lines.append(line)

    def _join_terms(self) -> None:
        """Join several terms of one definition on one line, for the parser."""
        while len(self.lines) > 1 and all(map(_TERM.match, self.lines[-2:])):
            last = self.lines.pop()
            self.lines[-1] += f", {last}"

    def _add_plain(self, line: str) -> None:
        """Append any other line, but no second blank one in an indented box."""
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
