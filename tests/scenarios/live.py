"""The whole bot in this process, over the demo texts: listener, worker, posters."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from adapters.mail import Outgoing, Platform
from bot.gaps.collecting import Between
from bot.messages.attached import open_attached
from bot.serving.platforms import Listener, Opening
from bot.serving.posting import Posting, show_now
from bot.serving.rounds import Waker, run_rounds
from bot.wiring import Application
from config.settings import Settings
from tests.demo import Demo, Recorder
from tests.engine.pipeline.test_drafting import first_sentences
from tests.loopback.model import Provider, Said, provider

STRONG = "What is integral windup?"
QUOTED = "Integral windup happens when the motor has reached its limit"
LONG = "What does a launch file do?"  # its answer has more behind a button
WEAK = "Is ROS 2 better than ROS 1?"
REFUSED = "I can only answer questions from the textbook"
SELECTION = "The blue box stands on the left shelf. Its key is with the porter."


class DemoApplication(Application):
    """The real application over a copy of the demo texts, its events in reach."""

    def __init__(self, demo: Demo, folder: Path, **settings: Any) -> None:
        data = folder / "data"
        demo.copy(data)
        given = {"slack_pack": "textbook", "discord_pack": "textbook", **settings}
        super().__init__(
            Settings.model_validate({"data": data, **given}),
            embedder=demo.embedder,
            observer=Recorder(),
        )

    @property
    def heard(self) -> Recorder:
        """The events of every question."""
        found = self.observer
        assert isinstance(found, Recorder)
        return found


@asynccontextmanager
async def drafting() -> AsyncIterator[tuple[Provider, dict[str, Any]]]:
    """A language model that counts its calls, and the settings that lead to it."""
    async with provider(lambda body: Said(first_sentences(body))) as served:
        url, key = served.url, "k"
        yield served, {"model": "openai/test", "model_url": url, "model_key": key}


@asynccontextmanager
async def living(
    application: Application, platform: Platform, opening: Opening
) -> AsyncIterator[Listener]:
    """The bot on one platform, from when it hears to its end."""
    came, settled = Waker(), Waker()
    async with opening(application.inbox(came.wake)) as listener:

        async def show(outgoing: Outgoing) -> None:
            await show_now(listener.poster, outgoing)

        answering = application.answering("worker", show, open_attached(application))
        between = Between(application, answering)
        posting = Posting(
            application.mailbox, platform, listener.poster, worker="poster", lease_s=60
        )

        async def answer() -> bool:
            done = await between.next()
            settled.wake()
            return done

        async with asyncio.TaskGroup() as group:
            hearing = group.create_task(listener.run())
            group.create_task(run_rounds(answer, came))
            group.create_task(run_rounds(posting.next, settled))
            try:
                yield listener
            finally:  # a test that failed, too, lets every task end by itself
                hearing.cancel()
                came.end()
                settled.end()


async def parted(application: Application, audit_id: str) -> dict[bool, set[str]]:
    """The letters of every line that an answer quotes, by whether it is in its rest."""
    record = await application.ledger.read(audit_id)
    texts = {
        (source.number, quote.start, quote.end): quote.text
        for source in record.sources
        for quote in source.quotes
    }
    found: dict[bool, set[str]] = {False: set(), True: set()}
    for claim in (claim for section in record.sections for claim in section.claims):
        for place in claim.quotes:
            text = texts[place.number, place.start, place.end]
            found[claim.more] |= {letters(line) for line in text.split("\n")} - {""}
    return found


def letters(text: str) -> str:
    """A text without marks and white space, which differ by platform."""
    return "".join(filter(str.isalnum, text))


def is_parted(lines: dict[bool, set[str]], first: str, rest: str) -> bool:
    """Whether two messages hold an answer: each line once, in the one that it is of."""
    shown = {False: letters(first), True: letters(rest)}
    assert all(lines.values())
    return all(
        (line in shown[behind]) == (line in own)
        for behind in shown
        for own in (lines[behind],)
        for line in lines[False] | lines[True]
    )
