"""The deterministic answer: whole passages of the evidence, word for word.

The passage that answers best comes first; the rest is in its document's own order.
Rows of one short table, and items of one short list, keep their own order.
Nothing is worded here: introductory lines and notices belong to the reply.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import chain, groupby, islice, pairwise

import re2

from engine.model.document import BlockKind, Sentence
from engine.model.draft import Draft, DraftClaim, DraftSection, Selected
from engine.model.frozen import Span
from engine.model.gate import Open
from engine.model.passage import Chunk
from engine.model.question import Intent
from engine.policy.disagreement import (
    are_apart,
    covers_figures,
    disagree,
    rank_precedence,
)
from engine.policy.pack import Pack
from engine.text.closure import is_selectable
from engine.text.kinds import detect_kind, shows
from engine.text.quotable import Range, expand, merge_ranges, render_quotation, text_of
from engine.text.words import STOPWORDS, repeats, stem, stems, words

LONGEST_ANSWER = 2_000  # characters of all quotations together
# Order score below a document's best passage from which one adds more to read than
# to know. Of 556 answers that were right with 9.0, the share that still holds what was
# labelled, and the passages of an answer on average: 9.0 -> .998, 2.84; 7.0 -> .996,
# 2.42; 6.0 -> .995, 2.20; 5.0 -> .991, 1.97; 4.0 -> .986, 1.76; 3.0 -> .982, 1.54.
BEHIND = 5.0
FARTHEST_BEHIND = 9.0  # where only a passage so far behind is a second citation
SHARED = 0.5  # of score for each word of the question that a passage holds
COMFORTABLE = 600  # characters of a quotation with its neighbours
MOST_OPPOSING = 3  # passages that are added because they contradict what is quoted
OF_SIDE = 2  # passages of one of two things that are put beside each other
CLOSE = 0.15  # a document this much less relevant than the best adds nothing

_WORDS = re2.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Passage:
    """A quotation in the making: sentences of a range of an evidence chunk, by its
    number.

    `text` is what is shown of them, with all their dependencies.
    """

    number: int
    part: Range
    sentences: tuple[int, ...]
    text: str
    score: float
    said: tuple[str, ...]

    @property
    def words(self) -> frozenset[str]:
        return frozenset(_WORDS.findall(self.text.lower()))


def write(opened: Open, intent: Intent, pack: Pack) -> Draft:
    """Compose a draft of verbatim passages from the chunks that the gate opened on.

    Where the pack asks for several citations the passages come from as many documents
    as the gate opened on, and a single one is quoted in two parts, or followed by the
    next best where it is one sentence. Where the gate judged the parts of a question
    one by one, each has a section.
    """
    asked = opened.minimum_citations if intent.sensitive else 1
    needed = max(asked, pack.citations.minimum_sensitive)
    numbers = {chunk.id: at for at, chunk in enumerate(opened.chunks, start=1)}
    sections: list[DraftSection] = []
    chosen: list[Passage] = []
    many = len(opened.parts) or 1
    told = stem_question(intent)
    for part in opened.parts or (opened,):
        passages = [
            replace(passage, number=numbers[part.chunks[passage.number - 1].id])
            for passage in choose_passages(part, pack, told, needed, many)
        ]
        passages = [p for p in passages if not is_repeated(p, chosen)]
        passages = move_answer_first(passages, intent.text)
        if part.heading:
            passages = _order_as_told(opened, passages[:OF_SIDE])
        passages = complete_rows(opened, passages, chosen)
        passages = join_runs(opened, passages, needed)
        chosen += passages
        sections.append(make_section(passages, part.heading))
    return Draft(sections=tuple(section for section in sections if section.claims))


def complete_rows(
    opened: Open, passages: Sequence[Passage], before: Sequence[Passage] = ()
) -> list[Passage]:
    """Add the rows of a table, or the items of a list, that would be left out, each to
    the passage with the row nearest to it.

    Of three rows the one between two others is not cut out. Only where fewer are left
    out than these passages show, and all of it is no longer than a comfortable
    quotation. What `before` shows is not shown again.
    """
    added: dict[int, set[int]] = {}
    for number in dict.fromkeys(passage.number for passage in passages):
        chunk = opened.chunks[number - 1]
        held = {
            sentence: at
            for at, passage in enumerate(passages)
            if passage.number == number
            for sentence in passage.sentences
        }
        earlier = {n for p in before if p.number == number for n in p.sentences}
        for rows in _find_rows(chunk):
            own = [row for row in rows if row in held]
            missing = {*rows} - {*own} - earlier
            length = Range(rows[0], rows[-1]).length(chunk)
            if len(missing) < len(own) and length <= COMFORTABLE:
                for row in missing:
                    near = min(own, key=lambda one: (abs(one - row), one))
                    added.setdefault(held[near], set()).add(row)
    return [
        _extend(opened, passage, added.get(at, set()))
        for at, passage in enumerate(passages)
    ]


def join_runs(opened: Open, passages: Sequence[Passage], needed: int) -> list[Passage]:
    """Join passages with rows of one table, or items of one list, in the source's
    order.

    Shown apart, each repeats the head or the line that opens the list. All of a table
    are joined or none: only where they are no longer than a comfortable quotation,
    nothing else is quoted between them, and enough citations are left.

    Args:
        opened: the gate's evidence.
        passages: in the order in which they are shown.
        needed: the least number of citations.
    """
    joined = list(passages)
    for passage in passages:
        if passage not in joined:
            continue
        own = [p for p in joined if _share_run(opened, passage, p)]
        rows = {at for p in own for at in p.sentences}
        whole = _extend(opened, passage, rows)
        others = [p for p in joined if p not in own and p.number == passage.number]
        between = any(min(rows) < at < max(rows) for p in others for at in p.sentences)
        fits = sum(len(p.text) for p in own) <= COMFORTABLE
        left = [
            whole if p is passage else p for p in joined if p is passage or p not in own
        ]
        if len(own) > 1 and fits and not between and _count_citations(left) >= needed:
            joined = left
    return joined


def _share_run(opened: Open, one: Passage, other: Passage) -> bool:
    if one.number != other.number:
        return False
    return one is other or not _list_runs(opened, one).isdisjoint(
        _list_runs(opened, other)
    )


def _list_runs(opened: Open, passage: Passage) -> set[tuple[BlockKind, object]]:
    """List the tables and lists below a head of which a passage has rows or items."""
    chunk = opened.chunks[passage.number - 1]
    runs = (_name_run(chunk, at) for at in passage.sentences)
    rows = (BlockKind.TABLE_ROW, BlockKind.LIST_ITEM)
    return {(kind, above) for kind, above in runs if kind in rows and above}


def _count_citations(passages: Sequence[Passage]) -> int:
    """Count the passages that do not overlap, from first to last sentence (R-I3)."""
    count, end = 0, (0, -1)
    for number, first, last in sorted(
        (p.number, min(p.sentences), max(p.sentences)) for p in passages
    ):
        if (number, first) > end:
            count += 1
        end = max(end, (number, last))
    return count


def _extend(opened: Open, passage: Passage, rows: Set[int]) -> Passage:
    if not rows:
        return passage
    chunk = opened.chunks[passage.number - 1]
    whole = tuple(sorted(rows | {*passage.sentences}))
    said = tuple(text_of(chunk, chunk.sentences[row]) for row in whole)
    text = render_quotation(chunk, whole).text
    return replace(passage, sentences=whole, text=text, said=said)


def _find_rows(chunk: Chunk) -> Iterator[list[int]]:
    """Yield the rows of each table and the items of each list of a chunk that may be
    shown.
    """
    places = range(len(chunk.sentences))
    for (kind, _), run in groupby(places, key=lambda at: _name_run(chunk, at)):
        rows = [at for at in run if is_selectable(chunk.sentences[at])]
        if rows and kind in (BlockKind.TABLE_ROW, BlockKind.LIST_ITEM):
            yield rows


def _name_run(chunk: Chunk, at: int) -> tuple[BlockKind, tuple[Span, ...]]:
    """Return what a row or an item has in common with the others of its run."""
    sentence = chunk.sentences[at]
    return sentence.kind, tuple(sentence.leans_on)


def _order_as_told(opened: Open, passages: Sequence[Passage]) -> list[Passage]:
    """Order passages as their documents have them, those of the first one first."""
    documents = [opened.chunks[p.number - 1].document for p in passages]
    return sorted(
        passages,
        key=lambda p: (
            documents.index(opened.chunks[p.number - 1].document),
            p.part.span(opened.chunks[p.number - 1])[0],
        ),
    )


def stem_question(intent: Intent) -> frozenset[str]:
    """Return the stems of a question's content words."""
    return frozenset(stem(w) for w in words(intent.text) if w not in STOPWORDS)


