"""The pages of the sources on an emergency, where the asker may see them."""

from engine.model.evidence import Page
from engine.model.ports import SearchQuery
from engine.model.question import Intent, Question
from engine.policy.pack import Pack
from engine.policy.records import EmergencyPage
from engine.search.search import Searcher, make_scope, make_terms

FOUND = 10  # candidates of each retriever among which a page is looked for


async def find_pages(
    searcher: Searcher, question: Question, intent: Intent, pack: Pack
) -> tuple[Page, ...]:
    """Return the pages on the kind of emergency of a message, in the pack's order.

    They are searched for as any passage is, so that no page is disclosed that a search
    would not show; and only while the document holds the sentence that the pack quotes.

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
            terms=make_terms(page.sentence, {}),
            vector=searcher.embedder.encode_question(page.sentence).vector,
            scope=make_scope(question, intent),
            limit=FOUND,
            sources=trusted,
        )
        candidates = await searcher.index.search(query)
        said = [
            c.chunk
            for c in candidates
            if _is_on_page(c.chunk.title, c.chunk.text, page)
        ]
        found += [
            Page(title=chunk.title, url=chunk.url, sentence=page.sentence)
            for chunk in said[:1]
        ]
    return tuple(found)


def _is_on_page(title: str, text: str, page: EmergencyPage) -> bool:
    return title == page.title and page.sentence in text
