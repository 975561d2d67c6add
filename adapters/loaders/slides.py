"""Slides (.pptx) to canonical text, by way of HTML.

Each slide gets a heading with its number and title. Hidden slides and shapes, shapes
beside a slide, speakers' notes, comments and running lines are left out.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from pathlib import PurePath
from xml.etree.ElementTree import Element

from adapters.loaders.canonical import UNSHOWN, CanonicalText
from adapters.loaders.html import append_html
from adapters.loaders.limits import Limits
from adapters.loaders.office_package import (
    Package,
    clean_title,
    local_name,
    open_package,
)
from adapters.loaders.readers import make_loader_name
from adapters.loaders.word_styles import write_number
from engine.model.document import Parsed
from engine.model.errors import DocumentError, DocumentTooLarge

NAME = make_loader_name("pptx")
A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
HIDDEN = "has hidden slides or shapes, which are left out"
NOTED = "has notes of the speaker, which are not read"
DRAWN = "has charts or diagrams, whose words are not read"
RUNNING = frozenset({"dt", "ftr", "hdr", "sldNum"})
TITLES = frozenset({"title", "ctrTitle"})
LISTED = frozenset({"body", "obj", "half", "quarter", ""})  # shown with bullets
TRUE = frozenset({"1", "true"})
NUMBERS = {
    "alphaLc": "lowerLetter",
    "alphaUc": "upperLetter",
    "romanLc": "lowerRoman",
    "romanUc": "upperRoman",
}


def parse(data: bytes, path: str, limits: Limits) -> Parsed:
    """Parse the slides of a file in their order.

    Raises:
        DocumentError: damaged, with a password, or without text.
        DocumentTooLarge: it unpacks to more than the limit, or has too many slides.
    """
    package = open_package(data, path, limits)
    main = package.main()
    tree = package.tree(main)
    if tree is None or tree.tag != P + "presentation":
        raise DocumentError(f"{path}: is no file of slides; save it again as .pptx")
    deck = _Deck(package, _read_size(tree))
    relations = package.relations(main)
    listed = [node for node in tree.iter(P + "sldId")]
    if len(listed) > limits.pages:
        raise DocumentTooLarge(f"{path}: more than {limits.pages:,} slides; split it")
    begins = int(tree.get("firstSlideNum", "1"))
    for number, node in enumerate(listed, begins):
        told = next((v for k, v in node.attrib.items() if k.endswith("}id")), "")
        if told in relations:
            deck.append_slide(relations[told].target, number)
    out = CanonicalText(path, limits)
    append_html(out, "".join(deck.parts))
    for remark in deck.remarks:
        out.remark(remark)
    title = clean_title(deck.title) or package.title() or PurePath(path).stem
    return Parsed(
        path=path,
        text=out.text,
        blocks=tuple(out.blocks),
        loader=NAME,
        title=title,
        remarks=out.remarks,
    )


def _read_size(tree: Element) -> tuple[int, int]:
    node = tree.find(P + "sldSz")
    told = {} if node is None else node.attrib
    return int(told.get("cx", "0")), int(told.get("cy", "0"))


@dataclass(slots=True)
class _Deck:
    """The slides so far, as HTML."""

    package: Package
    size: tuple[int, int]
    parts: list[str] = field(default_factory=list)
    title: str = ""
    remarks: dict[str, None] = field(default_factory=dict)

    def append_slide(self, part: str, number: int) -> None:
        """Append a slide below a heading."""
        tree = self.package.tree(part)
        if tree is None:
            return
        if tree.get("show") in {"0", "false"}:
            self.remarks[HIDDEN] = None
            return
        if any(self.package.related(part, "notesSlide")):
            self.remarks[NOTED] = None
        shapes = list(self.list_shapes(tree.find(f"{P}cSld/{P}spTree")))
        title = next((one for one in shapes if _read_kind(one) in TITLES), None)
        name = "" if title is None else _read_line(title)
        self.title = self.title or name
        place = f"Slide {number}: {name}" if name else f"Slide {number}"
        self.parts.append(f"<h1>{escape(place)}</h1>")
        for shape in shapes:
            if shape is not title and _read_kind(shape) not in RUNNING:
                self.append_shape(shape)

    def list_shapes(self, node: Element | None) -> Iterator[Element]:
        """List the visible shapes of a slide, with those in groups."""
        for child in node if node is not None else ():
            name = local_name(child)
            if name == "AlternateContent":
                yield from self.list_shapes(next(iter(child), None))
            elif name in {"grpSp", "sp", "graphicFrame"}:
                if self.is_unseen(child):
                    self.remarks[HIDDEN] = None
                elif name == "grpSp":
                    yield from self.list_shapes(child)
                else:
                    yield child

    def is_unseen(self, node: Element) -> bool:
        """Tell whether a shape is hidden, or lies beside the slide."""
        told = next((one for one in node.iter() if local_name(one) == "cNvPr"), None)
        if told is not None and told.get("hidden") in {"1", "true"}:
            return True
        place = node.find(f"{P}spPr/{A}xfrm")
        place = node.find(f"{P}xfrm") if place is None else place
        at = None if place is None else place.find(A + "off")
        size = None if place is None else place.find(A + "ext")
        if at is None or size is None or not all(self.size):
            return False
        return any(
            int(at.get(axis, "0")) >= whole
            or int(at.get(axis, "0")) + int(size.get(long, "0")) <= 0
            for axis, long, whole in zip("xy", ("cx", "cy"), self.size, strict=True)
        )

    def append_shape(self, node: Element) -> None:
        """Append the text or the table of a shape."""
        table = next(node.iter(A + "tbl"), None)
        if table is not None:
            self.append_table(table)
        elif local_name(node) == "graphicFrame":
            self.remarks[DRAWN] = None
        body = node.find(P + "txBody")
        if body is not None:
            self.parts.append(
                _render_paragraphs(body, listed=_read_kind(node) in LISTED)
            )

    def append_table(self, node: Element) -> None:
        """Append a table; the file states whether first row and column are heads."""
        told = node.find(A + "tblPr")
        across, down = (
            told is not None and told.get(name) in TRUE
            for name in ("firstRow", "firstCol")
        )
        self.parts.append("<table>")
        for number, row in enumerate(node.findall(A + "tr")):
            self.parts.append("<tr>")
            for column, cell in enumerate(row.findall(A + "tc")):
                if {cell.get("hMerge"), cell.get("vMerge")} & TRUE:
                    continue
                tag = "th" if across and number == 0 else "td"
                tag = 'th scope="row"' if down and column == 0 and tag == "td" else tag
                body = cell.find(A + "txBody")
                held = "" if body is None else _render_paragraphs(body, listed=False)
                wide, high = cell.get("gridSpan", "1"), cell.get("rowSpan", "1")
                self.parts.append(
                    f'<{tag} colspan="{wide}" rowspan="{high}">{held}</{tag[:2]}>'
                )
            self.parts.append("</tr>")
        self.parts.append("</table>")


def _read_kind(shape: Element) -> str | None:
    """Read the type of a shape's placeholder; return None where it has none."""
    place = next((one for one in shape.iter(P + "ph")), None)
    return None if place is None else place.get("type", "")


