"""What commands do about gaps: after an ingestion, and when a question is attached."""

from adapters.ledger.board import Board
from adapters.ledger.gaps import GapState
from adapters.reply import many
from bot.console import say
from bot.gaps.closing import Closing
from bot.gaps.collecting import collect
from bot.wiring import Application
from engine.policy.pack import Pack


async def check_gaps(application: Application, pack: Pack) -> None:
    """Close the gaps of a pack for which the gate opens now, and say how many.

    Raises:
        EnvironmentFailed: ledger, index or embedder failed.
    """
    await collect(application, pack)
    gaps = await Board(application.ledger).gaps(pack.id)
    if not any(gap.state is GapState.OPEN for gap in gaps):
        return
    checked = await Closing(application, pack).check_all()
    closed = [one for one in checked if one.closed]
    if closed:
        told = many(sum(one.told for one in closed), "asker")
        say(f"{many(len(closed), 'gap')} closed, {told} told; see `gaps list`")
