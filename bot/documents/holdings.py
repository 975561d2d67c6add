"""What a shelf holds before an ingestion: whose an id is, and what was withdrawn."""

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

    def id_at(self, path: str) -> str | None:
        """The id that a file has or had here."""
        return self._ids.get(path)

    def held_as(self, document: str, path: str) -> Membership | None:
        """What is held of a document, or of another one that its place gave before."""
        return self.current.get(document) or self._at.get(path)

    def was_withdrawn(self, document: str) -> bool:
        """Whether an administrator took it out, and nobody in again."""
        return document in self._withdrawn

    def home(self, document: Document) -> Path | None:
        """The other file that a document's id belongs to; None where it is its own."""
        member = self.current.get(document.id)
        if member is None:
            return None
        earlier, now = file_of(member.path), file_of(document.path)
        if earlier == now or (earlier.exists() and earlier.samefile(now)):
            return None
        return earlier

    async def newer(
        self, document: Document, store: Documents, shelf: str
    ) -> date | None:
        """The day that the held copy is of, where that is later than a document's."""
        member = self.current.get(document.id)
        if member is None or document.retrieved is None:
            return None
        held = await store.document(member.document, member.version, shelf)
        day = held.retrieved if held else None
        known = day is not None and day <= self._today + timedelta(days=1)
        return day if day and known and day > document.retrieved else None


def file_of(place: str) -> Path:
    """The file of a document's path; one of several in it has its number behind `#`."""
    file, _, number = place.rpartition("#")
    lines = number.isdigit() and file.endswith((".jsonl", ".json"))
    return Path(file if lines or file.endswith(".xml") else place)


def is_same(document: Document, other: Document) -> bool:
    """Whether two readings say the same, wherever their file lay, whatever read it."""
    place = {"path": other.path, "loader": other.loader}
    return document.model_copy(update=place) == other
