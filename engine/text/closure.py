"""The sentences that each sentence depends on, so that it is never shown without them.

Computed once, when a document is built, and stored with its sentences as offsets. A
list item depends on its lead-in, a line on the label above it, a table row on its
heads, code on the line that announces it, a reference to a note on that note, and a
sentence that opens with "it", "this" or "however" on the sentence before, until one
needs no other. Headings are shown above every quotation, so a sentence that depends on
a heading alone is closed by it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import re2

from engine.model.document import Block, BlockKind, Sentence
from engine.model.frozen import Span
from engine.text import english
from engine.text.notes import Notes, read_notes, strip_marks
from engine.text.words import stems, words

MOST_LEANT_ON = 6  # sentences; with more the quotation would be a page
LONGEST_CLOSED = 1_600  # characters of a sentence with all that it depends on
LONGEST_LABEL = 70  # characters of a line that names the text below it
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
_RULE = re2.compile(r"^\d+[.)](?:\s+\S+){3}")  # "2. Close the gate."
_FIELD = re2.compile(r"^\pL[\pL -]*: \S")
_NUMBERED = re2.compile(r"^\(\d+(?:\.\d+)*\)\s")  # a subsection: "(2) This Act …"
_LABELLED = re2.compile(r"^[\pL\pN][^.!?]{0,60}[.:]$")


@dataclass(slots=True)
class _Reader:
    """The sentences of one document, and the direct dependencies of each, by index."""

    text: str
    blocks: Sequence[Block]
    sentences: Sequence[Sentence]
    notes: Notes
    of_block: dict[int, list[int]] = field(default_factory=dict)
    labels: set[int] = field(default_factory=set)

    def text_of(self, at: int) -> str:
        """Return the text of a sentence without note marks."""
        return strip_marks(self.sentences[at].of(self.text))

    def find_previous(self, at: int) -> int:
        """Return the index of the sentence before, skipping notes; -1 where there is
        none.
        """
        at -= 1
        while at >= 0 and self.is_note(at):
            at -= 1
        return at

    def is_note(self, at: int) -> bool:
        """Return whether a sentence belongs to a note."""
        return self.blocks[self.sentences[at].block].note > 0


def close(
    text: str, blocks: Sequence[Block], sentences: Sequence[Sentence]
) -> tuple[Sentence, ...]:
    """Return the sentences with their dependencies.

    `leans_on` gets the spans of other sentences, in order and complete: their own
    dependencies are among them, and the notes to all of these. `announces` gets the
    stretch that a colon at the end of a line introduces. `closed` is False for a
    question, and where something of this may not be quoted, is missing, or is too much
    for one quotation.
    """
    notes = read_notes(text, blocks, sentences)
    reader = _Reader(text, blocks, sentences, notes)
    for at, sentence in enumerate(sentences):
        reader.of_block.setdefault(sentence.block, []).append(at)
    direct = _find_direct_needs(reader)
    whole: list[frozenset[int] | None] = []
    closed: list[Sentence] = []
    for at, sentence in enumerate(sentences):
        needed = _gather_needs(reader, direct[at], whole)
        whole.append(needed)
        closed.append(_close_sentence(reader, sentence, at, needed))
    return tuple(closed)


def is_selectable(sentence: Sentence) -> bool:
    """Return whether a sentence may be chosen to be shown.

    A heading may not: it is shown above its section, and states nothing that counts as
    an answer.
    """
    stands = sentence.quotable and sentence.closed
    return stands and sentence.kind is not BlockKind.HEADING


def _gather_needs(
    reader: _Reader,
    direct: Sequence[int] | None,
    whole: Sequence[frozenset[int] | None],
) -> frozenset[int] | None:
    """Return all dependencies of a sentence, indirect ones included.

    None where one is missing, or where they are so many that no sentence which depends
    on this one is ever shown; the heads of a row are bounded by their length alone.
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


def _close_sentence(
    reader: _Reader, sentence: Sentence, at: int, needed: frozenset[int] | None
) -> Sentence:
    announced = _find_announced(reader, at)
    if needed is not None:
        needed = reader.notes.with_notes(needed | {at}) - {at}
    spans = tuple(
        Span(start=s.start, end=s.end)
        for s in (reader.sentences[i] for i in sorted(needed or ()))
    )
    stands = (
        needed is not None
        and at not in reader.labels
        and not _ASKS.search(reader.text_of(at))
        and all(reader.sentences[i].quotable for i in needed)
        and announced is not _NOTHING
    )
    length = sum(s.end - s.start for s in (*spans, sentence))
    if announced:
        length += announced.end - announced.start
    return sentence.model_copy(
        update={
            "leans_on": spans,
            "heads": _find_heads(reader, sentence),
            "announces": announced or None,
            "closed": stands and length <= LONGEST_CLOSED,
        }
    )


