"""The life of a gap: refused, seen by its owner, attached, closed, told once (R-D6).

Over the loopback servers of both platforms, with the real applications on them.
"""

from pathlib import Path

from adapters.gap_board import TITLE
from adapters.ledger.board import Board
from adapters.ledger.gaps import GapState, Wish
from adapters.ledger.mail_records import EVERYWHERE, Binding
from adapters.mail import Action, Platform
from adapters.slack.names import ADMIN_COMMAND
from bot.gaps.closing import Closing
from bot.gaps.collecting import collect
from bot.messages import wording
from tests.demo import Demo
from tests.loopback.discord_records import Message as Shown
from tests.loopback.slack_state import Json, Message
from tests.platforms import discord_limits, slack_limits
from tests.scenarios import test_discord as discord
from tests.scenarios import test_slack as slack
from tests.scenarios.live import DemoApplication

OVERSHOOTS = "my robot overshoots, what now?"
CANARY = "heron@example.org"
NEVER = f"Does the textbook explain robot football? Write to {CANARY}."
NEAREST = "How do you tune a PID controller?"
OWN_WORDS = "My robot overshoots, what now?"
ASKER, OWNER, OTHER = "U1", "U2", "U3"


async def states(application: DemoApplication) -> list[GapState]:
    """Of every gap of the textbook, in the order in which they came."""
    return [gap.state for gap in await Board(application.ledger).gaps("textbook")]


async def check(application: DemoApplication) -> None:
    """As after every ingestion."""
    pack = application.pack("textbook")
    await collect(application, pack)
    await Closing(application, pack).check_all()


# --- Slack ----------------------------------------------------------------------------


async def owned(application: DemoApplication, *owners: str, **more: object) -> None:
    """Name the owners of the textbook in a workspace."""
    binding = Binding(
        platform=Platform.SLACK,
        tenant="T1",
        channel=EVERYWHERE,
        pack="textbook",
        owners=owners,
    )
    await application.mailbox.bind(binding.model_copy(update=more))


async def home_of(talk: slack.Talk, person: str, *, until: str = "") -> Json:
    """A person's App Home, once it holds some words."""
    homes = talk.slack.workspace.homes

    def shown() -> bool:
        return person in homes and until in slack.said(homes[person]["blocks"])

    talk.people.open_home(person)
    await talk.slack.workspace.changes.until(shown, f"a home with {until!r}")
    view: Json = homes[person]
    problems = slack_limits.check_view({"type": "home", "blocks": view["blocks"]})
    assert problems == []
    return view


class OnSlack:
    """An owner at work in Slack."""

    def __init__(self, talk: slack.Talk) -> None:
        self.talk = talk
        self.people = talk.people
        self.slack = talk.slack
        self.application = talk.application

    def direct(self, person: str) -> list[Message]:
        """What the bot wrote to a person directly."""
        place = self.slack.workspace.direct("T1", person).id
        return [post for post in self.slack.posts if post.channel == place]

    async def written(self, person: str, number: int) -> Message:
        """The bot's n-th message to a person."""
        changes = self.slack.workspace.changes
        await changes.until(
            lambda: len(self.direct(person)) >= number,
            lambda: f"{number} of {[post.text for post in self.direct(person)]}",
        )
        return self.direct(person)[number - 1]

    async def modal(self, callback: Action) -> Json:
        """The modal of a kind that was opened last."""
        views = self.slack.workspace.views

        def opened() -> list[Json]:
            return [v for v in views.values() if v["callback_id"] == callback]

        await self.slack.workspace.changes.until(opened, f"a modal {callback}")
        return opened()[-1]

    async def attaches(self, view: Json, words: str, number: int) -> Message:
        """Attach a question to the passage that came nearest; what is said."""
        self.people.click_view(view["id"], Action.GAP_ATTACH)
        form = await self.modal(Action.GAP_ATTACH)
        assert slack_limits.check_blocks(form["blocks"], "view") == []
        self.people.submit(form["id"], {"question": words})
        return await self.written(OWNER, number)

    def told(self) -> list[Message]:
        """Where it was said that a question can be answered."""
        return [p for p in self.slack.posts if wording.GAP_CLOSED in str(p.blocks)]


