"""The alternatives that a refusal offers.

Sections that the reader found to answer the question, if not surely, are offered: by
the stored question of the passage that is nearest to the asker's, else by its heading,
else by the title of its section, or the nearest one above that makes no statement. A
choice shows its section, from the sentence that the reader points at. Each is asked
before it is offered, as the asker would ask it, without a model; one that would be
refused is not offered.
"""

import hashlib
from collections.abc import Awaitable, Callable, Sequence, Set
from dataclasses import dataclass

import re2

from engine.conclude.fallback import find_fixed_text
from engine.conclude.settle import Progress
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
from engine.text.english import shorthand
from engine.text.instructing import instructs
from engine.text.patterns import fold
from engine.text.words import STOPWORDS, stem, stemmed, words

MOST = 3  # choices of one refusal
TRIED = 6  # candidates that are asked before they are offered
NEAR = 0.04  # relevance of a passage that may answer
COMMON = 3  # pages that have a section of the same title: it does not identify one
SHARE = 0.8  # of the question's time, by which the last candidate is to be tried
TELLING = 3  # words of content from which a title describes its page: not "Fees"
SHORTEST = 4  # letters of a name
LONGEST = 200  # characters of what is offered: a longer heading is no title

# What was found was too little; no rule forbade an answer.
_TOO_LITTLE = frozenset(
    {
        Reason.LOW_SCORE,
        Reason.LOW_DIVERSITY,
        Reason.INSUFFICIENT_CONTEXT,
        Reason.INSUFFICIENT_CITATIONS,
    }
)
# A heading with a finite verb is a statement, unless it is a question.
_STATES = re2.compile(
    r"(?i)[.!;]\s*$|\b(?:is|are|was|were|has|have|had|can|cannot|could|may|might|must"
    r"|should|shall|will|would|does|do|did|causes?|means?|helps?)\b"
)

