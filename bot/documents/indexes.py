"""The home of the index: the data folder, or a Weaviate server."""

import shutil
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Protocol

import re2

from adapters.index.catalogue import Identity
from adapters.index.embedded import EmbeddedIndex
from adapters.index.upkeep import IndexKeys, KeptIndex
from adapters.owner import FOLDER
from config.settings import Settings
from engine.model.errors import IndexFailed, UsageError


class Home(Protocol):
    """Holds the index, and the one before while another is made."""

    @property
    def index(self) -> KeptIndex:
        """The index.

        Raises:
            IndexFailed: it cannot be opened, or `reindex` has to make it first.
        """
        ...

    async def begin(self, *, fresh: bool = False) -> int:
        """Make the index ready to be filled, before it is first used.

        Args:
            fresh: with nothing in it.

        Returns:
            How many indexes of runs that were cut off were deleted.
        """
        ...

    async def finish(self) -> int:
        """Delete what the complete index replaces, and what was dropped in it.

        Returns:
            How many passages of dropped versions were deleted.
        """
        ...

    async def describe(self) -> str | None:
        """Describe the server for `doctor`; None where a folder is all it needs.

        Raises:
            IndexFailed: that cannot be used.
        """
        ...

    async def close(self) -> None:
        """Close the index where it was opened."""
        ...


class EmbeddedHome:
    """A folder of embedded indexes, one for each embedder and chunker.

    Args:
        folder: holds the indexes.
        identity: what the vectors are made with.
    """

    def __init__(self, folder: Path, identity: Identity) -> None:
        name = f"{identity.embedder}-{identity.chunker}"
        self._folder = folder
        self._identity = identity
        self._place = folder / str(re2.sub(r"[^A-Za-z0-9.]+", "-", name))

    @cached_property
    def index(self) -> KeptIndex:
        """The index; it is refused where only one of another embedder exists."""
        if not self._place.exists():
            if self._list_others():
                raise IndexFailed(
                    "the index was made with another embedder or chunker: run "
                    "`groundrule reindex` to make one for this one beside it"
                )
            self._make()
        return EmbeddedIndex(self._place, self._identity)

    async def begin(self, *, fresh: bool = False) -> int:
        """Make the folder, after deleting it where the index is to be fresh.

        Returns:
            0: a run that was cut off left nothing beside it.

        Raises:
            IndexFailed: the folder cannot be made.
        """
        if fresh:
            shutil.rmtree(self._place, ignore_errors=True)
        self._make()
        return 0

    async def finish(self) -> int:
        """Delete the indexes of other embedders and chunkers, and what was dropped.

        The latter writes the whole index again, so only where it is more than the rest.
        """
        for folder in self._list_others():
            shutil.rmtree(folder, ignore_errors=True)
        sizes = await self.index.sizes()
        much = sizes.dropped_chunks > sizes.chunks
        return await self.index.compact() if much else 0

    async def describe(self) -> str | None:
        """Return None: there is no server."""
        return None

    async def close(self) -> None:
        """Close the index where it was opened."""
        if "index" in self.__dict__:
            await self.index.close()

    def _make(self) -> None:
        try:
            self._place.mkdir(mode=FOLDER, parents=True, exist_ok=True)
        except OSError as error:
            raise IndexFailed(
                f"cannot make {self._place} ({error.strerror})"
            ) from error

    def _list_others(self) -> list[Path]:
        return [path for path in sorted(self._folder.glob("*")) if path != self._place]


def open_home(
    settings: Settings, data: Path, identity: Identity, keys: Callable[[], IndexKeys]
) -> Home:
    """Return the home of the index that the settings name.

    Args:
        settings: of the process.
        data: the data folder.
        identity: what the vectors are made with.
        keys: opens what says which keys of an index on a server are in force.

    Raises:
        UsageError: the settings name no server.
    """
    if settings.index == "embedded":
        return EmbeddedHome(data / "index", identity)
    if settings.weaviate_url is None:
        raise UsageError(
            "GROUNDRULE_INDEX=weaviate needs WEAVIATE_URL, the address of the server "
            "(http://127.0.0.1:8080)"
        )
    # The client takes a second to import; only who uses a server waits for it.
    from bot.documents.weaviate import ServerHome

    return ServerHome(settings, identity, keys)