def _find_heads(reader: _Reader, sentence: Sentence) -> tuple[Span, ...]:
    """Return the spans of the rows that head a row; none for another sentence."""
    row = reader.blocks[sentence.block].row
    blocks = (reader.blocks[index] for index in (row.heads if row else ()))
    return tuple(Span(start=block.start, end=block.end) for block in blocks)


# --- the direct dependencies of each sentence ---------------------------------------


def _find_direct_needs(reader: _Reader) -> list[tuple[int, ...] | None]:
    """Return the direct dependencies of each sentence; None where one is missing."""
    found: list[tuple[int, ...] | None] = []
    place = _Place()
    for index, block in enumerate(reader.blocks):
        own = reader.of_block.get(index, [])
        if own:
            place.enter(block, own[0])
        named = _is_label(reader, index)
        for at in own:
            needed = _find_needs(reader, index, at, place, named=named)
            found.append(None if needed is None else tuple(n for n in needed if n < at))
        if named and own:
            place.label = None if place.label == own[0] - 1 else own[0]
    return found


@dataclass(slots=True)
class _Place:
    """The position of a block in its section, by first sentences.

    `label` is that of the label above it, `table` that of its table, `item` that of its
    list.
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


def _find_needs(
    reader: _Reader, index: int, at: int, place: _Place, *, named: bool
) -> list[int] | None:
    """Return the direct dependencies of one sentence, the label above it included."""
    block, own = reader.blocks[index], reader.of_block[index]
    first = at == own[0]
    opening = reader.sentences[at].opening
    if opening is not None:
        # A part of a long sentence depends on its first words, and on what these do.
        return [n for n in own if reader.sentences[n].start == opening.start]
    if block.kind is BlockKind.HEADING:
        return []
    if block.note:
        return [reader.notes.first[at]] if at in reader.notes.first else []
    if named and first:
        # A label states nothing; a short line right below one completes it.
        if place.label == at - 1:
            return [at - 1]
        reader.labels.add(at)
        return []
    if block.row is not None:
        needed: list[int] | None = _find_row_needs(reader, block, place.table)
    elif block.kind is BlockKind.LIST_ITEM and first:
        needed = _find_item_needs(reader, index, at, place.item)
    elif block.kind is BlockKind.CODE:
        needed = _find_announcing_line(reader, at)
    else:
        needed = _find_sentence_needs(reader, own, at - own[0])
    if needed is None:
        return None
    titled = block.lead_in is not None and block.kind is not BlockKind.LIST_ITEM
    title = reader.of_block.get(block.lead_in or 0, []) if titled else []
    return [*title, *needed] if place.label is None else [place.label, *title, *needed]


def _find_row_needs(reader: _Reader, block: Block, first: int | None) -> list[int]:
    """Return the heads of a row; for a table's first row also the line before it."""
    row = block.row
    if row is None:
        return []
    above = [*row.heads, *((row.under,) if row.under is not None else ())]
    needed = [at for index in above for at in reader.of_block.get(index, [])]
    return [
        *needed,
        *(_find_announcing_line(reader, first) if first is not None else ()),
    ]


def _is_label(reader: _Reader, index: int) -> bool:
    """Return whether a line names the text below it and states nothing by itself.

    A field ("Enrollment: 243 participants") with nothing below it is no label.
    """
    block, below = reader.blocks[index], reader.blocks[index + 1 : index + 2]
    text = strip_marks(block.of(reader.text)).strip()
    last = not below or below[0].kind is BlockKind.HEADING
    if last and _FIELD.search(text):
        return False
    if block.kind is not BlockKind.PARAGRAPH or not block.quotable or block.note:
        return False
    boxed = block.unfinished or block.lead_in is not None or block.level > 0
    if len(text) > LONGEST_LABEL or boxed or _NUMBERED.search(text):
        return False
    return "\n" not in text and not _ENDS.search(text) and not _ANNOUNCES.search(text)


def _find_announcing_line(reader: _Reader, at: int) -> list[int]:
    """Return the line before, which announces a table or code; skip code between."""
    previous = reader.find_previous(at)
    if previous < 0 or not _same_section(reader, previous, at):
        return []
    kind = reader.sentences[previous].kind
    if kind is BlockKind.CODE:
        return _find_announcing_line(reader, previous)
    if kind is BlockKind.TABLE_ROW and reader.sentences[at].kind is kind:
        return []
    return [previous]


