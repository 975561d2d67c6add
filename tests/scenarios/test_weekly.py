"""The weekly report from end to end: `serve` posts it on both platforms (R-O3)."""

from pathlib import Path

from adapters.ledger.database import sqlite_url
from adapters.ledger.store import SqlLedger
from tests.scenarios.stage import Bot, Stage, staged, until

PATIENCE_S = 300.0  # on a busy machine
TITLE = "Small, 20"  # how the post begins


async def told(stage: Stage) -> list[str]:
    """Where the report is seen."""
    seen = await stage.seen()
    return sorted(each.platform for each in seen.messages if TITLE in each.text)


async def life(stage: Stage, bot: Bot) -> None:
    """From a start until everything is posted, and a graceful end."""

    async def both() -> bool:
        return len(await told(stage)) >= 2 and not stage.open()

    await bot.start()
    await until(stage.heard, PATIENCE_S, "the bot hears")
    await until(bot.ready, PATIENCE_S, "it answers")
    await until(both, PATIENCE_S, "the report is seen on both platforms")
    assert await bot.end() == 0, bot.log.read_text()


async def test_serve_posts_a_week_once_also_after_a_restart_R_O3(
    tmp_path: Path,
) -> None:
    """The page stands beside the ledger, and the chain verifies."""
    async with staged(tmp_path) as stage:
        home, room = stage.told["discord_home"], stage.told["discord_channels"][0]
        channel = stage.told["slack_channels"][0]
        wanted = f"small=slack:T1:{channel}|discord:{home}:{room}"
        bot = stage.bot(1, GROUNDRULE_WEEKLY=wanted)
        for _ in range(2):
            await life(stage, bot)
        assert await told(stage) == ["discord", "slack"]
        assert bot.log.read_text().count("the week of small is posted") == 1
        [page] = (stage.data / "reports").glob("small-*.html")
        assert "Refusals by reason" in page.read_text(encoding="utf-8")
    ledger = SqlLedger(sqlite_url(tmp_path / "data" / "ledger.db"))
    assert (await ledger.verify_all()).failures == ()
    await ledger.close()
