"""An answer: cited claims in sections, and what the validators said of its drafts."""

from datetime import date
from typing import Annotated, Literal, Self

from pydantic import Field

from engine.model.frozen import Frozen, Probability


class Quote(Frozen):
    """The text at [start, end) of a document version, word for word."""

    text: Annotated[str, Field(min_length=1)]
    chunk: str
    document: str
    version: str
    start: int
    end: int


class Citation(Frozen):
    """One numbered source passage of an answer."""

    number: Annotated[int, Field(ge=1)]
    chunk: str
    document: str
    version: str
    source: str
    title: str
    section: tuple[str, ...]
    start: int
    end: int
    relevance: Probability
    publisher: str | None = None
    url: str | None = None
    published: date | None = None
    retrieved: date | None = None
    in_force_from: date | None = None
    in_force_to: date | None = None
    demo: bool = False


class Claim(Frozen):
    """A quotation that passed validation, or a fixed text of the pack.

    A quotation (`quotes` in the source's order) is shown with every sentence that it
    depends on; `text` holds all of them. `citations` are numbers in `Answer.citations`;
    only a fixed text has none. `more` is True for a claim that "Show more" reveals
    (opening.py), `row` for a field of a record card, which no model drafted.
    """

    text: str
    citations: tuple[int, ...]
    quotes: tuple[Quote, ...] = ()
    quotation: bool = False
    sensitive: bool = False
    more: bool = False
    row: bool = False


class Section(Frozen):
    heading: str
    claims: tuple[Claim, ...]


class Answer(Frozen):
    """Sections of claims that passed every validator.

    Construction fails without a cited claim, with an uncited sensitive one, with an
    unlisted number, or with fewer distinct citations than `minimum_citations`.
    """

    sections: Annotated[tuple[Section, ...], Field(min_length=1)]
    citations: tuple[Citation, ...]
    minimum_citations: int = 1
    not_found: tuple[str, ...] = ()
    attribution: str = ""
    mode: Literal["deterministic", "llm"] = "deterministic"

    def model_post_init(self, context: object) -> None:
        """Raise ValueError where an invariant does not hold."""
        known = {citation.number for citation in self.citations}
        claims = [claim for section in self.sections for claim in section.claims]
        if claims and not any(claim.citations for claim in claims):
            raise ValueError("no claim cites anything")
        for claim in claims:
            if claim.sensitive and not claim.citations:
                raise ValueError("a sensitive claim without a citation")
            if not set(claim.citations) <= known:
                raise ValueError("a claim cites a number that is not listed")
        sensitive = any(claim.sensitive for claim in claims)
        if sensitive and len(self.citations) < self.minimum_citations:
            raise ValueError("fewer citations than the minimum")


class Finding(Frozen):
    """The objection of a validator; `reject` ends the draft, `note` does nothing."""

    validator: str
    code: str
    severity: Literal["reject", "drop", "note"]
    message: str
    claim: str = ""


class ClaimTally(Frozen):
    """Counts of how the claims of a draft were judged.

    `partial` is 0: nothing measures yet how well a sentence answers.
    """

    supported: int = 0
    partial: int = 0
    unsupported: int = 0
    fabricated_quotes: int = 0

    def __add__(self, other: Self) -> Self:
        """Return the sum of both tallies, as of two drafts for one question."""
        sums = {name: getattr(self, name) + value for name, value in other}
        return self.model_copy(update=sums)
