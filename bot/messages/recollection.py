"""What was answered before, as far as a person may see it today (R-D5)."""

from collections.abc import Mapping

from adapters.ledger.store import SqlLedger
from adapters.recall import recall
from adapters.reply import Reply
from engine.audit import Record
from engine.corpus_records import Document
from engine.dates import today_in
from engine.policy import Pack
from engine.ports import Clock


class Recollection:
    """Reads stored replies.

    Args:
        ledger: where they are stored.
        clock: ages are counted from its today.
    """

    def __init__(self, ledger: SqlLedger, clock: Clock) -> None:
        self._ledger = ledger
        self._clock = clock

    async def record(self, audit_id: str) -> Record:
        """What is on record; what was forgotten is blank.

        Raises:
            UsageError: nothing has this id.
        """
        return await self._ledger.read(audit_id)

    async def reply(self, record: Record, pack: Pack, tags: frozenset[str]) -> Reply:
        """A stored reply as somebody sees it who holds these access tags."""
        documents = await self._visible(record, pack.id, tags)
        today = today_in(pack.time_zone, self._clock.now())
        return recall(record, documents, pack.wording, today)

    async def _visible(
        self, record: Record, pack: str, tags: frozenset[str]
    ) -> Mapping[str, Document]:
        """The documents of a record that somebody may see, by id."""
        cited = {s.document_id: s.version for s in record.sources}
        current = await self._ledger.current_versions(pack)
        near = (n.document_id for n in record.nearest)
        versions = {name: current[name] for name in near if name in current} | cited
        found = [
            await self._ledger.document(name, version, pack)
            for name, version in versions.items()
        ]
        return {d.id: d for d in found if d is not None and _open_to(d.tags, tags)}


def _open_to(wanted: tuple[str, ...], held: frozenset[str]) -> bool:
    """Whether somebody with these tags sees a document that wants one of those."""
    return not wanted or bool(held.intersection(wanted))
