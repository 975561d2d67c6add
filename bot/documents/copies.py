"""Files of an ingestion that hold the same text as others.

The gate counts them as one document, whatever they are called; whoever takes them in
should know that before a question shows it.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nsmallest
from itertools import pairwise

from bot.documents.holdings import file_of
from engine.model.document import Document, Membership
from engine.search.copies import SENTENCES, Fingerprint, Said, are_same

LIKELY = 3  # documents that are read again to be compared
WORTH = SENTENCES / 2  # of the sentences: so many are found again where it is worth it
FEW = 4  # sentences of a document of which each counts
NAMED = 4  # files of one text that are named; of more the number is told


Read = Callable[[str, str], Awaitable[Document | None]]  # by id and version


@dataclass(slots=True)
class Same:
    """Groups what was taken in by what it says, by the gate's own rule.

    A sentence is found again by a few pairs of its words, whichever have the least
    hashes: so a large corpus needs little memory, and a changed word hides no copy.
    What may be one is read again and compared.
    """

    read: Read
    _sizes: dict[str, int] = field(default_factory=dict)
    _paths: dict[str, str] = field(default_factory=dict)
    _with: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list))
    _first: dict[str, str] = field(default_factory=dict)
    _versions: dict[str, str] = field(default_factory=dict)
    _held: dict[str, str] = field(default_factory=dict)

    async def add(self, document: Document) -> None:
        """Compare a document with those before it."""
        own = await asyncio.to_thread(Fingerprint.of, document)
        marks = [_hash_pairs(said, len(own.sentences)) for said in own.sentences]
        first = await self._find_copied(own, marks)
        self._paths[document.id] = document.path
        self._versions.setdefault(document.version, document.id)
        if first is not None:
            self._first[document.id] = self._first.get(first, first)
            return
        self._sizes[document.id] = len(marks)
        self._held[document.id] = document.version
        for mark in set().union(*marks):
            self._with[mark].append(document.id)

    async def _find_copied(
        self, own: Fingerprint, marks: Sequence[set[int]]
    ) -> str | None:
        """Find the document before it that holds the same text."""
        shared = Counter(
            name
            for each in marks
            for name in {name for mark in each for name in self._with.get(mark, ())}
        )
        for name, number in shared.most_common(LIKELY):
            if number < WORTH * min(len(marks), self._sizes[name]):
                continue
            other = await self.read(name, self._held[name])
            if other is not None and await asyncio.to_thread(_say_the_same, own, other):
                return name
        return None

    def notes(self, held: Mapping[str, Membership]) -> Iterator[str]:
        """Yield a line for each text that several files hold.

        Args:
            held: the current documents of the shelf before this run, by id.
        """
        groups: dict[str, list[str]] = defaultdict(list)
        for document, first in self._first.items():
            groups[first].append(self._paths[document])
        for member in held.values():
            own = self._versions.get(member.version)
            if own is not None and member.document not in self._paths:
                place = member.path
                gone = not file_of(place).exists()
                told = f"{place} (not there any more: --prune takes it out)"
                groups[self._first.get(own, own)].append(told if gone else place)
        for first, others in groups.items():
            named = [self._paths[first], *others]
            more = len(named) - NAMED
            listed = ", ".join(named[:NAMED]) + (
                f" and {more} more" if more > 0 else ""
            )
            yield f"the same text: {listed}; they count as one document"


def _hash_pairs(said: Said, sentences: int) -> set[int]:
    """Return hashes to find a sentence by, more of them for a short document."""
    pairs = {hash(pair) for pair in pairwise(said)} or {hash(said)}
    return set(nsmallest(2 if sentences > FEW else 8, pairs))


def _say_the_same(own: Fingerprint, other: Document) -> bool:
    return are_same(own, Fingerprint.of(other))
