"""Styles and numbering of a Word file."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

import re2

from adapters.loaders.office_package import Package

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
OFF = frozenset({"0", "false", "off", "none"})
HEADING = re2.compile(r"(?i)^heading ([1-9])$")
PLACE = re2.compile(r"%([1-9])")
BODY_LEVEL = 9  # outline level of text that is not a heading
LEVELS = 9
ROMAN = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc")),
    *((50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)


def read_value(node: Element | None, *names: str, key: str = "val") -> str | None:
    """Read an attribute of a nested element by its names; None where it is absent."""
    for name in names:
        node = None if node is None else node.find(W + name)
    return None if node is None else node.get(W + key)


def read_switch(node: Element | None, name: str) -> bool | None:
    """Read a property that is on or off; return None where it is absent."""
    found = None if node is None else node.find(W + name)
    return None if found is None else found.get(W + "val", "1").lower() not in OFF


class Styles:
    """The styles of a file by their ids."""

    def __init__(self, tree: Element | None) -> None:
        nodes = tree.findall(W + "style") if tree is not None else []
        self._nodes = {node.get(W + "styleId", ""): node for node in nodes}
        self._first = {
            node.get(W + "type", ""): node.get(W + "styleId", "")
            for node in nodes
            if node.get(W + "default") in {"1", "true"}
        }

    def chain(self, style: str | None, kind: str) -> Iterator[Element]:
        """List a style, or else the default one, and the styles that it is based on."""
        seen: set[str] = set()
        at = style or self._first.get(kind)
        while at is not None and at in self._nodes and at not in seen:
            seen.add(at)
            yield self._nodes[at]
            at = read_value(self._nodes[at], "basedOn")

    def name(self, style: str | None) -> str:
        """Return Word's name of a style, which is English in every language."""
        node = self._nodes.get(style or "")
        return (read_value(node, "name") or "").lower()

    def switch(self, style: str | None, kind: str, name: str) -> bool | None:
        """Read a property of the letters of a style."""
        for node in self.chain(style, kind):
            found = read_switch(node.find(W + "rPr"), name)
            if found is not None:
                return found
        return None

    def outline(self, told: Element | None) -> int | None:
        """Find the level of a heading, from 1; return None for another paragraph."""
        level = read_value(told, "outlineLvl")
        if level is not None and level.isdecimal():
            return int(level) + 1 if int(level) < BODY_LEVEL else None
        for node in self.chain(read_value(told, "pStyle"), "paragraph"):
            name = (read_value(node, "name") or "").lower()
            heading = HEADING.match(name)
            if heading or name == "title":
                return int(heading.group(1)) if heading else 1
            level = read_value(node, "pPr", "outlineLvl")
            if level is not None and level.isdecimal():
                return int(level) + 1 if int(level) < BODY_LEVEL else None
        return None

    def numbering(self, told: Element | None) -> tuple[str, int] | None:
        """Find the list of a paragraph and its level there, from 0."""
        own = None if told is None else told.find(W + "numPr")
        level, number = read_value(own, "ilvl"), read_value(own, "numId")
        for node in self.chain(read_value(told, "pStyle"), "paragraph"):
            styled = node.find(f"{W}pPr/{W}numPr")
            level = level or read_value(styled, "ilvl")
            number = number or read_value(styled, "numId")
        if number is None or number == "0":
            return None
        return number, int(level) if level and level.isdecimal() else 0

    def table(self, style: str | None, part: str) -> bool:
        """Tell whether a style of tables sets a part off, in bold or in colour."""
        for node in self.chain(style, "table"):
            for told in node.findall(W + "tblStylePr"):
                if told.get(W + "type") == part:
                    fill = read_value(told, "tcPr", "shd", key="fill") or "auto"
                    bold = read_switch(told.find(W + "rPr"), "b")
                    return bool(bold) or fill.lower() not in {"auto", "ffffff"}
        return False


@dataclass(slots=True)
class _Level:
    start: int
    form: str
    text: str
    legal: bool


