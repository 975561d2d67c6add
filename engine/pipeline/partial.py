"""Judge a question by the gate: with its story, or in parts.

Where the gate stays closed for a whole question, what the question mainly asks, its
first part, has to open it alone; else the whole is refused. A further part that opens
it too adds its passages. One that does not is named as not found, or the whole is
refused, as the pack says; it is never guessed at. Where the gate opened for the whole,
the parts only add passages: the whole may rest on those of one part alone.
"""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence, Set
from datetime import date
from itertools import chain, zip_longest
from typing import NamedTuple

from engine.model.codes import Reason
from engine.model.document import BlockKind
from engine.model.evidence import Evidence, JudgedPart
from engine.model.gate import Closed, GateDecision, Open
from engine.model.passage import Chunk, Pick
from engine.model.question import Intent
from engine.parse.intent import AskedPart
from engine.policy.pack import Pack
from engine.policy.records import forms
from engine.text.closure import is_selectable
from engine.text.english import find
from engine.text.quotable import preview_quotation, text_of
from engine.text.words import STOPWORDS, stemmed, words

AHEAD = 10.0  # of the score of a sentence: above `extract.FARTHEST_BEHIND`
# Of these alone a part may be free: the others are about the asker, the index or a day.
_OF_THE_WORDS = frozenset(
    {Reason.LOW_SCORE, Reason.LOW_DIVERSITY, Reason.INSUFFICIENT_CONTEXT}
)


class Judged(NamedTuple):
    """What was found for a question, or a part of one, and what the gate said of it."""

    evidence: Evidence
    decision: GateDecision


Judge = Callable[[Intent], Awaitable[Judged]]


async def judge_parts(
    whole: Judged, parts: Sequence[AskedPart], judge: Judge, pack: Pack
) -> Judged:
    """Judge a question by its parts, where the whole needs it.

    Args:
        whole: the question, judged as it was asked.
        parts: its parts; none where it has one.
        judge: searches and judges one; called at most once for each part.
        pack: says what a missing part means.

    Raises:
        What `judge` raises.
    """
    closed = whole.decision if isinstance(whole.decision, Closed) else None
    if not parts or (closed is not None and closed.reason not in _OF_THE_WORDS):
        return whole
    if parts[0].side:
        return await _side_by_side(whole, parts, judge, pack)
    refuses = pack.answer.partial == "refuse"
    found: list[Judged] = []
    traced: list[JudgedPart] = []
    for part in parts:
        one = await judge(part.intent)
        found.append(one)
        traced.append(_trace_part(part, one))
        needed = closed is not None and (len(found) == 1 or refuses)
        if needed and isinstance(one.decision, Closed):
            return _with_trace(whole, traced)
    missing = [part.asked for part in traced if part.reason is not None]
    if closed is None and missing:
        found, missing = [whole, *found], []
    return _with_trace(_join_parts(whole, found, missing), traced)


async def _side_by_side(
    whole: Judged, sides: Sequence[AskedPart], judge: Judge, pack: Pack
) -> Judged:
    """Put two things that are compared side by side, each under its name.

    What names both comes first: a sentence, or the rows of one table. Else each side is
    judged alone. A side that no passage found names is told as missing; where one names
    it and is not clear enough, the whole is refused: an answer about the other side
    alone would pass for the comparison. Under a contract the sections are the pack's.
    Two arms of one trial are no two trials: where a side would be answered without any
    document that it or the question names, the whole stays as it was judged.
    """
    named = {*whole.evidence.trace.named}
    entities = bool(named)  # each is shown by its own fields
    together = None if entities else _put_both_first(whole, sides, pack)
    if together is not None:
        return together
    found = [await judge(side.intent) for side in sides]
    traced = [_trace_part(side, one) for side, one in zip(sides, found, strict=True)]
    if entities and any(_is_elsewhere(one, named) for one in found):
        return _with_trace(whole, traced)
    missing = [side.asked for side in traced if side.reason is not None]
    if missing and entities and isinstance(whole.decision, Open):
        return _with_trace(whole, traced)
    if missing:
        for one in found:
            together = _put_rows_first(one, sides, pack)
            if together is not None:
                return _with_trace(together, traced)
        refuses = sides[0].both or pack.answer.partial == "refuse"
        unclear = any(
            isinstance(one.decision, Closed) and _is_named(side, one.evidence, pack)
            for side, one in zip(sides, found, strict=True)
        )
        if refuses or unclear or len(missing) == len(sides):
            closed = (o for o in (whole, *found) if isinstance(o.decision, Closed))
            return _with_trace(next(closed), traced)
    if not pack.rule(sides[0].intent.query_type).sections:
        found = [_headed(one, side) for one, side in zip(found, sides, strict=True)]
    return _with_trace(_join_parts(whole, found, missing), traced)


