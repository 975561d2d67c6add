"""A ledger in a SQLite file that cannot be written, read as it stands (R-D3, R-U7).

SQLite reads such a file by its log and the log's index, where they are there. Where
there is no log everything stands in the file, and SQLite is told that it is immutable:
it could not make a log. Whoever may write there makes one, so its appearance is an
error.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import URL

from engine.model.errors import LedgerBusy


def cannot_write(file: Path) -> bool:
    """Whether a ledger is there that we may not write, or beside which no log."""
    effective = os.access in os.supports_effective_ids
    return file.exists() and not all(
        os.access(place, os.W_OK, effective_ids=effective)
        for place in (file.parent, file)
    )


@dataclass(frozen=True, slots=True)
class ReadOnly:
    """How such a file is opened.

    Attributes:
        address: of the file, for SQLAlchemy.
        log: beside the file.
        whole: whether everything stands in the file: there is no log.
    """

    address: URL
    log: Path
    whole: bool

    @classmethod
    def of(cls, file: Path) -> "ReadOnly":
        """As it stands now."""
        log = file.with_name(f"{file.name}-wal")
        whole = not log.exists()
        query = {"uri": "true", "mode": "ro"} | ({"immutable": "1"} if whole else {})
        address = URL.create("sqlite", database=file.as_uri(), query=query)
        return cls(address, log, whole)

    def check(self) -> None:
        """After what was read.

        Raises:
            LedgerBusy: somebody wrote meanwhile.
        """
        if self.whole and self.log.exists():
            raise LedgerBusy("another process wrote to the ledger: repeat this")

    @property
    def unreadable(self) -> str:
        """What to do where it cannot be opened."""
        return (
            f"what stands in {self.log} cannot be read where nothing can be written: "
            "copy the data folder to where you may write, and give that as --data"
        )
