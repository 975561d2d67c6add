"""A question as it is asked, who may see what of the sources, and how it is read."""

from collections.abc import Mapping
from datetime import date
from enum import StrEnum

from pydantic import Field

from engine.model.frozen import Frozen


class Basis(StrEnum):
    """Where the analysis date of a question comes from (R-F5)."""

    TODAY = "today"
    APPLICATION_DATE = "application_date"
    EXPLICIT = "explicit_as_of"


class Scope(Frozen):
    """What the asker may see: handed to every search (R-U1, R-C5).

    `tags` are the access tags the asker holds; a document with tags is seen only by
    somebody who holds one of them. `as_of` is the analysis date.
    """

    pack: str
    tenant: str = "shared"
    tags: frozenset[str] = frozenset()
    as_of: date | None = None


class ChosenSection(Frozen):
    """A section that somebody chose to read: all the evidence there is (R-Q5).

    `section` are its headings, outermost first, joined as in `Nearest`. `near` is where
    the sentence stands that came nearest to what was asked, as an offset into the
    document: it is shown first. Without one the section begins at its beginning.
    """

    document_id: str
    section: str
    near: int | None = None


class Question(Frozen):
    """What somebody asked, as every entry path hands it to `Engine.ask`.

    `asker` is a pseudonym. `selection` switches to selected-text mode (R-A6).
    `previous` is the question before this one in the thread, for follow-ups (R-A11).
    `verbatim` asks for the sources' own words: no model is asked (R-A13). `chosen_from`
    is the audit id of the refusal that offered it, `evidence` the section that was
    chosen there (R-Q5).
    """

    id: str
    session: str
    text: str
    pack: str
    asker: str = "anonymous"
    tenant: str = "shared"
    tags: frozenset[str] = frozenset()
    selection: str | None = None
    previous: str | None = None
    as_of: date | None = None
    verbatim: bool = False
    chosen_from: str | None = None
    evidence: ChosenSection | None = None


class Intent(Frozen):
    """What the rules read out of a question, without a model (R-A11).

    `text` is the question as understood: without framing (R-U9), follow-up resolved,
    typing errors put right, what abbreviations mean in brackets behind them, without
    the words that say the analysis date. `corrections` are both as (written, read).
    `felt` is the sort of feeling that is told beside a question (R-M8).
    `query_type` is a key of the pack's intents. `named` are words that `text` may lack,
    of what a follow-up adds ("and for children?") or a story binds it to: passages
    that lack them do not answer it. `conditions` are the words of facts that were told
    around the question (medicine, age, version); `framing` is what was written with
    courtesy around it. Neither is searched for. `negated`: `text` says "not". `things`
    are the names of what has one of its own (a trial, a section), by kind. `kind` is of
    the emergency where it is `urgent`, else the sort of message (R-M8). `as_of` is
    the last day of a `whole_year` that was asked for, or today; `to_come`: it is later
    than that. `other_date` is one in the question that says no day to answer for.
    `day_phrase` are the words that mean a day beside the one that they name.
    `restated` stands in records of before: such a `text` was shown as a sentence.
    """

    query_type: str
    name: str
    text: str
    sensitive: bool
    time_sensitive: bool = False
    urgent: bool = False
    kind: str = ""
    personal: bool = False
    general: bool = False
    follow_up: bool = False
    negated: bool = False
    language: str = "en"
    in_scope: bool = True
    basis: Basis = Basis.TODAY
    as_of: date | None = None
    whole_year: bool = False
    to_come: bool = False
    other_date: bool = False
    day_phrase: str = ""
    restated: bool = False
    named: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    framing: tuple[str, ...] = ()
    missing_facts: tuple[str, ...] = ()
    needs_binding: bool = False
    corrections: tuple[tuple[str, str], ...] = ()
    felt: str = ""
    things: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