def _is_elsewhere(judged: Judged, named: Set[str]) -> bool:
    """Tell whether a part is answered by documents that nothing names."""
    opened = judged.decision
    if not isinstance(opened, Open):
        return False
    meant = named | {*judged.evidence.trace.named}
    return meant.isdisjoint(chunk.document for chunk in opened.chunks)


def _headed(judged: Judged, side: AskedPart) -> Judged:
    if not isinstance(judged.decision, Open):
        return judged
    heading = side.asked[:1].upper() + side.asked[1:]
    decision = judged.decision.model_copy(update={"heading": heading})
    return judged._replace(decision=decision)


def _put_both_first(
    judged: Judged, sides: Sequence[AskedPart], pack: Pack
) -> Judged | None:
    """Put what names both sides before all else; None where nothing does.

    It has to stand in the document that is quoted first, for others may not be quoted.
    """
    rows = _put_rows_first(judged, sides, pack)
    if rows is not None or not isinstance(judged.decision, Open):
        return rows
    both = [
        (pick.score, chunk, pick.sentence)
        for chunk in _list_top(judged.decision)
        for pick in chunk.picks
        if all(_names(side, _stem_quoted(chunk, pick.sentence), pack) for side in sides)
    ]
    if not both:
        return None
    _, chunk, at = max(both, key=lambda one: one[0])
    return _raise(judged, judged.decision, chunk, [at])


def _put_rows_first(
    judged: Judged, sides: Sequence[AskedPart], pack: Pack
) -> Judged | None:
    """Put the rows of a table that holds both sides first; None where none does."""
    opened = judged.decision
    if not isinstance(opened, Open):
        return None
    for chunk in _list_top(opened):
        rows = _find_rows(chunk, sides, pack)
        if rows:
            return _raise(judged, opened, chunk, rows)
    return None


def _list_top(opened: Open) -> list[Chunk]:
    """List the passages of the document of the highest relevance."""
    top = max(opened.chunks, key=lambda chunk: chunk.relevance)
    return [chunk for chunk in opened.chunks if chunk.document == top.document]


def _find_rows(chunk: Chunk, sides: Sequence[AskedPart], pack: Pack) -> list[int]:
    """Find the rows of a table that name the sides; none where it lacks one of them.

    The head of the table counts too ("ten visits for an adult" is the row "Ten visits"
    under "Adult"), but a row has to hold a word of its side itself.
    """
    rows = [
        at
        for at, sentence in enumerate(chunk.sentences)
        if sentence.kind is BlockKind.TABLE_ROW and is_selectable(sentence)
    ]
    found = [
        next((at for at in rows if _names_row(side, chunk, at, pack)), None)
        for side in sides
    ]
    return [] if None in found else sorted({at for at in found if at is not None})


def _raise(judged: Judged, opened: Open, of: Chunk, first: Sequence[int]) -> Judged:
    """Let sentences of a passage be quoted before all others of its document."""
    best = max(p.score for chunk in opened.chunks for p in chunk.picks) + AHEAD
    raised = [Pick(sentence=at, score=best, relevance=of.relevance) for at in first]
    others = [pick for pick in of.picks if pick.sentence not in first]
    changed = of.model_copy(update={"picks": (*raised, *others)})
    chunks = tuple(changed if chunk is of else chunk for chunk in opened.chunks)
    return judged._replace(decision=opened.model_copy(update={"chunks": chunks}))


