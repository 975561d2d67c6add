"""Which documents hold the same text, so that they count as one.

A copy, a file under another name, a link, another format or another release repeats
another document; it is no second witness. Two documents count as one where four fifths
of the sentences of the smaller one are in the other, nearly the same: nine tenths of
their words. Names, sources and dates do not matter.
"""

import asyncio
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

from engine.model.document import BlockKind, Document, shelves_of
from engine.model.evidence import Evidence
from engine.model.passage import Chunk
from engine.model.ports import Ledger
from engine.model.question import Question
from engine.policy.pack import Pack
from engine.text.words import words

SENTENCES = Fraction(4, 5)  # of the smaller document
WORDS = Fraction(9, 10)  # of a sentence
KEPT = 64  # documents whose sentences are cached

Said = tuple[str, ...]  # the words of a sentence


@dataclass(frozen=True)
class Fingerprint:
    """The sentences of a document as words, each once; headings are left out."""

    sentences: tuple[Said, ...]

    @cached_property
    def places(self) -> "_SentenceIndex":
        """Return an index of its words, built once for all comparisons."""
        return _SentenceIndex(self.sentences)

    @classmethod
    def of(cls, document: Document) -> "Fingerprint":
        said = (
            tuple(words(sentence.of(document.text)))
            for sentence in document.sentences
            if sentence.kind is not BlockKind.HEADING
        )
        return cls(tuple(dict.fromkeys(filter(None, said))))


def are_same(one: Fingerprint, other: Fingerprint) -> bool:
    """Return whether two documents hold the same text."""
    smaller, larger = sorted((one, other), key=lambda each: len(each.sentences))
    if not smaller.sentences:
        return not larger.sentences
    allowed = (1 - SENTENCES) * len(smaller.sentences)
    lost = 0
    for said in smaller.sentences:
        lost += not larger.places.holds(said)
        if lost > allowed:
            return False
    return True


class _SentenceIndex:
    """An index of the sentences of a document, and of pairs of neighbours, by word.

    A file in another format may end its sentences elsewhere.
    """

    def __init__(self, sentences: Sequence[Said]) -> None:
        pairs = (one + two for one, two in pairwise(sentences))
        self._every = frozenset(sentences)
        self._texts = [Counter(said) for said in (*sentences, *pairs)]
        self._with: dict[str, list[int]] = defaultdict(list)
        for at, text in enumerate(self._texts):
            for word in text:
                self._with[word].append(at)

    def holds(self, said: Said) -> bool:
        """Return whether one of them has nine tenths of the words of a sentence.

        As one in ten words may be missing, one of the rarest few is not.
        """
        if said in self._every:
            return True
        wanted = Counter(said)
        needed = WORDS * len(said)
        rarest = sorted(wanted, key=lambda word: len(self._with.get(word, ())))
        most = len(said) - int(-(-needed // 1)) + 1
        places = {at for word in rarest[:most] for at in self._with.get(word, ())}
        return any(
            (wanted & self._texts[at]).total() >= needed
            and self._texts[at].total() <= 3 * len(said)
            for at in places
        )


def find_originals(prints: Mapping[str, Fingerprint]) -> dict[str, str]:
    """Map each document to the first one with its text; to itself, if it is new."""
    first: dict[str, str] = {}
    for document, own in prints.items():
        known = (d for d in dict.fromkeys(first.values()) if are_same(prints[d], own))
        first[document] = next(known, document)
    return first


@dataclass(slots=True)
class Copies:
    """Finds the copies among the documents of an evidence; caches what it read."""

    kept: OrderedDict[tuple[str, str], Fingerprint] = field(default_factory=OrderedDict)

    async def mark_copies(
        self, evidence: Evidence, question: Question, pack: Pack, ledger: Ledger
    ) -> Evidence:
        """Set `copy_of` on the chunks of documents that repeat another one.

        Only where it matters: where the pack opens its gate on several documents.

        Raises:
            LedgerFailed: a document cannot be read.
        """
        several = any(rule.documents > 1 for rule in pack.gate.openings)
        near = [c for c in evidence.chunks if c.relevance >= pack.gate.used]
        documents = {chunk.document: chunk for chunk in near}
        if not several or len(documents) < 2 or question.selection is not None:
            return evidence
        prints = {}
        for name, chunk in documents.items():
            found = await self._read_fingerprint(chunk, question, ledger)
            if found is not None:
                prints[name] = found
        first = await asyncio.to_thread(find_originals, prints)
        chunks = tuple(
            chunk.model_copy(update={"copy_of": first[chunk.document]})
            if first.get(chunk.document, chunk.document) != chunk.document
            else chunk
            for chunk in evidence.chunks
        )
        return evidence.model_copy(update={"chunks": chunks})

    async def _read_fingerprint(
        self, chunk: Chunk, question: Question, ledger: Ledger
    ) -> Fingerprint | None:
        key = (chunk.document, chunk.version)
        if key in self.kept:
            self.kept.move_to_end(key)
            return self.kept[key]
        for shelf in shelves_of(question.pack, question.tenant):
            document = await ledger.document(*key, shelf)
            if document is not None:
                self.kept[key] = await asyncio.to_thread(Fingerprint.of, document)
                if len(self.kept) > KEPT:
                    self.kept.popitem(last=False)
                return self.kept[key]
        return None
