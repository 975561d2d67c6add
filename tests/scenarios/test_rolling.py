"""Two servers are upgraded one after the other; nothing is lost.

They share one PostgreSQL, and a Weaviate server where they have an index.

The release that comes is a copy of this one with one more migration, and runs as
processes of its own beside those of this one.
"""

import random
import shutil
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from sqlalchemy import URL, create_engine, text

from adapters.ledger.history import Wanted
from adapters.ledger.schema import REVISION
from adapters.mail import Platform
from bot.batch import FAULTS
from bot.documents.demo import take_in_demo
from bot.messages.pseudonym import FILE
from bot.wiring import Application
from config.settings import Settings
from tests.conftest import ROOT
from tests.demo import ANSWERABLE
from tests.scenarios.stage import SMALL, Bot, Stage, staged, until
from tests.scenarios.test_kills import (
    SETTLING_S,
    STARTING_S,
    asked,
    bounded,
    busy,
    findings,
    on_record,
)

NEXT = "9000"
MIGRATION = f'''"""One column more in a table that every question goes through."""

import sqlalchemy as sa
from alembic import op

revision = "{NEXT}"
down_revision = "{REVISION}"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("inbox", sa.Column("mood", sa.Text(), server_default=""))


def downgrade() -> None:
    op.drop_column("inbox", "mood")
'''
SEED, RATE, SLOWER, FEW = 18, 12.0, 3.0, 12
PACK = "textbook"
pytestmark = pytest.mark.servers


def next_release(folder: Path) -> Path:
    """A copy of what runs here, with one more migration."""
    for name in ("adapters", "bot", "config", "engine", "tests"):
        ignored = shutil.ignore_patterns("__pycache__", "sets", "snapshots")
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    ledger = folder / "adapters" / "ledger"
    file = ledger / "migrations" / "versions" / f"r{NEXT}_mood.py"
    file.write_text(MIGRATION, encoding="utf-8")
    schema = ledger / "schema.py"
    written = schema.read_text(encoding="utf-8")
    line = f'REVISION = "{REVISION}"'
    assert line in written
    schema.write_text(written.replace(line, f'REVISION = "{NEXT}"'), encoding="utf-8")
    return folder


def revision(database: URL) -> str:
    """The schema of a ledger."""
    engine = create_engine(database)
    with engine.connect() as connection:
        found = connection.execute(text("SELECT version_num FROM alembic_version"))
        number = str(found.scalar_one())
    engine.dispose()
    return number


def looked_at_by_this(database: URL) -> None:
    """Let this process, of the release before, read what the next one wrote."""
    engine = create_engine(database)
    with engine.begin() as connection:
        connection.execute(
            text("UPDATE alembic_version SET version_num = :to"), {"to": REVISION}
        )
    engine.dispose()


async def further(stage: Stage, platform: Platform, number: int = FEW) -> None:
    """Wait until so much more has come from a platform."""
    least = stage.accepted()[platform] + number

    def came() -> bool:
        return stage.accepted()[platform] >= least

    await until(came, SETTLING_S, f"more from {platform}")


async def upgraded(old: Bot, new: Bot, hears: Callable[[], Awaitable[bool]]) -> None:
    """End one as a service manager does, and start the other in its place."""
    assert await old.end() == 0, old.log.read_text()
    await new.start()
    await until(hears, STARTING_S, "the new release hears")
    await until(new.ready, STARTING_S, "the new release answers")


async def rolled(
    stage: Stage, folder: Path, database: URL, pack: str = SMALL, rate: float = RATE
) -> None:
    """Upgrade one after the other under load; the release before refuses then."""
    release = next_release(folder / "next")
    one, other = folder / "one", folder / "other"
    slack = stage.release(ROOT, one, Platform.SLACK, pack)
    await slack.start()
    await until(slack.ready, STARTING_S, "Slack is answered")
    other.mkdir(mode=0o700)
    shutil.copy2(one / FILE, other / FILE)
    discord = stage.release(ROOT, other, Platform.DISCORD, pack)
    await discord.start()
    await until(stage.heard, STARTING_S, "both hear")
    async with busy(stage, random.Random(SEED), rate):
        await further(stage, Platform.SLACK)
        await further(stage, Platform.DISCORD)
        assert revision(database) == REVISION
        later = stage.release(release, one, Platform.SLACK, pack)
        await upgraded(slack, later, stage.heard)
        assert revision(database) == NEXT
        await further(stage, Platform.SLACK)
        await further(stage, Platform.DISCORD)  # heard by the release before
        after = stage.release(release, other, Platform.DISCORD, pack)
        await upgraded(discord, after, stage.heard)
        await further(stage, Platform.SLACK)
        await further(stage, Platform.DISCORD)
    await until(stage.said, SETTLING_S, "all is said")
    await until(lambda: not stage.open(), SETTLING_S, "all is done")
    assert await later.end() == await after.end() == 0
    back = stage.release(ROOT, one, Platform.SLACK, pack)
    await back.start()
    assert back.process is not None
    assert await back.process.wait() != 0
    assert f"has schema {NEXT}" in back.log.read_text()
    looked_at_by_this(database)


async def test_two_servers_are_upgraded_under_load_and_lose_nothing_R_C3(
    tmp_path: Path, empty_postgresql: URL
) -> None:
    """With a schema between: the one that still runs goes on, and then follows."""
    async with staged(tmp_path, empty_postgresql) as stage:
        await rolled(stage, tmp_path, empty_postgresql)
        found = await findings(stage)
    bounded(found, twice_on_slack=0.0)
    assert asked(found) >= 3 * FEW


@pytest.mark.usefixtures("bots_on_weaviate")
async def test_two_servers_that_share_a_weaviate_server_are_upgraded_R_C3(
    tmp_path: Path, empty_postgresql: URL
) -> None:
    """As they are shipped: each release answers from the index; it never fails."""
    async with staged(tmp_path, empty_postgresql) as stage:
        stage.questions = list(ANSWERABLE[PACK])
        told = {"data": tmp_path / "one", **stage.settings}
        async with Application(Settings.model_validate(told)) as application:
            corpus = application.corpus(application.pack(PACK))
            await take_in_demo(corpus, application.settings.packs, application.data)
        before = await on_record(stage)
        await rolled(stage, tmp_path, empty_postgresql, PACK, SLOWER)
        found = await findings(stage, before)
        ledger = stage.ledger()
        reasons = Counter(
            [o.record.reason_code async for o in ledger.outcomes(Wanted(pack=PACK))]
        )
        await ledger.close()
    bounded(found, twice_on_slack=0.0)
    assert asked(found) >= 3 * FEW
    assert not FAULTS & set(reasons), reasons
    assert reasons[None] >= sum(reasons.values()) / 2