def make_section(passages: Sequence[Passage], heading: str = "") -> DraftSection:
    """Make a section that selects the sentences of these passages."""
    claims = tuple(
        DraftClaim(
            sentences=tuple(Selected(chunk=p.number, sentence=at) for at in p.sentences)
        )
        for p in passages
    )
    return DraftSection(heading=heading, claims=claims)


def move_answer_first(passages: Sequence[Passage], question: str) -> list[Passage]:
    """Move the best passage with the kind of answer that is asked for to the front."""
    kind = detect_kind(question)
    holding = [p for p in passages if kind is not None and shows(kind, p.text)]
    if not holding or passages[0] in holding:
        return list(passages)
    best = max(holding, key=lambda p: p.score)
    return [best, *(p for p in passages if p is not best)]


def choose_passages(
    opened: Open, pack: Pack, asked: frozenset[str], needed: int, parts: int
) -> list[Passage]:
    """Choose the passages that are quoted for a question or a part of one, in order."""
    documents = _find_documents(opened)
    passages = {d: _find_passages(opened, d, asked) for d in documents}
    chosen: list[Passage] = []
    room = LONGEST_ANSWER // parts
    for place, document in enumerate(documents):
        required = place < opened.required_documents
        share = pack.answer.quotes if place == 0 else 1
        for passage in _keep_near(passages[document], BEHIND)[:share]:
            fits = len(passage.text) <= room and not is_repeated(passage, chosen)
            if fits or (
                required and not any(_is_of(opened, c, document) for c in chosen)
            ):
                chosen.append(passage)
                room -= len(passage.text)
        if place + 1 >= opened.required_documents and len(chosen) > pack.answer.quotes:
            break
    further = [p for d in documents for p in _keep_near(passages[d], FARTHEST_BEHIND)]
    chosen = _add_citations(opened, chosen, further, needed)
    chosen += _find_opposing(opened, pack, asked, passages, chosen)
    return _sort_passages(
        opened, _rank_documents(opened, pack, documents, chosen), chosen
    )


