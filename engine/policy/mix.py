"""The tables of a pack on the mix of sources and the form of an answer."""

from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from engine.model.frozen import Frozen
from engine.text.patterns import Pattern

Text = Annotated[str, Field(min_length=1, max_length=4_000)]


class CapRule(Frozen):
    """The most that some types of sources may have of the final passages.

    `types` are ids or types of the register and count together: at most `most`
    passages, `per_document` of one document, so that one does not crowd out the others,
    and a share of all that stays below `below`. It holds for `query_types` (empty: all)
    but not for those in `but_not`. `raised_by` names a kind of `retrieval.things`:
    where a question names more of them than `most`, as many are allowed.
    """

    types: Annotated[tuple[Text, ...], Field(min_length=1)]
    most: Annotated[int, Field(ge=0)]
    per_document: Annotated[int, Field(ge=1)] | None = None
    below: Annotated[float, Field(gt=0.0, le=1.0)] | None = None
    query_types: tuple[Text, ...] = ()
    but_not: tuple[Text, ...] = ()
    raised_by: Text | None = None

    def holds_for(self, query_type: str) -> bool:
        """Return whether the rule applies to questions of this type."""
        named = not self.query_types or query_type in self.query_types
        return named and query_type not in self.but_not


class TitleRule(Frozen):
    """The weight of titles and headings, which say what a passage is about.

    A passage counts for less where its title is asked for less than is `usual`, and for
    more where it is asked for more: by `weight`, in log-odds for the whole of a title.
    Both are fitted on labelled questions. Within the bounds a matching title can lift a
    passage that comes near over the gate.
    """

    usual: Annotated[float, Field(ge=0.5, le=1.0)]
    weight: Annotated[float, Field(gt=0.0, le=10.0)]


class CoverRule(Frozen):
    """The share of a question that a document has to cover to answer it.

    Counted are the content words of the question, each by its weight: which share of
    them occurs in the best quotation of a document or in the title and headings above
    it, word for word or in a meaning of the glossary. It runs from 0 (none of them) to
    1 (all). Below `share` the relevance of the document is `at_most`, in [0, 1) and
    below `gate.used`, so that it opens no gate: a provision that is near in meaning and
    about another subject. A pack without this rule counts nothing.
    """

    share: Annotated[float, Field(gt=0.0, le=1.0)]
    at_most: Annotated[float, Field(ge=0.0, lt=1.0)]


class Required(Frozen):
    """Sources that the final passages of a question have to include.

    At least `least` passages of `sources` (ids or types). A notice says what cannot be
    met, unless it was only asked for `when_available`.
    """

    sources: Annotated[tuple[Text, ...], Field(min_length=1)]
    least: Annotated[int, Field(ge=1, le=10)]
    when_available: bool = False

    @model_validator(mode="after")
    def _once(self) -> Self:
        if len(set(self.sources)) < len(self.sources):
            raise ValueError("names a source twice")
        return self


class FieldRule(Frozen):
    """A field that an answer has to state of each document of a section.

    `patterns` match the sentence that states it.
    """

    label: Text
    patterns: Annotated[tuple[Pattern, ...], Field(min_length=1)]


class SectionRule(Frozen):
    """One section of an answer's contract.

    `sources` are the ids or types whose passages it takes (empty: any), `patterns`
    match sentences that belong there, whatever their source. An empty section is left
    out where it is `optional` or has a name for what is `missing`, says `empty` where
    that is worded, and otherwise rejects the draft. What no passage found holds is
    named in one last line: `missing`, and each of the `fields` that a document quoted
    in the section has to state. `says` is always shown in it; `quotes` is the most that
    an answer in the sources' own words quotes there. Where one takes `other_types`, the
    one before it quotes sources of one type and it the rest. The sentence that answers
    may open the answer, above the fields of its records, from a section that `leads`; a
    section with `several` quotes each document that is near enough to open the gate, as
    far as its quotes go. Quotations in an optional section have to come close to the
    best passage, unless they may be `far` from it.
    """

    heading: Text
    sources: tuple[Text, ...] = ()
    patterns: tuple[Pattern, ...] = ()
    optional: bool = False
    empty: Text | None = None
    missing: Text | None = None
    says: Text | None = None
    other_types: bool = False
    leads: bool = False
    several: bool = False
    far: bool = False
    quotes: Annotated[int, Field(ge=1, le=10)] | None = None
    fields: tuple[FieldRule, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _plain(cls, given: Any) -> Any:
        """Read a heading alone as an optional section that takes any passage."""
        if isinstance(given, str):
            return {"heading": given, "optional": True}
        return given

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if self.optional and self.empty is not None:
            raise ValueError("is optional, so it is left out: it says nothing if empty")
        if self.missing is not None and (self.optional or self.empty is not None):
            raise ValueError("has a name for what is missing, so it is left out")
        return self

    @property
    def may_lack(self) -> bool:
        """True where an answer without this section keeps the contract."""
        return self.optional or self.missing is not None


class Prohibition(Frozen):
    """Sentences that answers of a query type never show.

    `patterns` match the sentences; `unless` matches questions that ask for them.
    """

    patterns: Annotated[tuple[Pattern, ...], Field(min_length=1)]
    unless: tuple[Pattern, ...] = ()


class LimitRule(Frozen):
    """Sentences that limit others of their section, to be quoted with them.

    `patterns` match such a sentence; a group `part` holds the labels of what it limits
    ("despite subsection (1)"), a group `all` means its whole section. Without them it
    limits the sentences above it that it depends on, in plain text the whole section.
    `named` match a sentence that names its limits, with their labels ("subject to
    subsections (2) and (3)"). At most `most` characters are added to one quotation;
    where there is more, `beyond` says so, with {title}.
    """

    patterns: Annotated[tuple[Pattern, ...], Field(min_length=1)]
    named: tuple[Pattern, ...] = ()
    most: Annotated[int, Field(ge=100, le=1_600)] = 700
    beyond: Text
