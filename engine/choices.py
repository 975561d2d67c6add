"""What a refusal offers to choose from (R-Q5).

A passage that came near is offered by the stored question of it that is nearest to what
was asked, else by its heading, else by the title of its section: never by a statement
(R-I4). Each is asked before it is offered, as the asker would ask it, of no model; what
would be refused is not offered.
"""

import hashlib
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass

import re2

from engine.closure import selectable
from engine.lexicon import STOPWORDS, stem, words
from engine.outcome import Walk
from engine.patterns import fold
from engine.policy import Domain, Pack
from engine.records import (
    Answer,
    Basis,
    Choice,
    ChosenSection,
    Chunk,
    Closed,
    Evidence,
    Intent,
    Outcome,
    Question,
    Reason,
)
from engine.retrieve.instructing import instructs
from engine.retrieve.quotation import text_of
from engine.retrieve.section import path

MOST = 3  # choices of one refusal
TRIED = 6  # candidates that are asked before they are offered
NEAR = 0.05  # relevance of a passage that came near; below stands what is beside it
TITLED = 0.1  # the same where a title alone would be offered, which asks nothing
COMMON = 3  # documents that have a section of the same title: it tells nothing of them
SHARE = 0.5  # of the question's time, by which the last candidate is to be tried
LONGEST = 200  # characters of what is offered: a longer heading is no title

# The corridor answered, and relevance alone was lacking: no rule spoke against it.
_FOR_RELEVANCE = frozenset(
    {Reason.LOW_SCORE, Reason.LOW_DIVERSITY, Reason.INSUFFICIENT_CONTEXT}
)
# A heading that says something is, can or must be: a statement, unless it asks.
_STATES = re2.compile(
    r"(?i)[.!;]\s*$|\b(?:is|are|was|were|has|have|had|can|cannot|could|may|might|must"
    r"|should|shall|will|would|does|do|did|causes?|means?|helps?)\b"
)

