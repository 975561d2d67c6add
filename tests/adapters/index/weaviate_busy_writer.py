"""A process that puts documents into an index on a Weaviate server, as others do.

    python -m tests.adapters.index.weaviate_busy_writer URL GRPC PLACE LEDGER NAME N

Puts N versions of five documents of its own, and of one that every such process puts.
PLACE is the
installation, LEDGER the folder of its ledger. It prints a line for each: "stored
DOCUMENT VERSION", or "refused DOCUMENT WHY".
"""

import asyncio
import sys
from pathlib import Path

from adapters.index.weaviate import WeaviateIndex
from adapters.index.weaviate_calls import Server
from adapters.index.weaviate_shelf import Names
from engine.model.errors import IndexFailed
from tests.adapters.index.on_server import IDENTITY, keys_of, open_ledger
from tests.contracts.index_entries import PACK, entries

OWN = 5
PAGES = 12
COMMON = "common"


def pages(document: str, version: str) -> list[str]:
    """The texts of one version."""
    return [f"fatigue {document} {version} page {at}" for at in range(PAGES)]


async def write(index: WeaviateIndex, name: str, rounds: int) -> None:
    """Put version after version, and say what came of each."""
    for number in range(rounds):
        document = COMMON if number % (OWN + 1) == OWN else f"{name}-{number % OWN}"
        version = f"{name}.{number}"
        put = entries(document, *pages(document, version), version=version)
        try:
            await index.put(PACK, document, put)
            said = f"stored {document} {version}"
        except IndexFailed as error:
            said = f"refused {document} {error}"
        sys.stdout.write(said + "\n")
        sys.stdout.flush()


async def main(url: str, grpc: str, *place: str, name: str, rounds: str) -> None:
    """Open the index that is written to, and write."""
    installation, folder = place
    ledger = open_ledger(Path(folder))
    names = Names(installation, IDENTITY)
    index = WeaviateIndex(Server(url, grpc), names, keys_of(ledger))
    await write(index, name, int(rounds))
    await index.close()
    await ledger.close()


if __name__ == "__main__":
    *place, name, rounds = sys.argv[1:]
    asyncio.run(main(*place, name=name, rounds=rounds))
