"""Documents that want to do harm are taken in, asked about, and do none (R-V7).

They go through the real parser, index and engine, and every reply through what shows it
on Slack and Discord; `tests/platforms` judges, which knows nothing of that.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from adapters.discord.writer import DISCORD as on_discord
from adapters.loaders.sandbox import SERVED, Parser
from adapters.mail import Part
from adapters.reply import Reply, compose
from bot.documents.ingest import Job, Steps, ingest, look
from bot.wiring import Application
from config.settings import Settings
from tests.adapters.discord.letters import answers, incoming
from tests.adapters.discord.test_hostile import harmless
from tests.adapters.slack.test_limits import RENDERED, SEEN, addresses, judged
from tests.demo import Demo, question
from tests.platforms import discord_reach, slack_reach
from tests.scenarios.hostile import AWAY, PINGS, pages, write

PACK = "textbook"
OURS = {"docs.ros.org", "gazebosim.org", "example.org"}  # its register's homepages
SEED = 20261122


async def survived(
    demo: Demo, folder: Path, number: int, seed: int = SEED
) -> Counter[str]:
    """Take so many documents in, ask for each, show what comes of it in every way."""
    made = pages(number, seed)
    write(folder / "documents" / "ros2", made)  # a trusted source has them
    told: Counter[str] = Counter()
    settings = Settings(data=folder / "data")
    async with Application(settings, embedder=demo.embedder) as application:
        pack = application.pack(PACK)
        corpus, job = application.corpus(pack), Job(folder / "documents")
        with Parser() as parser:
            taken = await ingest(corpus, parser, job, look(job.path, SERVED), Steps())
        told["failed"] = taken.actions["failed"]
        engine, today = application.engine(pack), application.clock.now().date()
        for page in made:
            outcome = await engine.ask(question(PACK, page.question))
            reply = compose(outcome, pack.wording, today)
            shown(reply, page.question)
            told += Counter(answered=outcome.answered, baited=_baited(reply))
        report = await application.ledger.verify_all()
        assert report.ok
    return told


def shown(reply: Reply, asked: str) -> None:
    """Fail where it disturbs or misleads anybody, however it is shown."""
    for seen in SEEN.values():
        for render in RENDERED.values():
            parts = render(reply, seen)
            judged(parts, addresses(reply))
            _stays(parts, slack_reach.links)
    harmless(reply)
    for came in (incoming(text=asked), incoming(callback=answers(private=True))):
        parts = (
            *on_discord.answer(reply, came),
            *on_discord.sources(reply, came),
            *on_discord.why(reply, came),
            *on_discord.handover(reply, came, asked),
        )
        assert not any(discord_reach.pings(part.payload) for part in parts)
        assert not any(discord_reach.unfurls(part.payload) for part in parts)
        _stays(parts, discord_reach.links)


def _stays(parts: Sequence[Part], links: object) -> None:
    """Whatever can be followed leads to a page of the register."""
    assert callable(links)
    for part in parts:
        hosts = {urlsplit(url).hostname for url in links(part.payload)}
        assert hosts <= OURS, hosts


def _baited(reply: Reply) -> bool:
    """Whether something hostile stands in what is shown at all."""
    said = reply.model_dump_json()
    return any(bait in said for bait in (AWAY, *PINGS))


async def test_hostile_documents_do_no_harm_R_V7(demo: Demo, tmp_path: Path) -> None:
    """No ping, no foreign link, no unfurl, and no limit broken."""
    told = await survived(demo, tmp_path, 30)
    assert told["answered"] >= 10
    assert told["baited"] >= 10


@pytest.mark.prove
@pytest.mark.parametrize("part", range(4))
async def test_two_thousand_hostile_documents_do_no_harm_R_V7(
    demo: Demo, tmp_path: Path, part: int
) -> None:
    """The same, at length: five hundred in each of four indexes."""
    told = await survived(demo, tmp_path, 500, SEED + 1 + part)
    assert told["failed"] <= 25
    assert told["answered"] >= 250
    assert told["baited"] >= 250
