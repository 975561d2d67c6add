"""What a sentence leans on, so that it is never shown without it (R-A14).

Computed once, when a document is built, and stored with its sentences as offsets. A
list item leans on its lead-in, a line on the label above it, a table row on what heads
it, code on the line that announces it, whatever refers to a note on that, and a
sentence that opens with "it", "this" or "however" on the sentence before, until one
stands alone. Headings are shown above every quotation, so what leans on a heading alone
is closed by it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import re2

from engine.model.document import Block, BlockKind, Sentence
from engine.model.frozen import Span
from engine.text.notes import Noted, read_notes, unmarked
from engine.text.words import stems

MOST_LEANT_ON = 6  # sentences; what leans on more is no quotation but a page
LONGEST_CLOSED = 1_600  # characters of a sentence with all that it cannot do without
LONGEST_LABEL = 70  # characters of a line that names what is below it
LONGEST_RUN_IN = 5  # words of a label that opens its own paragraph
TELLING = 3  # words of a heading that introduces a list: "Key points" does not

# Opening words that always point back, and those that do where a pronoun follows soon.
_BACK = re2.compile(
    r"(?i)^[\"'(\x{201c}]*(?:it|its|they|their|theirs|them|he|she|his|her|these|those|"
    r"this|that(?:'s| is| was| means| can| may| will)|such|both|neither|either|none|"
    r"others|another|the (?:first|second|third|fourth|last|latter|former|same|other|"
    r"others|above|rest|next|previous|two|three|four)|some of (?:these|those|them)|"
    r"(?:each|one|all|most|many|some|any|several|half|part) of (?:it|these|those|them|"
    r"this|which)|however|but|yet|also|nor|or|and|so|too|in addition|additionally|"
    r"besides|moreover|furthermore|otherwise|instead|rather|then|next|thus|therefore|hence|"
    r"consequently|accordingly|meanwhile|afterwards?|likewise|similarly|conversely|"
    r"nevertheless|nonetheless|still|again|alternatively|for (?:example|instance|this|"
    r"these|that|those|the same)|e\.g\.|i\.e\.|that is,|as a result|because of "
    r"(?:this|these|that|it)|on the (?:other hand|contrary)|in (?:this|these|that|"
    r"those|such|both|"
    r"other words|contrast|particular|turn|fact|that case|either case)|if (?:so|not|it|"
    r"they|this|these|he|she)|when (?:it|they|this|these)|(?:at|by|with|from|to|of|"
    r"after|before|during|under|until|since|unlike|like|without|while|through|using|among|"
    r"between|because|although|once|as) (?:it|they|them|this|these|that|those|such)|"
    r"here|there(?:fore|after|by)|finally|lastly|first|second|secondly|third|thirdly|"
    r"yes|no|now|later|overall|again)\b"
)
_DEFINITE = re2.compile(r"(?i)^[\"'(\x{201c}]*the ((?:[\pL-]+ ){0,2}?[\pL-]+)\b")
_INTRODUCED = re2.compile(
    r"(?i)\b(?:an?|another|one|new|called|these) (?:[\pL-]+ ){0,3}?([\pL-]+)\b"
)
# "Depending on these results", unless the sentence named results before.
_DEMONSTRATIVE = re2.compile(
    r"(?i)\b(?:this|these|those|such) ([\pL-]+)(?: ([\pL-]+))?"
)
_ENDS = re2.compile(r"[.!?\x{2026}][\"')\]\x{201d}]*$")
_ASKS = re2.compile(r"[?\x{ff1f}][\"')\]\x{201d}*_]*$")
_ANNOUNCES = re2.compile(r"[:\x{ff1a}][\"')\x{201d}*_]*$")
_VERB = re2.compile(
    r"(?i)\b(?:is|are|was|were|be|been|has|have|had|do|does|did|can|cannot|may|might|"
    r"must|should|will|would|could|need|needs|\w+(?:ed|izes?|ates?))\b"
)
_FIELD = re2.compile(r"^\pL[\pL -]*: \S")
_NUMBERED = re2.compile(r"^\(\d+(?:\.\d+)*\)\s")  # a subsection: "(2) This Act …"
_LABELLED = re2.compile(r"^[\pL\pN][^.!?]{0,60}[.:]$")


@dataclass(slots=True)
class _Reader:
    """The sentences of one document, and what each leans on directly, by index."""

    text: str
    blocks: Sequence[Block]
    sentences: Sequence[Sentence]
    notes: Noted
    of_block: dict[int, list[int]] = field(default_factory=dict)
    labels: set[int] = field(default_factory=set)

    def said(self, at: int) -> str:
        """The text of a sentence, without the marks of notes."""
        return unmarked(self.sentences[at].of(self.text))

    def before(self, at: int) -> int:
        """The sentence before, notes left out; -1 where there is none."""
        at -= 1
        while at >= 0 and self.is_note(at):
            at -= 1
        return at

    def is_note(self, at: int) -> bool:
        """Whether a sentence is of a note."""
        return self.blocks[self.sentences[at].block].note > 0


def close(
    text: str, blocks: Sequence[Block], sentences: Sequence[Sentence]
) -> tuple[Sentence, ...]:
    """The sentences with what each cannot be shown without.

    `leans_on` gets the spans of other sentences, in order and complete: what they lean
    on is among them, and the notes to all of these. `announces` gets the stretch that a
    line with a colon at its end opens. `closed` is False where something of it may not
    be quoted, is not there, or is more than a reader takes for one quotation, and of a
    question.
    """
    notes = read_notes(text, blocks, sentences)
    reader = _Reader(text, blocks, sentences, notes)
    for at, sentence in enumerate(sentences):
        reader.of_block.setdefault(sentence.block, []).append(at)
    direct = _direct(reader)
    whole: list[frozenset[int] | None] = []
    closed: list[Sentence] = []
    for at, sentence in enumerate(sentences):
        needed = _whole(reader, direct[at], whole)
        whole.append(needed)
        closed.append(_closed(reader, sentence, at, needed))
    return tuple(closed)


def selectable(sentence: Sentence) -> bool:
    """Whether a sentence may be chosen to be shown.

    A heading may not: it is shown above what stands under it, and states nothing that
    counts (R-I3).
    """
    stands = sentence.quotable and sentence.closed
    return stands and sentence.kind is not BlockKind.HEADING


def _whole(
    reader: _Reader,
    direct: Sequence[int] | None,
    whole: Sequence[frozenset[int] | None],
) -> frozenset[int] | None:
    """All that a sentence leans on, by way of others too; None: it is not there.

    None, too, where it is so much that nothing which leans on this is ever shown; the
    rows that head a row are bounded by their length alone.
    """
    if direct is None:
        return None
    needed: set[int] = set()
    for each in direct:
        further = whole[each]
        if further is None:
            return None
        needed |= {each, *further}
    counted = (reader.sentences[at].kind for at in needed)
    many = sum(kind is not BlockKind.TABLE_ROW for kind in counted) > MOST_LEANT_ON
    return None if many else frozenset(needed)


def _closed(
    reader: _Reader, sentence: Sentence, at: int, needed: frozenset[int] | None
) -> Sentence:
    announced = _announced(reader, at)
    if needed is not None:
        needed = reader.notes.with_notes(needed | {at}) - {at}
    spans = tuple(
        Span(start=s.start, end=s.end)
        for s in (reader.sentences[i] for i in sorted(needed or ()))
    )
    stands = (
        needed is not None
        and at not in reader.labels
        and not _ASKS.search(reader.said(at))
        and all(reader.sentences[i].quotable for i in needed)
        and announced is not _NOTHING
    )
    length = sum(s.end - s.start for s in (*spans, sentence))
    if announced:
        length += announced.end - announced.start
    return sentence.model_copy(
        update={
            "leans_on": spans,
            "heads": _heads(reader, sentence),
            "announces": announced or None,
            "closed": stands and length <= LONGEST_CLOSED,
        }
    )


def _heads(reader: _Reader, sentence: Sentence) -> tuple[Span, ...]:
    """The rows that head a row, if it is one."""
    row = reader.blocks[sentence.block].row
    blocks = (reader.blocks[index] for index in (row.heads if row else ()))
    return tuple(Span(start=block.start, end=block.end) for block in blocks)


# --- what each sentence leans on directly -----------------------------------------


def _direct(reader: _Reader) -> list[tuple[int, ...] | None]:
    """For each sentence the indices it leans on; None where that is missing."""
    found: list[tuple[int, ...] | None] = []
    place = _Place()
    for index, block in enumerate(reader.blocks):
        own = reader.of_block.get(index, [])
        if own:
            place.enter(block, own[0])
        named = _is_label(reader, index)
        for at in own:
            needed = _needed(reader, index, at, place, named=named)
            found.append(None if needed is None else tuple(n for n in needed if n < at))
        if named and own:
            place.label = None if place.label == own[0] - 1 else own[0]
    return found


@dataclass(slots=True)
class _Place:
    """Where in its section a block stands, by the first sentence of each.

    `label` names what is below it, `table` is the first row of the table, `item` the
    beginning of the list.
    """

    label: int | None = None
    table: int | None = None
    item: int | None = None

    def enter(self, block: Block, first: int) -> None:
        item = block.kind is BlockKind.LIST_ITEM
        if block.row is None or not block.row.at:
            self.table = None if block.row is None else first
        self.item = (first if self.item is None else self.item) if item else None
        if block.kind is BlockKind.HEADING:
            self.label = None


def _needed(
    reader: _Reader, index: int, at: int, place: _Place, *, named: bool
) -> list[int] | None:
    """What one sentence leans on directly; the label above it, too."""
    block, own = reader.blocks[index], reader.of_block[index]
    first = at == own[0]
    opening = reader.sentences[at].opening
    if opening is not None:
        # A part of a long sentence leans on its first words, and on what these do.
        return [n for n in own if reader.sentences[n].start == opening.start]
    if block.kind is BlockKind.HEADING:
        return []
    if block.note:
        return [reader.notes.first[at]] if at in reader.notes.first else []
    if named and first:
        # A label states nothing; a short line right below one is what it says.
        if place.label == at - 1:
            return [at - 1]
        reader.labels.add(at)
        return []
    if block.row is not None:
        needed: list[int] | None = _of_row(reader, block, place.table)
    elif block.kind is BlockKind.LIST_ITEM and first:
        needed = _of_item(reader, index, at, place.item)
    elif block.kind is BlockKind.CODE:
        needed = _led(reader, at)
    else:
        needed = _of_sentence(reader, own, at - own[0])
    if needed is None:
        return None
    titled = block.lead_in is not None and block.kind is not BlockKind.LIST_ITEM
    title = reader.of_block.get(block.lead_in or 0, []) if titled else []
    return [*title, *needed] if place.label is None else [place.label, *title, *needed]


def _of_row(reader: _Reader, block: Block, first: int | None) -> list[int]:
    """A row leans on what heads it, and the first on the line before its table."""
    row = block.row
    if row is None:
        return []
    above = [*row.heads, *((row.under,) if row.under is not None else ())]
    needed = [at for index in above for at in reader.of_block.get(index, [])]
    return [*needed, *(_led(reader, first) if first is not None else ())]


def _is_label(reader: _Reader, index: int) -> bool:
    """Whether a line of its own names what is below it and says nothing itself.

    A field ("Enrollment: 243 participants") with nothing below it is no label.
    """
    block, below = reader.blocks[index], reader.blocks[index + 1 : index + 2]
    text = unmarked(block.of(reader.text)).strip()
    last = not below or below[0].kind is BlockKind.HEADING
    if last and _FIELD.search(text):
        return False
    if block.kind is not BlockKind.PARAGRAPH or not block.quotable or block.note:
        return False
    boxed = block.unfinished or block.lead_in is not None or block.level > 0
    if len(text) > LONGEST_LABEL or boxed or _NUMBERED.search(text):
        return False
    return "\n" not in text and not _ENDS.search(text) and not _ANNOUNCES.search(text)


def _led(reader: _Reader, at: int) -> list[int]:
    """The line before, where it announces what follows; code needs no other."""
    previous = reader.before(at)
    if previous < 0 or not _same_section(reader, previous, at):
        return []
    kind = reader.sentences[previous].kind
    if kind is BlockKind.CODE:
        return _led(reader, previous)
    if kind is BlockKind.TABLE_ROW and reader.sentences[at].kind is kind:
        return []
    return [previous]


def _of_item(
    reader: _Reader, index: int, at: int, first: int | None
) -> list[int] | None:
    """A list item leans on what introduces its list, an inner one on its outer one."""
    block = reader.blocks[index]
    if block.lead_in is not None:
        led = reader.of_block.get(block.lead_in)
        return [led[-1]] if led else None
    text = reader.said(at)
    opened = _before(reader, first if first is not None else at)
    if opened is None:
        above = "".join(reader.sentences[at].section[-1:])
        introduced = len(above.split()) >= TELLING or _ANNOUNCES.search(above)
        stands = introduced or _states(text)
        return _pointing(reader, at, None) if stands else None
    if _ANNOUNCES.search(reader.said(opened)) or not _states(text):
        return [opened]
    return _pointing(reader, at, opened)


def _of_sentence(reader: _Reader, own: Sequence[int], place: int) -> list[int]:
    """A sentence of a paragraph, or a later one of an item or a run-in paragraph."""
    at = own[place]
    needed = _pointing(reader, at, _before(reader, at))
    opened = own[0]
    if place == 0 or needed == [opened]:
        return needed
    first = reader.said(opened)
    is_item = reader.sentences[opened].kind is BlockKind.LIST_ITEM
    if is_item or (
        len(first.split()) <= LONGEST_RUN_IN
        and _LABELLED.search(first)
        and not _VERB.search(first)
    ):
        return [opened, *needed]
    return needed


def _before(reader: _Reader, at: int) -> int | None:
    """The sentence before, where it stands under the same headings."""
    previous = reader.before(at)
    stands = previous >= 0 and _same_section(reader, previous, at)
    return previous if stands else None


def _same_section(reader: _Reader, one: int, two: int) -> bool:
    """Whether two neighbours stand under the same headings; a heading opens its own."""
    before, after = reader.sentences[one], reader.sentences[two]
    if before.kind is BlockKind.HEADING:
        return False
    return before.section == after.section


def _pointing(reader: _Reader, at: int, before: int | None) -> list[int]:
    """The sentence before where this one opens with something that points back."""
    text = reader.said(at)
    if _NUMBERED.search(text):
        return []  # names what it refers to: "despite subsection (1)"
    if _BACK.search(text) or _points_further_in(text):
        # At the start of a section "it" stands for what its heading or title names.
        return [] if before is None else [before]
    if before is not None and _names_again(text, reader.said(before)):
        return [before]
    return []


def _points_further_in(text: str) -> bool:
    """Whether "these results" stands in a sentence that named no results before."""
    for match in _DEMONSTRATIVE.finditer(text):
        told = set(stems(text[: match.start()]))
        named = {stem for part in match.groups() if part for stem in stems(str(part))}
        if not named & told:
            return True
    return False


def _names_again(text: str, before: str) -> bool:
    """Whether "the catheter" opens a sentence after one that brought "a catheter"."""
    named = _DEFINITE.search(text)
    if named is None:
        return False
    words = set(stems(str(named[1]))[-1:]) | set(stems(str(named[1]))[:1])
    brought = {s for m in _INTRODUCED.finditer(before) for s in stems(str(m[1]))}
    return bool(words & brought)


def _states(text: str) -> bool:
    """Whether a list item says something by itself: a closed sentence with a verb."""
    return bool(_ENDS.search(text)) and _VERB.search(text) is not None


# --- what follows -----------------------------------------------------------------

_NOTHING = Span(start=0, end=0)


def _announced(reader: _Reader, at: int) -> Span | None:
    """The stretch that a line with a colon at its end opens; `_NOTHING` if it is gone.

    A list whole, with what is nested in it; else the block that follows.
    """
    sentence = reader.sentences[at]
    if reader.blocks[sentence.block].unfinished:
        last = reader.of_block[sentence.block][-1]
        return _items(reader, sentence.block) if at == last else None
    if sentence.kind is BlockKind.CODE or not _ANNOUNCES.search(reader.said(at)):
        return None
    if sentence.cut:
        # The first words of a long sentence announce the part behind them.
        behind = reader.sentences[at + 1]
        return Span(start=behind.start, end=behind.end) if behind.quotable else _NOTHING
    following = at + 1
    while following < len(reader.sentences) and reader.is_note(following):
        following += 1
    if following >= len(reader.sentences):
        return _NOTHING
    if not _same_section(reader, at, following):
        return _NOTHING
    last = following
    for later in _stretch(reader, following):
        last = later
    run = reader.sentences[following : last + 1]
    if not all(s.quotable for s in run):
        return _NOTHING
    return Span(start=run[0].start, end=run[-1].end)


def _items(reader: _Reader, opened: int) -> Span:
    """The items that a block introduces, with those that they introduce."""
    under = {opened}
    found: list[Sentence] = []
    for index in range(opened + 1, len(reader.blocks)):
        if reader.blocks[index].lead_in not in under:
            break
        under.add(index)
        found += [reader.sentences[at] for at in reader.of_block.get(index, [])]
    if not found or not all(sentence.quotable for sentence in found):
        return _NOTHING
    return Span(start=found[0].start, end=found[-1].end)


def _stretch(reader: _Reader, first: int) -> Iterator[int]:
    """The sentences of a list, table or block that begins with `first`."""
    opened = reader.sentences[first]
    listed = opened.kind in (BlockKind.LIST_ITEM, BlockKind.TABLE_ROW)
    for at in range(first, len(reader.sentences)):
        sentence = reader.sentences[at]
        if sentence.start - opened.start > LONGEST_CLOSED:
            yield at  # too long by now to be shown, however far it goes
            return
        same = sentence.block == opened.block or (
            listed and sentence.kind is opened.kind
        )
        row = reader.blocks[sentence.block].row
        if not same or (at > first and row is not None and not row.at):
            return
        yield at
