"""From judged chunks to evidence: caps, required sources, demotion (R-R3 to R-R6)."""

from collections import Counter
from collections.abc import Sequence

from engine.patterns import fold, matches
from engine.policy import IntentRule, Pack
from engine.records import Chunk, Evidence, Intent, Trace
from engine.retrieve.instructing import instructs

FEWEST = 3  # documents that the caps have to leave, or they may be lifted (R-R6)


def compose(
    judged: Sequence[Chunk], intent: Intent, pack: Pack, trace: Trace
) -> Evidence:
    """The final passages of a question, at most ten, under the pack's tables.

    Ordering may change here; relevance never does (R-R5).

    Args:
        judged: chunks with relevance, best first.
        intent: names the row of the pack that asks for source types.
        pack: caps, demotions, requirements.
        trace: of the search so far; it comes back with what was done here.
    """
    rule = pack.rule(intent.query_type)
    register = pack.register()
    kinds = {chunk.id: register[chunk.source].type for chunk in judged}
    demoted = [c.id for c in judged if _restricted(c, kinds[c.id], rule, pack)]
    cost = dict.fromkeys(demoted, pack.retrieval.restriction_cost)
    ordered = sorted(judged, key=lambda c: -(c.relevance - cost.get(c.id, 0.0)))
    reserved = _reserved(ordered, trace)
    ordered.sort(key=lambda c: c.id not in reserved)
    final: list[Chunk] = []
    taken: Counter[str] = Counter()
    capped: list[str] = []
    instructing: list[str] = []
    for chunk in ordered:
        kind = kinds[chunk.id]
        full = taken[kind] >= pack.retrieval.caps.get(kind, len(ordered))
        if full and chunk.id not in reserved:
            capped.append(chunk.id)
        elif len(final) < pack.retrieval.final and instructs(chunk.text):
            instructing.append(chunk.id)
        elif len(final) < pack.retrieval.final:
            taken[kind] += 1
            final.append(chunk)
    beyond = _beyond([c for c in ordered if c.id in capped], final, pack)
    taken.update(kinds[chunk.id] for chunk in beyond)
    final += beyond
    left = {*(chunk.id for chunk in final), *instructing}
    gate = pack.gate
    return Evidence(
        chunks=tuple(final),
        nearest=tuple(c for c in ordered if c.id not in left),
        answerability=max((c.relevance for c in final), default=0.0),
        trace=trace.model_copy(
            update={
                "sources_by_type": dict(taken),
                "caps_applied": tuple(capped),
                "demoted": tuple(demoted),
                "excluded_band": tuple(
                    c.id for c in final if gate.warned <= c.relevance < gate.used
                ),
                "instructing": tuple(instructing),
                "widened": bool(beyond),
                "requirement_unmet": _unmet(final, rule, pack),
            }
        ),
    )


def _reserved(ordered: Sequence[Chunk], trace: Trace) -> frozenset[str]:
    """The best passage of each document about what is named; none is capped (R-R2)."""
    best: dict[str, str] = {}
    for chunk in ordered:
        if chunk.document in trace.named:
            best.setdefault(chunk.document, chunk.id)
    return frozenset(best.values())


def _beyond(capped: Sequence[Chunk], final: Sequence[Chunk], pack: Pack) -> list[Chunk]:
    """What the caps took out, where they left too few documents (R-R6).

    Only where the pack allows it, which it does not unless the environment does (R-F9).
    """
    enough = len({chunk.document for chunk in final}) >= FEWEST
    if enough or not pack.retrieval.widening_allowed:
        return []
    plain = [chunk for chunk in capped if not instructs(chunk.text)]
    return plain[: pack.retrieval.final - len(final)]


def _restricted(chunk: Chunk, kind: str, rule: IntentRule, pack: Pack) -> bool:
    """Whether a chunk of a demoted type speaks of restrictions (R-R5)."""
    if kind not in rule.demoted_types or not pack.retrieval.restriction_patterns:
        return False
    return matches(pack.retrieval.restriction_patterns, fold(chunk.text))


def _unmet(final: Sequence[Chunk], rule: IntentRule, pack: Pack) -> str | None:
    """What the intent requires of sources and did not get, in words (R-R4)."""
    if not rule.required_count:
        return None
    register = pack.register()
    names = set(rule.required_sources)
    found = sum(
        chunk.source in names or register[chunk.source].type in names for chunk in final
    )
    if found >= rule.required_count:
        return None
    wanted = ", ".join(rule.required_sources)
    return f"{rule.required_count} passages of {wanted} ({found} found)"
