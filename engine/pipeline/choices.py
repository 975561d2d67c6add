"""What a refusal offers to choose from.

What the reader finds to answer the asker's own question, if not surely, is offered: by
the stored question of the passage that is nearest to what was asked, else by its
heading, else by the title of its section, or the nearest one above that states nothing:
never by a statement. Whoever chooses it is shown its section, from the sentence that
the reader points at. Each is asked before it is offered, as the asker would ask it, of
no model; what would be refused is not offered.
"""

import hashlib
from collections.abc import Awaitable, Callable, Sequence, Set
from dataclasses import dataclass

import re2

from engine.conclude.fallback import find_fixed_text
from engine.conclude.settle import Walk
from engine.model.answer import Answer
from engine.model.codes import Reason
from engine.model.evidence import Evidence
from engine.model.gate import Closed
from engine.model.outcome import Choice, Outcome
from engine.model.passage import Chunk
from engine.model.question import Basis, ChosenSection, Intent, Question
from engine.parse.framing import unframe
from engine.policy.pack import Domain, Pack
from engine.policy.records import forms
from engine.rank.features import STRANGE
from engine.rank.reading import FOUND
from engine.search.section import path
from engine.text.background import weigh
from engine.text.instructing import instructs
from engine.text.patterns import fold
from engine.text.words import STOPWORDS, stem, stemmed, words

