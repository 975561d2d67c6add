"""The index on the Weaviate server that the settings name."""

from collections.abc import Callable
from functools import cached_property

from adapters.index.catalogue import Identity
from adapters.index.upkeep import IndexKeys
from adapters.index.weaviate import WeaviateIndex
from adapters.index.weaviate_calls import Server
from adapters.index.weaviate_shelf import Names, Quantizer
from config.settings import Settings, reveal


class ServerHome:
    """`indexes.Home` on a server: a collection for each embedder and chunker."""

    def __init__(
        self, settings: Settings, identity: Identity, keys: Callable[[], IndexKeys]
    ) -> None:
        self._settings = settings
        self._keys = keys
        self._names = Names(settings.weaviate_name, identity)

    @cached_property
    def index(self) -> WeaviateIndex:
        """The index; nothing is asked of the server before the first call."""
        settings = self._settings
        server = Server(
            str(settings.weaviate_url),
            settings.weaviate_grpc,
            reveal(settings.weaviate_key),
            settings.weaviate_deadline,
        )
        quantizer = Quantizer(settings.weaviate_quantizer)
        return WeaviateIndex(server, self._names, self._keys(), quantizer)

    async def begin(self, *, fresh: bool = False) -> int:
        """Make a collection where there is none, or beside one that is to be replaced.

        Others go on reading the one before until `finish`.
        """
        return await self.index.begin(fresh=fresh)

    async def finish(self) -> int:
        """Let everybody read this index, and delete what it replaces."""
        await self.index.take_over()
        return await self.index.compact()

    async def describe(self) -> str | None:
        """Describe the server and its version."""
        return await self.index.describe()

    async def close(self) -> None:
        """Close the connection where there is one."""
        if "index" in self.__dict__:
            await self.index.close()
