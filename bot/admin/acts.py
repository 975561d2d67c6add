"""What can be done about a gap on its page; what `gaps` does in the terminal."""

from collections.abc import Mapping

from adapters.ledger.gaps import Board, Gap, GapState
from adapters.reply import many
from bot.admin.frame import Told
from bot.documents.question_files import Line
from bot.documents.question_upkeep import Upkeep
from bot.documents.writing import one_writer
from bot.gaps.closing import Closing
from bot.options import plain
from bot.wiring import Application
from engine.model.errors import UsageError
from engine.policy.pack import Pack

VERBS = ("attach", "close", "dismiss", "reopen")


class Acts:
    """Does one thing about a gap.

    Args:
        application: the parts of the process.
        pack: whose gap.
    """

    def __init__(self, application: Application, pack: Pack) -> None:
        self._application = application
        self._pack = pack
        self._board = Board(application.ledger)

    async def do(self, verb: str, gap: Gap, given: Mapping[str, str]) -> Told:
        """Do it, and return what to say on the page.

        Raises:
            UsageError: what was given will not do.
            EnvironmentFailed: ledger, index or embedder failed.
        """
        match verb:
            case "attach":
                return await self._attach(gap, given)
            case "close":
                return await self._close(gap)
            case "dismiss":
                why = plain(given.get("why", "")).strip()
                if not why:
                    raise UsageError("say why it is none of the pack's")
                return _report_move(await self._board.dismiss(gap.id, why), gap)
            case _:
                return _report_move(await self._board.reopen(gap.id), gap)

    async def _attach(self, gap: Gap, given: Mapping[str, str]) -> Told:
        """Attach a question to a passage, as `gaps attach` does.

        Only to one that the askers may see: the gap has their tags, which the viewer
        holds.
        """
        document, question = given.get("document", ""), given.get("question", "")
        section, quote = given.get("section") or None, given.get("quote") or None
        line = Line(document.strip(), plain(question), section, quote, "")
        with one_writer(self._application.data):
            corpus = self._application.corpus(self._pack)
            added = await Upkeep(corpus, gap.tags).add(line, "")
        if added.kept_out is not None:
            return Told(text=f"Kept out of use: {added.kept_out}", good=False)
        return await self._close(gap)

    async def _close(self, gap: Gap) -> Told:
        if gap.state is not GapState.OPEN:
            raise UsageError(f"the gap is {gap.state}")
        checked = await Closing(self._application, self._pack).check(gap)
        if not checked.closed:
            return Told(text=f"It stays open: {checked.why}", good=False)
        return Told(text=f"Closed, {many(checked.told, 'asker')} told.")


def _report_move(moved: bool, gap: Gap) -> Told:
    if not moved:
        return Told(text=f"Nothing was done: it is {gap.state}", good=False)
    return Told(text="Done.")
