"""The notices above an answer, beside those of its states.

Which parts of the search were not possible as asked, whether sources disagree, and how
many of the entities found are shown: fixed texts with counts, names and dates. And the
day that an answer is for, with its caveats.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import combinations

from engine.model.answer import Answer, Citation
from engine.model.evidence import Evidence, FoundThing, Trace
from engine.model.gate import GateDecision, Open
from engine.model.outcome import Refusal
from engine.model.passage import Chunk
from engine.model.question import Basis, Intent
from engine.policy.authority import find_named_types
from engine.policy.disagreement import are_apart, disagree, rank_precedence
from engine.policy.pack import Pack, Source
from engine.policy.records import Wording
from engine.policy.things import ThingRule
from engine.text.quotable import text_of
from engine.text.sides import find_unnamed
from engine.text.words import stemmed

UNNAMED = "None of these sentences names {missing}."
WIDENED = "The search was widened."  # in a pack without words for it
MOST_NAMED = 10  # things that are named as not shown; the others are counted


def tell_widening(
    result: Answer | Refusal, trace: Trace | None, intent: Intent, pack: Pack
) -> Iterator[str]:
    """Yield a notice for each way in which the search differed from what was asked.

    A refusal says by itself that too little was found.
    """
    if trace is None:
        return
    if trace.widened:
        yield pack.wording.widened or WIDENED
    if trace.requirement_unmet and isinstance(result, Answer):
        text = pack.wording.requirement_unmet
        yield text.replace("{requirement}", trace.requirement_unmet)
    if trace.removed_younger and intent.as_of is not None:
        yield pack.wording.younger.replace("{date}", intent.as_of.isoformat())


def count_things(
    result: Answer | Refusal, trace: Trace | None, pack: Pack
) -> Iterator[str]:
    """Yield how many of the entities found have a record card, and which have none.

    Nothing where the question names them and all are shown.
    """
    if trace is None:
        return
    if isinstance(result, Answer):
        yield from _count_shown(result, trace, pack)
    yield from _count_stated(result, trace, pack)


def _count_shown(answer: Answer, trace: Trace, pack: Pack) -> Iterator[str]:
    for rule in pack.things:
        found = [thing for thing in trace.things if thing.kind == rule.kind]
        left = [thing for thing in found if not _is_shown(thing, answer)]
        complete = bool(trace.named) and not left
        if rule.found and len(left) < len(found) and not complete:
            yield _format_count(rule, rule.found, found, left)


def _count_stated(result: Answer | Refusal, trace: Trace, pack: Pack) -> Iterator[str]:
    """Yield how many entities found state no value of the field asked for, or another
    one.
    """
    fields = ", ".join(trace.asked_by)
    for rule in pack.things:
        refused = not isinstance(result, Answer)
        counts = {rule.otherwise: trace.otherwise * refused, rule.silent: trace.silent}
        for text, count in counts.items():
            if text and count:
                said = text.replace("{fields}", fields)
                yield said.replace("{found}", str(count))


def _format_count(
    rule: ThingRule, text: str, found: Sequence[FoundThing], left: Sequence[FoundThing]
) -> str:
    said = text.replace("{found}", str(len(found)))
    said = said.replace("{shown}", str(len(found) - len(left)))
    if not left:
        return said
    named = [thing.name for thing in left[:MOST_NAMED]]
    if left[MOST_NAMED:]:
        named.append(f"+{len(left) - MOST_NAMED}")
    return f"{said} {rule.left.replace('{others}', ', '.join(named))}"


def _is_shown(thing: FoundThing, answer: Answer) -> bool:
    return any(
        quote.document == thing.document_id and thing.start <= quote.start < thing.end
        for section in answer.sections
        for claim in section.claims
        if claim.row
        for quote in claim.quotes
    )


def tell_disagreement(
    result: Answer | Refusal, gate: GateDecision | None, pack: Pack
) -> Iterator[str]:
    """Yield the notice that cited passages disagree, with their ranks."""
    differing = {c.document: c for c in find_opposed(result, gate, pack)}
    if not differing:
        return
    register = pack.register()
    ranked = sorted(differing.values(), key=lambda c: rank_precedence(c, register))
    named = "; ".join(_format_source(citation, register) for citation in ranked)
    yield pack.wording.disagreement.replace("{sources}", named)


def tell_narrowing(
    result: Answer | Refusal,
    gate: GateDecision | None,
    evidence: Evidence | None,
    intent: Intent,
    pack: Pack,
) -> Iterator[str]:
    """Yield the notice that all quotations are about one kind, which was not asked for.

    Of a follow-up `intent.text` includes the question before it.
    """
    if not isinstance(result, Answer) or not isinstance(gate, Open):
        return
    by_record = evidence is not None and bool(evidence.trace.asked_by)
    if pack.wording.one_kind is None or intent.things or gate.named or by_record:
        return
    cited = _find_cited(result, gate)
    kind = _find_one_kind(_join_headings(cited), intent.text, pack.answer.kinds)
    if kind is not None:
        others = _find_other_kinds(cited, evidence, intent.text, pack)
        yield _format_narrowing(kind, others, pack.wording)


def tell_lacking(
    result: Answer | Refusal, gate: GateDecision | None, asked: str
) -> Iterator[str]:
    """Yield the notice that no sentence names an attribute of the question
    ("HER2-negative").
    """
    if not isinstance(result, Answer) or not isinstance(gate, Open):
        return
    cited = _find_cited(result, gate)
    shown = [
        quote.text for s in result.sections for c in s.claims for quote in c.quotes
    ]
    missing = (
        find_unnamed(asked, "\n".join((*_join_headings(cited), *shown)))
        if cited
        else []
    )
    if missing:
        listed = ", ".join(f"“{name}”" for name in missing)
        yield UNNAMED.replace("{missing}", listed)


def _find_cited(answer: Answer, gate: Open) -> list[Chunk]:
    chunks = {chunk.id: chunk for chunk in gate.chunks}
    return [chunks[c.chunk] for c in answer.citations if c.chunk in chunks]


def _join_headings(cited: Sequence[Chunk]) -> list[str]:
    return [" ".join((chunk.title, *chunk.section)) for chunk in cited]


def _format_narrowing(kind: str, others: Sequence[str], wording: Wording) -> str:
    """Format the notice that all is about one kind, with the others that may be asked
    for.
    """
    said = (wording.one_kind or "").replace("{kind}", kind)
    if not others or wording.other_kinds is None:
        return said
    return f"{said} {wording.other_kinds.replace('{kinds}', ', '.join(others))}"


def _find_other_kinds(
    cited: Sequence[Chunk], evidence: Evidence | None, asked: str, pack: Pack
) -> list[str]:
    """Return the kinds that headings of other found pages name.

    Pages of the publishers that the question names, else of the same type and near
    enough to answer.
    """
    register = pack.register()
    found = (*evidence.chunks, *evidence.nearest) if evidence else ()
    named = find_named_types(asked, {source.type for source in pack.sources})
    types = named or {register[chunk.source].type for chunk in cited}
    quoted = {chunk.document for chunk in cited}
    heads = [
        stemmed(" ".join((chunk.title, *chunk.section)))
        for chunk in found
        if chunk.document not in quoted
        and register[chunk.source].type in types
        and (named or chunk.relevance >= pack.gate.used)
    ]
    said = stemmed(" ".join(" ".join((c.title, *c.section)) for c in cited))
    groups = [
        group
        for group in pack.answer.kinds
        if not any(stemmed(word) in said for word in group)
    ]
    named_by = (
        next((w for w in group if any(stemmed(w) in head for head in heads)), None)
        for group in groups
    )
    return list(dict.fromkeys(word for word in named_by if word is not None))


def _find_one_kind(
    heads: Sequence[str], asked: str, kinds: Sequence[Sequence[str]]
) -> str | None:
    """Return the kind that all headings name by one word; None if the question names
    one.
    """
    known = {word: stemmed(word) for group in kinds for word in group}
    question = stemmed(asked)
    if not heads or any(form in question for form in known.values()):
        return None
    named = [
        {word for word, form in known.items() if form in stemmed(head)}
        for head in heads
    ]
    same = set.intersection(*named)
    return min(same) if len(set().union(*named)) == 1 and same else None


def find_opposed(
    result: Answer | Refusal, gate: GateDecision | None, pack: Pack
) -> Iterator[Citation]:
    """Yield the citations that disagree with one of another document."""
    if not isinstance(result, Answer) or not isinstance(gate, Open):
        return
    chunks = {chunk.id: chunk for chunk in gate.chunks}
    known = [(c, chunks[c.chunk]) for c in result.citations if c.chunk in chunks]
    for (one, chunk), (other, beside) in combinations(known, 2):
        if one.document == other.document or are_apart(chunk, beside, pack.things):
            continue
        if disagree(_find_sentences(one, chunk), tuple(_find_sentences(other, beside))):
            yield from (one, other)


def _find_sentences(citation: Citation, chunk: Chunk) -> Iterator[str]:
    """Yield the sentences of a chunk that a citation spans."""
    for sentence in chunk.sentences:
        if citation.start <= sentence.start and sentence.end <= citation.end:
            yield text_of(chunk, sentence)


def _format_source(citation: Citation, register: Mapping[str, Source]) -> str:
    """Format a document by title, publisher, tier and date."""
    source, day = register.get(citation.source), citation.published
    tier = (f"tier {source.tier}",) if source else ()
    then = day or citation.retrieved
    dated = f"{'published' if day else 'retrieved'} {then}" if then else "undated"
    about = ", ".join((citation.publisher or citation.source, *tier, dated))
    return f"{citation.title} ({about})"


# The program words of a header, for people.
DAYS = {
    Basis.EXPLICIT: "This is for {date}, the day that you named.",
    Basis.APPLICATION_DATE: "This is for {date}, the day of the application.",
}


def format_header(pack: Pack, basis: Basis, as_of: date | None) -> str | None:
    """Return the analysis-date line; None where the pack does not ask for one.

    A basis other than today is always shown: the date never changes silently.
    """
    if as_of is None or not (pack.analysis_date_header or basis is not Basis.TODAY):
        return None
    return f"Analysis date basis: {as_of.isoformat()} ({basis})"


def tell_day(intent: Intent, pack: Pack) -> Iterator[str]:
    """Yield the caveats of the day: it is to come, was a year, or was not said.

    Nothing where the question is out of scope, in another language or urgent.
    """
    wording, day = pack.wording, intent.as_of
    served = intent.in_scope and intent.language in pack.languages
    if day is None or intent.urgent or not served:
        return
    worded = intent.whole_year and wording.whole_year
    if intent.basis in DAYS and not (worded or intent.day_phrase or intent.to_come):
        yield DAYS[intent.basis].replace("{date}", day.isoformat())
    if intent.to_come:
        yield wording.to_come.replace("{date}", day.isoformat())
    if intent.whole_year and wording.whole_year:
        yield wording.whole_year.replace("{date}", day.isoformat())
    if intent.day_phrase:
        told = wording.day_meant.replace("{date}", day.isoformat())
        yield told.replace("{phrase}", intent.day_phrase)
    if intent.other_date and wording.other_date:
        yield wording.other_date.replace("{date}", day.isoformat())
