"""The nouns of the corpus: what a loader hands over and what is stored of a document.

All offsets are code-point offsets into `Parsed.text`, the canonical text that the
ledger keeps; `end` is exclusive. A span never points outside its text.
"""

from datetime import date
from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from engine.model.frozen import Frozen, Offset, Span

SOURCE_CODE = "source code/1"  # the loader whose text is the file, line by line


class Attribute(Span):
    """One attribute that a document states of an entity, under a name of its loader."""

    name: Annotated[str, Field(min_length=1)]


class Thing(Span):
    """An entity that a stretch of a document describes: a trial, a section of an act.

    `names` are what people call it, register numbers among them. `attributes` are what
    is stated of it, in the order of the text; a name may occur several times.
    """

    kind: Annotated[str, Field(min_length=1)]
    names: tuple[str, ...]
    attributes: tuple[Attribute, ...] = ()

    @model_validator(mode="after")
    def _inside(self) -> Self:
        for one in self.attributes:
            if one.start < self.start or self.end < one.end or one.start == one.end:
                raise ValueError(f"{one.name} does not stand inside what it is said of")
        return self


class BlockKind(StrEnum):
    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST_ITEM = "list_item"
    CODE = "code"
    TABLE_ROW = "table_row"


class TableRow(Frozen):
    """The position of a row in its table, and the rows that head it.

    `at` is its place, 0 the first. `heads` are the blocks of the rows that head it:
    head rows, and the line across the table above it; `head` is True for such a row
    itself. `row_heads` of its first cells head the others. `under` is the row above
    that its empty first cell continues. Cells are separated by CELLS, an empty one is
    EMPTY (engine/text/cells.py), so rows of a table have equal positions.
    """

    at: Offset
    head: bool = False
    heads: tuple[int, ...] = ()
    row_heads: int = 0
    under: int | None = None


class Block(Span):
    """One block of a document as its loader saw it.

    `level` is the heading level (1 to 6), the depth of a list item (1 is outermost), or
    the number of boxes around a paragraph; code with a level belongs only to headings
    of lower levels, 0 to none. `lead_in` is the index of the block that introduces a
    list item ("Symptoms include:"), or of the caption of a row's table or the title of
    a box, or None. `quotable` is False for blocks that are no statement of the page:
    navigation, page headers, descriptions of pictures. `unfinished` is True for a line
    that states nothing, or too much, without the items that it introduces ("may work
    without a permit" before the cases in which one may). `row` is set for a row of a
    table, `note` is the number of a footnote.
    """

    kind: BlockKind
    level: int = 0
    lead_in: int | None = None
    quotable: bool = True
    unfinished: bool = False
    row: TableRow | None = None
    note: Offset = 0


class Described(Frozen):
    """Metadata of a text: where it comes from, when it applies, who may see it.

    An asker who holds one of the access `tags` may see it. `demo` marks a text that is
    replaced by the first real document.
    """

    url: str | None = None
    publisher: str | None = None
    published: date | None = None
    retrieved: date | None = None
    in_force_from: date | None = None
    in_force_to: date | None = None
    tags: tuple[str, ...] = ()
    demo: bool = False


class Description(Described):
    """The metadata that a corpus gives a version, with its title."""

    title: str


class Parsed(Described):
    """The output of a loader: canonical text, blocks, and the file's own metadata.

    `text` holds what a reader of the page sees, in reading order, blocks separated by
    blank lines or line ends; markup that the parser consumed is gone, everything else
    is untouched. `loader` names the loader and its version. `questions` are those that
    the file says it answers, `things` the entities it describes, `topics` is True where
    its `tags` are topics and restrict no access. `remarks` list what was skipped, in
    words for the person who prepares the folder.
    """

    path: str
    text: str
    blocks: tuple[Block, ...]
    loader: str
    id: str | None = None
    source: str | None = None
    title: str | None = None
    topics: bool = False
    questions: tuple[str, ...] = ()
    things: tuple[Thing, ...] = ()
    remarks: tuple[str, ...] = ()


class Sentence(Span):
    """A sentence (or a list item, heading, table row or code block) of a document.

    `section` is the path of headings above it, outermost first. `lead_in` is the span
    of the sentence that introduces a list item. `anchor` is its anchor score where it
    is one of its chunk's anchors (engine/documents/anchors.py). `quotable` is False for
    a heading that states nothing, and inside a block that is not quotable.

    `leans_on` are the sentences that it is never shown without, of which `heads` head
    the cells of a row; `announces` is what a colon at its end introduces. `closed` is
    True where all of these are there and may be quoted (engine/text/closure.py).
    """

    kind: BlockKind
    section: tuple[str, ...] = ()
    lead_in: Span | None = None
    leans_on: tuple[Span, ...] = ()
    heads: tuple[Span, ...] = ()
    announces: Span | None = None
    closed: bool = True
    block: int = 0
    anchor: int | None = None
    quotable: bool = True
    opening: Span | None = None
    cut: bool = False


class Excerpt(Span):
    """A stretch of a document outside a chunk, with its text and line."""

    text: str
    line: int = 0


class Document(Described):
    """One stored version of a document. `version` is the SHA-256 of `text`, in hex.

    `things` are the entities it describes, each with where that is stated.
    """

    id: str
    version: str
    source: str
    path: str
    title: str
    text: str
    blocks: tuple[Block, ...]
    sentences: tuple[Sentence, ...]
    loader: str
    things: tuple[Thing, ...] = ()

    @property
    def file(self) -> str | None:
        """The path in its repository, where the text's lines are the file's lines."""
        return self.title if self.loader == SOURCE_CODE else None


class VersionState(StrEnum):
    """The state of a version; only a current one is searched.

    Withdrawn was taken out by an administrator, pruned was gone from its folder. Only a
    pruned one comes back with its file.
    """

    CURRENT = "current"
    SUPERSEDED = "superseded"
    WITHDRAWN = "withdrawn"
    PRUNED = "pruned"


class Membership(Frozen):
    """A document version in a pack's corpus, and whether it is searched.

    `loader` names what read it.
    """

    pack: str
    document: str
    version: str
    state: VersionState = VersionState.CURRENT
    title: str = ""
    source: str = ""
    path: str = ""
    tags: frozenset[str] = frozenset()
    demo: bool = False
    loader: str = ""


def shelf_of(pack: str, tenant: str = "shared") -> str:
    """Return the key under which the ledger keeps a corpus.

    The pack's id for what all tenants share, "pack@tenant" for what is one tenant's. A
    pack's id has no "@" in it, so no two corpora share a key.
    """
    return pack if tenant == "shared" else f"{pack}@{tenant}"


def shelves_of(pack: str, tenant: str) -> tuple[str, ...]:
    """Return the corpora that a tenant's people may search: their own, then the shared
    one.

    The metadata that one of them has for a document are valid there alone.
    """
    return tuple(dict.fromkeys((shelf_of(pack, tenant), pack)))


IngestAction = Literal["added", "changed", "unchanged", "skipped", "failed", "pruned"]
