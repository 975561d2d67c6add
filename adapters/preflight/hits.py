"""Conversion of hits of any preflight to blocks that are verified in their files.

A hit names a path and lines. The text of a block is read from the file's bytes, and
compared with them once more before it counts as evidence.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from time import monotonic

from adapters.preflight.content import Content
from adapters.preflight.grammars import is_text
from adapters.preflight.repository import NotRead, Repository
from engine.inspection.question_pack import Retrieval, Step
from engine.inspection.records import MASK, Block, Gathered, Line, Unread
from engine.model.places import decode_path, encode_path

MOST_SHOWN = 12  # lines of one block
OUT_OF_TIME = "out of time"
BINARY = "is binary: no line of it can be cited"
MOST_NAMED = 20  # unread files that are listed by name


@dataclass(frozen=True, slots=True)
class Hit:
    """A finding: lines of a file, a note, and extracted values.

    `masked` are texts of it that must not be repeated, such as passwords.
    """

    path: str
    first: int
    last: int
    note: str = ""
    values: tuple[str, ...] = ()
    masked: tuple[str, ...] = ()
    around: int = 0  # lines shown before and after


@dataclass(slots=True)
class Look:
    """One running preflight: the files of its scope, and those it could not read."""

    repository: Repository
    step: Step
    clock: Callable[[], float] = monotonic
    files: int = 0
    missed: int = 0
    unread: list[Unread] = field(default_factory=list)
    ends: float = field(init=False)

    def __post_init__(self) -> None:
        self.ends = self.clock() + self.step.seconds

    @property
    def late(self) -> bool:
        """Tell whether the step's time is over."""
        return self.clock() > self.ends

    def contents(self) -> Iterator[tuple[str, Content]]:
        """List the readable text files of the scope with their paths."""
        for path in self.repository.chosen(self.step.include, self.step.exclude):
            if self.late:
                self.miss(path, OUT_OF_TIME)
                continue
            try:
                content = self.repository.content(path)
            except NotRead as error:
                self.miss(path, str(error))
                continue
            self.files += 1
            if not content.binary:
                yield path, content
            elif is_text(path, content.data):
                self.miss(path, BINARY)

    def miss(self, path: str, why: str) -> None:
        """Record that a file could not be read."""
        self.missed += 1
        if len(self.unread) < MOST_NAMED:
            self.unread.append(Unread(path=encode_path(path), why=why))


def gather_blocks(look: Look, hits: Iterable[Hit]) -> Gathered:
    """Convert hits to blocks that are in their files now, up to the step's limit."""
    limit = look.step.limit
    blocks: dict[Block, None] = {}
    beyond = 0
    for hit in hits:
        if look.late:
            look.miss(hit.path, OUT_OF_TIME)
            break
        if len(blocks) >= limit:
            beyond += 1
        elif (block := _make_block(look.repository, hit)) is not None:
            blocks[block] = None
    for folder in look.repository.closed:
        look.miss(folder, "folder cannot be read")
    for link in look.repository.not_followed(look.step.include, look.step.exclude):
        look.miss(link, "is a link: not followed")
    now: dict[str, Content | None] = {}
    standing = tuple(b for b in blocks if is_current(look.repository, b, now))
    return Gathered(
        preflight=look.step.id,
        kind=look.step.kind,
        blocks=standing,
        files=look.files,
        beyond=beyond,
        unread=tuple(look.unread),
        missed=look.missed,
        dropped=len(blocks) - len(standing),
        exhaustive=not isinstance(look.step, Retrieval),
    )


def is_current(
    repository: Repository, block: Block, now: dict[str, Content | None]
) -> bool:
    """Tell whether the lines of a block are in its current file.

    `now` caches the contents of files for other blocks.
    """
    if block.path not in now:
        try:
            now[block.path] = repository.fresh(decode_path(block.path))
        except NotRead:
            now[block.path] = None
    content = now[block.path]
    if content is None or block.last > content.count:
        return False
    return all(_is_same_line(line, content.line(line.number)) for line in block.lines)


def _is_same_line(shown: Line, held: Line) -> bool:
    if len(shown.text) != len(held.text) or shown.cut != held.cut:
        return False
    pairs = zip(shown.text, held.text, strict=True)
    return all(a in (b, MASK) for a, b in pairs)


def _make_block(repository: Repository, hit: Hit) -> Block | None:
    """Make a block of a hit; return None where its file lacks the lines."""
    try:
        content = repository.content(hit.path)
    except NotRead:
        return None
    if not 1 <= hit.first <= hit.last <= content.count:
        return None
    first = max(1, hit.first - hit.around)
    last = min(content.count, hit.last + hit.around)
    lines = content.lines(first, min(last, first + MOST_SHOWN - 1))
    return Block(
        path=encode_path(hit.path),
        first=first,
        last=last,
        lines=tuple(_mask(line, hit.masked) for line in lines),
        note=hit.note,
        values=hit.values,
    )


def _mask(line: Line, secret: tuple[str, ...]) -> Line:
    """Mask secret texts in a line; mask all of a line that was cut."""
    text = line.text
    if secret and line.cut:
        return line.model_copy(update={"text": MASK * len(text)})
    for each in secret:
        text = text.replace(each, each[:2] + MASK * (len(each) - 2))
    return line.model_copy(update={"text": text})
