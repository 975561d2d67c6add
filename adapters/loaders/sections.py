"""Numbered sections of laws and rules: headings, names, and provisions in plain text.

Every loader that reads sections writes them by this module, so that a section is found
by its number, cited and offered alike, whichever file it came from.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import re2

from adapters.loaders.canonical import CanonicalText, Piece
from engine.model.document import Attribute, Block, BlockKind, Thing
from engine.model.errors import DocumentError

KIND = "section"
LOWEST = 6  # the level of a section's own heading
DEEPEST = 20  # provisions one below the other
LONGEST_WHOLE = 1_500  # characters of a provision that stays one block
ENDS = re2.compile(r"[.!?][\"')\]\x{201d}]*$")
# "(1)", "(b.1)", "*(4)", "b)": the label of a provision, at the beginning of its line.
_LABEL = re2.compile(r"^\*?\(?(?:(\d)|[A-Za-z])[0-9A-Za-z.]{0,7}\)\s")
_INDENTED = re2.compile(r"(?m)^[ \t]+\*?\([0-9A-Za-z.]{1,8}\)\s")
_GOES_ON = re2.compile(r"^\p{Ll}")  # a line that goes on with the one above
_BLANK = re2.compile(r"\S\n[ \t]*\n")


@dataclass(frozen=True, slots=True)
class Section:
    """A section by its label ("36", or a word) and its marginal note; both may lack."""

    label: str
    note: str = ""

    def append_headings(
        self, out: CanonicalText, above: Sequence[tuple[int, str]]
    ) -> None:
        """Append the headings above it with their levels, and its own."""
        for level, text in above:
            out.add(Piece(BlockKind.HEADING, text, min(level, LOWEST - 1)))
        own = " ".join(filter(None, (self.label, self.note)))
        out.add(Piece(BlockKind.HEADING, own, LOWEST))

    def write_title(self, instrument: str) -> str:
        """Write the title of its document: "Beehive Act, section 3: Permit"."""
        named = f", section {self.label}" if self.label else ""
        return f"{instrument}{named}" + (f": {self.note}" if self.note else "")

    def make_thing(
        self, instruments: Sequence[str], text: str, said: Sequence[Block]
    ) -> Thing:
        """Make what is looked up by its number; `said` are the blocks of its text."""
        whole = Attribute(name="text", start=said[0].start, end=said[-1].end)
        return Thing(
            start=0,
            end=len(text),
            kind=KIND,
            names=tuple(f"{self.label} {one}" for one in instruments),
            attributes=(whole,),
        )


@dataclass(slots=True)
class _Provision:
    """A line of a provision with those that are indented below it."""

    text: str
    indent: int
    below: "list[_Provision]" = field(default_factory=list)

    @property
    def labelled(self) -> bool:
        return _LABEL.match(self.text) is not None

    @property
    def numbered(self) -> bool:
        label = _LABEL.match(self.text)
        return label is not None and label.group(1) is not None

    @property
    def continued(self) -> bool:
        """Whether its sentence goes on behind its list."""
        pairs = zip(self.below, self.below[1:], strict=False)
        return any(a.labelled and not b.labelled for a, b in pairs)

    def goes_on_from(self, before: "_Provision") -> bool:
        """Tell whether it ends the sentence that a line at its own indent began."""
        begun = not ENDS.search(before.text)
        return begun and not self.labelled and _GOES_ON.match(self.text) is not None

    def list_lines(self) -> Iterator[str]:
        yield self.text
        for one in self.below:
            yield from one.list_lines()


def is_indented(text: str) -> bool:
    """Tell whether a text is one of provisions, told apart by labels and indents."""
    return _INDENTED.search(text) is not None and not _BLANK.search(text)


def append_provisions(out: CanonicalText, text: str) -> None:
    """Append provisions that are written a line each, indented below what opens them.

    A lettered item keeps the lines that introduce it; a numbered line, or one without a
    label, is a paragraph. A list whose sentence ends behind it is one block.

    Raises:
        DocumentError: they are indented more than `DEEPEST` times.
    """
    for one in _read_provisions(text, out.path):
        _append(one, out, 0, None)


def _read_provisions(text: str, path: str) -> Sequence[_Provision]:
    root = _Provision("", -1)
    stack = [root]
    for line in filter(str.strip, text.expandtabs(2).split("\n")):
        one = _Provision(line.strip(), len(line) - len(line.lstrip()))
        while stack[-1].indent >= one.indent:
            stack.pop()
        if len(stack) > DEEPEST:
            raise DocumentError(
                f"{path}: provisions are indented more than {DEEPEST} times; split them"
            )
        before = stack[-1].below
        last = before[-1] if before else None
        if last is not None and last.numbered and one.goes_on_from(last):
            if last.below:  # the sentence of a list ends behind it
                last.below.append(one)
            else:  # a wrapped line
                last.text = f"{last.text} {one.text}"
            stack.append(last)
            continue
        before.append(one)
        stack.append(one)
    return root.below


def _append(
    one: _Provision, out: CanonicalText, depth: int, lead_in: int | None
) -> None:
    """Append a provision as a paragraph, or below what introduces it as an item."""
    item = one.labelled and not one.numbered and lead_in is not None
    kind = BlockKind.LIST_ITEM if item else BlockKind.PARAGRAPH
    level, over = (depth, lead_in) if item else (0, None)
    defined = depth > 0 and not one.labelled
    if one.continued or (defined and one.below):
        whole = (" " if item else "\n").join(one.list_lines())
        if len(whole) <= LONGEST_WHOLE:
            out.add(Piece(kind, whole, level, over))
            return
    listed = any(each.labelled and not each.numbered for each in one.below)
    unfinished = listed and not ENDS.search(one.text)
    own = out.add(Piece(kind, one.text, level, over, unfinished=unfinished))
    behind = False
    for each in one.below:
        if behind and not each.labelled:  # its list is too long to be shown with it
            for line in each.list_lines():
                out.add(Piece(BlockKind.PARAGRAPH, line, quotable=False))
            continue
        behind = behind or (each.labelled and not each.numbered)
        _append(each, out, level + 1, own)
