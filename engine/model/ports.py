"""The ports of the engine, as protocols; adapters implement them.

Every implementation of a port passes the port's contract tests in tests/contracts/.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.model.document import Description, Document, Membership
from engine.model.draft import Judged, Order, Written
from engine.model.outcome import Outcome
from engine.model.passage import Chunk
from engine.model.question import Scope
from engine.model.spans import Span

Floats = NDArray[np.float32]
Int8s = NDArray[np.int8]
Int32s = NDArray[np.int32]

ONLY_OFFERED = "\u2063"  # before a stored question that answers nothing by itself


@dataclass(frozen=True, slots=True)
class Encoded:
    """A text as an embedder sees it.

    `vector` has shape (dim,), unit length. `tokens` has shape (n, reduced), each row
    unit length after the reducer. `spans` has shape (n, 2): code-point offsets of each
    token in the encoded text. Special tokens are left out.
    """

    vector: Floats
    tokens: Floats
    spans: Int32s


@dataclass(frozen=True, slots=True)
class TokenVectors:
    """Stored token vectors of one chunk.

    `values` has shape (n, reduced), int8, to be multiplied by 1/127. `spans` has shape
    (n, 2): code-point offsets relative to `Chunk.start`.
    """

    values: Int8s
    spans: Int32s


@dataclass(frozen=True, slots=True)
class StoredQuestion:
    """A question that a chunk answers, with its vector as the asker's gets one.

    The text of a question that may only be offered begins with `ONLY_OFFERED`.
    """

    text: str
    vector: Floats


@dataclass(frozen=True, slots=True)
class Entry:
    """One chunk with all that an index stores for it.

    `questions` are those in use that it answers.
    """

    chunk: Chunk
    vector: Floats
    tokens: TokenVectors
    questions: tuple[StoredQuestion, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """The input of all retrievers of one search: words, meaning, and stored questions.

    `terms` are plain words (not stemmed, no operators), already expanded; an index
    treats them as data. `vector` has the embedder's dimension, unit length. `limit` is
    per retriever. `sources` are the ids of the sources to search, None for all:
    passages of others are left out before anything is counted or ranked. `document` is
    the id of the only document to search, None for all.
    """

    terms: tuple[str, ...]
    vector: Floats
    scope: Scope
    limit: int = 30
    sources: frozenset[str] | None = None
    document: str | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk that a retriever found. A score is None where its retriever did not find
    it.

    `bm25` is larger for better, unbounded; `cosine` in [-1, 1]. `question` is the best
    cosine of a stored question of the chunk with the asker's, whichever retriever found
    it, and `asked` the text of that question; both None for a chunk without any.
    `offered` is that cosine where the question may only be offered, set by the search.
    """

    chunk: Chunk
    bm25: float | None
    cosine: float | None
    question: float | None = None
    asked: str | None = None
    offered: float | None = None


@dataclass(frozen=True, slots=True)
class CorpusStatistics:
    """The frequencies of stems in what a scope may see, and in nothing else.

    `documents` and `chunks` count what is visible; `chunk_frequency` maps a stem to the
    number of chunks that hold it, `word_frequency` a word as it is written, in lower
    case, to the same (spelling is corrected to it, or to stems where it is empty).
    """

    documents: int
    chunks: int
    chunk_frequency: Mapping[str, int]
    word_frequency: Mapping[str, int] = field(default_factory=dict)


class Embedder(Protocol):
    """Text to vectors. Raises EmbedderFailed; never returns a partial batch."""

    @property
    def name(self) -> str:
        """Stable name with version; the calibration file and index are bound to it."""
        ...

    @property
    def dimension(self) -> int: ...

    @property
    def reduced(self) -> int:
        """Dimension of token vectors."""
        ...

    def encode(self, texts: Sequence[str]) -> list[Encoded]:
        """Encode passages, in order."""
        ...

    def encode_question(self, text: str) -> Encoded: ...


@dataclass(frozen=True, slots=True)
class Readable:
    """A passage as a reader gets it.

    `path` reads like "Title > Section" and may be empty; `text` is the passage's own.
    """

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class ReaderScore:
    """The score of a passage for a question.

    `log_odds` that the passage answers; scores of two readers are never compared.
    `start` is the offset in the passage's text at which the sentence that answers
    begins; None from a reader that does not point, or points outside the text.
    """

    log_odds: float
    start: int | None = None


class Reader(Protocol):
    """Scores how likely a passage answers a question, and where.

    Deterministic for equal input on one machine, whatever else is read with it.
    """

    @property
    def name(self) -> str:
        """Stable name with a hash of the weights; the calibration is bound to it."""
        ...

    async def read(
        self, question: str, passages: Sequence[Readable]
    ) -> Sequence[ReaderScore]:
        """Score each passage, in order.

        Raises:
            ReaderFailed: a passage could not be read; no score is returned then.
        """
        ...