MOST = 3  # choices of one refusal
TRIED = 6  # candidates that are asked before they are offered
NEAR = 0.04  # relevance of a passage that may answer; below stands what is beside it
COMMON = 3  # pages that have a section of the same title: it tells nothing of them
SHARE = 0.5  # of the question's time, by which the last candidate is to be tried
TELLING = 3  # words of content from which a title tells of its page: not "Fees"
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

    Not below an emergency notice, nor below what fixed words answer; not where the
    asker chose the evidence; and only where what was found fell short, not where a
    rule forbids.

    Args:
        walk: of the refusal; who asked it asks each choice, and sees what they may.
        pack: the tables.
        ask: answers a question without putting it on record.
        share: of the question's time that is gone.

    Raises:
        What `ask` raises.
    """
    if not _offers(walk, pack) or walk.evidence is None or _unheard_of(walk, pack):
        return ()
    found: list[Choice] = []
    each = share()  # a choice takes about as long as the question did so far
    for candidate in _candidates(walk.evidence, walk.question, walk.intent, pack):
        if len(found) == MOST or share() + each >= SHARE:
            break
        if isinstance((await ask(candidate.asked)).result, Answer):
            found.append(candidate.choice)
    return tuple(found)


def _offers(walk: Walk, pack: Pack) -> bool:
    question, gate = walk.question, walk.gate
    if question.selection is not None or question.evidence is not None:
        return False
    closed = isinstance(gate, Closed) and gate.reason in _FOR_RELEVANCE
    said = find_fixed_text(pack, walk.intent) is not None
    return closed and not walk.intent.urgent and not said


def _unheard_of(walk: Walk, pack: Pack) -> bool:
    """Return whether a name that nothing bears is told: nothing else was meant."""
    names = walk.evidence.trace.unknown_names if walk.evidence else ()
    return bool(names) and any(rule.unknown for rule in pack.things)


def _candidates(
    evidence: Evidence, question: Question, intent: Intent, pack: Pack
) -> Sequence[Candidate]:
    """Return what could be offered, best first: one a section, none in two releases.

    What the question names comes before what is near to its words.
    """
    found: list[Candidate] = []
    seen, places = {_said(question.text)}, set[tuple[str, ...]]()
    named = {*evidence.trace.named}
    near = sorted(
        (*evidence.chunks, *evidence.nearest),
        key=lambda chunk: (chunk.document not in named, -chunk.relevance),
    )
    common = _common(near)
    speaking = _speaking(near, _asked(question, intent), pack)
    trusted = {source.id for source in pack.sources if source.trusted}
    for chunk in near:
        read = chunk.relevance >= NEAR and FOUND in chunk.parts
        if chunk.source not in trusted or not (
            chunk.document in named or (read and chunk.document in speaking)
        ):
            continue
        sign = _sign(chunk, common, pack, seen)
        if sign is None:
            continue
        place = tuple(map(_said, (chunk.title, *chunk.section)))
        candidate = None
        if place not in places:
            candidate = _candidate(chunk, sign, question, intent)
        places.add(place)
        if candidate is not None and _said(candidate.choice.label) not in seen:
            seen.add(_said(candidate.choice.label))
            found.append(candidate)
        if len(found) == TRIED:
            break
    return found


def _common(chunks: Sequence[Chunk]) -> frozenset[str]:
    """Titles of sections that different pages have: "Key Points", "Overview".

    A page in several releases is one page.
    """
    held: dict[str, set[str]] = {}
    for chunk in chunks:
        for heading in chunk.section:
            held.setdefault(_said(heading), set()).add(_said(chunk.title))
    return frozenset(title for title, pages in held.items() if len(pages) >= COMMON)


def _asked(question: Question, intent: Intent) -> list[str]:
    """Return the words of a question that no story around it alone brings in."""
    framed = unframe(question.text)
    told = frozenset(words(" ".join(framed.told))) - frozenset(words(framed.asked))
    return [word for word in dict.fromkeys(words(intent.text)) if word not in told]


def _speaking(
    chunks: Sequence[Chunk], asked: Sequence[str], pack: Pack
) -> frozenset[str]:
    """Return the documents that speak of all that the question names, as any of them
    does.

    A name is a word that English at large does not know. Of ondansetron a page about
    tamoxifen tells nothing, however alike the questions are.
    """
    texts: dict[str, str] = {}
    for chunk in chunks:
        said = "\n".join((chunk.title, *chunk.section, chunk.text))
        texts[chunk.document] = f"{texts.get(chunk.document, '')}{stemmed(said)}"
    left = frozenset(texts)
    for word in asked:
        if not word.isalpha() or weigh(stem(word)) < STRANGE:
            continue
        meant = forms(word, pack.retrieval)
        holding = {d for d, said in texts.items() if any(m in said for m in meant)}
        left = left & holding if holding else left
    return left


@dataclass(frozen=True, slots=True)
class _Sign:
    """What a passage is offered by: a question, else a title."""

    said: str
    asks: bool


def _sign(
    chunk: Chunk, common: frozenset[str], pack: Pack, seen: Set[str]
) -> _Sign | None:
    """Its stored question, unless seen, else the nearest title that may be shown.

    None where even its document's title says something that is the case.
    """
    if chunk.question is not None and _said(chunk.question) not in seen:
        return _Sign(chunk.question, asks=True)
    for heading in reversed((chunk.title, *chunk.section)):
        asks = heading.rstrip().endswith("?")
        if heading != chunk.title and _said(heading) in common:
            continue
        if asks and heading == _heading(chunk):
            return _Sign(heading, asks=True)
        if asks or pack.domain is not Domain.MEDICAL or not _STATES.search(heading):
            return _Sign(heading, asks=False)
    return None


def _heading(chunk: Chunk) -> str:
    return chunk.section[-1] if chunk.section else chunk.title


def _said(text: str) -> str:
    """Return a text as a reader compares it: without case, blanks and a mark at the
    end.
    """
    return " ".join(words(fold(text)))


def _candidate(
    chunk: Chunk, sign: _Sign, question: Question, intent: Intent
) -> Candidate | None:
    """Return the choice that a passage makes; None where its sign is no question or
    title.
    """
    said = " ".join((sign.said if sign.asks else _title(chunk, sign.said)).split())
    if not words(said) or len(said) > LONGEST or instructs(said):
        return None
    choice = Choice(
        question=said if sign.asks else None,
        section=path(chunk),
        label=said,
        document_id=chunk.document,
        title=chunk.title,
        question_id=_id(chunk, said if sign.asks else ""),
        near=_nearest(chunk),
    )
    asked = question.model_copy(update=chosen(choice, intent))
    return Candidate(choice, chunk, asked)


def _nearest(chunk: Chunk) -> int | None:
    """Return where the sentence of a passage stands that answers best."""
    best = max(chunk.picks, key=lambda pick: pick.score, default=None)
    return None if best is None else chunk.sentences[best.sentence].start


def chosen(choice: Choice, intent: Intent) -> dict[str, object]:
    """Return what a choice changes of a question, which is then asked as any is.

    `intent` is that of the refusal: a day that it was asked for counts here too.
    """
    changed: dict[str, object] = {"text": choice.label, "previous": None}
    if choice.section is not None:
        place = {
            "document_id": choice.document_id,
            "section": choice.section,
            "near": choice.near,
        }
        changed["evidence"] = ChosenSection.model_validate(place)
    if intent.basis is not Basis.TODAY:
        changed["as_of"] = intent.as_of
    return changed


def _title(chunk: Chunk, heading: str) -> str:
    """Return a title of a passage; with its document's, unless one tells of both by
    itself.
    """
    said = _content(heading)
    tells = len(said) >= TELLING and not _content(chunk.title).isdisjoint(said)
    if tells or heading == chunk.title:
        return heading
    if said <= _content(chunk.title):
        return chunk.title
    return f"{chunk.title}: {heading}"


def _content(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words(text) if word not in STOPWORDS)


def _id(chunk: Chunk, asks: str) -> str:
    named = "\n".join((chunk.document, path(chunk), _said(asks)))
    return hashlib.sha256(named.encode("utf-8", "surrogatepass")).hexdigest()[:16]
