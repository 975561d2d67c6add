"""What owners of packs do on their gap boards in a chat, for every platform (R-D6).

Who may do it, and of which gap, is looked up at every action. What is said goes to the
owner alone; a gap closes only when the gate opens for it.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence

from adapters.gap_board import NO_GAP, PassageLine, PassagePanel
from adapters.layout import clipped
from adapters.ledger.board import Board
from adapters.ledger.gaps import GapState
from adapters.ledger.mail_outbox import Reply
from adapters.ledger.mail_records import Claimed, Letter
from adapters.mail import Action, Incoming, Place, Platform
from adapters.reply import inert
from bot.documents.question_upkeep import StandsThere, Upkeep
from bot.documents.writing import one_writer
from bot.gaps import passages
from bot.gaps.closing import Closing
from bot.gaps.collecting import collect
from bot.gaps.owners import Opened, Owners, gap_panel
from bot.messages import wording
from bot.messages.standing import BESIDE
from bot.messages.steps import Present, Say, Step, Wait
from bot.wiring import FACES, Application
from engine.errors import EnvironmentFailed, LedgerFailed, UsageError
from engine.questions.places import Place as PassagePlace

MOST_TRIES = 5  # at what the index, the embedder or another writer kept from being done
AGAIN_S = 5.0
SHORTEST = 3  # characters of what is looked for
SHOWN = 200  # characters of a passage

Way = Callable[[Claimed, Opened], Awaitable[Step]]


class Desk:
    """Hears owners.

    Args:
        application: the parts of the process.
    """

    def __init__(self, application: Application) -> None:
        self._application = application
        self._board = Board(application.ledger)
        self._owners = Owners(
            application.mailbox, application, application.premises, application.ledger
        )
        self._ways: Mapping[Action, Way] = {
            Action.GAP_SHOW: self._show,
            Action.GAP_DISMISS: self._dismiss,
            Action.GAP_DOCUMENT: self._want,
            Action.GAP_SEARCH: self._search,
            Action.GAP_ATTACH: self._attach,
        }

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
        if opened.gap.state is not GapState.OPEN:
            return _say(claimed, wording.GAP_GONE)
        return await self._ways[incoming.action](claimed, opened)

    async def _show(self, claimed: Claimed, opened: Opened) -> Step:
        return Present(claimed.incoming, await gap_panel(opened))

    async def _dismiss(self, claimed: Claimed, opened: Opened) -> Step:
        await self._board.dismiss(opened.gap.id, "an owner says that it is not theirs")
        return _say(claimed, wording.DISMISSED)

    async def _want(self, claimed: Claimed, opened: Opened) -> Step:
        """Who runs the bot is told, once; what was asked stays on the board."""
        members = await self._board.members([opened.gap])
        number, gap = len(members[opened.gap.id]), opened.gap
        text = wording.document_wanted(gap.id, gap.pack, number)
        fresh = await self._board.want(gap.id, self._letters(claimed, text))
        before = wording.DOCUMENT_WANTED_BEFORE
        return _say(claimed, wording.DOCUMENT_WANTED if fresh else before)

    def _letters(self, claimed: Claimed, text: str) -> Sequence[Reply]:
        """To each who runs the bot and can be reached here."""
        incoming = claimed.incoming
        face, made = FACES[incoming.platform], []
        first = BESIDE
        for person in _operators(self._application.rules.admins, incoming):
            home = Place(
                platform=incoming.platform,
                tenant=incoming.place.tenant,
                channel=person,
                private=True,
            )
            there = incoming.model_copy(update={"place": home, "callback": {}})
            parts = face.whisper(text, there, first)
            first += len(parts)
            letter = Letter(place=home, parts=parts, person=person)
            made.append(Reply(claimed, letter, callback=False))
        return made

    async def _search(self, claimed: Claimed, opened: Opened) -> Step:
        words = claimed.incoming.text.strip()
        if len(words) < SHORTEST:
            return _say(claimed, wording.TOO_SHORT)
        pack = opened.owned.pack
        found = await passages.search(self._application, pack, opened.gap, words)
        shown = tuple(
            PassageLine(
                passage=passages.name_of(chunk),
                title=" > ".join(dict.fromkeys((chunk.title, *chunk.section))),
                text=clipped(inert(passages.beginning(chunk)), SHOWN),
            )
            for chunk in found
        )
        panel = PassagePanel(gap=opened.gap.id, words=words, found=shown)
        return Present(claimed.incoming, panel)

    async def _attach(self, claimed: Claimed, opened: Opened) -> Step:
        """Attach, then try every question of the gap; why it stays open is kept."""
        incoming, gap = claimed.incoming, opened.gap
        pack = opened.owned.pack
        name = incoming.passage or ""
        passage = await passages.named(self._application, pack, gap, name)
        if passage is None:
            return _say(claimed, wording.PASSAGE_GONE)
        where = PassagePlace(passage.chunk.sentences[0], passage.chunk.section)
        text = " ".join(incoming.text.split())
        try:
            with one_writer(self._application.data):
                upkeep = Upkeep(passage.corpus)
                added = await upkeep.attach(
                    passage.document, where, text, claimed.asker
                )
            why = added.kept_out
        except StandsThere:
            why = None  # from an earlier try, or by another owner
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


def _operators(admins: frozenset[str], incoming: Incoming) -> Sequence[str]:
    """Who runs the bot and is known on this platform, in this workspace."""
    platform = incoming.platform
    home = f"{incoming.place.tenant}:" if platform is Platform.SLACK else ""
    prefix = f"{platform}:{home}"
    return sorted(a.removeprefix(prefix) for a in admins if a.startswith(prefix))


def _say(claimed: Claimed, text: str) -> Say:
    return Say(claimed.incoming, text, aside=True)