class Index(Protocol):
    """Candidates for a question, and nothing about whether they answer it.

    A search that cannot run raises IndexFailed; an empty tuple means that nothing
    matched. Demo documents are not returned for a pack that has a real one. Writers
    make a document visible at once or not at all.
    """

    async def search(self, query: SearchQuery) -> tuple[Candidate, ...]: ...

    async def fetch_tokens(
        self, pack: str, chunks: Sequence[str], tenant: str = "shared"
    ) -> Mapping[str, TokenVectors]:
        """Return token vectors by chunk id, of what a tenant's askers may see.

        Raises:
            IndexFailed: an id is missing, or is another tenant's.
        """
        ...

    async def statistics(self, scope: Scope) -> CorpusStatistics:
        """Return frequencies over what a search in this scope could return."""
        ...

    async def put(self, pack: str, document: str, entries: Sequence[Entry]) -> None:
        """Make these entries the current version of the document, in one step.

        Entries of an earlier version whose period of force has ended stay searchable
        for dates inside that period; others are dropped from search.
        """
        ...

    async def withdraw(self, pack: str, document: str) -> None:
        """Take a document out of search. Unknown documents are no error."""
        ...

    async def versions(self, pack: str) -> Mapping[str, str]:
        """Return the version that is current in this index, by document id."""
        ...

    async def neighbours(
        self, pack: str, chunk: Chunk, reach: int = 1, tenant: str = "shared"
    ) -> tuple[Chunk, ...]:
        """Return the chunks just before and after, of the same version, in order.

        Chunks that the tenant's askers may not see are left out.
        """
        ...

    async def close(self) -> None: ...


class Recorder(Protocol):
    """Puts outcomes on record.

    Raises LedgerFailed (LedgerFull when the disk is). Once `record` returned, the
    outcome survives a crash.
    """

    async def record(self, outcome: Outcome) -> str:
        """Append an outcome with its citations to the chain, and return the audit id.

        Raises:
            VerificationFailed: a quote is not in the stored version that it cites.
        """
        ...


class Ledger(Recorder, Protocol):
    """The truth: outcomes with their audit chain, and document versions."""

    async def document(self, document: str, version: str, pack: str) -> Document | None:
        """Return a stored version, whatever its state, as this pack's corpus describes
        it.

        None where that corpus never held it: what another says of it is not disclosed.
        A selected text belongs to no corpus and is the same for all.
        """
        ...

    async def memberships(self, pack: str) -> Sequence[Membership]: ...

    async def described(
        self, scope: Scope, versions: Collection[tuple[str, str]]
    ) -> Mapping[tuple[str, str], Description]:
        """Return the metadata of versions in this scope, by document id and version.

        Each comes from the first corpus of the scope that holds the version and shows
        it to these tags; a version that none shows is left out.
        """
        ...

    async def find_passage(self, pack: str, folded: str) -> tuple[str, str] | None:
        """Return document id and version of a current document that holds a folded
        text.
        """
        ...

    async def find_passages(self, pack: str, folded: str) -> Sequence[tuple[str, str]]:
        """Return ids and versions of all such documents, by document id."""
        ...

    async def store_selection(self, document: Document) -> None:
        """Keep a selected text as an ephemeral version, so that it can be verified."""
        ...


class Writer(Protocol):
    """A language model that drafts. Its output is never trusted."""

    async def write(self, order: Order) -> Written:
        """Write one draft, by one model call, within the order's seconds and tokens.

        A provider that fails raises nothing: `Written.prompt.failure` says why there is
        no draft.
        """
        ...


class Judge(Protocol):
    """A language model that may object to statements, and do nothing else."""

    async def judge(
        self, question: str, statements: Sequence[tuple[str, str]], seconds: float
    ) -> Judged:
        """Doubt quotations, each with its headings, that do not answer the question.

        A judge that fails objects to every statement.
        """
        ...


class Clock(Protocol):
    def now(self) -> datetime:
        """Return the current time, with time zone."""
        ...

    def monotonic(self) -> float:
        """Return seconds on a clock that never goes back."""
        ...


class Observer(Protocol):
    """Events, counters and spans. An observer that fails must not fail the question."""

    def event(self, name: str, fields: Mapping[str, object]) -> None:
        """Emit one JSON event with exactly `fields` (which hold `event` already)."""
        ...

    def count(self, metric: str, labels: Mapping[str, str]) -> None: ...

    def observe(self, metric: str, value: float) -> None: ...

    def trace(self, spans: Sequence[Span]) -> None:
        """Export the spans of a finished question: the whole, then its parts."""
        ...
