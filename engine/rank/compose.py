"""From judged chunks to evidence: caps, required sources, demotion."""

from collections import Counter
from collections.abc import Iterable, Sequence, Set
from dataclasses import replace

from engine.model.evidence import Evidence, FoundThing, Trace
from engine.model.passage import Chunk
from engine.model.question import Intent
from engine.policy.authority import find_named_types
from engine.policy.pack import IntentRule, Pack
from engine.rank.mixing import Table, make_table, mix, unmet
from engine.rank.stating import find_wanted, narrow
from engine.text.patterns import fold, matches

FEWEST = 3  # documents that the caps have to leave, or they may be lifted


def compose(
    judged: Sequence[Chunk], intent: Intent, pack: Pack, trace: Trace
) -> Evidence:
    """Choose the final passages of a question, at most ten, under the pack's tables.

    Ordering may change here; relevance never does.

    Args:
        judged: chunks with relevance, best first; none that is withheld.
        intent: names the row of the pack that asks for source types.
        pack: caps, demotions, requirements.
        trace: of the search so far; the result adds to it.
    """
    rule = pack.rule(intent.query_type)
    rules = make_table(intent, rule, pack)
    judged, trace = _narrow_by_records(judged, intent, pack, trace)
    demoted = [c.id for c in judged if _is_restricted(c, rules, rule, pack)]
    cost = dict.fromkeys(demoted, pack.retrieval.restriction_cost)
    ordered = sorted(judged, key=lambda c: -(c.relevance - cost.get(c.id, 0.0)))
    leading = _find_leading(ordered, trace, rule)
    speaking = _find_named_documents(ordered, intent, pack)
    reserved = _reserve(ordered, {*trace.named, *leading, *speaking})
    ordered.sort(key=lambda c: c.id not in reserved)
    found = mix(ordered, replace(rules, reserved=reserved))
    beyond = _lift_caps([c for c in ordered if c.id in found.capped], found.taken, pack)
    final = (*found.taken, *beyond)
    kinds = pack.register()
    left = {chunk.id for chunk in final}
    gate = pack.gate
    return Evidence(
        chunks=final,
        nearest=tuple(c for c in ordered if c.id not in left),
        answerability=max((c.relevance for c in final), default=0.0),
        trace=trace.model_copy(
            update={
                "sources_by_type": dict(Counter(kinds[c.source].type for c in final)),
                "caps_applied": found.capped,
                "demoted": tuple(demoted),
                "filled": found.filled,
                "excluded_band": tuple(
                    c.id for c in final if gate.warned <= c.relevance < gate.used
                ),
                "widened": bool(beyond),
                # A question that is narrowed to one record lacks no others.
                "requirement_unmet": None
                if trace.asked_by
                else _unmet(final, rules, pack),
                "ruled_as": rule.query_type,
                "things": _find_things(ordered, {*trace.named}, {*leading}, pack),
                "leading": leading,
            }
        ),
    )


def _narrow_by_records(
    judged: Sequence[Chunk], intent: Intent, pack: Pack, trace: Trace
) -> tuple[Sequence[Chunk], Trace]:
    """Narrow the passages where entities are asked for by what their records state."""
    blocks = pack.rule(intent.query_type).blocks
    rule = next((thing for thing in pack.things if thing.kind == blocks), None)
    asked = find_wanted(intent.text, rule, pack) if rule and not trace.named else None
    if asked is None:
        return judged, trace
    left = narrow(judged, asked, pack)
    counted = {"silent": left.silent, "otherwise": left.otherwise}
    update = {"asked_by": asked.labels, **counted}
    return left.chunks, trace.model_copy(update=update)