def _find_item_needs(
    reader: _Reader, index: int, at: int, first: int | None
) -> list[int] | None:
    """Return the lead-in of a list item, of an inner item its outer one.

    None where the lead-in is missing.
    """
    block = reader.blocks[index]
    if block.lead_in is not None:
        led = reader.of_block.get(block.lead_in)
        return [led[-1]] if led else None
    text = reader.text_of(at)
    opened = _find_previous(reader, first if first is not None else at)
    if opened is None:
        headings = reader.sentences[at].section
        above = "".join(headings[-1:])
        introduced = len(above.split()) >= TELLING or _ANNOUNCES.search(above)
        stands = introduced or _makes_statement(text) or _is_rule(text, headings)
        return _find_antecedent(reader, at, None) if stands else None
    if _ANNOUNCES.search(reader.text_of(opened)) or not _makes_statement(text):
        return [opened]
    return _find_antecedent(reader, at, opened)


def _find_sentence_needs(reader: _Reader, own: Sequence[int], place: int) -> list[int]:
    """Return the dependencies of a sentence of a paragraph, or of a later one of an
    item.
    """
    at = own[place]
    needed = _find_antecedent(reader, at, _find_previous(reader, at))
    opened = own[0]
    if place == 0 or needed == [opened]:
        return needed
    first = reader.text_of(opened)
    is_item = reader.sentences[opened].kind is BlockKind.LIST_ITEM
    if is_item or (
        len(first.split()) <= LONGEST_RUN_IN
        and _LABELLED.search(first)
        and not _VERB.search(first)
    ):
        return [opened, *needed]
    return needed


def _find_previous(reader: _Reader, at: int) -> int | None:
    """Return the sentence before, where it is under the same headings."""
    previous = reader.find_previous(at)
    stands = previous >= 0 and _same_section(reader, previous, at)
    return previous if stands else None


def _same_section(reader: _Reader, one: int, two: int) -> bool:
    """Return whether two neighbours are under the same headings; a heading opens its
    own.
    """
    before, after = reader.sentences[one], reader.sentences[two]
    if before.kind is BlockKind.HEADING:
        return False
    return before.section == after.section


def _find_antecedent(reader: _Reader, at: int, before: int | None) -> list[int]:
    """Return the sentence before, where this one opens with words that refer back."""
    text = reader.text_of(at)
    if _NUMBERED.search(text):
        return []  # names what it refers to: "despite subsection (1)"
    if _BACK.search(text) or _points_further_in(text):
        # At the start of a section "it" means the subject of its heading or title.
        return [] if before is None else [before]
    if before is not None and _names_again(text, reader.text_of(before)):
        return [before]
    return []


def _points_further_in(text: str) -> bool:
    """Return whether "these results" follows no results in its sentence."""
    for match in _DEMONSTRATIVE.finditer(text):
        told = set(stems(text[: match.start()]))
        named = {stem for part in match.groups() if part for stem in stems(str(part))}
        if not named & told:
            return True
    return False


def _names_again(text: str, before: str) -> bool:
    """Return whether "the catheter" opens a sentence after one that introduced "a
    catheter".
    """
    named = _DEFINITE.search(text)
    if named is None:
        return False
    own = set(stems(str(named[1]))[-1:]) | set(stems(str(named[1]))[:1])
    brought = {s for m in _INTRODUCED.finditer(before) for s in stems(str(m[1]))}
    return bool(own & brought)


def _makes_statement(text: str) -> bool:
    """Return whether a list item makes a statement: a finished sentence with a verb."""
    return bool(_ENDS.search(text)) and _VERB.search(text) is not None


def _is_rule(text: str, headings: Sequence[str]) -> bool:
    """Return whether an item is a rule or a step, whose verb no list knows: "2. Close
    the gate."

    Not where a heading above it denies: "Avoid" is shown above a quotation, and its
    items alone would permit what it forbids.
    """
    said = {*words(" ".join(headings))}
    denied = english.words("no", "negation", "against", "forbidding") & said
    return bool(_ENDS.search(text) and _RULE.search(text)) and not denied


# --- what a line announces ----------------------------------------------------------

_NOTHING = Span(start=0, end=0)


def _find_announced(reader: _Reader, at: int) -> Span | None:
    """Return the stretch that a colon at the end of a line introduces, or None.

    A whole list, with its inner ones; else the block that follows. `_NOTHING` where
    that is missing or may not be quoted.
    """
    sentence = reader.sentences[at]
    if reader.blocks[sentence.block].unfinished:
        last = reader.of_block[sentence.block][-1]
        return _find_items(reader, sentence.block) if at == last else None
    if sentence.kind is BlockKind.CODE or not _ANNOUNCES.search(reader.text_of(at)):
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
    for later in _iterate_stretch(reader, following):
        last = later
    run = reader.sentences[following : last + 1]
    if not all(s.quotable for s in run):
        return _NOTHING
    return Span(start=run[0].start, end=run[-1].end)


def _find_items(reader: _Reader, opened: int) -> Span:
    """Return the stretch of the items that a block introduces, inner ones included."""
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


def _iterate_stretch(reader: _Reader, first: int) -> Iterator[int]:
    """Yield the sentences of a list, table or block that begins with `first`."""
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
