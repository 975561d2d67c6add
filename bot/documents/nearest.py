"""The passage of a document that comes nearest to a question, to store it with."""

from dataclasses import dataclass

from bot.documents.corpus import Corpus
from bot.documents.indexing import cut_chunks
from bot.documents.question_upkeep import StandsThere, Upkeep
from bot.documents.reindex import read_stored
from engine.model.document import Document, Membership
from engine.model.passage import Chunk
from engine.questions.places import Place


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage with its document and corpus."""

    corpus: Corpus
    document: Document
    chunk: Chunk

    @property
    def title(self) -> str:
        """Its document and section."""
        return " > ".join(dict.fromkeys((self.document.title, *self.chunk.section)))

    async def attach(self, text: str, by: str) -> str | None:
        """Store a question with it; return why it is kept out, None where it is used.

        Raises:
            UsageError: the question is too short or too long.
        """
        where = Place(self.chunk.sentences[0], self.chunk.section)
        try:
            added = await Upkeep(self.corpus).attach(self.document, where, text, by)
        except StandsThere:
            return None  # from an earlier try, or by somebody else
        return added.kept_out


async def find_nearest(
    corpus: Corpus, member: Membership, words: str, section: str | None = None
) -> Passage | None:
    """Find the passage of a document, or of a section of it, that is nearest to words.

    None where the section is gone.

    Raises:
        LedgerFailed: the document cannot be read.
        EmbedderFailed: the words cannot be encoded.
    """
    document = await read_stored(corpus, member)
    chunks = [
        chunk
        for chunk in cut_chunks(corpus.pack, document)
        if section in (None, " > ".join(chunk.section))
    ]
    if not chunks:
        return None
    asked = corpus.embedder.encode_question(words).vector
    texts = corpus.embedder.encode([chunk.text for chunk in chunks])
    near = [float(text.vector @ asked) for text in texts]
    return Passage(corpus, document, chunks[near.index(max(near))])
