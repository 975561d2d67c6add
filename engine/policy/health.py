"""What a pack watches of its own search: figures with targets, as data (R-O1)."""

from typing import Annotated, Literal

from pydantic import Field

from engine.model.frozen import Frozen


class FigureRule(Frozen):
    """The average, over questions of some types, of what the evidence was made of.

    `share` is the part of all passages that come from sources of these types, `number`
    how many do. It has to lie below `below`, or to reach `least`.
    """

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
    query_types: Annotated[tuple[str, ...], Field(min_length=1)]
    measure: Literal["share", "number"]
    types: Annotated[tuple[str, ...], Field(min_length=1)]
    below: float | None = None
    least: float | None = None


class HealthRules(Frozen):
    """The pack's own figures, and the targets that hold for every pack (R-O1)."""

    retrieval: tuple[FigureRule, ...] = ()
    routing_compliance: float = 0.90
    supported_claims: float = 0.95
    unanchored_quotes: float = 0.05
