"""Put refused and unhelpful outcomes onto the gap board, grouped by what they mean."""

from collections.abc import Sequence

from adapters.ledger.gaps import Board, New, Place
from adapters.ledger.history import Stored
from bot.delivery import Answering
from bot.messages import wording
from bot.wiring import Application
from engine.model.codes import Reason
from engine.model.ports import Floats
from engine.model.record import Record
from engine.policy.pack import Pack

AT_ONCE = 100  # questions read and encoded before they are stored
AT_A_TIME = 10  # while somebody may come to ask


class Between:
    """Answers, and puts what was refused onto the board while no event waits.

    Args:
        application: the parts of the process.
        answering: its worker.
    """

    def __init__(self, application: Application, answering: Answering) -> None:
        self._application = application
        self._answering = answering
        self._due = False

    async def next(self) -> bool:
        """Answer one event, else collect some questions; False where neither was due.

        Raises:
            EnvironmentFailed: it could not be done; it is due still.
        """
        if await self._answering.next():
            self._due = True
            return True
        if self._due:
            for pack in (await self._application.packs_in_use()).values():
                if await collect(self._application, pack, AT_A_TIME):
                    return True
            self._due = False
        return False


async def collect(application: Application, pack: Pack, most: int | None = None) -> int:
    """Put what is new onto the board of a pack; return how many, `most` at most.

    Not emergencies, which no document answers, nor what was asked about a selected
    text, nor what was forgotten before it was collected.

    Raises:
        LedgerFailed: outcomes cannot be read or gaps not written.
        EmbedderFailed: a question cannot be encoded.
    """
    board = Board(application.ledger)
    waiting = await board.uncollected(pack.id)
    collected = 0
    for at in range(0, len(waiting), AT_ONCE):
        batch = {new.audit_id: new for new in waiting[at : at + AT_ONCE]}
        stored = [s for s in await board.stored([*batch]) if _is_wanted(s)]
        stored = stored[: None if most is None else most - collected]
        embedder = application.search.embedder
        sorted_out: dict[Place, list[tuple[New, Floats]]] = {}
        for one in stored:
            vector = embedder.encode_question(restore_question(one.record)).vector
            place = Place(pack=pack.id, tenant=one.tenant, tags=_sort_tags(one))
            sorted_out.setdefault(place, []).append((batch[one.audit_id], vector))
        for place, asked in sorted_out.items():
            await board.put(place, asked)
        collected += len(stored)
        if collected == most:
            break
    return collected


def restore_question(record: Record) -> str:
    """Return what was asked, a follow-up with its context; "" once forgotten."""
    if not record.question:
        return ""
    return (record.intent.follow_up and record.intent.text) or record.question


def hide_choice(record: Record) -> str:
    """Return what was asked, for people who may not see its sources; "" once forgotten.

    A choice is words of a document, which may be closed to them.
    """
    text = restore_question(record)
    return wording.CHOSEN if text and record.chosen_from is not None else text


def _is_wanted(stored: Stored) -> bool:
    record = stored.record
    return (
        bool(record.question)
        and not record.intent.urgent
        and record.reason_code is not Reason.FIXED_TEXT
        and stored.selection is None
        and record.evidence is None
    )


def _sort_tags(stored: Stored) -> Sequence[str]:
    return tuple(sorted(stored.tags))
