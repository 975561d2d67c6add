"""A question as it is asked, as it is read, and the scope of its sources."""

from collections.abc import Mapping
from datetime import date
from enum import StrEnum
from typing import Literal

from pydantic import Field

from engine.model.frozen import Frozen


class Basis(StrEnum):
    """The origin of a question's analysis date."""

    TODAY = "today"
    APPLICATION_DATE = "application_date"
    EXPLICIT = "explicit_as_of"


class Scope(Frozen):
    """What the asker may see: handed to every search.

    `tags` are the access tags that the asker holds; a document with tags is visible
    only to holders of one of them. `as_of` is the analysis date.
    """

    pack: str
    tenant: str = "shared"
    tags: frozenset[str] = frozenset()
    as_of: date | None = None


class ChosenSection(Frozen):
    """A section that somebody chose to read: it is all the evidence.

    `section` are its headings, outermost first, joined as in `Nearest`. `near` is the
    offset in the document of the sentence that came nearest to what was asked: it is
    shown first. Without it the section is shown from its beginning.
    """

    document_id: str
    section: str
    near: int | None = None


class Question(Frozen):
    """A question, as every entry path hands it to `Engine.ask`.

    `asker` is a pseudonym. `selection` switches to selected-text mode. `previous` is
    the question before this one in the thread, for follow-ups, and `about` the title
    of the document that answered it, if one did. `verbatim` asks for the
    sources' own words: no model is asked. `chosen_from` is the audit id of the refusal
    that offered it, `evidence` the section that was chosen there.
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
    about: str = ""
    as_of: date | None = None
    verbatim: bool = False
    chosen_from: str | None = None
    evidence: ChosenSection | None = None


class Intent(Frozen):
    """A question as the rules read it, without a model.

    - `text`: the question as understood: without framing, with the follow-up resolved,
      typing errors corrected, abbreviations explained in brackets behind them, and
      without the words of the analysis date.
    - `query_type`: a key of the pack's intents.
    - `corrections`: pairs of (written, read).
    - `kind`: of emergency where it is `urgent`, else the sort of message. `felt`: the
      sort of feeling that is expressed beside a question.
    - `named`: words that `text` may lack, of what a follow-up adds ("and for
      children?") or a story binds it to: passages that lack them do not answer it.
    - `conditions`: the words of facts given around the question (medicine, age,
      version); `framing`: courtesy around it. Neither is searched for.
    - `negated`: `text` says "not".
    - `things`: the names of entities (a trial, a section), by kind.
    - `as_of`: the last day of a `whole_year` that was asked for, or today; `to_come`:
      the year asked for is later. `other_date`: the question holds a date that is not
      the day to answer for. `day_phrase`: the words that mean a day beside the one that
      they name.
    - `restated`: set in older records alone: such a `text` was shown as a sentence.
    - `page`: `text` names a page, which is asked for in short, as a link or for its
      table; `this` one is that of the answer before, to what `text` asked.
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
    page: Literal["", "short", "link", "table"] = ""
    this: bool = False
    things: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
