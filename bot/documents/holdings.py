"""The documents that a shelf holds before an ingestion, and those withdrawn."""

from collections.abc import Iterable
from datetime import date, timedelta
from pathlib import Path

from bot.documents.corpus import Documents
from engine.model.document import Document, Membership, VersionState


class Holdings:
    """The documents of a shelf as its memberships tell them.

    Args:
        members: of the shelf, by document and the moment of their last change.
        today: what is held as of a later day was taken in with a wrong one.

    Attributes:
        current: the current documents by id.
    """

    def __init__(self, members: Iterable[Membership], today: date) -> None:
        self._today = today
        self.current: dict[str, Membership] = {}
        last: dict[str, Membership] = {}
        for member in members:
            last[member.document] = member
            if member.state is VersionState.CURRENT:
                self.current[member.document] = member
        self._withdrawn = {
            name: member
            for name, member in last.items()
            if member.state is VersionState.WITHDRAWN and name not in self.current
        }
        held = (*self._withdrawn.values(), *self.current.values())
        self._ids = {member.path: member.document for member in held}
        self._at = {member.path: member for member in self.current.values()}

    def find_id(self, path: str) -> str | None:
        """Return the id that a file has or had here."""
        return self._ids.get(path)

    def find_member(self, document: str, path: str) -> Membership | None:
        """Return what is held of a document, or of what its place gave before."""
        return self.current.get(document) or self._at.get(path)

    def was_withdrawn(self, document: str) -> bool:
        """Tell whether an administrator withdrew it, and it is still out."""
        return document in self._withdrawn

    def find_owner(self, document: Document) -> Path | None:
        """Find the other file that a document's id belongs to;

        None where it is its own.
        """
        member = self.current.get(document.id)
        if member is None:
            return None
        earlier, now = file_of(member.path), file_of(document.path)
        if earlier == now or (earlier.exists() and earlier.samefile(now)):
            return None
        return earlier

    async def find_newer_day(
        self, document: Document, store: Documents, shelf: str
    ) -> date | None:
        """Return the day of the held copy, where it is later than a document's."""
        member = self.current.get(document.id)
        if member is None or document.retrieved is None:
            return None
        held = await store.document(member.document, member.version, shelf)
        day = held.retrieved if held else None
        known = day is not None and day <= self._today + timedelta(days=1)
        return day if day and known and day > document.retrieved else None


def file_of(place: str) -> Path:
    """Return the file of a document's path; `#N` names one of several in it."""
    file, _, number = place.rpartition("#")
    lines = number.isdigit() and file.endswith((".jsonl", ".json"))
    return Path(file if lines or file.endswith(".xml") else place)


def is_same(document: Document, other: Document) -> bool:
    """Tell whether two readings say the same, wherever the file, whatever the
    loader.
    """
    place = {"path": other.path, "loader": other.loader}
    return document.model_copy(update=place) == other
