"""A process that writes to an index on a Weaviate server until it is killed.

    python -m tests.adapters.index.weaviate_crash_writer URL GRPC NAME FOLDER FIRST

Puts version FIRST, FIRST + 1, … of seven documents and prints each number when it is
stored. NAME is the installation, FOLDER that of
its ledger.
"""

import asyncio
import sys
from pathlib import Path

from adapters.index.weaviate import WeaviateIndex
from adapters.index.weaviate_calls import Server
from adapters.index.weaviate_shelf import Names
from tests.adapters.index.crash_writer import IDENTITY, versions
from tests.adapters.index.on_server import keys_of, open_ledger
from tests.contracts.index_entries import PACK


def opened(url: str, grpc: str, installation: str, folder: str) -> WeaviateIndex:
    """The index that is written to."""
    keys = keys_of(open_ledger(Path(folder)))
    return WeaviateIndex(Server(url, grpc), Names(installation, IDENTITY), keys)


async def write(index: WeaviateIndex, n: int) -> None:
    """Put versions for ever."""
    while True:
        put = versions(n)
        await index.put(PACK, put[0].chunk.document, put)
        sys.stdout.write(f"{n}\n")
        sys.stdout.flush()
        n += 1


if __name__ == "__main__":
    asyncio.run(write(opened(*sys.argv[1:5]), int(sys.argv[5])))
