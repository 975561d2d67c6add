"""A process that writes to an embedded index until it is stopped or the disk is full.

    python -m tests.adapters.index.crash_writer FOLDER FIRST BYTES

Puts version FIRST, FIRST + 1, … of seven documents and prints each number when it is
stored. No file may grow beyond BYTES (0: no limit); once a write has failed for that,
the limit is lifted, and the same version is put again.
"""

import asyncio
import resource
import sys
from pathlib import Path

import numpy as np

from adapters.index.catalogue import Identity
from adapters.index.embedded import EmbeddedIndex
from engine.model.errors import IndexFailed
from engine.model.ports import Entry, TokenVectors
from tests.contracts.index_entries import DIMENSION, PACK, REDUCED, chunk

IDENTITY = Identity("crash", DIMENSION, REDUCED, chunker="1")
CHUNKS = 6
TOKENS = 3_000  # so many that a kill lands inside a write


def versions(n: int) -> list[Entry]:
    """Version `n` of the document whose turn it is; every number tells it."""
    document = f"d{n % 7}"
    vector = np.zeros(DIMENSION, np.float32)
    vector[n % DIMENSION] = 1
    tokens = TokenVectors(
        np.full((TOKENS, REDUCED), n % 100, np.int8), np.zeros((TOKENS, 2), np.int32)
    )
    return [
        Entry(chunk(document, at, f"number {n}", version=f"v{n}"), vector, tokens)
        for at in range(CHUNKS)
    ]


async def write(folder: Path, first: int, limit: int) -> None:
    """Put versions for ever, or until a write has failed and been repeated."""
    index = EmbeddedIndex(folder, IDENTITY)
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    if limit:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    n = first
    while True:
        put = versions(n)
        try:
            await index.put(PACK, put[0].chunk.document, put)
        except IndexFailed as error:
            resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
            sys.stdout.write(f"failed: {error}\n")
            await index.put(PACK, put[0].chunk.document, put)
            sys.stdout.write(f"{n}\n")
            await index.close()
            return
        sys.stdout.write(f"{n}\n")
        sys.stdout.flush()
        n += 1


if __name__ == "__main__":
    asyncio.run(write(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])))
