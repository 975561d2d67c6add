"""What the sources say of an emergency, where the asker may see it."""

from engine.model.evidence import Page
from engine.model.ports import SearchQuery
from engine.model.question import Intent, Question
from engine.policy.pack import Pack
from engine.policy.records import EmergencyPage
from engine.search.search import Searcher, scope, terms

FOUND = 10  # candidates of each arm among which a page is looked for


async def pages_for(
    searcher: Searcher, question: Question, intent: Intent, pack: Pack
) -> tuple[Page, ...]:
    """Return those of the kind of emergency that a message is, in the pack's order.

    They are looked for as any passage is, so that nobody is told of a page that a
    search would not show; and only while the document says what the pack quotes.

    Raises:
        IndexFailed: the index cannot be searched.
        EmbedderFailed: a sentence cannot be encoded.
    """
    kinds = pack.wording.emergencies if intent.urgent else ()
    wanted = [page for kind in kinds if kind.kind == intent.kind for page in kind.pages]
    trusted = frozenset(source.id for source in pack.sources if source.trusted)
    found: list[Page] = []
    for page in wanted:
        query = SearchQuery(
            terms=terms(page.sentence, {}),
            vector=searcher.embedder.encode_question(page.sentence).vector,
            scope=scope(question, intent),
            limit=FOUND,
            sources=trusted,
        )
        candidates = await searcher.index.search(query)
        said = [c.chunk for c in candidates if _says(c.chunk.title, c.chunk.text, page)]
        found += [
            Page(title=chunk.title, url=chunk.url, sentence=page.sentence)
            for chunk in said[:1]
        ]
    return tuple(found)


def _says(title: str, text: str, page: EmergencyPage) -> bool:
    return title == page.title and page.sentence in text