def _find_leading(
    ordered: Sequence[Chunk], trace: Trace, rule: IntentRule
) -> tuple[str, ...]:
    """Return the records of the best passage's entity, where the question names none.

    "Has any trial shown a benefit?" is answered by a publication; its reader wants the
    record of this trial, however far it is from the question's words.
    """
    if rule.blocks is None or trace.named or not ordered:
        return ()
    best = ordered[0]
    names = {name for thing in best.things for name in thing.names}
    records = (
        chunk.document
        for chunk in ordered
        for thing in chunk.things
        if thing.kind == rule.blocks and thing.attributes and names & {*thing.names}
    )
    return tuple(dict.fromkeys(records))


def _find_named_documents(
    ordered: Sequence[Chunk], intent: Intent, pack: Pack
) -> list[str]:
    """Return the documents of named publishers, as many as a section cites.

    "What does NCCN say?" is answered by each of its guidelines that comes near, not by
    the longest of them alone.
    """
    register = pack.register()
    named = find_named_types(intent.text, {source.type for source in pack.sources})
    found = dict.fromkeys(
        chunk.document
        for chunk in ordered
        if chunk.relevance >= pack.gate.used and register[chunk.source].type in named
    )
    return list(found)[: pack.citations.maximum_per_section]


def _reserve(ordered: Sequence[Chunk], named: Set[str]) -> frozenset[str]:
    """Return the best passage of each document about a named entity; none is capped."""
    best: dict[str, str] = {}
    for chunk in ordered:
        if chunk.document in named:
            best.setdefault(chunk.document, chunk.id)
    return frozenset(best.values())


def _find_things(
    ordered: Iterable[Chunk], named: Set[str], leading: Set[str], pack: Pack
) -> tuple[FoundThing, ...]:
    """Return the entities whose records were found, including capped ones."""
    kinds = {rule.kind for rule in pack.things if rule.found}
    found: dict[tuple[str, int], FoundThing] = {}
    for chunk in ordered:
        near = chunk.relevance >= pack.gate.used or chunk.document in leading
        if not (chunk.document in named if named else near):
            continue
        for thing in chunk.things:
            if thing.kind in kinds and thing.attributes and thing.names:
                one = FoundThing(
                    kind=thing.kind,
                    name=thing.names[0],
                    document_id=chunk.document,
                    start=thing.start,
                    end=thing.end,
                )
                found.setdefault((chunk.document, thing.start), one)
    return tuple(found.values())


def find_lacking(evidence: Evidence, intent: Intent, pack: Pack) -> frozenset[str]:
    """Return the trusted sources of which the intent requires more passages."""
    rules = make_table(intent, pack.rule(intent.query_type), pack)
    wanted = {name for each in unmet(evidence.chunks, rules) for name in each.sources}
    return frozenset(
        s.id
        for s in pack.sources
        if s.trusted and not wanted.isdisjoint((s.id, s.type))
    )


def _lift_caps(
    capped: Sequence[Chunk], final: Sequence[Chunk], pack: Pack
) -> tuple[Chunk, ...]:
    """Return capped passages, where the caps left too few documents.

    Only where the pack allows it, which needs the environment's permission.
    """
    enough = len({chunk.document for chunk in final}) >= FEWEST
    if enough or not pack.retrieval.widening_allowed:
        return ()
    return tuple(capped[: pack.retrieval.final - len(final)])


def _is_restricted(chunk: Chunk, rules: Table, rule: IntentRule, pack: Pack) -> bool:
    """Return whether a chunk of a demoted type is about restrictions."""
    if not rules.of(rule.demoted_types, chunk):
        return False
    return matches(pack.retrieval.restriction_patterns, fold(chunk.text))


def _unmet(final: Sequence[Chunk], rules: Table, pack: Pack) -> str | None:
    """Return what the intent requires of sources and did not get, in words."""
    publishers = {source.id: source.publisher for source in pack.sources}
    told = []
    for required in unmet(final, rules):
        if not required.when_available:
            names = dict.fromkeys(publishers.get(s, s) for s in required.sources)
            noun = "passage" if required.least == 1 else "passages"
            found = rules.count(required.sources, final) or "none"
            told.append(f"{found} of {required.least} {noun} from {' or '.join(names)}")
    return "; ".join(told) or None
