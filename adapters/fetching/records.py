"""The records that connectors list and fetch."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Item:
    """One document of a feed, before it is fetched.

    `name` is the name of its file. `mark` changes with the document (a date, a hash);
    None where the server has none, so that the document has to be requested. A `closed`
    document exists and may not be fetched; an earlier copy of it is deleted.
    """

    name: str
    url: str
    mark: str | None = None
    closed: bool = False


@dataclass(frozen=True, slots=True)
class Known:
    """The state of a document that was fetched before, on `day`."""

    mark: str | None = None
    etag: str | None = None
    modified: str | None = None
    day: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """A fetched document; `content` is None where it has not changed.

    `charset` is the encoding that the server stated, `url` the final address after
    redirects.
    """

    content: bytes | None
    etag: str | None = None
    modified: str | None = None
    charset: str | None = None
    url: str = ""


class Connector(Protocol):
    """The connector of one feed, which lists its documents and fetches each."""

    def items(self) -> AsyncIterator[Item]:
        """List all documents, each once.

        Raises:
            FetchFailed: the list is incomplete, so no document counts as gone.
        """
        ...

    async def fetch(self, item: Item, known: Known | None) -> Page:
        """Fetch one document.

        Raises:
            FetchFailed: it cannot be fetched.
        """
        ...
