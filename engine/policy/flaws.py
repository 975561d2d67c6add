"""What is wrong with a pack, by field, and what of its mix bounds or names nothing."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from engine.documents.records import Frozen

if TYPE_CHECKING:
    from engine.policy.pack import Pack


class Violation(Frozen):
    """What is wrong with a pack: `field` as a path ("gate.openings[1].relevance").

    `floor` is the floor of R-I9 that the field is below, or None.
    """

    field: str
    message: str
    floor: str | None = None


def mix_flaws(pack: "Pack") -> Iterator[Violation]:
    """What bounds nothing, or names no source, query type or kind of things."""
    covered = pack.retrieval.covered
    if covered is not None and covered.at_most >= pack.gate.used:
        yield Violation(
            field="retrieval.covered.at_most",
            message=f"is {covered.at_most:g}, so what covers too little of a question "
            f"would still be used: set it below gate.used, which is {pack.gate.used:g}",
        )
    types = {source.type for source in pack.sources}
    sources = types | {source.id for source in pack.sources}
    queries = {rule.query_type for rule in pack.intents}
    for at, cap in enumerate(pack.retrieval.caps):
        field = f"retrieval.caps[{at}]"
        yield from _unknown(f"{field}.types", cap.types, sources, "source or type")
        asked = (*cap.query_types, *cap.but_not)
        yield from _unknown(field, asked, queries, "query type")
        kinds = (cap.raised_by,) if cap.raised_by else ()
        things = {*pack.retrieval.things, *(thing.kind for thing in pack.things)}
        yield from _unknown(f"{field}.raised_by", kinds, things, "kind of things")
    for at, opening in enumerate(pack.gate.openings):
        field = f"gate.openings[{at}].query_types"
        yield from _unknown(field, opening.query_types, queries, "query type")
    for at, figure in enumerate(pack.health.retrieval):
        field = f"health.retrieval[{at}]"
        yield from _unknown(f"{field}.types", figure.types, types, "type of source")
        asked = figure.query_types
        yield from _unknown(f"{field}.query_types", asked, queries, "query type")
    known = {thing.kind for thing in pack.things}
    if len(known) < len(pack.things):
        yield Violation(field="things", message="names a kind twice")
    for at, rule in enumerate(pack.intents):
        field = f"intents[{at}]"
        blocks = (rule.blocks,) if rule.blocks else ()
        yield from _unknown(f"{field}.blocks", blocks, known, "kind of things")
        yield from _unknown(field, rule.demoted_types, sources, "source or type")
        for n, wanted in enumerate(rule.requires):
            named = f"{field}.requires[{n}]"
            yield from _unknown(named, wanted.sources, sources, "source or type")
        for n, section in enumerate(rule.sections):
            named = f"{field}.sections[{n}]"
            yield from _unknown(named, section.sources, sources, "source or type")
        if not any(o.opens_for(rule.query_type) for o in pack.gate.openings):
            yield Violation(
                field="gate.openings",
                message=f"has none for {rule.query_type}: nobody could be answered",
            )


def _unknown(
    field: str, names: Sequence[str], known: set[str], what: str
) -> Iterator[Violation]:
    for name in names:
        if name not in known:
            yield Violation(
                field=field, message=f"names {name}, which is no {what} of the pack"
            )
