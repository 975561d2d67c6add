"""Slack from end to end: an event in, the posted reply out, on every way in (R-I1)."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from adapters.ledger.history import Wanted
from adapters.mail import Action, Platform
from adapters.slack.names import ADMIN_COMMAND, ASK_ABOUT, COMMAND, FEEDBACK
from bot.messages import wording
from bot.serving.platforms import plan_openings
from engine.conclude.fallback import STOPPED_TEXT
from engine.model.codes import Reason
from engine.model.prompt import Failure
from tests.demo import Demo
from tests.loopback.faults import answered
from tests.loopback.model import Json, Said, provider
from tests.loopback.slack import SlackServer
from tests.loopback.slack_state import Message
from tests.platforms.slack_limits import check_message
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
    """A Slack with the bot in it."""

    def __init__(self, slack: SlackServer, application: DemoApplication) -> None:
        self.slack = slack
        self.people = slack.people
        self.application = application

    async def mention(self, text: str, **more: Any) -> Message:
        """Ask in the channel; the reply."""
        before = len(self.slack.posts)
        self.people.mention("C1", "U1", text, **more)
        return (await self.slack.posted(before + 1))[-1]

    async def whisper(self) -> str:
        """What one person saw last, once there is something."""
        return (await self.slack.whispered())[-1].text


@asynccontextmanager
async def talking(demo: Demo, folder: Path, **settings: Any) -> AsyncIterator[Talk]:
    """The bot on Slack."""
    async with SlackServer() as slack:
        given = {
            "slack_api": slack.base_url,
            "slack_bot_token": slack.bot_token,
            "slack_app_token": slack.app_token,
            "admins": ("slack:T1:U1",),
            **settings,
        }
        async with DemoApplication(demo, folder, **given) as application:
            slack_alone = frozenset({Platform.SLACK})
            opened = plan_openings(application, slack_alone, None)[Platform.SLACK]
            async with living(application, Platform.SLACK, opened):
                await slack.connected(2)
                yield Talk(slack, application)
        assert slack.problems == []


@pytest.fixture
async def talk(demo: Demo, tmp_path: Path) -> AsyncIterator[Talk]:
    """The bot on Slack, with the textbook for every channel."""
    async with talking(demo, tmp_path) as talk:
        yield talk


def thumbs(reply: Message) -> tuple[str, str]:
    """The values of the two buttons of feedback."""
    for block in reply.blocks:
        for element in block.get("elements", []):
            if element.get("action_id") == FEEDBACK:
                buttons = (element["positive_button"], element["negative_button"])
                return buttons[0]["value"], buttons[1]["value"]
    raise LookupError("there are no thumbs")


def said(node: object) -> str:
    """Every text below a node."""
    if isinstance(node, dict):
        own = node.get("text")
        below = [said(value) for value in node.values()]
        return "\n".join([own if isinstance(own, str) else "", *below])
    return "\n".join(map(said, node)) if isinstance(node, list | tuple) else ""


# --- ways to ask ----------------------------------------------------------------------


async def test_a_mention_is_answered_in_its_thread_R_C1(talk: Talk) -> None:
    """With quotation, source, age and buttons; nothing unfurls, nobody is notified."""
    asked = talk.people.mention("C1", "U1", STRONG, twin=True)
    [reply] = await talk.slack.posted(1)
    assert QUOTED in str(reply.blocks)
    assert "published" in str(reply.blocks)
    assert reply.thread_ts == asked.payload["event"]["ts"]
    await talk.slack.delivered()
    await talk.mention(WEAK)
    assert len(talk.slack.posts) == 2  # the twin was a repeat
    [call, _] = talk.slack.calls("chat.postMessage")
    assert check_message(call.args) == []
    assert call.args["unfurl_links"] is False


async def test_a_thread_is_followed_without_a_mention_R_A11(talk: Talk) -> None:
    """Where the bot has answered; other threads are none of its business."""
    reply = await talk.mention("What is tf2?")
    other = talk.people.write("C1", "U2", "Lunch?").payload["event"]["ts"]
    talk.people.write("C1", "U1", "Who brings the bread?", thread_ts=other)
    talk.people.write("C1", "U2", "And what is SLAM?", thread_ts=reply.thread_ts)
    await talk.slack.posted(2)
    await talk.slack.delivered()
    assert [post.thread_ts for post in talk.slack.posts] == [reply.thread_ts] * 2


async def test_direct_messages_need_no_mention_R_C1(talk: Talk) -> None:
    """A question may lean on the one before."""
    talk.people.tell("U1", "What is tf2?")
    [first] = await talk.slack.posted(1)
    assert first.channel.startswith("D")
    talk.people.tell("U1", "And what is SLAM?")
    second = (await talk.slack.posted(2))[1]
    assert "SLAM" in str(second.blocks)


async def test_the_pane_offers_questions_and_answers_R_C1(talk: Talk) -> None:
    """Those that the pack must answer."""
    talk.people.open_pane("U1")
    [prompts] = await talk.slack.set_on_threads(1)
    assert STRONG in str(prompts)


@pytest.mark.parametrize("public", [True, False])
async def test_a_command_answers_one_or_all_R_C1(talk: Talk, public: bool) -> None:
    """As it was typed."""
    typed = f"{COMMAND} public: {STRONG}" if public else f"{COMMAND} {STRONG}"
    talk.people.command("C1", "U1", typed)
    if public:
        [post] = await talk.slack.posted(1)
        assert QUOTED in str(post.blocks)
        return
    noted, answer = await talk.slack.whispered(2)
    assert noted.text == wording.NOTED
    assert QUOTED in str(answer.blocks)
    assert talk.slack.posts == []


async def test_a_selected_text_is_the_only_context_R_A6(talk: Talk) -> None:
    """The menu of a message opens a modal; what does not answer says so."""
    said = talk.people.write("C1", "U2", SELECTION).payload["event"]["ts"]
    talk.people.shortcut("C1", "U1", said, ASK_ABOUT)
    [view] = await talk.slack.viewed(1)
    asked = {"question": "Where does the blue box stand?", "selection": SELECTION}
    talk.people.submit(view["id"], asked)
    [shown] = await talk.slack.whispered(1)
    assert "According to the selected text" in str(shown.blocks)
    assert "left shelf" in str(shown.blocks)


@pytest.mark.parametrize("way", ["mention", "command", "edit"])
async def test_an_answer_outlives_a_refused_layout_R_C3(talk: Talk, way: str) -> None:
    """Slack refuses the blocks: quotation, mark and source are shown all the same."""
    refusal = answered(200, '{"ok": false, "error": "invalid_blocks"}')
    if way == "mention":
        talk.slack.fail("chat.postMessage", refusal)
        [shown] = [await talk.mention(STRONG)]
    elif way == "command":
        talk.slack.fail("response_url", answered(400, "invalid_blocks"))
        talk.people.command("C1", "U1", f"{COMMAND} {STRONG}")
        [_, shown] = await talk.slack.whispered(2)
    else:
        reply = await talk.mention(WEAK)
        talk.slack.fail("chat.update", refusal)
        talk.people.edit("C1", str(reply.thread_ts), f"<@UBOT1> {STRONG}")
        await talk.slack.called("chat.update", 2)
        [shown] = talk.slack.posts
    assert shown.blocks[0]["type"] == "section"
    assert not [block for block in shown.blocks if block["type"] == "rich_text"]
    assert thumbs(shown)
    told = said(shown.blocks)
    assert QUOTED in told
    assert "[1]" in told and "Sources" in told


async def test_a_question_that_is_stopped_ends_its_models_call_R_C1(
    demo: Demo, tmp_path: Path
) -> None:
    """The thread says so in one line, its session ends, and the call is on record."""
    begun = asyncio.Event()

    async def never(body: Json) -> Said:
        begun.set()
        await asyncio.Event().wait()
        return Said()

    async with (
        provider(never) as served,
        talking(
            demo, tmp_path, model="openai/test", model_url=served.url, model_key="k"
        ) as talk,
    ):
        talk.slack.workspace.agent = True
        asked = talk.people.mention("C1", "U1", STRONG).payload["event"]["ts"]
        await begun.wait()
        talk.people.stop("C1", "U2", asked)
        [reply] = await talk.slack.posted(1)
        assert STOPPED_TEXT in said(reply.blocks)
        assert reply.thread_ts == asked
        record = await talk.application.ledger.read(thumbs(reply)[0].partition(":")[2])
        assert record.reason_code is Reason.STOPPED
        assert [prompt.failure for prompt in record.prompts] == [Failure.STOPPED]
        assert STRONG in str(record.prompts[0].messages)
        states = [status.value for status in await talk.slack.set_on_threads(3)]
        assert states[0] == "processing" and set(states[1:]) == {"active"}
        talk.people.write("C1", "U1", "What is tf2?", thread_ts=asked)
        begun.clear()
        await begun.wait()  # what is asked later is another question


async def test_a_file_is_asked_about_where_the_pack_allows_it_R_A6(talk: Talk) -> None:
    """Like a selected text, and nothing else is looked at; by default it is named as
    not read, as is a picture."""
    asked = "Where does the blue box stand?"
    note = talk.people.file("note.txt", SELECTION.encode())
    left = await talk.mention(STRONG, files=[note])
    assert wording.FILE_LEFT in said(left.blocks)
    assert QUOTED in said(left.blocks)
    pack = talk.application.pack("textbook")
    answer = pack.answer.model_copy(update={"files": True})
    allowed = pack.model_copy(update={"answer": answer})
    talk.application._packs["textbook"] = allowed
    read = said((await talk.mention(asked, files=[note])).blocks)
    assert wording.FILE_READ in read
    assert "left shelf" in read and "According to the selected text" in read
    picture = talk.people.file("box.png", b"\x89PNG")
    unread = said((await talk.mention(STRONG, files=[picture])).blocks)
    assert wording.FILE_UNREAD in unread and QUOTED in unread


# --- ways in with weak evidence -------------------------------------------------------


async def test_every_way_in_passes_the_gate_R_I1(demo: Demo, tmp_path: Path) -> None:
    """Mention, thread, direct message, command, selection and edit: all refused, and
    the language model is called for none of them."""
    async with (
        drafting() as (served, settings),
        talking(demo, tmp_path, **settings) as talk,
    ):
        await refused_everywhere(talk)
        assert served.asked == []
        await talk.mention(STRONG)
        assert len(served.asked) == 1


async def refused_everywhere(talk: Talk) -> None:
    """Six questions, each on a way of its own."""
    people, slack = talk.people, talk.slack
    reply = await talk.mention(WEAK)
    people.write("C1", "U1", "and than ROS 1?", thread_ts=reply.thread_ts)
    await slack.posted(2)
    people.tell("U1", WEAK)
    await slack.posted(3)
    people.command("C1", "U1", f"{COMMAND} public: {WEAK}")
    await slack.posted(4)
    said = people.write("C1", "U2", SELECTION).payload["event"]["ts"]
    people.shortcut("C1", "U1", said, ASK_ABOUT)
    [view] = await slack.viewed(1)
    asked = {"question": "What is tf2?", "selection": SELECTION}
    people.submit(view["id"], {**asked, "shown_to": "everybody"})
    await slack.posted(5)
    people.edit("C1", str(reply.thread_ts), f"<@UBOT1> {WEAK} Really?")
    await slack.called("chat.update", 1)
    assert all("rich_text_quote" not in str(post.blocks) for post in slack.posts)
    assert talk.application.heard.counted("evidence_gate_blocked") == 6
    events = talk.application.heard.named("chat_request_complete")
    assert len(events) == 6
    assert all(event["sources_retrieved"] for event in events)
    assert REFUSED in str(slack.posts[0].blocks)


# --- buttons --------------------------------------------------------------------------


async def test_show_more_shows_the_rest_to_who_asks_R_A3(talk: Talk) -> None:
    """The sentences of the answer that the first message does not hold, each once."""
    reply = await talk.mention(LONG)
    talk.people.click("U2", reply, "more")
    [rest] = await talk.slack.whispered(1)
    assert rest.user == "U2"
    lines = await parted(talk.application, thumbs(reply)[0].partition(":")[2])
    assert is_parted(lines, said(reply.blocks), said(rest.blocks))


async def test_sources_and_why_are_shown_to_who_asks_R_D5(talk: Talk) -> None:
    """From the record; another person in the channel may ask too."""
    reply = await talk.mention(STRONG)
    talk.people.click("U2", reply, Action.SOURCES)
    [sources] = await talk.slack.whispered(1)
    assert sources.user == "U2"
    assert "PID" in str(sources.blocks)
    talk.people.click("U1", reply, Action.WHY)
    why = (await talk.slack.whispered(2))[1]
    assert "so I may quote" in str(why.blocks)


async def test_a_choice_is_answered_once_in_the_thread_R_Q5(talk: Talk) -> None:
    """By a button of the refusal, for everybody there; none of these for one alone."""
    reply = await talk.mention("my robot overshoots, what now?")
    assert "Did you mean" in str(reply.blocks)
    before = await talk.application.ledger.count(Wanted())
    talk.people.click("U2", reply, "choose.1")
    answer = (await talk.slack.posted(2))[1]
    assert answer.thread_ts == reply.thread_ts
    assert "You chose: How do you tune a PID controller?" in said(answer.blocks)
    talk.people.click("U2", reply, Action.NONE_OF_THESE)
    assert await talk.whisper() == wording.NOTED_AS_GAP
    await talk.slack.delivered()
    assert len(talk.slack.posts) == 2
    assert await talk.application.ledger.count(Wanted()) == before + 1
    for call in talk.slack.calls("chat.postMessage"):
        assert check_message(call.args) == []


async def test_a_verdict_is_thanked_for_R_C1(talk: Talk) -> None:
    """Helpful at once, not helpful with a reason."""
    reply = await talk.mention(STRONG)
    helpful, not_helpful = thumbs(reply)
    talk.people.click("U2", reply, FEEDBACK, helpful)
    assert await talk.whisper() == wording.THANKS
    talk.people.click("U1", reply, FEEDBACK, not_helpful)
    [view] = await talk.slack.viewed(1)
    talk.people.submit(view["id"], {"reason": "too short"})
    assert (await talk.slack.whispered(2))[1].text == wording.THANKS


async def test_a_question_reaches_the_people_of_the_channel_R_C1(talk: Talk) -> None:
    """Who may administer names them; each gets question and evidence."""
    talk.people.command("C1", "U1", f"{ADMIN_COMMAND} bind textbook people=<@U2>")
    [told] = await talk.slack.whispered()
    assert "To try it, ask:" in told.text
    assert "'user_id': 'U2'" in str(told.blocks)
    reply = await talk.mention(STRONG)
    talk.people.click("U1", reply, Action.ASK_PERSON)
    [view] = await talk.slack.viewed(1)
    talk.people.submit(view["id"], {"reason": "for the exam"})
    letter = (await talk.slack.posted(2))[1]
    assert letter.channel.startswith("D")
    told = str(letter.blocks)
    assert STRONG in told and "for the exam" in told and QUOTED in told


# --- administration and data ----------------------------------------------------------


async def test_only_an_administrator_binds_R_C5(talk: Talk) -> None:
    """Slack says who administers."""
    talk.people.command("C1", "U2", f"{ADMIN_COMMAND} bind oncology")
    assert await talk.whisper() == wording.administrators_only(Platform.SLACK)


async def test_my_data_and_forgetting_R_S5(talk: Talk) -> None:
    """Afterwards nothing is stored or stands there, and the chain verifies."""
    reply = await talk.mention(STRONG)
    talk.people.command("C1", "U1", f"{ADMIN_COMMAND} my data")
    assert "1 question" in await talk.whisper()
    talk.people.command("C1", "U1", f"{ADMIN_COMMAND} forget me")
    assert (await talk.slack.whispered(2))[1].text == wording.FORGOTTEN
    talk.people.command("C1", "U1", f"{ADMIN_COMMAND} my data")
    assert "Nothing of yours" in (await talk.slack.whispered(3))[2].text
    [deleted] = await talk.slack.called("chat.delete", 1)
    assert deleted.args["ts"] == reply.ts
    await talk.slack.called("views.publish", 1)
    assert "Nothing of yours" in str(talk.slack.workspace.homes["U1"])
    assert (await talk.application.ledger.verify_all()).ok


async def test_the_app_home_says_what_there_is_R_C1(talk: Talk) -> None:
    """Packs, health and what is stored."""
    talk.people.open_home("U1")
    await talk.slack.called("views.publish", 1)
    home = str(talk.slack.workspace.homes["U1"])
    assert "Physical AI" in home and wording.WELL in home


async def test_the_pane_says_that_it_has_no_pack(demo: Demo, tmp_path: Path) -> None:
    """And where to ask instead; it does not stay blank."""
    async with talking(demo, tmp_path, slack_pack=None) as talk:
        talk.people.open_pane("U1")
        [told] = await talk.slack.posted(1)
        assert told.text == wording.no_pack(Platform.SLACK, direct=True)


# --- edits and deletions --------------------------------------------------------------


async def test_an_edit_changes_the_reply_and_a_deletion_takes_it_R_U4(
    talk: Talk,
) -> None:
    """In place; nothing is posted anew."""
    reply = await talk.mention(WEAK)
    talk.people.edit("C1", str(reply.thread_ts), f"<@UBOT1> {STRONG}")
    await talk.slack.called("chat.update", 1)
    assert QUOTED in str(reply.blocks)
    talk.people.delete("C1", str(reply.thread_ts))
    await talk.slack.called("chat.delete", 1)
    assert len(talk.slack.posts) == 1