def _find_opposing(
    opened: Open,
    pack: Pack,
    asked: frozenset[str],
    passages: Mapping[str, Sequence[Passage]],
    chosen: Sequence[Passage],
) -> list[Passage]:
    """Return passages of other documents that disagree with chosen ones."""
    found: list[Passage] = []
    for document in dict.fromkeys(chunk.document for chunk in opened.chunks):
        own = passages.get(document) or _find_passages(opened, document, asked)
        against = (
            p
            for p in _keep_near(own, BEHIND)
            if p not in chosen
            and any(_disagree(opened, pack, p, one) for one in chosen)
        )
        found += islice(against, 1)
    return found[:MOST_OPPOSING]


def _disagree(opened: Open, pack: Pack, one: Passage, other: Passage) -> bool:
    chunk, beside = (opened.chunks[p.number - 1] for p in (one, other))
    if chunk.document == beside.document or are_apart(chunk, beside, pack.things):
        return False
    return disagree(one.said, other.said)


def _rank_documents(
    opened: Open, pack: Pack, documents: Sequence[str], chosen: Sequence[Passage]
) -> list[str]:
    """Order the documents: those that disagree first, by tier."""
    opposed = {
        opened.chunks[one.number - 1].document: opened.chunks[one.number - 1]
        for one in chosen
        if any(_disagree(opened, pack, one, other) for other in chosen)
    }
    first = sorted(opposed, key=lambda d: rank_precedence(opposed[d], pack.register()))
    return list(dict.fromkeys((*first, *documents)))


