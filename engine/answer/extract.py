"""The deterministic answer: whole passages of the evidence, word for word (R-A3).

What answers comes first; within a document passages stand in its own order. Nothing is
worded here: introductory lines and notices are the reply's.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import re2

from engine.context import states, text_of
from engine.disagreement import disagree, precedence, tells_all
from engine.policy import Pack
from engine.records import Chunk, Draft, DraftClaim, DraftSection, Intent, Open
from engine.retrieve.groups import repeats
from engine.retrieve.passages import Range, join, leaves_waiting, readable

LONGEST_ANSWER = 2_000  # characters of all quotations together
# Order score below a document's best passage from which one adds more to read than
# to know. Of 556 answers that were right with 9.0, the share that still holds what was
# labelled, and the passages of an answer on average: 9.0 -> .998, 2.84; 7.0 -> .996,
# 2.42; 6.0 -> .995, 2.20; 5.0 -> .991, 1.97; 4.0 -> .986, 1.76; 3.0 -> .982, 1.54.
BEHIND = 5.0
FARTHEST_BEHIND = 9.0  # where only a passage so far behind is a second citation (R-I3)
MOST_OPPOSING = 3  # passages that are added because they contradict what is quoted
CLOSE = 0.15  # a document this much less relevant than the best adds nothing

_WORDS = re2.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class _Passage:
    """A quotation to be: a range of an evidence chunk, by its number from 1."""

    number: int
    part: Range
    text: str
    score: float
    sentences: tuple[str, ...]

    @property
    def words(self) -> frozenset[str]:
        return frozenset(_WORDS.findall(self.text.lower()))


def write(opened: Open, intent: Intent, pack: Pack) -> Draft:
    """Compose a draft of verbatim passages from the chunks that the gate opened on.

    Where the pack asks for several citations the passages come from as many documents
    as the gate opened on, and one that would stand alone is quoted in two parts, or
    followed by the next best where it is one sentence. Where the gate judged the parts
    of a question one by one, each has a section of its own.
    """
    asked = opened.minimum_citations if intent.sensitive else 1
    needed = max(asked, pack.citations.minimum_sensitive)
    numbers = {chunk.id: at for at, chunk in enumerate(opened.chunks, start=1)}
    sections: list[DraftSection] = []
    chosen: list[_Passage] = []
    many = len(opened.parts) or 1
    for part in opened.parts or (opened,):
        passages = [
            replace(passage, number=numbers[part.chunks[passage.number - 1].id])
            for passage in _quoted(part, pack, intent.text, needed, many)
        ]
        passages = [p for p in passages if not _repeated(p, chosen)]
        chosen += passages
        sections.append(_section(passages))
    return Draft(sections=tuple(section for section in sections if section.claims))


def _section(passages: Sequence[_Passage]) -> DraftSection:
    claims = tuple(
        DraftClaim(text=p.text, citations=(p.number,), quotation=True) for p in passages
    )
    return DraftSection(heading="", claims=claims)


def _quoted(
    opened: Open, pack: Pack, asked: str, needed: int, parts: int
) -> list[_Passage]:
    """What is quoted for a question, or for one of its parts, in order."""
    documents = _documents(opened)
    passages = {d: _passages(opened, d, asked) for d in documents}
    chosen: list[_Passage] = []
    room = LONGEST_ANSWER // parts
    for place, document in enumerate(documents):
        required = place < opened.required_documents
        share = pack.answer.quotes if place == 0 else 1
        for passage in _near(passages[document], BEHIND)[:share]:
            fits = len(passage.text) <= room and not _repeated(passage, chosen)
            if fits or (required and not any(_of(opened, c, document) for c in chosen)):
                chosen.append(passage)
                room -= len(passage.text)
        if place + 1 >= opened.required_documents and len(chosen) > pack.answer.quotes:
            break
    further = [p for d in documents for p in _near(passages[d], FARTHEST_BEHIND)]
    chosen = _enough(opened, asked, chosen, further, needed)
    chosen += _opposing(opened, asked, passages, chosen)
    return _in_order(opened, _ranked(opened, pack, documents, chosen), chosen)


def _opposing(
    opened: Open,
    asked: str,
    passages: Mapping[str, Sequence[_Passage]],
    chosen: Sequence[_Passage],
) -> list[_Passage]:
    """What other documents say against what is chosen: shown beside it (R-R11)."""
    found: list[_Passage] = []
    for document in dict.fromkeys(chunk.document for chunk in opened.chunks):
        own = passages.get(document) or _passages(opened, document, asked)
        against = (
            p
            for p in _near(own, BEHIND)
            if p not in chosen and any(_against(opened, p, one) for one in chosen)
        )
        found += islice(against, 1)
    return found[:MOST_OPPOSING]


def _against(opened: Open, one: _Passage, other: _Passage) -> bool:
    chunk = opened.chunks[one.number - 1]
    same = _of(opened, other, chunk.document)
    return not same and disagree(one.sentences, other.sentences)


def _ranked(
    opened: Open, pack: Pack, documents: Sequence[str], chosen: Sequence[_Passage]
) -> list[str]:
    """The documents in order; those that disagree first, the higher tier before."""
    opposed = {
        opened.chunks[one.number - 1].document: opened.chunks[one.number - 1]
        for one in chosen
        if any(_against(opened, one, other) for other in chosen)
    }
    first = sorted(opposed, key=lambda d: precedence(opposed[d], pack.register()))
    return list(dict.fromkeys((*first, *documents)))


def _documents(opened: Open) -> list[str]:
    """Documents worth quoting, most relevant first."""
    best: dict[str, float] = {}
    for chunk in opened.chunks:
        best[chunk.document] = max(best.get(chunk.document, 0.0), chunk.relevance)
    ranked = sorted(best, key=lambda d: -best[d])
    top = best[ranked[0]]
    return [
        document
        for place, document in enumerate(ranked)
        if place < opened.required_documents or best[document] >= top - CLOSE
    ]


def _passages(opened: Open, document: str, asked: str) -> list[_Passage]:
    """The passages of one document by score; neighbours that touch become one.

    What states nothing, such as a heading or the question itself, is none (R-I3).
    """
    found: list[_Passage] = []
    for number, chunk in enumerate(opened.chunks, start=1):
        if chunk.document != document:
            continue
        for part in join([r for p in chunk.picks for r in readable(chunk, p.sentence)]):
            inside = [
                p.score for p in chunk.picks if part.first <= p.sentence <= part.last
            ]
            best = max(inside, default=min(p.score for p in chunk.picks))
            if states(chunk, *part.span(chunk), asked):
                found.append(_passage(number, chunk, part, best))
    return sorted(found, key=lambda p: -p.score)


def _near(passages: Sequence[_Passage], behind: float) -> list[_Passage]:
    """Those of a document's passages, by score, at most `behind` below its best."""
    return [p for p in passages if p.score >= passages[0].score - behind]


