"""Earlier answers, as far as a person may see them today."""

from collections.abc import Mapping

from adapters.ledger.store import SqlLedger
from adapters.recall import Reader, recall
from adapters.reply import Reply
from engine.model.document import Document, shelves_of
from engine.model.ports import Clock
from engine.model.question import Scope
from engine.model.record import Record
from engine.parse.dates import today_in
from engine.policy.access import opens
from engine.policy.pack import Pack


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
        """Return what is on record; what was forgotten is blank.

        Raises:
            UsageError: nothing has this id.
        """
        return await self._ledger.read(audit_id)

    async def reply(
        self, record: Record, pack: Pack, scope: Scope, *, whole: bool = False
    ) -> Reply:
        """Rebuild a stored reply as a person of this scope may see it.

        `whole`: in one, with nothing behind "Show more".
        """
        documents = await self._read_visible(record, scope)
        today = today_in(pack.time_zone, self._clock.now())
        reader = Reader(documents, scope.tags, today)
        return recall(record, reader, pack, whole=whole)

    async def _read_visible(
        self, record: Record, scope: Scope
    ) -> Mapping[str, Document]:
        """Read the documents of a record that may be seen, by id.

        Each as the first of the shelves describes it that may be seen.
        """
        cited = {s.document_id: s.version for s in record.sources}
        near = {n.document_id for n in record.nearest}
        near |= {choice.document_id for choice in record.choices}
        found: dict[str, Document] = {}
        for shelf in shelves_of(scope.pack, scope.tenant):
            current = await self._ledger.current_versions(shelf)
            versions = {name: current[name] for name in near if name in current} | cited
            for name, version in versions.items():
                document = await self._ledger.document(name, version, shelf)
                if document is not None and opens(document.tags, scope.tags):
                    found.setdefault(name, document)
        return found
