"""Discord from end to end: an event in, the reply out, on every way in (R-I1)."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from adapters.discord.app import DiscordApp, Setting
from adapters.ledger.history import Wanted
from adapters.ledger.mail_records import Binding
from adapters.mail import Action, Door, Platform
from bot.messages import wording
from bot.serving.preparing import prepare
from engine.model.errors import UsageError
from tests.adapters.discord.doors import BUSY, PACKS, QUICK
from tests.demo import Demo
from tests.loopback.discord import DiscordServer
from tests.loopback.discord_records import Message
from tests.platforms.discord_limits import check_message
from tests.scenarios.live import (
    LONG,
    QUOTED,
    REFUSED,
    SELECTION,
    STRONG,
    WEAK,
    DemoApplication,
    drafting,
    is_parted,
    living,
    parted,
)


class Talk:
    """A Discord with the bot in it."""

    def __init__(self, server: DiscordServer, application: DemoApplication) -> None:
        self.server = server
        self.people = server.people
        self.world = server.world
        self.application = application

    async def last(self, n: int) -> Message:
        """The bot's n-th message."""
        return (await self.server.posted(n))[n - 1]

    async def press(self, message: Message, action: Action, n: int) -> Message:
        """Press a button of a message; the bot's n-th message comes of it."""
        [name] = [name for name in message.buttons if name.startswith(f"{action}:")]
        self.people.press(message, name)
        return await self.last(n)


@pytest.fixture
async def talk(demo: Demo, tmp_path: Path) -> AsyncIterator[Talk]:
    """The bot on Discord, with the textbook for every channel."""
    async with talking(demo, tmp_path) as talk:
        yield talk


@asynccontextmanager
async def talking(demo: Demo, folder: Path, **settings: Any) -> AsyncIterator[Talk]:
    """The bot on Discord."""
    async with DiscordServer() as server:

        def opening(door: Door) -> DiscordApp:
            return DiscordApp(server.token, door, Setting(PACKS, BUSY, QUICK))

        async with DemoApplication(demo, folder, **settings) as application:
            with server.redirected():
                async with living(application, Platform.DISCORD, opening):
                    await server.until(lambda: server.gateway.connected)
                    await server.until(lambda: server.world.commands[None])
                    yield Talk(server, application)
    assert server.rest.unknown == []


# --- ways to ask ----------------------------------------------------------------------


async def test_a_mention_is_replied_to_R_C2(talk: Talk) -> None:
    """With quotation, source and buttons; nobody is notified, nothing unfurls."""
    asked = talk.people.mention(STRONG)
    reply = await talk.last(1)
    assert QUOTED in reply.text
    assert reply.reference is asked
    assert (reply.mentions, reply.everyone, reply.embeds) == ([], False, [])
    assert check_message(reply.sent) == []
    assert any(name.startswith("sources:") for name in reply.buttons)


async def test_a_reply_to_the_bot_leans_on_its_question_R_A11(talk: Talk) -> None:
    """Without the privileged intent a mention or a reply is heard, nothing else."""
    talk.people.mention("What is tf2?")
    first = await talk.last(1)
    talk.people.say("And what is SLAM?", reply_to=first)
    assert "SLAM" in (await talk.last(2)).text
    talk.people.say("Lunch?")
    talk.people.whisper("What is a digital twin?")
    third = await talk.last(3)
    assert "digital twin" in third.text


@pytest.mark.parametrize("private", [True, False])
async def test_a_button_asks_a_follow_up_R_A11(talk: Talk, private: bool) -> None:
    """Nobody has to mention the bot again; it works under a command's answer, too."""
    asked = {"question": "How do I record a bag?", "private": private}
    talk.people.slash("ask", asked)
    first = await talk.last(1)
    [name] = [name for name in first.buttons if name.startswith("ask:")]
    pressed = talk.people.press(first, name)
    await talk.server.responded(2)
    talk.people.submit(pressed, {"question": "And how do I play it back?"})
    reply = await talk.last(2)
    assert "ros2 bag play" in reply.text
    assert reply.ephemeral is private