Ask = Callable[[Question], Awaitable[Outcome]]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A choice to be, the passage that it came from, and how it is asked."""

    choice: Choice
    chunk: Chunk
    asked: Question


async def choices(
    walk: Walk, pack: Pack, ask: Ask, share: Callable[[], float]
) -> tuple[Choice, ...]:
    """Up to three choices, the one that answers best first; none where none may be.

    Not below an emergency notice, which offers its pages; not where the asker chose
    the evidence; and only where what was found fell short, not where a rule forbids.

    Args:
        walk: of the refusal; who asked it asks each choice, and sees what they may.
        pack: the tables.
        ask: answers a question without putting it on record.
        share: of the question's time that is gone.

    Raises:
        What `ask` raises.
    """
    if not _offers(walk) or walk.evidence is None:
        return ()
    found: list[Choice] = []
    each = share()  # a choice takes about as long as the question did so far
    for candidate in _candidates(walk.evidence, walk.question, walk.intent, pack):
        if len(found) == MOST or share() + each >= SHARE:
            break
        if _holds(await ask(candidate.asked), candidate):
            found.append(candidate.choice)
    return tuple(found)


def _offers(walk: Walk) -> bool:
    question, gate = walk.question, walk.gate
    if question.selection is not None or question.evidence is not None:
        return False
    closed = isinstance(gate, Closed) and gate.reason in _FOR_RELEVANCE
    return closed and not walk.intent.urgent


def _candidates(
    evidence: Evidence, question: Question, intent: Intent, pack: Pack
) -> Sequence[Candidate]:
    """What could be offered, best first: one a section, none in two releases."""
    found: list[Candidate] = []
    seen = {_said(question.text)}
    register = pack.register()
    found_near = (*evidence.chunks, *evidence.nearest)
    common, asked = _common(found_near), _content(intent.text)
    for chunk in sorted(found_near, key=_order):
        source = register.get(chunk.source)
        if chunk.relevance < NEAR or source is None or not source.trusted:
            continue
        if chunk.question is None and _said(_heading(chunk)) in common:
            continue
        if _asks(chunk) is None and _tells_nothing(chunk, asked):
            continue
        place = _said("\n".join((chunk.title, *chunk.section)))
        candidate = None if place in seen else _candidate(chunk, question, intent, pack)
        seen.add(place)
        if candidate is not None and _said(candidate.choice.label) not in seen:
            seen.add(_said(candidate.choice.label))
            found.append(candidate)
        if len(found) == TRIED:
            break
    return found


def _common(chunks: Sequence[Chunk]) -> frozenset[str]:
    """Titles of sections that several documents have: "Key Points", "Overview"."""
    held: dict[str, set[str]] = {}
    for chunk in chunks:
        held.setdefault(_said(_heading(chunk)), set()).add(chunk.document)
    return frozenset(title for title, ids in held.items() if len(ids) >= COMMON)


def _tells_nothing(chunk: Chunk, asked: frozenset[str]) -> bool:
    """Whether a title is too far off, or shares no word with text and question.

    "Key Points" of a page about something else.
    """
    if chunk.relevance < TITLED:
        return True
    heading = _content(_heading(chunk))
    text = " ".join(text_of(chunk, s) for s in chunk.sentences if selectable(s))
    about = _content(chunk.title) | heading
    return asked.isdisjoint(about) and heading.isdisjoint(_content(text))


def _asks(chunk: Chunk) -> str | None:
    """The question that a passage is offered by; None where it has a title alone."""
    heading = _heading(chunk)
    return chunk.question or (heading if heading.rstrip().endswith("?") else None)


def _heading(chunk: Chunk) -> str:
    return chunk.section[-1] if chunk.section else chunk.title


def _order(chunk: Chunk) -> tuple[float, float]:
    """By the sentence that answers best, wherever it stands; then by its document."""
    best = max((pick.score for pick in chunk.picks), default=float("-inf"))
    return -best, -chunk.relevance


def _said(text: str) -> str:
    """What is the same to a reader is the same: case, blanks, a mark at the end."""
    return " ".join(words(fold(text)))


def _candidate(
    chunk: Chunk, question: Question, intent: Intent, pack: Pack
) -> Candidate | None:
    """The choice that a passage makes; None where it has neither question nor title."""
    heading, asks = _heading(chunk), _asks(chunk)
    said = " ".join((asks or _title(chunk)).split())
    if not words(said) or len(said) > LONGEST or instructs(said):
        return None
    if asks is None and pack.domain is Domain.MEDICAL and _STATES.search(heading):
        return None
    section = None if asks else path(chunk)
    choice = Choice(
        question=said if asks else None,
        section=section,
        label=said,
        document_id=chunk.document,
        title=chunk.title,
        question_id=_id(chunk, said if asks else ""),
    )
    asked = question.model_copy(update=chosen(choice, intent))
    return Candidate(choice, chunk, asked)


def chosen(choice: Choice, intent: Intent) -> dict[str, object]:
    """What a choice changes of a question, which is then asked as any is.

    `intent` is that of the refusal: a day that it was asked for counts here too.
    """
    changed: dict[str, object] = {"text": choice.label, "previous": None}
    if choice.section is not None:
        place = {"document_id": choice.document_id, "section": choice.section}
        changed["evidence"] = ChosenSection.model_validate(place)
    if intent.basis is not Basis.TODAY:
        changed["as_of"] = intent.as_of
    return changed


def _title(chunk: Chunk) -> str:
    """The title of a passage's section; with its document's, unless it tells of it."""
    if not chunk.section:
        return chunk.title
    heading = chunk.section[-1]
    if not _content(chunk.title).isdisjoint(_content(heading)):
        return heading
    return f"{chunk.title}: {heading}"


def _content(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words(text) if word not in STOPWORDS)


def _id(chunk: Chunk, asks: str) -> str:
    named = "\n".join((chunk.document, path(chunk), _said(asks)))
    return hashlib.sha256(named.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _holds(outcome: Outcome, candidate: Candidate) -> bool:
    """Whether the answer to a choice was let through, and holds its passage."""
    result, chunk = outcome.result, candidate.chunk
    if not isinstance(result, Answer):
        return False
    return candidate.asked.evidence is not None or any(
        _overlaps(chunk, document, start, end)
        for document, start, end in _quoted(result)
    )


def _quoted(answer: Answer) -> Iterator[tuple[str, int, int]]:
    for section in answer.sections:
        for claim in section.claims:
            for quote in claim.quotes:
                yield quote.document, quote.start, quote.end


def _overlaps(chunk: Chunk, document: str, start: int, end: int) -> bool:
    return document == chunk.document and start < chunk.end and chunk.start < end
