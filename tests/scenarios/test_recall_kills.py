"""A recall is killed on the way, and each posted answer is marked once (R-D7)."""

import random
import sys
from collections import Counter
from pathlib import Path

import pytest

from adapters.mail import Incoming, Part
from adapters.posts import Posts
from adapters.reply import compose
from bot.recall.marking import Marking
from bot.wiring import RENDERERS
from config.settings import Settings
from engine import Outcome
from tests.adapters.ledger.samples import answered, document
from tests.bot.small import SmallApplication
from tests.scenarios.stage import Bot, Stage, staged, until
from tests.scenarios.test_kills import SETTLING_S, STARTING_S

PACK, DOCUMENT = "small", "rest"
TEXT = "Rest often. Drink enough water.\n\nCall the team about a fever."
MARK = "A source of this answer was withdrawn"
KILLS, SEED = 5, 18


async def test_a_recall_that_is_killed_marks_each_of_20_once_R_D7(
    tmp_path: Path,
) -> None:
    """Ten posts a platform; posters and `recall mark` are killed together."""
    await proved(tmp_path, 20)


@pytest.mark.prove
async def test_a_recall_that_is_killed_marks_each_of_500_once_R_D7(
    tmp_path: Path,
) -> None:
    """The same of 500."""
    await proved(tmp_path, 500)


async def proved(folder: Path, posts: int) -> None:
    """Answers on both platforms lose their source, and are marked by five lives."""
    async with staged(folder) as stage:
        bot = stage.bot(workers=0)
        await bot.start()
        await until(stage.heard, STARTING_S, "it hears")
        async with SmallApplication(Settings(data=stage.data)) as application:
            await application.ledger.store_document(PACK, document(TEXT, DOCUMENT))
            await asked(stage, posts)
            await answer(application)
            await until(lambda: not stage.open(), SETTLING_S, "all is posted")
            await application.ledger.withdraw(PACK, DOCUMENT)
            assert (await marks(stage)).keys() == {0}
            await bot.kill()
            midway = 0
            for number in range(KILLS):
                least = posts * (number + 1) // (KILLS + 2)
                midway += await live_and_die(stage, bot, least)
            sys.stderr.write(f"killed while marking: {midway}, {await marks(stage)}\n")
            await bot.start()
            marking = stage.marking(PACK)
            await marking.start()
            assert marking.process is not None
            assert await marking.process.wait() == 0, marking.log.read_text()
            await until(lambda: not stage.open(), SETTLING_S, "all is marked")
            assert await bot.end() == 0
            assert await marks(stage) == {1: posts}
            everything = await Marking(
                application, application.pack(PACK)
            ).find_affected()
            assert [one.marked is not None for one in everything] == [True] * posts


async def asked(stage: Stage, posts: int) -> None:
    """Half of them on Slack, half on Discord."""
    chance = random.Random(SEED)
    for number in range(posts):
        ask = stage.mention if number % 2 else stage.say_there
        await ask(chance, f"How often should I rest, number {number}?")

    def came() -> bool:
        return sum(stage.accepted().values()) == posts

    await until(came, SETTLING_S, "all is accepted")


async def answer(application: SmallApplication) -> None:
    """Be the worker that answers each from the document."""
    mailbox, now = application.mailbox, application.clock.now()
    words = application.pack(PACK).wording
    while claimed := await mailbox.claim("test", 600):
        incoming, renderer = claimed.incoming, RENDERERS[claimed.incoming.platform]
        said = {
            "id": f"q-{incoming.platform}-{incoming.event}",
            "text": incoming.text,
            "pack": PACK,
            "tenant": f"{incoming.platform}:{incoming.place.tenant}",
            "asker": claimed.asker,
        }

        def render(
            known: Outcome, renderer: Posts = renderer, incoming: Incoming = incoming
        ) -> tuple[Part, ...]:
            return renderer.answer(compose(known, words, now.date()), incoming)

        outcome = answered(document(TEXT, DOCUMENT), **said)
        await mailbox.settle(claimed, outcome, render)


async def live_and_die(stage: Stage, bot: Bot, least: int) -> bool:
    """Mark, and end it as a power cut does as soon as so many are put down; the posters
    when so many are seen. Whether there was something left to mark."""
    await bot.start()
    marking = stage.marking(PACK)
    await marking.start()
    await until(lambda: stage.marked() >= least, SETTLING_S, f"{least} are put down")
    ended = await marking.kill_if_there()

    async def enough() -> bool:
        return (await marks(stage))[1] >= least

    await until(enough, SETTLING_S, f"{least} are seen")
    await bot.kill()
    return not ended


async def marks(stage: Stage) -> Counter[int]:
    """How many messages of the bot bear so many marks."""
    seen = await stage.seen()
    return Counter(one.text.count(MARK) for one in seen.messages)