@pytest.mark.parametrize("private", [True, False])
async def test_a_command_answers_one_or_all_R_C2(talk: Talk, private: bool) -> None:
    """Deferred at once, then filled."""
    talk.people.slash("ask", {"question": STRONG, "private": private})
    reply = await talk.last(1)
    assert QUOTED in reply.text
    assert reply.ephemeral is private
    assert reply.interaction is not None


async def test_a_selected_text_is_the_only_context_R_A6(talk: Talk) -> None:
    """The menu of a message opens a form."""
    said = talk.people.say(SELECTION)
    chosen = talk.people.menu("Ask about this", said)
    await talk.server.responded(1)
    talk.people.submit(chosen, {"question": "Where does the blue box stand?"})
    reply = await talk.last(1)
    assert "According to the selected text" in reply.text
    assert "left shelf" in reply.text


# --- ways in with weak evidence -------------------------------------------------------


async def test_every_way_in_passes_the_gate_R_I1(demo: Demo, tmp_path: Path) -> None:
    """Mention, reply, direct message, command, selection and edit: all refused, and
    the language model is called for none of them."""
    async with (
        drafting() as (served, settings),
        talking(demo, tmp_path, **settings) as talk,
    ):
        await refused_everywhere(talk)
        assert served.asked == []
        before = len(talk.server.posts)
        talk.people.mention(STRONG)
        await talk.last(before + 1)
        assert len(served.asked) == 1


async def refused_everywhere(talk: Talk) -> None:
    """Six questions, each on a way of its own."""
    people = talk.people
    asked = people.mention(WEAK)
    first = await talk.last(1)
    assert REFUSED in first.text
    people.say("and than ROS 1?", reply_to=first)
    await talk.last(2)
    people.whisper(WEAK)
    await talk.last(3)
    people.slash("ask", {"question": WEAK})
    await talk.last(4)
    chosen = people.menu("Ask about this", people.say(SELECTION))
    await talk.server.responded(2)
    people.submit(chosen, {"question": "What is tf2?"})
    await talk.last(5)
    people.edit(asked, f"{talk.world.bot.mention} {WEAK} Really?")
    await talk.server.until(lambda: first.edits)
    heard = talk.application.heard
    assert heard.counted("evidence_gate_blocked") == 6
    events = heard.named("chat_request_complete")
    assert len(events) == 6
    assert all(event["sources_retrieved"] for event in events)


# --- buttons and commands about a reply -----------------------------------------------


async def test_show_more_shows_the_rest_to_who_asks_R_A3(talk: Talk) -> None:
    """The sentences of the answer that the first message does not hold, each once."""
    talk.people.mention(LONG)
    reply = await talk.last(1)
    rest = await talk.press(reply, Action.MORE, 2)
    assert rest.ephemeral
    [name] = [name for name in reply.buttons if name.startswith("more:")]
    lines = await parted(talk.application, name.partition(":")[2])
    assert is_parted(lines, reply.text, rest.text)


async def test_sources_and_why_are_shown_to_who_asks_R_D5(talk: Talk) -> None:
    """By button and by command."""
    talk.people.mention(STRONG)
    reply = await talk.last(1)
    sources = await talk.press(reply, Action.SOURCES, 2)
    assert sources.ephemeral and "PID" in sources.text
    talk.people.slash("why")
    why = await talk.last(3)
    assert why.ephemeral and "so I may quote" in why.text


async def test_a_choice_is_answered_once_below_the_refusal_R_Q5(talk: Talk) -> None:
    """By a button of it, for everybody there; none of these for one alone."""
    talk.people.mention("my robot overshoots, what now?")
    reply = await talk.last(1)
    assert "Did you mean" in reply.text
    before = await talk.application.ledger.count(Wanted())
    [name] = [name for name in reply.buttons if name.startswith("choose.1:")]
    talk.people.press(reply, name)
    answer = await talk.last(2)
    assert "You chose: How do you tune a PID controller?" in answer.text
    assert not answer.ephemeral
    none = await talk.press(reply, Action.NONE_OF_THESE, 3)
    assert none.ephemeral and none.text == wording.NOTED_AS_GAP
    assert await talk.application.ledger.count(Wanted()) == before + 1


