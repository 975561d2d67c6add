"""Which files of an ingestion hold the same text as others (R-G1).

The gate counts them as one document, whatever they are called; whoever takes them in
should know that before a question shows it.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from bot.documents.holdings import file_of
from engine.documents.records import Document, Membership
from engine.retrieve.copies import SENTENCES, Print

NAMED = 4  # files of one text that are named; of more the number is told


@dataclass(slots=True)
class Same:
    """Groups what was taken in by what it says: the sentences are compared as words.

    A sentence is known by its hash, so that a large corpus needs little memory.
    """

    _sizes: dict[str, int] = field(default_factory=dict)
    _paths: dict[str, str] = field(default_factory=dict)
    _with: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list))
    _first: dict[str, str] = field(default_factory=dict)
    _versions: dict[str, str] = field(default_factory=dict)

    def add(self, document: Document) -> None:
        """Compare a document with those before it."""
        said = {hash(sentence) for sentence in Print.of(document).sentences}
        shared = Counter(d for sentence in said for d in self._with.get(sentence, ()))
        for other, number in shared.most_common(1):
            if number >= SENTENCES * min(len(said), self._sizes[other]):
                self._first[document.id] = self._first.get(other, other)
        self._paths[document.id] = document.path
        self._versions.setdefault(document.version, document.id)
        if document.id not in self._first:
            self._sizes[document.id] = len(said)
            for sentence in said:
                self._with[sentence].append(document.id)

    def notes(self, held: Mapping[str, Membership]) -> Iterator[str]:
        """A line for each text that several files hold.

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