def _find_documents(opened: Open) -> list[str]:
    """Return the documents worth quoting, most relevant first; of copies only the
    first.
    """
    best: dict[str, float] = {}
    witness: dict[str, str] = {}
    for chunk in opened.chunks:
        best[chunk.document] = max(best.get(chunk.document, 0.0), chunk.relevance)
        witness[chunk.document] = chunk.witness
    every = sorted(best, key=lambda d: -best[d])
    first = {witness[d]: d for d in reversed(every)}
    ranked = [d for d in every if first[witness[d]] == d]
    top = best[ranked[0]]
    return [
        document
        for place, document in enumerate(ranked)
        if place < opened.required_documents or best[document] >= top - CLOSE
    ]


def _find_passages(opened: Open, document: str, asked: frozenset[str]) -> list[Passage]:
    """Return the passages of one document by score, without common sentences."""
    found: list[Passage] = []
    for number, chunk in enumerate(opened.chunks, start=1):
        if chunk.document != document:
            continue
        for pick in chunk.picks:
            if is_selectable(chunk.sentences[pick.sentence]):
                part = (
                    expand(chunk, pick.sentence)
                    if pick.last is None
                    else Range(pick.sentence, pick.last)
                )
                said = frozenset(stems(_read_range(chunk, part)))
                score = pick.score + SHARED * len(asked & said)
                found += make_passages(opened, number, part, score)
    return _separate(opened, sorted(found, key=lambda p: -p.score))


def _separate(opened: Open, passages: Sequence[Passage]) -> list[Passage]:
    """Return passages by score, of which the better one keeps a sentence of both.

    Two picks may expand to the same sentence between them.
    """
    found: list[Passage] = []
    for passage in passages:
        taken = {at for other in found for at in _find_shared(passage, other)}
        own = [at for at in passage.sentences if at not in taken]
        if not taken:
            found.append(passage)
        elif own and own == [*range(own[0], own[-1] + 1)]:
            part = Range(own[0], own[-1])
            found += make_passages(opened, passage.number, part, passage.score)
    return found


def _find_shared(one: Passage, other: Passage) -> set[int]:
    """Return the sentences that both passages show."""
    same = one.number == other.number
    return set(one.sentences) & set(other.sentences) if same else set()


def _read_range(chunk: Chunk, part: Range) -> str:
    """Return the text of a range of a chunk."""
    start, end = part.span(chunk)
    return chunk.text[start - chunk.start : end - chunk.start]


def make_passages(
    opened: Open, number: int, part: Range, score: float
) -> Iterator[Passage]:
    """Yield a passage of the sentences of a range that may be shown, if any."""
    chunk = opened.chunks[number - 1]
    end = chunk.sentences[part.last].end
    sentences = tuple(
        at
        for at in range(part.first, part.last + 1)
        if is_selectable(chunk.sentences[at])
        and _ends_by(chunk.sentences[at], chunk, end)
    )
    if sentences:
        text = render_quotation(chunk, sentences).text
        said = tuple(text_of(chunk, chunk.sentences[at]) for at in sentences)
        yield Passage(number, part, sentences, text, score, said)


