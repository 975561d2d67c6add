"""A process that writes to an index on a Weaviate server until it is killed.

    python -m tests.adapters.index.weaviate_crash_writer URL GRPC INSTALLATION FIRST

Puts version FIRST, FIRST + 1, … of seven documents and prints each number when it is
stored.
"""

import asyncio
import sys

from adapters.index.weaviate import WeaviateIndex
from adapters.index.weaviate_calls import Server
from adapters.index.weaviate_schema import Names
from tests.adapters.index.crash_writer import IDENTITY, versions
from tests.contracts.index_entries import PACK


def opened(url: str, grpc: str, installation: str) -> WeaviateIndex:
    """The index that is written to."""
    return WeaviateIndex(Server(url, grpc), Names(installation, IDENTITY))


async def write(index: WeaviateIndex, n: int) -> None:
    """Put versions for ever."""
    while True:
        put = versions(n)
        await index.put(PACK, put[0].chunk.document, put)
        sys.stdout.write(f"{n}\n")
        sys.stdout.flush()
        n += 1


if __name__ == "__main__":
    asyncio.run(write(opened(*sys.argv[1:4]), int(sys.argv[4])))