def _text(chunk: Chunk, part: Range) -> str:
    start, end = part.span(chunk)
    return chunk.text[start - chunk.start : end - chunk.start]


def _passage(number: int, chunk: Chunk, part: Range, score: float) -> _Passage:
    run = chunk.sentences[part.first : part.last + 1]
    sentences = tuple(text_of(chunk, sentence) for sentence in run)
    return _Passage(number, part, _text(chunk, part), score, sentences)


def _repeated(passage: _Passage, chosen: Sequence[_Passage]) -> bool:
    """Whether one that is chosen says mostly the same, and all its figures (R-R11)."""
    return any(
        repeats(passage.words, other.words)
        and tells_all(other.sentences, passage.sentences)
        for other in chosen
    )


def _of(opened: Open, passage: _Passage, document: str) -> bool:
    return opened.chunks[passage.number - 1].document == document


def _enough(
    opened: Open,
    asked: str,
    chosen: list[_Passage],
    further: Sequence[_Passage],
    needed: int,
) -> list[_Passage]:
    """Split the longest passage at a sentence end while there are too few citations.

    Each half has to state something. Where none can be split so, the best of `further`
    that repeats none is taken in.
    """
    while len(chosen) < needed:
        cuts = {p: _cuts(opened.chunks[p.number - 1], p.part, asked) for p in chosen}
        splittable = [p for p in chosen if cuts[p]]
        if not splittable:
            fresh = (p for p in further if not _repeated(p, chosen))
            following = next(fresh, None)
            if following is None:
                return chosen
            chosen.append(following)
            continue
        longest = max(splittable, key=lambda p: len(p.text))
        chunk = opened.chunks[longest.number - 1]
        middle = _middle(chunk, longest.part, cuts[longest])
        halves = (
            Range(longest.part.first, middle),
            Range(middle + 1, longest.part.last),
        )
        at = chosen.index(longest)
        chosen[at : at + 1] = [
            _passage(longest.number, chunk, half, longest.score) for half in halves
        ]
    return chosen


def _cuts(chunk: Chunk, part: Range, asked: str) -> list[int]:
    """The sentences after which a passage may be cut: both halves state something."""
    start, end = part.span(chunk)
    return [
        at
        for at in range(part.first, part.last)
        if not leaves_waiting(chunk, at)
        and states(chunk, start, chunk.sentences[at].end, asked)
        and states(chunk, chunk.sentences[at + 1].start, end, asked)
    ]


def _middle(chunk: Chunk, part: Range, cuts: Sequence[int]) -> int:
    """The cut nearest the middle, after a block where there is one."""
    ends = [
        i for i in cuts if chunk.sentences[i].block != chunk.sentences[i + 1].block
    ] or cuts
    start, end = part.span(chunk)
    return min(ends, key=lambda i: abs(chunk.sentences[i].end - (start + end) / 2))


def _in_order(
    opened: Open, documents: Sequence[str], chosen: Sequence[_Passage]
) -> list[_Passage]:
    """By document, most relevant first, and inside it as the document has them."""

    def place(passage: _Passage) -> tuple[int, int]:
        chunk = opened.chunks[passage.number - 1]
        return documents.index(chunk.document), passage.part.span(chunk)[0]

    return sorted(chosen, key=place)