def _ends_by(sentence: Sentence, chunk: Chunk, end: int) -> bool:
    """Return whether the text that a sentence announces ends there, as far as its chunk
    goes.

    Where a list is cut in two, its lead-in comes with the items of each.
    """
    return sentence.announces is None or min(sentence.announces.end, chunk.end) <= end


def _keep_near(passages: Sequence[Passage], behind: float) -> list[Passage]:
    """Return the passages of a document that score at most `behind` below its best."""
    return [p for p in passages if p.score >= passages[0].score - behind]


def is_repeated(passage: Passage, chosen: Sequence[Passage]) -> bool:
    """Return whether a chosen passage shows a sentence of it, or says mostly the same.

    It says the same only where it has all its figures.
    """
    return any(
        _find_shared(passage, other)
        or (
            repeats(passage.words, other.words)
            and covers_figures(other.said, passage.said)
        )
        for other in chosen
    )


def _is_of(opened: Open, passage: Passage, document: str) -> bool:
    return opened.chunks[passage.number - 1].document == document


def _add_citations(
    opened: Open, chosen: list[Passage], further: Sequence[Passage], needed: int
) -> list[Passage]:
    """Split the longest passage at a sentence end while there are too few citations.

    Where each is one sentence, add the best of `further` that repeats none, or one of
    their neighbours.
    """
    while len(chosen) < needed:
        splittable = [p for p in chosen if len(p.sentences) > 1]
        if not splittable:
            others = chain(further, _find_neighbours(opened, chosen))
            fresh = (p for p in others if not is_repeated(p, chosen))
            following = next(fresh, None)
            if following is None:
                return chosen
            chosen.append(following)
            continue
        longest = max(splittable, key=lambda p: len(p.text))
        middle = _find_middle(opened.chunks[longest.number - 1], longest.sentences)
        at = chosen.index(longest)
        chosen[at : at + 1] = [
            half
            for part in (
                Range(longest.part.first, middle),
                Range(middle + 1, longest.part.last),
            )
            for half in make_passages(opened, longest.number, part, longest.score)
        ]
    return chosen


def _find_neighbours(opened: Open, chosen: Sequence[Passage]) -> Iterator[Passage]:
    """Yield the neighbours behind and before chosen passages, in their chunk."""
    for passage in chosen:
        chunk = opened.chunks[passage.number - 1]
        last = len(chunk.sentences) - 1
        places = [passage.part.last + 1, passage.part.first - 1]
        for at in places:
            if 0 <= at <= last and chunk.sentences[at].kind is not BlockKind.HEADING:
                part = expand(chunk, at)
                both = merge_ranges([part, passage.part])
                if len(both) == 1 and both[0].length(chunk) <= COMFORTABLE:
                    yield from make_passages(
                        opened, passage.number, part, passage.score
                    )


def _find_middle(chunk: Chunk, sentences: Sequence[int]) -> int:
    """Return the sentence after which a passage is cut: nearest the middle, a block's
    last.
    """
    pairs = list(pairwise(sentences))
    blocks = [
        one
        for one, two in pairs
        if chunk.sentences[one].block != chunk.sentences[two].block
    ]
    ends = blocks or [one for one, _ in pairs]
    start = chunk.sentences[sentences[0]].start
    centre = (start + chunk.sentences[sentences[-1]].end) / 2
    return min(ends, key=lambda at: abs(chunk.sentences[at].end - centre))


def _sort_passages(
    opened: Open, documents: Sequence[str], chosen: Sequence[Passage]
) -> list[Passage]:
    """Put the best passage first, then sort by document, and in its order."""

    def place(passage: Passage) -> tuple[bool, int, int]:
        chunk = opened.chunks[passage.number - 1]
        start = passage.part.span(chunk)[0]
        return passage is not best, documents.index(chunk.document), start

    first = [p for p in chosen if _is_of(opened, p, documents[0])]
    best = max(first or chosen, key=lambda p: p.score, default=None)
    return sorted(chosen, key=place)