def _is_named(side: AskedPart, evidence: Evidence, pack: Pack) -> bool:
    """Tell whether any passage found names it, so that the sources do not lack it."""
    found = (*evidence.chunks, *evidence.nearest)
    return any(
        _names(side, stemmed(f"{_write_headings(c)}\n{c.text}"), pack) for c in found
    )


def _names(side: AskedPart, said: str, pack: Pack) -> bool:
    return all(any(f in said for f in found) for found in _list_forms(side, pack))


def _names_row(side: AskedPart, chunk: Chunk, at: int, pack: Pack) -> bool:
    row = stemmed(text_of(chunk, chunk.sentences[at]))
    whole = stemmed(preview_quotation(chunk, at).text(chunk))
    own = any(f in row for found in _list_forms(side, pack) for f in found)
    return own and _names(side, whole, pack)


def _list_forms(side: AskedPart, pack: Pack) -> list[list[str]]:
    """List the forms of each of a side's own words."""
    own = (word for word in words(side.asked) if word not in STOPWORDS)
    return [list(forms(word, pack.retrieval)) for word in own]


def _stem_quoted(chunk: Chunk, at: int) -> str:
    return stemmed(
        f"{_write_headings(chunk)}\n{preview_quotation(chunk, at).text(chunk)}"
    )


def _write_headings(chunk: Chunk) -> str:
    return "\n".join((chunk.title, *chunk.section))


async def judge_readings(
    read: Intent,
    others: Iterable[Intent],
    judge: Judge,
    rivals: Iterable[Intent] = (),
    about: Intent | None = None,
) -> tuple[Intent, Judged]:
    """Judge a question as it was read, then in other ways until one opens the gate.

    The words around a question are not searched for, nor is the question before it
    where it seems to need none. Where the gate stays closed without them, they may say
    what the question is about: "PSA came back high, when do they redo it". A reading
    only ever opens a gate; with the story it may come nearer to it.

    Args:
        read: the question without its story.
        others: the other readings, the likeliest first.
        judge: searches and judges; called once for each until a gate opens.
        rivals: readings as likely as the first, where that puts two questions side by
            side or opens no gate: the one that the documents answer best is taken.
        about: the question below the title of the document that answered the one
            before; taken where the documents answer it better than the first.

    Raises:
        What `judge` raises.
    """
    judged = await judge(read)
    compared = [(read, judged)]
    if about is not None and _may_be_about(read, judged):
        compared.append((about, await judge(about)))
    opened = [each for each in compared if isinstance(each[1].decision, Open)]
    if not opened or (about is None and "? " in read.text):
        tried = [(one, await judge(one)) for one in rivals]
        opened += [each for each in tried if isinstance(each[1].decision, Open)]
    if opened:
        return max(opened, key=lambda each: _find_best(each[1]))
    best = read, judged
    for told in others if _leans_on_words(read, judged) else ():
        again = await judge(told)
        if isinstance(again.decision, Open):
            return told, again
        story = not (told.follow_up or read.follow_up)
        if story and _find_best(again) > _find_best(judged):
            best = told, again
    return best


def _may_be_about(read: Intent, judged: Judged) -> bool:
    """Tell whether a question may be one about the document of the answer before.

    Not where it names an entity of its own, and, where it is answered, only where it
    goes on or points at something: a new subject starts afresh.
    """
    trace = judged.evidence.trace
    if trace.named or trace.unknown_names:
        return False
    if isinstance(judged.decision, Open):
        return read.follow_up or find("pointing", read.text) is not None
    return _leans_on_words(read, judged)


def _leans_on_words(read: Intent, judged: Judged) -> bool:
    """Tell whether other words may open the gate.

    They may where these were not enough, or where none is a word of the documents and
    one points at what was told ("can i still do it").
    """
    closed = judged.decision
    if not isinstance(closed, Closed):
        return False
    unknown = read.in_scope and closed.reason is Reason.OUT_OF_SCOPE
    pointing = unknown and find("pointing", read.text) is not None
    return pointing or closed.reason in _OF_THE_WORDS


