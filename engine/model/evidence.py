"""The passages that a search brings, and how they came about."""

from collections.abc import Mapping

from pydantic import Field

from engine.model.codes import Reason
from engine.model.frozen import Frozen, Probability
from engine.model.passage import Chunk


class JudgedPart(Frozen):
    """The verdict on one part of a question that was judged by itself.

    `asked` is in the question's words, `meant` what was searched for; `reason` says why
    the gate closed, `best` is the highest relevance found.
    """

    asked: str
    meant: str
    reason: Reason | None
    best: Probability


class Seen(Frozen):
    """One passage that the gate judged: its place and its relevance."""

    chunk_id: str
    document_id: str
    source: str
    type: str
    relevance: Probability


class FoundThing(Frozen):
    """An entity whose record was found: its name, and the span of it in a document.

    It is close enough to the question to be answered from, or the question names it.
    """

    kind: str
    name: str
    document_id: str
    start: int
    end: int


class Trace(Frozen):
    """How the evidence was found, for the record and for "why".

    `removed_younger` counts what is younger than the analysis date, `removed_filtered`
    what the safety rules removed of trusted sources; `instructing` are passages that
    give orders to a machine, and so are no evidence. `filled` are the passages that are
    there because the intent requires their source; `ruled_as` is the query type whose
    rules were followed. `seen` are the passages that the gate judged; none of a
    selected text. `named` are the documents about entities that the question names,
    `unknown_names` the names in it that no document has; `things` are the entities
    found before any cap, best first; `leading` are the records of the best passage's
    entity, where the question names none. Where it asks for entities by what their
    records state, `asked_by` are those fields; `silent` counts the entities found that
    state none of them, `otherwise` those that state something else.
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

    `nearest` are passages that came close, for pointers; they are never answered from.
    `answerability` is the calibrated probability that the best passages answer the
    question.
    """

    chunks: tuple[Chunk, ...]
    nearest: tuple[Chunk, ...]
    answerability: Probability
    trace: Trace
    known_words: bool = True


class Page(Frozen):
    """A document about an emergency, and its sentence that says what to do."""

    title: str
    url: str | None
    sentence: str
