"""The search: candidates of all retrievers, judged and composed into evidence."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from time import perf_counter

from engine.model.document import Document
from engine.model.evidence import Evidence, Trace
from engine.model.passage import Chunk
from engine.model.ports import (
    ONLY_OFFERED,
    Candidate,
    CorpusStatistics,
    Embedder,
    Index,
    SearchQuery,
    TokenVectors,
)
from engine.model.question import Intent, Question, Scope
from engine.policy.pack import Pack
from engine.rank.calibration import Calibration
from engine.rank.compose import compose, find_lacking
from engine.rank.features import measure
from engine.rank.groups import group_passages
from engine.rank.naming import (
    Naming,
    find_name_terms,
    find_naming,
    judge_by_name,
    set_relevance,
)
from engine.rank.reading import Bounds, Reading, read
from engine.rank.relevance import judge
from engine.rank.view import QuestionView, make_view
from engine.text.answers import find_off_topic
from engine.text.instructing import is_withheld
from engine.text.patterns import take_from_below
from engine.text.words import STOPWORDS, words

OF_ONE = 60  # passages of a document of which a part is asked for by its label
DEEPER = 4  # times as many candidates, where some of the first are too young
# Cosine from which a stored question may label a choice in place of the heading.
# Of 11 that were offered in a trial the 8 below it asked another thing ("how do they
# treat thrush in the mouth?" for ulcers) or frightened; the headings did not.
SAME = 0.58


@dataclass(frozen=True, slots=True)
class Retrieved:
    """The candidates of a question, and all inputs of their relevance.

    `query` is the query to the index, None where there was nothing to search for.
    `naming` are the entities that the question names; passages about these are judged
    separately, so that no others take their place. `alone` is the question without the
    title that it was put below, if it was.
    """

    pack: Pack
    view: QuestionView
    candidates: tuple[Candidate, ...]
    tokens: Mapping[str, TokenVectors]
    trace: Trace
    query: SearchQuery | None = None
    naming: Naming = field(default_factory=Naming)
    alone: str = ""

    async def judge(self, reading: Reading, records: str | None = None) -> list[Chunk]:
        """Return the candidates' chunks with their relevance, best first.

        Args:
            reading: the reader of the best of them, fitted for the embedder of the
                vectors.
            records: the kind of entity that an answer lists.

        Raises:
            ReaderFailed: the reader cannot be loaded or reached.
        """
        measured = self.measure(reading.calibration)
        shared = self.query is None or self.query.scope.tenant == "shared"
        bounds = Bounds(
            domain=self.pack.domain.value,
            records=records,
            leaving=self.pack.retrieval.remote_reader and shared,
            alone=self.alone,
        )
        asked = self.view.text
        judged = await read(reading, asked, measured, self.candidates, bounds)
        if self.alone:  # the title names an entity, the question does not
            return judged
        found = (candidate.chunk for candidate in self.candidates)
        named_apart = judge_by_name(judged, found, self.naming, self.view.words)
        return sorted(named_apart, key=lambda c: (-c.relevance, -c.picks[0].score))

    def measure(
        self, calibration: Calibration, *, selected: bool = False
    ) -> list[Chunk]:
        """Return the candidates' chunks with the relevance of their features, best
        first.

        Args:
            calibration: of the embedder that the vectors are from.
            selected: the candidates are what the asker selected.
        """
        about = set(self.naming.documents)
        named = [c for c in self.candidates if c.chunk.document in about]
        others = [c for c in self.candidates if c.chunk.document not in about]
        judged: list[Chunk] = []
        for candidates in filter(None, (named, others)):
            measured = measure(self.view, candidates, self.tokens)
            groups = group_passages(self.view, candidates, measured, calibration.order)
            judged += judge(
                groups,
                candidates,
                calibration,
                pack=self.pack,
                selected=selected,
            )
        return sorted(judged, key=lambda c: (-c.relevance, -c.picks[0].score))


@dataclass(frozen=True, slots=True)
class Searcher:
    """Finds the evidence of a question.

    An index that cannot be reached raises; it never looks like "nothing found".
    """

    index: Index
    embedder: Embedder
    reading: Reading

    async def search(
        self,
        question: Question,
        intent: Intent,
        pack: Pack,
        statistics: CorpusStatistics,
    ) -> Evidence:
        """Search, judge and compose the evidence of a question.

        Raises:
            IndexFailed: the index cannot be searched.
            EmbedderFailed: the question cannot be encoded.
        """
        places = SearchBackend(self.index, self.embedder)
        found = await find_candidates(places, question, intent, pack, statistics)
        if question.about:
            found = replace(found, alone=take_from_below(question.about, intent.text))
        evidence = await self._compose(found, intent, pack)
        wanted = find_lacking(evidence, intent, pack)
        if wanted:
            found = await _add_required(places, found, question, pack, wanted)
            evidence = await self._compose(found, intent, pack)
        known = bool(found.naming.documents) or any(
            word.frequency or len(word.forms) > 1 for word in found.view.words
        )
        return evidence.model_copy(update={"known_words": known})

    async def _compose(self, found: Retrieved, intent: Intent, pack: Pack) -> Evidence:
        started = perf_counter()
        every = [candidate.chunk for candidate in found.candidates]
        others = find_off_topic(every, intent.text, pack.answer.kinds)
        plain = tuple(c for c in found.candidates if c.chunk.id not in others)
        records = pack.rule(intent.query_type).blocks
        judged = await replace(found, candidates=plain).judge(self.reading, records)
        judged += [set_relevance(c, 0.0) for c in every if c.id in others]
        times = {**found.trace.milliseconds, "judge": 1000 * (perf_counter() - started)}
        update = {"milliseconds": times, "reader": self.reading.reader.name}
        trace = found.trace.model_copy(update=update)
        return compose(judged, _add_things(intent, found.naming), pack, trace)


def _add_things(intent: Intent, named: Naming) -> Intent:
    """Add the entities that documents know by a name to the intent."""
    kinds = dict.fromkeys((*intent.things, *named.names))
    things = {
        kind: tuple(
            dict.fromkeys((*intent.things.get(kind, ()), *named.names.get(kind, ())))
        )
        for kind in kinds
    }
    return intent.model_copy(update={"things": things})


@dataclass(frozen=True, slots=True)
class SearchBackend:
    """The index of a search, and the embedder of its question."""

    index: Index
    embedder: Embedder


async def find_candidates(
    places: SearchBackend,
    question: Question,
    intent: Intent,
    pack: Pack,
    statistics: CorpusStatistics,
) -> Retrieved:
    """Find the candidates of all retrievers in the asker's scope, with token vectors.

    Only trusted sources are searched, so that others cannot crowd them out. Passages of
    others are counted only where the trusted ones have none.

    Raises:
        IndexFailed: the index cannot be searched.
        EmbedderFailed: the question cannot be encoded.
    """
    clock = [perf_counter()]
    encoded = places.embedder.encode_question(intent.text)
    if not len(encoded.tokens):
        # No token to match: control characters, lone surrogates.
        empty = QuestionView(text=intent.text, words=(), encoded=encoded)
        trace = Trace(query_type=intent.query_type)
        return Retrieved(pack, empty, (), {}, trace)
    clock.append(perf_counter())
    query = SearchQuery(
        terms=make_terms(intent.text, pack.retrieval.glossary),
        vector=encoded.vector,
        scope=make_scope(question, intent),
        limit=pack.retrieval.per_arm,
        sources=_select_sources(intent, pack),
    )
    found, younger = await _search_in_time(places.index, query)
    found = await _add_named(places.index, query, intent.text, pack, found)
    found, instructing = _separate_withheld(found)
    nothing = not (found or younger or instructing)
    untrusted = await _count_untrusted(places.index, query, pack) if nothing else 0
    tokens = await places.index.fetch_tokens(
        pack.id, [c.chunk.id for c in found], query.scope.tenant
    )
    seen = make_view(intent, encoded, statistics, pack.retrieval)
    found = tuple(_attach_question(c, seen) for c in found)
    named = find_naming(intent.text, [c.chunk for c in found], pack.things)
    clock.append(perf_counter())
    trace = Trace(
        query_type=intent.query_type,
        bm25_candidates=sum(c.bm25 is not None for c in found),
        dense_candidates=sum(c.cosine is not None for c in found),
        candidates=len(found) + untrusted + len(instructing),
        removed_untrusted=untrusted,
        removed_younger=younger,
        removed_filtered=len(instructing),
        instructing=instructing,
        named=named.documents,
        unknown_names=named.unknown,
        profile=places.embedder.name,
        milliseconds={
            "encode": 1000 * (clock[1] - clock[0]),
            "search": 1000 * (clock[2] - clock[1]),
        },
    )
    return Retrieved(pack, seen, found, tokens, trace, query, named)


async def _count_untrusted(index: Index, query: SearchQuery, pack: Pack) -> int:
    """Count the passages of untrusted sources that a search would have found."""
    everything = await index.search(replace(query, sources=None))
    trusted = {source.id for source in pack.sources if source.trusted}
    return sum(c.chunk.source not in trusted for c in everything)


def _separate_withheld(
    found: Iterable[Candidate],
) -> tuple[tuple[Candidate, ...], tuple[str, ...]]:
    """Separate the candidates that may be quoted from the ids of those that are
    withheld.

    Withheld ones are not measured: removed later, they would leave their closeness to
    the other passages of their document.
    """
    every = tuple(found)
    out = tuple(c.chunk.id for c in every if is_withheld(c.chunk))
    return tuple(c for c in every if c.chunk.id not in out), out


async def _add_named(
    index: Index,
    query: SearchQuery,
    text: str,
    pack: Pack,
    found: tuple[Candidate, ...],
) -> tuple[Candidate, ...]:
    """Add passages about named entities that the candidates lack."""
    terms = find_name_terms(text, pack.things)
    if not terms:
        return found
    more, _ = await _search_in_time(index, replace(query, terms=terms))
    named = find_naming(text, [c.chunk for c in (*found, *more)], pack.things)
    for document in sorted(named.parts):
        whole = replace(query, terms=terms, document=document, limit=OF_ONE)
        more += (await _search_in_time(index, whole))[0]
    known = {c.chunk.id: c for c in reversed((*found, *more))}
    new = (c for c in more if c.chunk.document in named.documents)
    return tuple(known[i] for i in dict.fromkeys(c.chunk.id for c in (*found, *new)))


async def _add_required(
    places: SearchBackend,
    found: Retrieved,
    question: Question,
    pack: Pack,
    wanted: frozenset[str],
) -> Retrieved:
    """Add candidates of sources of which more passages are required.

    Raises:
        IndexFailed: the index cannot be searched.
    """
    if found.query is None:
        return found
    query = replace(found.query, sources=wanted)
    known = {candidate.chunk.id for candidate in found.candidates}
    more, younger = await _search_in_time(places.index, query)
    more, instructing = _separate_withheld(c for c in more if c.chunk.id not in known)
    fresh = tuple(_attach_question(c, found.view) for c in more)
    instructing = tuple(dict.fromkeys((*found.trace.instructing, *instructing)))
    tokens = await places.index.fetch_tokens(
        pack.id, [c.chunk.id for c in fresh], question.tenant
    )
    trace = found.trace.model_copy(
        update={
            "candidates": found.trace.candidates + len(fresh),
            "removed_younger": max(found.trace.removed_younger, younger),
            "removed_filtered": len(instructing),
            "instructing": instructing,
        }
    )
    return replace(
        found,
        candidates=(*found.candidates, *fresh),
        tokens={**found.tokens, **tokens},
        trace=trace,
    )


def _select_sources(intent: Intent, pack: Pack) -> frozenset[str]:
    """Return the sources to search: trusted, and binding where required."""
    binding = pack.binding_alone(needed=intent.needs_binding)
    return frozenset(
        source.id
        for source in pack.sources
        if source.trusted and (source.authority == "binding" or not binding)
    )


async def _search_in_time(
    index: Index, query: SearchQuery
) -> tuple[tuple[Candidate, ...], int]:
    """Return the candidates that applied on the analysis date, and the number of
    younger ones.

    Younger ones must not crowd out others, so more are fetched where there are any.
    """
    found = await index.search(query)
    if not any(_is_younger(c.chunk, query.scope) for c in found):
        return found, 0
    found = await index.search(replace(query, limit=DEEPER * query.limit))
    counted = tuple(c for c in found if not _is_younger(c.chunk, query.scope))
    return counted, len(found) - len(counted)


def _attach_question(found: Candidate, view: QuestionView) -> Candidate:
    """Set the stored question of a candidate's chunk, if it asks nearly the same.

    None is near to a question of subject words alone: "Do I have cancer?" is similar to
    every question about cancer. One that may only be offered says nothing of how well
    the passage answers.
    """
    if found.asked is None:
        return found
    if view.words and all(word.subject for word in view.words):
        return replace(found, question=None, asked=None)
    asked = found.asked.removeprefix(ONLY_OFFERED)
    near = (found.question or 0.0) >= SAME
    chunk = found.chunk.model_copy(update={"question": asked if near else None})
    if asked == found.asked:
        return replace(found, chunk=chunk)
    offered = found.question
    return replace(found, chunk=chunk, question=None, asked=None, offered=offered)


def find_start(dated: Chunk | Document) -> date | None:
    """Return the first day on which a text applies: of its period of force, else
    published.
    """
    return dated.in_force_from or dated.published


def _is_younger(chunk: Chunk, scope: Scope) -> bool:
    begins = find_start(chunk)
    return scope.as_of is not None and begins is not None and begins > scope.as_of


def make_scope(question: Question, intent: Intent) -> Scope:
    """Return the asker's scope, for what is in force on the analysis date."""
    return Scope(
        pack=question.pack,
        tenant=question.tenant,
        tags=question.tags,
        as_of=intent.as_of,
    )


def make_terms(text: str, glossary: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Return the words that the BM25 retriever looks for: content words and their
    meanings.
    """
    plain = [word for word in words(text) if word not in STOPWORDS]
    meant = [
        part for word in plain for e in glossary.get(word, ()) for part in words(e)
    ]
    return tuple(dict.fromkeys((*plain, *meant)))