async def test_a_gap_lives_in_slack_until_the_gate_opens_R_Q6(
    demo: Demo, tmp_path: Path
) -> None:
    """Refused, wished for, seen by its owner, attached; its asker is told once."""
    async with slack.talking(demo, tmp_path) as talk:
        desk = OnSlack(talk)
        await owned(talk.application, OWNER)
        refusal = await talk.mention(OVERSHOOTS)
        talk.people.click(ASKER, refusal, Action.TELL_ME)
        assert await talk.whisper() == wording.WISHES[Wish.NOTED]
        await check(talk.application)
        assert await states(talk.application) == [GapState.OPEN]
        assert desk.told() == []
        view = await home_of(talk, OWNER, until=OVERSHOOTS)
        assert NEAREST in slack.said(view["blocks"])
        said = await desk.attaches(view, OWN_WORDS, 1)
        assert wording.gap_closed(1) in said.text
        assert await states(talk.application) == [GapState.CLOSED]
        await talk.slack.workspace.changes.until(desk.told, "the asker is told")
        [told] = desk.told()
        assert (told.channel, told.thread_ts) == ("C1", refusal.thread_ts)
        await check(talk.application)
        await talk.mention(OVERSHOOTS)
        assert len(desk.told()) == 1
        assert "rich_text_quote" in str(talk.slack.posts[-1].blocks)
        for call in talk.slack.calls("chat.postMessage"):
            assert slack_limits.check_message(call.args) == []


async def test_what_does_not_answer_leaves_it_open_in_slack_R_Q6(
    demo: Demo, tmp_path: Path
) -> None:
    """With the reason, to the owner and on the page."""
    async with slack.talking(demo, tmp_path) as talk:
        desk = OnSlack(talk)
        await owned(talk.application, OWNER)
        await talk.mention(NEVER)
        await check(talk.application)
        view = await home_of(talk, OWNER, until="football")
        assert CANARY not in str(view)
        said = await desk.attaches(view, "Who won the football match?", 1)
        assert "The question stays open" in said.text
        [gap] = await Board(talk.application.ledger).gaps("textbook")
        assert gap.state is GapState.OPEN and gap.why


async def test_only_owners_see_and_touch_gaps_in_slack_R_C5(
    demo: Demo, tmp_path: Path
) -> None:
    """Not who asked, nor who was an owner; not what was asked with other tags or in
    another workspace. A button that stands there still does nothing."""
    async with slack.talking(demo, tmp_path) as talk:
        desk, application = OnSlack(talk), talk.application
        await owned(application, OWNER)
        await talk.mention(NEVER)
        await check(application)
        held = await home_of(talk, OWNER, until="football")
        view = await home_of(talk, ASKER, until="How to ask")
        assert "football" not in str(view)
        talk.people.command("C1", ASKER, f"{ADMIN_COMMAND} gaps")
        assert await talk.whisper() == wording.OWNS_NOTHING
        await owned(application, OTHER)
        talk.people.click_view(held["id"], Action.GAP_DISMISS)
        assert wording.OWNS_NOTHING in (await desk.written(OWNER, 1)).text
        assert await states(application) == [GapState.OPEN]
        elsewhere = {"tenant": "T2", "owners": (OWNER,)}
        await owned(application, OTHER, **elsewhere)
        talk.people.command("C1", OWNER, f"{ADMIN_COMMAND} gaps")
        assert (await talk.slack.whispered(2))[1].text == wording.OWNS_NOTHING


async def test_an_owner_dismisses_in_slack_R_D6(demo: Demo, tmp_path: Path) -> None:
    """It leaves the board; what else can be done is said below the list."""
    async with slack.talking(demo, tmp_path) as talk:
        desk, application = OnSlack(talk), talk.application
        await owned(application, OWNER)
        await talk.mention(NEVER)
        await check(application)
        view = await home_of(talk, OWNER, until=TITLE)
        assert "groundrule gaps list textbook" in slack.said(view["blocks"])
        talk.people.click_view(view["id"], Action.GAP_DISMISS)
        assert wording.DISMISSED in (await desk.written(OWNER, 1)).text
        assert await states(application) == [GapState.DISMISSED]
        await home_of(talk, OWNER, until="No question is open")


