"""The passages that a search brings, and how they came about."""

from collections.abc import Mapping

from pydantic import Field

from engine.model.codes import Reason
from engine.model.frozen import Frozen, Probability
from engine.model.passage import Chunk


class JudgedPart(Frozen):
    """What came of one part of a question that was judged by itself (R-A12).

    `asked` is in the question's words, `meant` what was searched for; `reason` says why
    the gate stayed closed, `best` is the highest relevance found.
    """

    asked: str
    meant: str
    reason: Reason | None
    best: Probability


class Seen(Frozen):
    """One passage that the gate saw: where it stands, and how relevant it was."""

    chunk_id: str
    document_id: str
    source: str
    type: str
    relevance: Probability


class FoundThing(Frozen):
    """A thing whose record was found: its name, and where in which document it stands.

    It is close enough to the question to be answered from, or the question names it.
    """

    kind: str
    name: str
    document_id: str
    start: int
    end: int


class Trace(Frozen):
    """How the evidence came about (R-R9), for the record and for "why".

    `removed_younger` counts what is younger than the analysis date (R-F5),
    `removed_filtered` what the safety rules removed of trusted sources: `instructing`,
    which speak to a machine, and so are no evidence (R-S2). `filled` are the
    passages that stand there because the intent requires their source (R-R4);
    `ruled_as` is the query type whose rules were followed. `seen` are the passages that
    the gate judged; none of a selected text. `named` are the documents about things
    that the question names, `unknown_names` the names in it that nothing bears (R-R2);
    `things` are those found before any cap, best first; `leading` are the records of
    what the best passage is about, where the question names nothing. Where it asks for
    things by what their records state, `asked_by` are those fields, `silent` and
    `otherwise` count the things found that state none of it and something else (R-A16).
    """

    query_type: str
    bm25_candidates: int = 0
    dense_candidates: int = 0
    candidates: int = 0
    removed_untrusted: int = 0
    removed_filtered: int = 0
    removed_younger: int = 0
    sources_by_type: Mapping[str, int] = Field(default_factory=dict)
    caps_applied: tuple[str, ...] = ()
    demoted: tuple[str, ...] = ()
    excluded_band: tuple[str, ...] = ()
    instructing: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    leading: tuple[str, ...] = ()
    unknown_names: tuple[str, ...] = ()
    things: tuple[FoundThing, ...] = ()
    asked_by: tuple[str, ...] = ()
    silent: int = 0
    otherwise: int = 0
    widened: bool = False
    requirement_unmet: str | None = None
    filled: tuple[str, ...] = ()
    ruled_as: str = ""
    seen: tuple[Seen, ...] = ()
    profile: str = ""
    reader: str = ""
    milliseconds: Mapping[str, float] = Field(default_factory=dict)
    parts: tuple[JudgedPart, ...] = ()


class Evidence(Frozen):
    """The passages of one question, best first, with the trace of the search.

    `nearest` holds what came close, for pointers; it is never answered from.
    `answerability` is the calibrated probability that the best passages answer the
    question.
    """

    chunks: tuple[Chunk, ...]
    nearest: tuple[Chunk, ...]
    answerability: Probability
    trace: Trace
    known_words: bool = True


class Page(Frozen):
    """A document about an emergency, and the sentence of it that says what to do."""

    title: str
    url: str | None
    sentence: str