def _read_line(shape: Element) -> str:
    """Read the text of a shape on one line."""
    words = [
        " " if local_name(node) in {"br", "p"} else node.text or ""
        for node in shape.iter()
        if node.tag in {A + "t", A + "br", A + "p"}
    ]
    return " ".join("".join(words).split())


def _render_paragraphs(body: Element, *, listed: bool) -> str:
    """Make the HTML of a shape's paragraphs; in a place for lists each is an item."""
    paragraphs = [
        node for node in body.findall(A + "p") if _render_inline(node).strip()
    ]
    listed = listed and len(paragraphs) > 1
    parts: list[str] = []
    open_levels: list[int] = []
    counts: dict[int, int] = {}
    for node in paragraphs:
        told = node.find(A + "pPr")
        level = 0 if told is None else int(told.get("lvl", "0"))
        bullet, number = _read_marks(told, listed, counts, level)
        while open_levels and (not bullet or open_levels[-1] > level):
            open_levels.pop()
            parts.append("</li></ul>")
        if not bullet:
            parts.append(f"<p>{_render_inline(node)}</p>")
            continue
        if open_levels and open_levels[-1] == level:
            parts.append("</li><li>")
        else:
            open_levels.append(level)
            parts.append("<ul><li>")
        parts.append(f"{number}{_render_inline(node)}")
    return "".join([*parts, *["</li></ul>"] * len(open_levels)])


def _read_marks(
    told: Element | None, listed: bool, counts: dict[int, int], level: int
) -> tuple[bool, str]:
    """Tell whether a paragraph is an item, with its number where it has one."""
    for deeper in [at for at in counts if at > level]:
        del counts[deeper]
    numbered = None if told is None else told.find(A + "buAutoNum")
    if numbered is not None:
        start = int(numbered.get("startAt", "1"))
        counts[level] = counts.get(level, start - 1) + 1
        form = numbered.get("type", "arabicPeriod")
        kinds = (kind for name, kind in NUMBERS.items() if form.startswith(name))
        kind = next(kinds, "decimal")
        end = ")" if "Paren" in form else "." if "Period" in form else ""
        begin = "(" if form.endswith("ParenBoth") else ""
        return True, f"{begin}{write_number(counts[level], kind)}{end} "
    counts.pop(level, None)
    if told is not None and told.find(A + "buNone") is not None:
        return False, ""
    own = told is not None and told.find(A + "buChar") is not None
    return own or listed, ""


def _render_inline(node: Element) -> str:
    """Make the HTML of a paragraph."""
    parts: list[str] = []
    for child in node:
        name = local_name(child)
        if name == "br":
            parts.append("<br>")
        elif name in {"r", "fld"}:
            parts.append(_render_run(child))
        elif name in {"AlternateContent", "m"}:
            parts.append(f" {UNSHOWN} ")  # a formula
    return "".join(parts).replace("</b><b>", "")


def _render_run(node: Element) -> str:
    text = escape(node.findtext(A + "t") or "")
    told = node.find(A + "rPr")
    if told is None or not text.strip():
        return text
    if told.get("strike", "noStrike") != "noStrike":
        text = f"<s>{text}</s>"
    height = told.get("baseline", "0").rstrip("%")
    if height not in {"", "0"}:
        tag = "sub" if height.startswith("-") else "sup"
        text = f"<{tag}>{text}</{tag}>"
    return f"<b>{text}</b>" if told.get("b") in {"1", "true"} else text
