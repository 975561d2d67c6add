"""What owners of packs do on their gap boards in a chat, for every platform (R-D6).

Who may do it, and of which gap, is looked up at every action. What is said goes to the
owner alone; a gap closes only when the gate opens for it.
"""

from adapters.gap_board import NO_GAP
from adapters.ledger.board import Board
from adapters.ledger.gaps import GapState
from adapters.ledger.mail_records import Claimed
from adapters.mail import Action
from bot.documents.nearest import Passage, nearest
from bot.documents.writing import one_writer
from bot.gaps.closing import Closing
from bot.gaps.collecting import collect
from bot.gaps.owners import Opened, Owners
from bot.gaps.passages import Page
from bot.messages import wording
from bot.messages.steps import Present, Say, Step, Wait
from bot.wiring import Application
from engine.errors import EnvironmentFailed, LedgerFailed, UsageError
from engine.policy.pack import Pack

MOST_TRIES = 5  # at what the index, the embedder or another writer kept from being done
AGAIN_S = 5.0


class Desk:
    """Hears owners.

    Args:
        application: the parts of the process.
    """

    def __init__(self, application: Application) -> None:
        self._application = application
        self._board = Board(application.ledger)
        self._owners = Owners(application)

    async def hear(self, claimed: Claimed) -> Step:
        """What comes of an owner's action.

        Raises:
            LedgerFailed: the database did not do it.
        """
        try:
            return await self._heard(claimed)
        except LedgerFailed:
            raise
        except EnvironmentFailed:
            if claimed.attempts < MOST_TRIES:
                return Wait(AGAIN_S)
            return _say(claimed, wording.WORK_FAILED)

    async def _heard(self, claimed: Claimed) -> Step:
        incoming = claimed.incoming
        asked = (incoming.place, incoming.person, incoming.roles)
        owned = await self._owners.of(*asked)
        if not owned:
            return _say(claimed, wording.OWNS_NOTHING)
        if incoming.action is Action.GAPS:
            for one in owned:
                await collect(self._application, one.pack)
            panel = await self._owners.panel(*asked)
            if panel is None or not panel.gaps:
                return _say(claimed, NO_GAP)
            return Present(incoming, panel)
        opened = await self._owners.open(incoming)
        if opened is None:
            return _say(claimed, wording.NO_SUCH_GAP)
        if opened.line.gap.state is not GapState.OPEN:
            return _say(claimed, wording.GAP_GONE)
        if incoming.action is Action.GAP_ATTACH:
            return await self._attach(claimed, opened)
        why = "an owner says that it is not theirs"
        await self._board.dismiss(opened.line.gap.id, why)
        return _say(claimed, wording.DISMISSED)

    async def _attach(self, claimed: Claimed, opened: Opened) -> Step:
        """Attach, then try every question of the gap; why it stays open is kept."""
        incoming, gap, pack = claimed.incoming, opened.line.gap, opened.pack
        page = await self._owners.page(opened, incoming)
        passage = await self._passage(page, pack, incoming.text) if page else None
        if passage is None:
            return _say(claimed, wording.PASSAGE_GONE)
        text = " ".join(incoming.text.split())
        try:
            with one_writer(self._application.data):
                why = await passage.attach(text, claimed.asker)
        except UsageError as error:
            return _say(claimed, f"{error}.")
        if why is not None:
            why = f"what you attached is kept out of use: {why}"
            await self._board.explain(gap.id, why)
            return _say(claimed, wording.stays_open(why))
        await collect(self._application, pack)
        checked = await Closing(self._application, pack).check(gap)
        if checked.closed:
            return _say(claimed, wording.gap_closed(checked.told))
        return _say(claimed, wording.stays_open(checked.why))

    async def _passage(self, page: Page, pack: Pack, words: str) -> Passage | None:
        corpus = self._application.corpus(pack, page.member.tenant)
        membership, section = page.member.membership, page.near.section
        return await nearest(corpus, membership, words, section)


def _say(claimed: Claimed, text: str) -> Say:
    return Say(claimed.incoming, text, aside=True)
