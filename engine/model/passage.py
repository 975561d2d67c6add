"""A passage of a document as it is searched, judged and quoted."""

from collections.abc import Mapping

from pydantic import Field

from engine.model.document import Described, Excerpt, Sentence, Thing
from engine.model.frozen import Frozen, Probability

# Keys of `Chunk.parts`: the source of a relevance that was not measured.
NAMED = "named"  # an exact name
TOPIC = "topic"  # a section of a named entity, about the topic that is asked for
CHOSEN = "chosen"  # a person's choice


class Pick(Frozen):
    """A sentence of a chunk that answers the question, by its index in the chunk.

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
    engine/rank and mean nothing before. `context` holds sentences of other chunks that
    its own depend on, attributes of its entities among them. `question` is the stored
    question of the chunk that is nearest to the asker's, set by the search. `copy_of`
    is the document that its own one repeats, set where the gate counts documents.
    `things` are the entities that it is about. `file` is the path in its repository
    where `line_start` is a line of that file. `page` is the page of its file on which
    it begins, counted from 1; None for files without pages.
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
    page: int | None = None
    copy_of: str | None = None

    @property
    def witness(self) -> str:
        """The document that it counts as: copies are one document."""
        return self.copy_of or self.document

    def line_of(self, offset: int) -> int:
        """Return the line of the document at an offset that the chunk or its context
        holds.

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

    def page_of(self, offset: int) -> int | None:
        """Return the page of a character; None without pages, or outside the chunk.

        A form feed begins a page, as the loaders write it.
        """
        if self.page is None or not self.start <= offset < self.end:
            return None
        return self.page + self.text.count("\f", 0, offset - self.start)