Ask = Callable[[Question], Awaitable[Outcome]]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A possible choice, the passage that it came from, and its question."""

    choice: Choice
    chunk: Chunk
    asked: Question


async def choose(
    progress: Progress, pack: Pack, ask: Ask, share: Callable[[], float]
) -> tuple[Choice, ...]:
    """Choose up to three choices, the one that answers best first.

    None below an emergency notice or a fixed text, none where the asker chose the
    evidence, and none unless the evidence was too little and no rule spoke against it.

    Args:
        progress: of the refusal; its asker asks each choice, over the same documents.
        pack: the tables.
        ask: answers a question without putting it on record.
        share: returns the share of the question's time that is gone.

    Raises:
        What `ask` raises.
    """
    if (
        not _offers(progress, pack)
        or progress.evidence is None
        or _unheard_of(progress, pack)
    ):
        return ()
    found: list[Choice] = []
    each = share()  # a choice takes about as long as the question did so far
    for candidate in _find_candidates(
        progress.evidence, progress.question, progress.intent, pack
    ):
        if len(found) == MOST or share() + each >= SHARE:
            break
        if isinstance((await ask(candidate.asked)).result, Answer):
            found.append(candidate.choice)
    return tuple(found)


def _offers(progress: Progress, pack: Pack) -> bool:
    question, gate = progress.question, progress.gate
    if question.selection is not None or question.evidence is not None:
        return False
    reason = gate.reason if isinstance(gate, Closed) else progress.reason
    said = find_fixed_text(pack, progress.intent) is not None
    return reason in _TOO_LITTLE and not progress.intent.urgent and not said


def _unheard_of(progress: Progress, pack: Pack) -> bool:
    """Return whether a name that nothing bears is told: nothing else was meant.

    A name of figures is an identifier, and another one is another thing.
    """
    names = progress.evidence.trace.unknown_names if progress.evidence else ()
    told = any(rule.unknown for rule in pack.things)
    return any(told or any(c.isdigit() for c in name) for name in names)


def _find_candidates(
    evidence: Evidence, question: Question, intent: Intent, pack: Pack
) -> Sequence[Candidate]:
    """Return the possible choices, best first: one for each section, none in two
    releases.

    Documents about named entities precede those near to the question's words.
    """
    found: list[Candidate] = []
    seen, places = {_fold(question.text)}, set[tuple[str, ...]]()
    named = {*evidence.trace.named}
    near = sorted(
        (*evidence.chunks, *evidence.nearest),
        key=lambda chunk: (chunk.document not in named, -chunk.relevance),
    )
    common = _find_common_titles(near)
    speaking = _speaking(near, _find_asked(question, intent), pack)
    trusted = {source.id for source in pack.sources if source.trusted}
    for chunk in near:
        read = chunk.relevance >= NEAR and FOUND in chunk.parts
        if chunk.source not in trusted or not (
            chunk.document in named or (read and chunk.document in speaking)
        ):
            continue
        sign = _find_sign(chunk, common, pack, seen)
        if sign is None:
            continue
        place = tuple(map(_fold, (chunk.title, *chunk.section)))
        candidate = None
        if place not in places:
            candidate = _make_candidate(chunk, sign, question, intent)
        places.add(place)
        if candidate is not None and _fold(candidate.choice.label) not in seen:
            seen.add(_fold(candidate.choice.label))
            found.append(candidate)
        if len(found) == TRIED:
            break
    return found


def _find_common_titles(chunks: Sequence[Chunk]) -> frozenset[str]:
    """Return titles of sections that different pages have: "Key Points", "Overview".

    A page in several releases is one page.
    """
    held: dict[str, set[str]] = {}
    for chunk in chunks:
        for heading in chunk.section:
            held.setdefault(_fold(heading), set()).add(_fold(chunk.title))
    return frozenset(title for title, pages in held.items() if len(pages) >= COMMON)


def _find_asked(question: Question, intent: Intent) -> list[str]:
    """Return the words of a question that are not only in the story around it."""
    framed = unframe(question.text)
    told = frozenset(words(" ".join(framed.told))) - frozenset(words(framed.asked))
    return [word for word in dict.fromkeys(words(intent.text)) if word not in told]


def _speaking(
    chunks: Sequence[Chunk], asked: Sequence[str], pack: Pack
) -> frozenset[str]:
    """Return the documents that speak of something that the question names, or all
    where none does.

    A page about tamoxifen tells nothing of ondansetron, however alike the questions
    are; of two things that are compared each page may be about one.
    """
    texts: dict[str, str] = {}
    for chunk in chunks:
        said = "\n".join((chunk.title, *chunk.section, chunk.text))
        texts[chunk.document] = f"{texts.get(chunk.document, '')}{stemmed(said)}"
    named: set[str] = set()
    for word in asked:
        meant = forms(word, pack.retrieval)
        if _is_name(word, meant):
            named |= {d for d, said in texts.items() if any(m in said for m in meant)}
    return frozenset(named or texts)


def _is_name(word: str, meant: Sequence[str]) -> bool:
    """Return whether a word names something: "ondansetron" does, "meds" does not.

    English at large does not know it, in none of its meanings; short ones are
    shorthand ("n", "vs").

    Args:
        word: of the question.
        meant: the word and its meanings, as `stemmed` texts.
    """
    if not word.isalpha() or len(word) < SHORTEST or word in shorthand():
        return False
    return all(any(weigh(s) >= STRANGE for s in text.split()) for text in meant)


@dataclass(frozen=True, slots=True)
class _Sign:
    """The label of a passage that is offered: a question, else a title."""

    said: str
    asks: bool


def _find_sign(
    chunk: Chunk, common: frozenset[str], pack: Pack, seen: Set[str]
) -> _Sign | None:
    """Return its stored question, unless seen, else the nearest title that may be
    shown.

    None where even its document's title makes a statement.
    """
    if chunk.question is not None and _fold(chunk.question) not in seen:
        return _Sign(chunk.question, asks=True)
    for heading in reversed((chunk.title, *chunk.section)):
        asks = heading.rstrip().endswith("?")
        if heading != chunk.title and _fold(heading) in common:
            continue
        if asks and heading == _last_heading(chunk):
            return _Sign(heading, asks=True)
        if asks or pack.domain is not Domain.MEDICAL or not _STATES.search(heading):
            return _Sign(heading, asks=False)
    return None


def _last_heading(chunk: Chunk) -> str:
    return chunk.section[-1] if chunk.section else chunk.title


def _fold(text: str) -> str:
    """Return a text as a reader compares it: without case, blanks and a mark at the
    end.
    """
    return " ".join(words(fold(text)))


def _make_candidate(
    chunk: Chunk, sign: _Sign, question: Question, intent: Intent
) -> Candidate | None:
    """Make the candidate of a passage; None where its label is no question or title."""
    said = " ".join((sign.said if sign.asks else _make_title(chunk, sign.said)).split())
    if not words(said) or len(said) > LONGEST or instructs(said):
        return None
    choice = Choice(
        question=said if sign.asks else None,
        section=path(chunk),
        label=said,
        document_id=chunk.document,
        title=chunk.title,
        question_id=_hash_choice(chunk, said if sign.asks else ""),
        near=_find_nearest_start(chunk),
    )
    asked = question.model_copy(update=apply_choice(choice, intent))
    return Candidate(choice, chunk, asked)


def _find_nearest_start(chunk: Chunk) -> int | None:
    """Return the start of the sentence of a passage that answers best."""
    best = max(chunk.picks, key=lambda pick: pick.score, default=None)
    return None if best is None else chunk.sentences[best.sentence].start


def apply_choice(choice: Choice, intent: Intent) -> dict[str, object]:
    """Return the fields of a question that a choice replaces.

    `intent` is that of the refusal: its day applies to the choice, too.
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


def _make_title(chunk: Chunk, heading: str) -> str:
    """Return a title of a passage; with its document's, unless one describes both."""
    said = _stem_content(heading)
    tells = len(said) >= TELLING and not _stem_content(chunk.title).isdisjoint(said)
    if tells or heading == chunk.title:
        return heading
    if said <= _stem_content(chunk.title):
        return chunk.title
    return f"{chunk.title}: {heading}"


def _stem_content(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words(text) if word not in STOPWORDS)


def _hash_choice(chunk: Chunk, asks: str) -> str:
    named = "\n".join((chunk.document, path(chunk), _fold(asks)))
    return hashlib.sha256(named.encode("utf-8", "surrogatepass")).hexdigest()[:16]
