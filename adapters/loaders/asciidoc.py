"""AsciiDoc to canonical text, by way of HTML.

No maintained parser has a usable licence, so this one reads the common syntax:
sections, lists, tables, boxes, code, notes, attributes and conditions. Other files are
not included. Conditions on attributes of a build are decided by the file alone, and a
remark says so to whoever prepares the folder.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape

import re2

from adapters.loaders.asciidoc_tables import read_table
from adapters.loaders.asciidoc_text import Inline
from adapters.loaders.canonical import UNSHOWN, CanonicalText
from adapters.loaders.front_matter import open_matter
from adapters.loaders.html import append_html
from adapters.loaders.limits import Limits
from adapters.loaders.readers import make_loader_name
from adapters.loaders.word_styles import write_number
from engine.model.document import Parsed
from engine.model.errors import DocumentError

NAME = make_loader_name("asciidoc")
INCLUDES = "includes other files, which are not read"
CONDITIONS = "has parts for some builds alone, which are read as the file has it"
BUILT = frozenset({"backend-html5", "backend-html", "basebackend-html", "html"})
VERBATIM = ("-", ".", "+", "`", "/")
_DELIMITER = re2.compile(r"^(={4,}|-{4,}|\.{4,}|\*{4,}|_{4,}|\+{4,}|/{4,}|--|```\w*)$")
_TABLE = re2.compile(r"^[|,:!]={3,}$")
_ENTRY = re2.compile(r"^:(!?)([\w][\w-]*)(!?):(?:[ \t]+(.*))?$")
_CONDITION = re2.compile(r"^(ifdef|ifndef|ifeval|endif)::([^\[]*)\[(.*)\]$")
_INCLUDE = re2.compile(r"^include::[^\[]+\[.*\]$")
_ATTRIBUTES = re2.compile(r"^\[(.*)\]$")
_TITLE = re2.compile(r"^\.([^\s.].*)$")
_SECTION = re2.compile(r"^(={1,6}|#{1,6})[ \t]+(\S.*?)(?:[ \t]+=+)?$")
_SILENT = re2.compile(r"^(?:'{3,}|<{3,}|-{3}|\*{3}|toc::\[.*\]|//(?:[^/].*)?)$")
_IMAGE = re2.compile(r"^(?:image|video|audio)::[^\[]*\[([^\],]*).*\]$")
_BOX = re2.compile(r"^(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION):[ \t]+(.*)$")
_ITEM = re2.compile(
    r"^[ \t]*(?:(\*{1,6}|-)|(\.{1,6}|\d{1,9}\.|[a-zA-Z]\.|[ivxIVX]+\))"
    r"|(<(?:\d+|\.)>))[ \t]+(\S.*)$"
)
_TERM = re2.compile(r"^[ \t]*(\S.*?)(:{2,4}|;;)(?:[ \t]+(\S.*))?$")
_CALLOUT = re2.compile(r"[ \t]*(?://|#|--|;;)?[ \t]*<(\d+)>[ \t]*$")
_TICKED = re2.compile(r"^\[([ x*])\][ \t]+")
FORMS = ("decimal", "lowerLetter", "lowerRoman", "upperLetter", "upperRoman")
STYLES = {
    "arabic": "decimal",
    "loweralpha": "lowerLetter",
    "upperalpha": "upperLetter",
    "lowerroman": "lowerRoman",
    "upperroman": "upperRoman",
}


def parse(text: str, path: str, limits: Limits) -> Parsed:
    """Parse one page of AsciiDoc with optional YAML or JSON front matter."""
    opened = open_matter(text, path, limits)
    page = _Page(path, limits)
    lines = list(page.choose_lines(opened.body.split("\n")))
    page.inline.names = _map_titles(lines)
    page.append_blocks(lines)
    notes = (
        f'<aside id="note{number}"><p>{page.inline.read(note)}</p></aside>'
        for number, note in enumerate(page.inline.notes, 1)
    )
    out = CanonicalText(path, limits)
    append_html(out, "".join([*page.parts, *notes]))
    for remark in page.remarks:
        out.remark(remark)
    return Parsed(
        path=path,
        text=out.text,
        blocks=tuple(out.blocks),
        loader=NAME,
        remarks=out.remarks,
        **opened.details.of(out.text, out.blocks),
    )


def _map_titles(lines: Sequence[str]) -> dict[str, str]:
    """Map the ids of sections, generated and explicit, to their titles."""
    names: dict[str, str] = {}
    told = ""
    for line in lines:
        section, block = _SECTION.match(line), _ATTRIBUTES.match(line)
        if section:
            title = str(section.group(2))
            own = str(re2.sub(r"\W+", "_", title.lower())).strip("_")
            names.setdefault(f"_{own}", title)
            names |= {told: title} if told else {}
            told = ""
        elif block:
            told = str(block.group(1)).strip("[]#").partition(",")[0] or told
    return names


@dataclass(slots=True)
class _Item:
    """An item of a list: its mark, its lines, and the blocks that belong to it."""

    mark: str
    term: str
    lines: list[str]
    attached: list[list[str]] = field(default_factory=list)


@dataclass(slots=True)
class _Page:
    """The page so far as HTML, and the attributes and title of the next block."""

    path: str
    limits: Limits
    parts: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    title: str = ""
    depth: int = 0
    remarks: dict[str, None] = field(default_factory=dict)
    inline: Inline = field(default_factory=lambda: Inline({}, {}))

    # --- lines --------------------------------------------------------------------

    def choose_lines(self, lines: Sequence[str]) -> Iterator[str]:
        """Choose the lines whose conditions the file meets; include no file."""
        open_conditions: list[bool] = []
        fence = ""
        for line in lines:
            line = line.rstrip()
            condition, entry = _CONDITION.match(line), _ENTRY.match(line)
            if condition:
                self.remarks[CONDITIONS] = None
                yield from self.apply_condition(condition, open_conditions)
            elif not all(open_conditions):
                continue
            elif _INCLUDE.match(line):
                self.remarks[INCLUDES] = None
            else:
                if entry and not fence:
                    self.set_attribute(entry)
                if _DELIMITER.match(line) and line.startswith(VERBATIM):
                    fence = "" if fence == line else fence or line
                yield line

    def apply_condition(self, found: re2._Match, opened: list[bool]) -> Iterator[str]:
        kind, names, said_here = (str(found.group(at)) for at in (1, 2, 3))
        if kind == "endif":
            opened[-1:] = []
            return
        either = [
            name in self.inline.attributes or name in BUILT for name in names.split(",")
        ]
        holds = any(either) if kind == "ifdef" else not any(either)
        holds = holds and kind != "ifeval"
        if said_here and kind != "ifeval":
            if holds and all(opened):
                yield said_here
            return
        opened.append(holds)

    def set_attribute(self, found: re2._Match) -> None:
        """Set or unset an attribute of the page."""
        name = str(found.group(2)).lower()
        if found.group(1) or found.group(3):
            self.inline.attributes.pop(name, None)
        else:
            self.inline.attributes[name] = self.inline.fill(str(found.group(4) or ""))

    # --- blocks -------------------------------------------------------------------

    def append_blocks(self, lines: Sequence[str]) -> None:
        """Append the blocks of some lines."""
        self.depth += 1
        if self.depth > self.limits.depth:
            raise DocumentError(
                f"{self.path}: blocks nest deeper than {self.limits.depth} levels; "
                "flatten it"
            )
        kinds: tuple[tuple[Callable[[str], object], Callable[..., int]], ...] = (
            (lambda line: not line.strip() or _SILENT.match(line), self.skip),
            (_ENTRY.match, self.skip),
            (_DELIMITER.match, self.append_delimited),
            (_TABLE.match, self.append_table),
            (_ATTRIBUTES.match, self.read_attributes),
            (_TITLE.match, self.entitle),
            (_SECTION.match, self.append_section),
            (_IMAGE.match, self.append_image),
            (lambda line: _ITEM.match(line) or _TERM.match(line), self.append_list),
        )
        at = 0
        while at < len(lines):
            handle = next(
                (h for tells, h in kinds if tells(lines[at])), self.append_paragraph
            )
            at = handle(lines, at)
        self.depth -= 1

    def render_blocks(self, lines: Sequence[str]) -> str:
        """Make the HTML of blocks inside another block."""
        kept = self.parts, self.told, self.title
        self.parts, self.told, self.title = [], [], ""
        self.append_blocks(lines)
        held = "".join(self.parts)
        self.parts, self.told, self.title = kept
        return held

    def add(self, markup: str) -> None:
        """Append a block below its title, if it has one."""
        if self.title:
            name = self.inline.read(self.title)
            markup = f"<details><summary>{name}</summary>{markup}</details>"
        self.parts.append(markup)
        self.told, self.title = [], ""

    def skip(self, lines: Sequence[str], at: int) -> int:
        return at + 1

    def read_attributes(self, lines: Sequence[str], at: int) -> int:
        said_here = str(_ATTRIBUTES.match(lines[at]).group(1))
        if not said_here.startswith("["):  # else it is a name alone
            self.told += [part.strip() for part in said_here.split(",")]
            self.told.append(said_here)
        return at + 1

    def entitle(self, lines: Sequence[str], at: int) -> int:
        self.title = str(_TITLE.match(lines[at]).group(1))
        return at + 1

    def append_section(self, lines: Sequence[str], at: int) -> int:
        found = _SECTION.match(lines[at])
        level = min(len(str(found.group(1))), 6)
        said_here = self.inline.read(str(found.group(2)))
        self.parts.append(f"<h{level}>{said_here}</h{level}>")
        self.told, self.title = [], ""
        at += 1
        if level == 1:  # the author and the day below a title are no text
            while (
                at < len(lines)
                and lines[at].strip()
                and not _ATTRIBUTES.match(lines[at])
            ):
                at += 1
        return at

    def append_image(self, lines: Sequence[str], at: int) -> int:
        self.add(f'<img alt="{escape(str(_IMAGE.match(lines[at]).group(1)))}">')
        return at + 1

    def append_delimited(self, lines: Sequence[str], at: int) -> int:
        """Append a block that is delimited by two equal lines."""
        fence = lines[at]
        closing = "```" if fence.startswith("```") else fence
        end = next(
            (i for i in range(at + 1, len(lines)) if lines[i] == closing), len(lines)
        )
        inner = lines[at + 1 : end]
        if fence[0] == "/" or "comment" in self.told:
            self.told, self.title = [], ""
        elif fence[0] == "+":
            formula = {"stem", "latexmath", "asciimath"} & {*self.told}
            self.add(f"<p>{UNSHOWN}</p>" if formula else "\n".join(inner))
        elif (fence[0] in "-.`" and fence != "--") or {"source", "listing"} & {
            *self.told
        }:
            self.add(_make_code(inner))
        else:
            self.add(f"<div>{self.render_blocks(inner)}</div>")
        return end + 1

    def append_table(self, lines: Sequence[str], at: int) -> int:
        fence = lines[at]
        end = next(
            (i for i in range(at + 1, len(lines)) if lines[i] == fence), len(lines)
        )
        told = ",".join(self.told)
        rows = read_table(
            lines[at + 1 : end], fence[0], told, self.render_cell, self.path
        )
        name = self.inline.read(self.title) if self.title else ""
        caption = f"<caption>{name}</caption>" if name else ""
        self.title = ""
        self.add(f"<table>{caption}{rows}</table>")
        return end + 1

    def render_cell(self, text: str, style: str) -> str:
        """Make the HTML of a cell; style `a` has blocks, `l` is literal."""
        if style == "a":
            return self.render_blocks(text.split("\n"))
        if style == "l":
            return f"<p>{escape(text)}</p>"
        parts = (part for part in text.split("\n\n") if part.strip())
        return "".join(f"<p>{self.inline.read(part.strip())}</p>" for part in parts)

    def append_paragraph(self, lines: Sequence[str], at: int) -> int:
        """Append a paragraph, or code where it is indented."""
        end = at + 1
        while end < len(lines) and not _ends_paragraph(lines[end]):
            end += 1
        held = [line for line in lines[at:end] if not line.startswith("//")]
        box = _BOX.match(held[0]) if held else None
        if box:
            held[0] = str(box.group(1))
        code = {"source", "listing", "literal"} & {*self.told}
        if held and (code or held[0].startswith((" ", "\t"))):
            self.add(_make_code(held))
        elif held:
            joined = "\n".join(held)
            kept = {"%hardbreaks", "verse"} & {*self.told}
            joined = joined.replace("\n", " +\n") if kept else joined
            self.add(f"<p>{self.inline.read(joined)}</p>")
        return end

    # --- lists --------------------------------------------------------------------

    def append_list(self, lines: Sequence[str], at: int) -> int:
        """Append a list with its nested lists."""
        items, end = _read_items(lines, at)
        form = next((STYLES[word] for word in self.told if word in STYLES), "")
        starts = (w.partition("=")[2] for w in self.told if w.startswith("start="))
        start = next((s.strip("\"'") for s in starts), "1")
        first = int(start) if start.isdecimal() else 1
        opened: list[str] = []
        counts: list[int] = []
        parts: list[str] = []
        for item in items:
            while opened and item.mark in opened and opened[-1] != item.mark:
                parts.append(_close_list(opened.pop()))
                counts.pop()
            if not opened or opened[-1] != item.mark:
                parts.append("<dl>" if item.term else "<ul>")
                counts.append(first - 1 if not opened else 0)
                opened.append(item.mark)
            else:
                parts.append("</dd>" if item.term else "</li>")
            counts[-1] += 1
            depth = sum(mark.startswith((".", "<")) for mark in opened)
            mark = _make_mark(
                item.mark, counts[-1], form if len(opened) == 1 else "", depth
            )
            parts.append(self.render_item(item, mark))
        parts += [_close_list(mark) for mark in reversed(opened)]
        self.add("".join(parts))
        return end

    def render_item(self, item: _Item, mark: str) -> str:
        """Make the HTML of an item's beginning, up to its nested lists."""
        text = "\n".join(item.lines)
        ticked = _TICKED.match(text)
        if ticked and not item.term:
            box = "\u2610" if ticked.group(1) == " " else "\u2611"
            text = f"{box} {text[ticked.end() :]}"
        words = self.inline.read(text) if text else ""
        attached = "".join(self.render_blocks(lines) for lines in item.attached)
        if item.term:
            term = self.inline.read(item.term)
            words = f"<p>{words}</p>" if words else ""
            return f"<dt>{term}</dt><dd>{words}{attached}"
        return f"<li>{escape(mark)}{words}{attached}"


