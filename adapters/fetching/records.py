"""What connectors list and fetch."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Item:
    """One document of a feed, before it is fetched.

    `name` is that of its file. `mark` changes when the document does, as its place says
    (a date, a hash); None where it does not say, so that it has to be asked. One that
    is `closed` is there, and may not be had: a copy of it is taken away.
    """

    name: str
    url: str
    mark: str | None = None
    closed: bool = False


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a document that was fetched before; `day` is when it was."""

    mark: str | None = None
    etag: str | None = None
    modified: str | None = None
    day: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """A fetched document; `content` is None where it has not changed since.

    `charset` is the label that its place gave for its bytes, `url` where it was in the
    end, if that is not where it was asked for.
    """

    content: bytes | None
    etag: str | None = None
    modified: str | None = None
    charset: str | None = None
    url: str = ""


class Connector(Protocol):
    """Lists the documents of one feed, and fetches one."""

    def items(self) -> AsyncIterator[Item]:
        """All documents, each once.

        Raises:
            FetchFailed: the list cannot be had whole; nothing is then known to be gone.
        """
        ...

    async def fetch(self, item: Item, known: Known | None) -> Page:
        """One document.

        Raises:
            FetchFailed: it cannot be had.
        """
        ...
