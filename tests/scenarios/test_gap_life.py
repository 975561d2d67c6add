"""The life of a gap: refused, wished for, attached, closed, told once (R-D6).

Over the loopback servers of both platforms, with the real applications on them.
"""

from collections.abc import Sequence
from pathlib import Path

from adapters.ledger.gaps import Board, GapState, Wish
from adapters.mail import Action
from bot.admin.acts import Acts
from bot.gaps.closing import Closing
from bot.gaps.collecting import collect
from bot.messages import wording
from tests.demo import Demo
from tests.platforms import discord_limits, slack_limits
from tests.scenarios import test_discord as discord
from tests.scenarios import test_slack as slack
from tests.scenarios.live import DemoApplication

OVERSHOOTS = "my robot overshoots, what now?"
PAGE = "demo/pid-control"
NEAREST = "How do you tune a PID controller?"


async def check(application: DemoApplication) -> Sequence[GapState]:
    """As after every ingestion; the state of every gap of the textbook."""
    pack = application.pack("textbook")
    await collect(application, pack)
    await Closing(application, pack).check_all()
    return [gap.state for gap in await Board(application.ledger).gaps("textbook")]


async def attached(application: DemoApplication, section: str, question: str) -> str:
    """What is said to whoever attaches a question to a section on the page of gaps."""
    [gap] = await Board(application.ledger).gaps("textbook")
    given = {"document": PAGE, "section": section, "question": question}
    acts = Acts(application, application.pack("textbook"))
    return (await acts.do("attach", gap, given)).text


async def test_a_gap_lives_in_slack_until_the_gate_opens_R_Q6(
    demo: Demo, tmp_path: Path
) -> None:
    """What does not answer leaves it open; its asker is told once, in the thread."""
    async with slack.talking(demo, tmp_path) as talk:
        refusal = await talk.mention(OVERSHOOTS)
        talk.people.click("U1", refusal, Action.TELL_ME)
        assert await talk.whisper() == wording.WISHES[Wish.NOTED]

        def told() -> list[slack.Message]:
            posts = talk.slack.posts
            return [post for post in posts if wording.GAP_CLOSED in str(post.blocks)]

        assert await check(talk.application) == [GapState.OPEN]
        wrong = ("Controllers in ROS 2", "Who won the football match?")
        assert "Closed" not in await attached(talk.application, *wrong)
        assert await check(talk.application) == [GapState.OPEN]
        assert told() == []
        said = await attached(talk.application, NEAREST, OVERSHOOTS)
        assert said == "Closed, 1 asker told."
        await talk.slack.workspace.changes.until(told, "the asker is told")
        [line] = told()
        assert (line.channel, line.thread_ts) == ("C1", refusal.thread_ts)
        assert await check(talk.application) == [GapState.CLOSED]
        await talk.mention(OVERSHOOTS)
        assert len(told()) == 1
        assert "rich_text_quote" in str(talk.slack.posts[-1].blocks)
        for call in talk.slack.calls("chat.postMessage"):
            assert slack_limits.check_message(call.args) == []


async def test_an_asker_is_told_on_discord_when_the_gate_opens_R_D6(
    demo: Demo, tmp_path: Path
) -> None:
    """As a reply that notifies who asked, once."""
    async with discord.talking(demo, tmp_path) as talk:
        asked = talk.people.mention(OVERSHOOTS)
        refusal = await talk.last(1)
        wish = await talk.press(refusal, Action.TELL_ME, 2)
        assert wish.ephemeral and wish.text == wording.WISHES[Wish.NOTED]
        assert await check(talk.application) == [GapState.OPEN]
        await attached(talk.application, NEAREST, OVERSHOOTS)
        told = await talk.last(3)
        assert wording.GAP_CLOSED in told.text
        assert told.reference is asked
        assert told.mentions == [talk.world.alice]
        assert not told.ephemeral
        assert await check(talk.application) == [GapState.CLOSED]
        talk.people.mention(OVERSHOOTS)
        assert wording.GAP_CLOSED not in (await talk.last(4)).text
        for post in (refusal, told):
            assert discord_limits.check_message(post.sent) == []