def _close_list(mark: str) -> str:
    return "</dd></dl>" if mark.startswith((":", ";")) else "</li></ul>"


def _make_mark(mark: str, count: int, form: str, depth: int) -> str:
    """Make the number before an item, or ""."""
    if not mark.startswith((".", "<")):
        return ""
    form = form or FORMS[min(depth, len(FORMS)) - 1]
    return f"{write_number(count, form)}. "


def _read_items(lines: Sequence[str], at: int) -> tuple[list[_Item], int]:
    """Read the items of a list, and the index of the line after it."""
    items: list[_Item] = []
    while at < len(lines):
        found, term = _ITEM.match(lines[at]), _TERM.match(lines[at])
        if found:
            mark = str(found.group(1) or found.group(3) or found.group(2))
            mark = "<" if mark.startswith("<") else mark
            mark = mark if mark[0] in "*-.<" else "."
            items.append(_Item(mark, "", [str(found.group(4))]))
        elif term:
            said_here = [str(term.group(3))] if term.group(3) else []
            items.append(_Item(str(term.group(2)), str(term.group(1)), said_here))
        elif lines[at] == "+" and at + 1 < len(lines):
            end = _find_end(lines, at + 1)
            items[-1].attached.append(list(lines[at + 1 : end]))
            at = end
            continue
        elif not lines[at].strip():
            following = next((i for i in range(at, len(lines)) if lines[i].strip()), at)
            told = lines[following]
            goes_on = _ITEM.match(told) or _TERM.match(told)
            waits = items[-1].term and not items[-1].lines and not _ends_paragraph(told)
            if following == at or not (goes_on or waits):
                break
            at = following
            continue
        elif _ends_paragraph(lines[at]):
            break
        elif not lines[at].startswith("//"):
            items[-1].lines.append(lines[at].strip())
        at += 1
    return items, at


def _find_end(lines: Sequence[str], at: int) -> int:
    """Find the end of a block that a plus sign attaches to an item."""
    while at < len(lines) and (_ATTRIBUTES.match(lines[at]) or _TITLE.match(lines[at])):
        at += 1
    if at < len(lines) and (_DELIMITER.match(lines[at]) or _TABLE.match(lines[at])):
        fence = lines[at]
        end = next(
            (i for i in range(at + 1, len(lines)) if lines[i] == fence), len(lines)
        )
        return end + 1
    at += 1
    while (
        at < len(lines)
        and not _ends_paragraph(lines[at])
        and not _ITEM.match(lines[at])
    ):
        at += 1
    return at


def _ends_paragraph(line: str) -> bool:
    """Tell whether a line ends the paragraph before it."""
    if not line.strip() or line == "+":
        return True
    return any(p.match(line) for p in (_DELIMITER, _TABLE, _ATTRIBUTES))


def _make_code(lines: Sequence[str]) -> str:
    """Make the HTML of code, with numbers of callouts in brackets."""
    shown = (str(_CALLOUT.sub(lambda m: f" ({m.group(1)})", line)) for line in lines)
    code = escape("\n".join(shown), quote=False)
    return f"<pre>{code}</pre>"