def _find_best(judged: Judged) -> float:
    chunks = (*judged.evidence.chunks, *judged.evidence.nearest)
    return max((chunk.relevance for chunk in chunks), default=0.0)


def _trace_part(part: AskedPart, judged: Judged) -> JudgedPart:
    decision = judged.decision
    return JudgedPart(
        asked=part.asked,
        meant=part.intent.text,
        reason=decision.reason if isinstance(decision, Closed) else None,
        best=max((c.relevance for c in judged.evidence.chunks), default=0.0),
    )


def _with_trace(judged: Judged, traced: Sequence[JudgedPart]) -> Judged:
    trace = judged.evidence.trace.model_copy(update={"parts": tuple(traced)})
    evidence = judged.evidence.model_copy(update={"trace": trace})
    return judged._replace(evidence=evidence)


def _join_parts(
    whole: Judged, found: Sequence[Judged], missing: Sequence[str]
) -> Judged:
    """Join the parts that opened the gate; together they need what each needs."""
    opened = [one.decision for one in found if isinstance(one.decision, Open)]
    if len(opened) == 1 and not missing:
        return whole
    chunks = tuple(_merge_chunks(opened))
    decision = opened[0].model_copy(
        update={
            "chunks": chunks,
            "documents": len({chunk.witness for chunk in chunks}),
            "required_documents": max(one.required_documents for one in opened),
            "tier_one": all(one.tier_one for one in opened),
            "parts": tuple(opened),
            "missing": tuple(
                dict.fromkeys((*missing, *(m for one in opened for m in one.missing)))
            ),
            "named": tuple(dict.fromkeys(d for one in opened for d in one.named)),
            "leading": tuple(dict.fromkeys(d for one in opened for d in one.leading)),
        }
    )
    used = {chunk.id for chunk in chunks}
    others = (*whole.evidence.chunks, *whole.evidence.nearest)
    evidence = whole.evidence.model_copy(
        update={
            "chunks": chunks,
            "nearest": tuple(c for c in others if c.id not in used),
            "answerability": min(
                one.evidence.answerability
                for one in found
                if isinstance(one.decision, Open)
            ),
        }
    )
    return Judged(evidence, decision)


def _merge_chunks(opened: Sequence[Open]) -> Iterator[Chunk]:
    """Yield the chunks of all parts in turn; one that serves several has all its
    picks."""
    turns = zip_longest(*(one.chunks for one in opened))
    same: dict[str, list[Chunk]] = {}
    for chunk in filter(None, chain.from_iterable(turns)):
        same.setdefault(chunk.id, []).append(chunk)
    for chunks in same.values():
        best = max(chunks, key=lambda c: c.relevance)
        picks = {p.sentence: p for c in (*chunks, best) for p in c.picks}
        yield best.model_copy(update={"picks": tuple(picks.values())})


Days = tuple[date | None, date | None]


async def find_days(
    decision: GateDecision,
    evidence: Evidence,
    intent: Intent,
    pack: Pack,
    look: Callable[[Intent], Awaitable[Evidence]],
) -> Days | None:
    """Find the first and the last day on which a named thing is held, or None.

    They are looked for only where the gate is closed, no document of the day has the
    name, and the pack says such a thing. A last day of None is still to come.

    Args:
        decision: of the gate.
        evidence: of the question's day.
        intent: of the question.
        pack: its things.
        look: finds the evidence of an intent.

    Raises:
        What `look` raises.
    """
    told = any(rule.unheld for rule in pack.things)
    unknown = evidence.trace.unknown_names
    if not (told and unknown and isinstance(decision, Closed)):
        return None
    found = await look(intent.model_copy(update={"as_of": None}))
    named = {*found.trace.named}
    held = [
        (chunk.in_force_from, chunk.in_force_to)
        for chunk in (*found.chunks, *found.nearest)
        if chunk.document in named
    ]
    if not held:
        return None
    starts = [first for first, _ in held if first is not None]
    ends = [last for _, last in held]
    first = min(starts) if len(starts) == len(held) else None
    return first, None if None in ends else max(filter(None, ends))