@dataclass(slots=True)
class Numbering:
    """The lists of a file and their current counts."""

    levels: dict[str, dict[int, _Level]] = field(default_factory=dict)
    counted_as: dict[str, str] = field(default_factory=dict)
    overrides: dict[tuple[str, int], int] = field(default_factory=dict)
    counts: dict[str, dict[int, int]] = field(default_factory=dict)

    def mark(self, number: str, level: int) -> str | None:
        """Return the mark of the next item; "" for a bullet, None for no mark."""
        levels = self.levels.get(number, {})
        if level not in levels:
            return ""
        counts = self.counts.setdefault(self.counted_as[number], {})
        again = self.overrides.pop((number, level), None)
        if again is not None:
            counts[level] = again
        else:
            counts[level] = counts.get(level, levels[level].start - 1) + 1
        for deeper in [at for at in counts if at > level]:
            del counts[deeper]
        told = levels[level]
        if told.form == "bullet":
            return ""

        def counted(place: re2._Match) -> str:
            at = int(place.group(1)) - 1
            of = levels.get(at, told)
            count = counts.setdefault(at, of.start)
            return write_number(count, "decimal" if told.legal else of.form)

        return str(PLACE.sub(counted, told.text)).strip() or None


def read_styles(package: Package, main: str) -> Styles:
    """Read the styles of a document."""
    part = next(package.related(main, "styles"), "")
    return Styles(package.tree(part))


def read_numbering(package: Package, main: str, styles: Styles) -> Numbering:
    """Read the lists of a document."""
    tree = package.tree(next(package.related(main, "numbering"), ""))
    found = Numbering()
    if tree is None:
        return found
    kinds = {n.get(W + "abstractNumId", ""): n for n in tree.findall(W + "abstractNum")}
    lists = {
        number.get(W + "numId", ""): read_value(number, "abstractNumId") or ""
        for number in tree.findall(W + "num")
    }
    for number in tree.findall(W + "num"):
        name = number.get(W + "numId", "")
        kind = _follow_link(kinds, lists, lists[name], styles)
        found.counted_as[name] = kind
        found.levels[name] = dict(_read_levels(kinds.get(kind)))
        for told in number.findall(W + "lvlOverride"):
            at = int(told.get(W + "ilvl", "0"))
            found.levels[name] |= dict(_read_levels(told))
            start = read_value(told, "startOverride")
            if start is not None and start.isdecimal():
                found.overrides[name, at] = int(start)
    return found


def _follow_link(
    kinds: dict[str, Element], lists: dict[str, str], kind: str, styles: Styles
) -> str:
    """Follow a list's link by a style to the list that defines it."""
    style = read_value(kinds.get(kind), "numStyleLink")
    for node in styles.chain(style, "numbering") if style else ():
        number = read_value(node, "pPr", "numPr", "numId")
        if number in lists:
            return lists[number]
    return kind


def _read_levels(node: Element | None) -> Iterator[tuple[int, _Level]]:
    for level in node.findall(W + "lvl") if node is not None else ():
        start = read_value(level, "start") or "1"
        yield (
            int(level.get(W + "ilvl", "0")),
            _Level(
                start=int(start) if start.isdecimal() else 1,
                form=read_value(level, "numFmt") or "decimal",
                text=read_value(level, "lvlText") or "",
                legal=bool(read_switch(level, "isLgl")),
            ),
        )


def write_number(count: int, form: str) -> str:
    """Write a number in the form of a list."""
    if form == "none":
        return ""
    if form.endswith("Letter") and count > 0:
        letter = chr(ord("a") + (count - 1) % 26) * min((count - 1) // 26 + 1, 9)
        return letter.upper() if form.startswith("upper") else letter
    if form.endswith("Roman") and 0 < count < 4000:
        parts: list[str] = []
        for size, sign in ROMAN:
            parts.append(sign * (count // size))
            count %= size
        roman = "".join(parts)
        return roman.upper() if form.startswith("upper") else roman
    return f"{count:02d}" if form == "decimalZero" else str(count)
