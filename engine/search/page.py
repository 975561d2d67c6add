"""A page that is asked for by its title: a passage of each of its sections.

It is looked for as any passage is, so that nobody is shown a page that a search would
not show them: hidden, withdrawn, not in force yet, of a source that is not trusted.
"""

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from engine.model.document import BlockKind
from engine.model.evidence import Evidence, Trace
from engine.model.passage import Chunk
from engine.model.ports import SearchQuery
from engine.model.question import Intent, Question
from engine.policy.pack import Pack
from engine.policy.records import forms
from engine.search.search import Searcher, find_start, make_scope, make_terms
from engine.search.section import make_evidence, pick_all
from engine.text.closure import is_selectable
from engine.text.instructing import is_withheld
from engine.text.patterns import strip_meanings
from engine.text.words import STOPWORDS, stemmed, words

FOUND = 60  # candidates of each arm among which a title is looked for
REACH = 120  # passages before and after one that may belong to its page
SECTIONS = 12  # of a page that are shown in short
CLOSE = 0.5  # of the words of a title that a name has to hold, unless it opens with it


async def find_page(
    searcher: Searcher,
    question: Question,
    intent: Intent,
    pack: Pack,
    *,
    exact: bool = False,
) -> Chunk | None:
    """Find a passage of the page whose title the question names.

    None where no title holds all words of the name, or several pages are as close.
    `exact`: only where the title, or the file's name, has no other words but figures.

    Raises:
        IndexFailed: the index cannot be searched.
        EmbedderFailed: the name cannot be encoded.
    """
    name = _content(strip_meanings(intent.text)) or _content(intent.text)
    encoded = searcher.embedder.encode_question(intent.text)
    if not name or not len(encoded.tokens):
        return None
    seen = make_scope(question, intent)
    query = SearchQuery(
        terms=make_terms(intent.text, {}),
        vector=encoded.vector,
        scope=seen,
        limit=FOUND,
        sources=frozenset(source.id for source in pack.sources if source.trusted),
    )
    pages: dict[str, tuple[tuple[bool, float], Chunk]] = {}
    for candidate in await searcher.index.search(query):
        chunk = candidate.chunk
        begins = find_start(chunk)
        titles = [chunk.title]
        if exact:
            own = (chunk.title, PurePosixPath(chunk.document).stem)
            titles = [title for title in own if _is_named(name, title, pack)]
        found = (_match_title(name, title, pack) for title in titles)
        near = next(filter(None, found), None)
        late = seen.as_of is not None and begins is not None and begins > seen.as_of
        if near is not None and not late:
            pages.setdefault(chunk.document, (near, chunk))
    ranked = sorted(pages.values(), key=lambda page: page[0], reverse=True)
    if not ranked or [near for near, _ in ranked].count(ranked[0][0]) > 1:
        return None
    (opens, share), first = ranked[0]
    return first if opens or share >= CLOSE or len(ranked) == 1 else None


async def gather_page(
    searcher: Searcher, first: Chunk, question: Question, intent: Intent, pack: Pack
) -> Evidence:
    """Gather the first passage of each section of a page, in order.

    Where a table is asked for, all passages with rows come first.

    Raises:
        IndexFailed: the index cannot be searched.
    """
    around = await searcher.index.neighbours(pack.id, first, REACH, question.tenant)
    page = sorted((first, *around), key=lambda chunk: chunk.ordinal)
    instructing = tuple(chunk.id for chunk in page if is_withheld(chunk))
    plain = (chunk for chunk in page if chunk.id not in instructing)
    told = [chunk for chunk in plain if any(map(is_selectable, chunk.sentences))]
    sections: dict[tuple[str, ...], Chunk] = {}
    for chunk in told:
        sections.setdefault(chunk.section, chunk)
    shown = list(sections.values())
    if intent.page == "table":
        tables = _drop_heads([chunk for chunk in told if has_table(chunk)])
        # The gate counts the whole page; what is shown of it are its tables.
        shown = [*tables, *(chunk for chunk in shown if not has_table(chunk))]
    final = tuple(pick_all(chunk, None) for chunk in shown[:SECTIONS])
    trace = Trace(
        query_type=intent.query_type,
        candidates=len(page),
        instructing=instructing,
        profile=searcher.embedder.name,
    )
    return make_evidence(final, trace, pack)


def _drop_heads(tables: Sequence[Chunk]) -> Iterator[Chunk]:
    """Yield passages of tables, but none that holds the head of other ones alone."""
    leant = {
        span.start
        for chunk in tables
        for sentence in chunk.sentences
        for span in sentence.leans_on
    }
    for chunk in tables:
        if any(sentence.start not in leant for sentence in chunk.sentences):
            yield chunk


def has_table(chunk: Chunk) -> bool:
    """Return whether a passage holds a row of a table."""
    return any(each.kind is BlockKind.TABLE_ROW for each in chunk.sentences)


def _match_title(
    name: Sequence[str], title: str, pack: Pack
) -> tuple[bool, float] | None:
    """Tell whether a title opens with a name, and return the share that the name is.

    None where it lacks a word of the name.
    """
    said = _content(title)
    ways = [forms(word, pack.retrieval) for word in name]
    held = [
        [any(form in stemmed(word) for form in way) for word in said] for way in ways
    ]
    if not all(map(any, held)):
        return None
    opens = all(at < len(said) and way[at] for at, way in enumerate(held))
    return opens, len(name) / len(said)


def _is_named(name: Sequence[str], title: str, pack: Pack) -> bool:
    """Tell whether a title has no other words than a name has, but figures."""
    said = [word for word in _content(title) if not word.isdecimal()]
    ways = [forms(word, pack.retrieval) for word in name if not word.isdecimal()]
    return bool(ways) and all(
        any(form in stemmed(word) for way in ways for form in way) for word in said
    )


def _content(text: str) -> list[str]:
    return [word for word in words(text) if word not in STOPWORDS]
