"""The pages that a pack names for an emergency, where the asker may see them (R-M6)."""

from engine.policy.pack import Pack
from engine.ports import SearchQuery
from engine.question.intent import kind_of
from engine.records import Intent, Nearest, Question
from engine.retrieve.search import Searcher, scope, terms

FOUND = 10  # candidates of each arm among which a page is looked for by its title


async def pages_for(
    searcher: Searcher, question: Question, intent: Intent, pack: Pack
) -> tuple[Nearest, ...]:
    """Those of the kind of emergency that a message is, in the pack's order.

    They are looked for as any passage is, so that nobody is told of a page that a
    search would not show.

    Raises:
        IndexFailed: the index cannot be searched.
        EmbedderFailed: a title cannot be encoded.
    """
    kind = kind_of(question, pack) if intent.urgent else None
    trusted = frozenset(source.id for source in pack.sources if source.trusted)
    found: list[Nearest] = []
    for title in kind.pages if kind else ():
        query = SearchQuery(
            terms=terms(title, {}),
            vector=searcher.embedder.encode_question(title).vector,
            scope=scope(question, intent),
            limit=FOUND,
            sources=trusted,
        )
        candidates = await searcher.index.search(query)
        named = [c.chunk for c in candidates if c.chunk.title == title]
        found += [
            Nearest(
                document_id=chunk.document,
                title=chunk.title,
                section="",
                url=chunk.url,
                relevance=0.0,
            )
            for chunk in named[:1]
        ]
    return tuple(found)
