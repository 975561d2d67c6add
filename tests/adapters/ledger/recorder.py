"""A process that records outcomes into a ledger until it is stopped, telling each id.

    python -m tests.adapters.ledger.recorder URL HOW_MANY [LARGEST_FILE]

With a third argument no file may grow beyond so many bytes; what the ledger then raises
is told by its code.
"""

import asyncio
import resource
import sys

from adapters.ledger.store import SqlLedger
from engine.model.errors import LedgerFailed
from tests.adapters.ledger.samples import answered, document


async def run(url: str, how_many: int, largest: int | None) -> None:
    """Record, and say so only afterwards."""
    ledger = SqlLedger(url)
    cited = document()
    await ledger.store_document("oncology", cited)
    if largest is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))
    for number in range(how_many):
        try:
            tell(await ledger.record(answered(cited, id=f"q-{number}")))
        except LedgerFailed as error:
            tell(error.code)
            break
    await ledger.close()


def tell(line: str) -> None:
    """One line, at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    limit = int(sys.argv[3]) if len(sys.argv) > 3 else None
    asyncio.run(run(sys.argv[1], int(sys.argv[2]), limit))
