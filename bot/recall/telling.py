"""Says, after documents went, how many posted answers cite what is gone (R-D7)."""

from adapters.reply import many
from bot.console import say
from bot.recall.marking import Marking, reachable
from bot.wiring import Application
from engine.policy.pack import Pack


async def say_recalled(
    application: Application, pack: Pack, document: str | None = None
) -> None:
    """One remark where visible answers are not marked yet; nothing where none is.

    Raises:
        LedgerFailed: the ledger cannot be read.
    """
    found = await Marking(application, pack).affected(document)
    waiting = [one for one in found if one.marked is None and reachable(one)]
    if waiting:
        say(
            f"{many(len(waiting), 'posted answer')} cite what is gone: see "
            f"`recall show {pack.id}`, and `recall mark {pack.id}` says so on them"
        )
