"""A passage of a document as it is searched, judged and quoted."""

from collections.abc import Mapping

from pydantic import Field

from engine.model.document import Described, Excerpt, Sentence, Thing
from engine.model.frozen import Frozen, Probability

# Keys of `Chunk.parts`: what a relevance follows from, where it was not measured.
NAMED = "named"  # an exact name
TOPIC = "topic"  # a section of what is named, about the topic that is asked for
CHOSEN = "chosen"  # a person's choice


class Pick(Frozen):
    """A sentence of a chunk that speaks to the question, by its index in the chunk.

    `score` orders sentences (unbounded); `relevance` is calibrated. `last` is the last
    sentence of a run that the question names, quoted with nothing beside it.
    """

    sentence: int
    score: float
    relevance: Probability
    last: int | None = None


class Chunk(Described):
    """A run of whole sentences of one section of one document version.

    `start`/`end` and every sentence span are offsets into the canonical text of the
    version; `text` is exactly that slice. `relevance` and `parts` are set by
    engine/rank and mean nothing before. `context` is what its sentences lean on and
    another chunk holds (R-A14), attributes of its things among them. `question` is that
    of its stored questions which is nearest to the asker's, set by the search (R-Q1).
    `copy_of` is the document that its own one says again, set where the gate counts
    documents (R-G1). `things` are what it is about (R-R2). `file` is the path in its
    repository where `line_start` is a line of that file (R-G10).
    """

    id: str
    document: str
    version: str
    source: str
    title: str
    section: tuple[str, ...]
    ordinal: int
    start: int
    end: int
    line_start: int
    text: str
    sentences: tuple[Sentence, ...]
    relevance: Probability = 0.0
    parts: Mapping[str, float] = Field(default_factory=dict)
    picks: tuple[Pick, ...] = ()
    context: tuple[Excerpt, ...] = ()
    question: str | None = None
    things: tuple[Thing, ...] = ()
    file: str | None = None
    copy_of: str | None = None

    @property
    def witness(self) -> str:
        """What it counts as where documents are counted: copies are one (R-G1)."""
        return self.copy_of or self.document

    def line_of(self, offset: int) -> int:
        """The line of the document in which a character of what may be quoted stands.

        Raises:
            ValueError: the chunk holds no such character.
        """
        if self.start <= offset < self.end:
            before = self.text.count("\n", 0, offset - self.start)
            return self.line_start + before
        for excerpt in self.context:
            if excerpt.start <= offset < excerpt.end:
                before = excerpt.text.count("\n", 0, offset - excerpt.start)
                return excerpt.line + before
        raise ValueError(f"{offset} stands neither in the chunk nor in its context")
