"""Where readings are kept: one SQLite file."""

import sqlite3
from collections.abc import Iterable
from pathlib import Path

from tidelog.readings import Reading

BUSY_SECONDS = 5.0
BATCH = 500


class Store:
    """Readings on disk.

    The store keeps one reading for each gauge and time. A second reading for the same
    gauge and time replaces the first one.
    """

    def __init__(self, file: Path) -> None:
        """Open the database and create its table if there is none."""
        self._connection = sqlite3.connect(file, timeout=BUSY_SECONDS)
        self._connection.execute(
            "CREATE TABLE IF NOT EXISTS readings "
            "(gauge TEXT, at TEXT, level REAL, PRIMARY KEY (gauge, at))"
        )

    def add(self, readings: Iterable[Reading]) -> int:
        """Write readings in batches of 500 and return how many were written.

        Each batch is one transaction, so a crash loses at most the last batch.
        """
        written = 0
        batch: list[tuple[str, str, float]] = []
        for reading in readings:
            batch.append((reading.gauge, reading.at.isoformat(), reading.level))
            if len(batch) == BATCH:
                written += self._write(batch)
                batch.clear()
        return written + self._write(batch)

    def _write(self, batch: list[tuple[str, str, float]]) -> int:
        with self._connection:
            self._connection.executemany(
                "INSERT OR REPLACE INTO readings VALUES (?, ?, ?)", batch
            )
        return len(batch)

    def delete_before(self, day: str) -> int:
        """Delete every reading that is older than a day, and return how many there were.

        Deleted readings cannot be restored.
        """
        with self._connection:
            done = self._connection.execute("DELETE FROM readings WHERE at < ?", (day,))
        return done.rowcount