async def test_a_verdict_is_thanked_for_R_C2(talk: Talk) -> None:
    """Helpful at once, not helpful with a form for the reason."""
    talk.people.mention(STRONG)
    reply = await talk.last(1)
    assert (await talk.press(reply, Action.HELPFUL, 2)).text == wording.THANKS
    [name] = [n for n in reply.buttons if n.startswith("not_helpful:")]
    pressed = talk.people.press(reply, name)
    await talk.server.responded(2)
    talk.people.submit(pressed, {"reason": "too short"})
    assert (await talk.last(3)).text == wording.THANKS


async def test_a_question_reaches_the_people_of_the_channel_R_C1(talk: Talk) -> None:
    """An administrator names them; each gets question and evidence in private."""
    tutor = talk.world.user("tutor")
    talk.world.home.join(tutor)
    order = {"pack": "textbook", "people": tutor.mention}
    talk.people.slash("pack bind", order)
    assert f"passed on to {tutor.mention}" in (await talk.last(1)).text
    talk.people.mention(STRONG)
    reply = await talk.last(2)
    [name] = [n for n in reply.buttons if n.startswith("ask_person:")]
    pressed = talk.people.press(reply, name)
    await talk.server.responded(2)
    talk.people.submit(pressed, {"reason": "for the exam"})
    await talk.last(4)
    letters = [p for p in talk.server.posts if p.channel is talk.world.dm(tutor)]
    assert len(letters) == 1
    assert STRONG in letters[0].text and "for the exam" in letters[0].text


# --- administration and data ----------------------------------------------------------


async def test_a_pack_that_forbids_discord_is_not_bound_R_C6(talk: Talk) -> None:
    """Its binding is refused with the reason, and so is the start."""
    talk.people.slash("pack bind", {"pack": "oncology"})
    said = (await talk.last(1)).text
    assert "may not be used on Discord" in said
    general = talk.world.general
    forced = Binding(
        platform=Platform.DISCORD,
        tenant=talk.world.home.id,
        channel=general.id,
        pack="oncology",
    )
    await talk.application.mailbox.bind(forced)
    talk.people.mention("What is DPD deficiency?")
    assert "may not be used on Discord" in (await talk.last(2)).text


async def test_a_forbidden_default_refuses_the_start_R_C6(
    demo: Demo, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the reason; the binding of one channel is named, and the rest starts."""
    application = DemoApplication(demo, tmp_path, discord_pack="oncology")
    async with application:
        with pytest.raises(UsageError, match="forbids the platform"):
            await prepare(application, [Platform.DISCORD])
        await prepare(application, [Platform.SLACK])
        guild = {"platform": Platform.SLACK, "tenant": "T1", "channel": "C1"}
        gone = Binding.model_validate({**guild, "pack": "gone"})
        await application.mailbox.bind(gone)
        await prepare(application, [Platform.SLACK])
    assert "slack channel C1: no pack is called 'gone'" in capsys.readouterr().err


async def test_my_data_and_forgetting_R_S5(talk: Talk) -> None:
    """A person is one in every guild; the replies go, too."""
    talk.people.mention(STRONG)
    reply = await talk.last(1)
    talk.people.slash("mydata")
    assert "1 question" in (await talk.last(2)).text
    talk.people.slash("forget")
    await talk.server.until(lambda: reply.deleted)
    assert (await talk.last(2)).text == wording.FORGOTTEN
    talk.people.slash("mydata")
    assert "Nothing of yours" in (await talk.last(3)).text


# --- edits and deletions --------------------------------------------------------------


async def test_an_edit_changes_the_reply_and_a_deletion_takes_it_R_U4(
    talk: Talk,
) -> None:
    """In place; nothing is posted anew."""
    asked = talk.people.mention(WEAK)
    reply = await talk.last(1)
    talk.people.edit(asked, f"{talk.world.bot.mention} {STRONG}")
    await talk.server.until(lambda: QUOTED in reply.text)
    talk.people.delete(asked)
    await talk.server.until(lambda: reply.deleted)
    assert talk.server.posts == []