# --- Discord --------------------------------------------------------------------------


class OnDiscord:
    """An owner at work on Discord."""

    def __init__(self, talk: discord.Talk) -> None:
        self.talk = talk
        self.people = talk.people
        self.owner = talk.world.user("owner")
        talk.world.home.join(self.owner)

    async def owns(self) -> None:
        """Name the owner of the textbook in this server."""
        binding = Binding(
            platform=Platform.DISCORD,
            tenant=self.talk.world.home.id,
            channel=EVERYWHERE,
            pack="textbook",
            owners=(self.owner.id,),
        )
        await self.talk.application.mailbox.bind(binding)

    async def board(self, number: int) -> Shown:
        """Open the board, the n-th message."""
        self.people.slash("gaps", author=self.owner)
        board = await self.talk.last(number)
        assert board.ephemeral and TITLE in board.text
        return board

    async def attaches(self, board: Shown, words: str, number: int) -> Shown:
        """Attach a question to the passage that came nearest; what is said."""
        server = self.talk.server
        [name] = [n for n in board.buttons if n.startswith(Action.GAP_ATTACH)]
        before = len(server.world.responses)
        pressed = self.people.press(board, name, author=self.owner)
        await server.responded(before + 1)
        self.people.submit(pressed, {"question": words})
        return await self.talk.last(number)


async def test_a_gap_lives_on_discord_until_the_gate_opens_R_Q6(
    demo: Demo, tmp_path: Path
) -> None:
    """Refused, wished for, seen by its owner, attached; its asker is told once."""
    async with discord.talking(demo, tmp_path) as talk:
        desk = OnDiscord(talk)
        await desk.owns()
        asked = talk.people.mention(OVERSHOOTS)
        refusal = await talk.last(1)
        wish = await talk.press(refusal, Action.TELL_ME, 2)
        assert wish.ephemeral and wish.text == wording.WISHES[Wish.NOTED]
        board = await desk.board(3)
        assert OVERSHOOTS in board.text and NEAREST in board.text
        assert "groundrule gaps list textbook" in board.text
        await desk.attaches(board, OWN_WORDS, 4)
        posts = await talk.server.posted(5)
        [said] = [post for post in posts if wording.gap_closed(1) in post.text]
        assert said.ephemeral
        [told] = [post for post in posts if wording.GAP_CLOSED in post.text]
        assert told.reference is asked
        assert told.mentions == [talk.world.alice]
        assert not told.ephemeral
        await check(talk.application)
        talk.people.mention(OVERSHOOTS)
        await talk.last(6)
        closed = [p for p in talk.server.posts if wording.GAP_CLOSED in p.text]
        assert len(closed) == 1
        for post in (refusal, told):
            assert discord_limits.check_message(post.sent) == []


async def test_what_does_not_answer_leaves_it_open_on_discord_R_Q6(
    demo: Demo, tmp_path: Path
) -> None:
    """With the reason; masked, and for nobody but the owner."""
    async with discord.talking(demo, tmp_path) as talk:
        desk = OnDiscord(talk)
        await desk.owns()
        talk.people.mention(NEVER)
        await talk.last(1)
        talk.people.slash("gaps")
        assert (await talk.last(2)).text == wording.OWNS_NOTHING
        board = await desk.board(3)
        assert CANARY not in board.text
        said = await desk.attaches(board, "Who won the football match?", 4)
        assert "The question stays open" in said.text
        [kept] = await Board(talk.application.ledger).gaps("textbook")
        assert kept.state is GapState.OPEN and kept.why
        name = next(n for n in board.buttons if n.startswith(Action.GAP_DISMISS))
        talk.people.press(board, name)  # by somebody else
        assert (await talk.last(5)).text == wording.OWNS_NOTHING
        assert await states(talk.application) == [GapState.OPEN]
