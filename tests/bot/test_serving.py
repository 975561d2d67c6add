"""`serve` before it serves: tokens, packs, one process per folder."""

from pathlib import Path

import pytest
import yaml

from adapters.mail import Platform
from bot.commands.serve import address
from bot.facts import SlackFacts
from bot.instance import one_server
from bot.platforms import Address, configured, openings
from config.settings import PACKS, Settings
from engine.audit import plain_text
from engine.errors import EnvironmentFailed, UsageError
from tests.bot.chat import Chat
from tests.bot.command import Command, command
from tests.bot.small import SmallApplication
from tests.demo import NAMES, Room, quotes

SLACK, DISCORD = frozenset({Platform.SLACK}), frozenset({Platform.DISCORD})
BOT = {"slack_bot_token": "xoxb-1"}
HTTP = Address("127.0.0.1", 3000)


@pytest.fixture
def bot(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Command:
    """The command line on an empty folder."""
    return command(tmp_path, monkeypatch, capsys)


def test_without_a_token_there_is_nothing_to_serve(bot: Command) -> None:
    """The variables are named."""
    result = bot("serve")
    assert result.code == 2
    assert "GROUNDRULE_SLACK_BOT_TOKEN or GROUNDRULE_DISCORD_TOKEN" in result.err


@pytest.mark.parametrize(
    ("settings", "platforms", "http", "missing"),
    [
        ({}, SLACK, None, "GROUNDRULE_SLACK_BOT_TOKEN"),
        (BOT, SLACK, None, "GROUNDRULE_SLACK_APP_TOKEN"),
        (BOT, SLACK, HTTP, "GROUNDRULE_SLACK_SIGNING_SECRET"),
        ({"slack_client_id": "1"}, SLACK, None, "--http"),
        ({"slack_client_id": "1"}, SLACK, HTTP, "GROUNDRULE_SLACK_CLIENT_SECRET"),
        ({}, DISCORD, None, "GROUNDRULE_DISCORD_TOKEN"),
    ],
)
async def test_a_missing_token_is_named(
    tmp_path: Path,
    settings: dict[str, str],
    platforms: frozenset[Platform],
    http: Address | None,
    missing: str,
) -> None:
    """Before anything is opened."""
    given = Settings.model_validate({"data": tmp_path, **settings})
    async with SmallApplication(given) as application:
        with pytest.raises(UsageError, match=missing):
            openings(application, platforms, http)


def test_a_platform_with_a_token_is_served() -> None:
    """Without being named."""
    given = Settings.model_validate({**BOT, "discord_token": "t"})
    assert configured(given) == SLACK | DISCORD
    assert configured(Settings()) == frozenset()


def test_http_is_a_port_or_a_host_with_one() -> None:
    """Only this machine reaches it unless a host is named."""
    assert address(None) is None
    assert address("3000") == HTTP
    assert address("0.0.0.0:80") == Address("0.0.0.0", 80)
    for wrong in ("", "web", "localhost:", "70000"):
        with pytest.raises(UsageError, match="--http"):
            address(wrong)


def test_one_process_serves_from_a_folder(tmp_path: Path) -> None:
    """Its successor bears the same name and gives back what it had claimed."""
    with one_server(tmp_path) as home:
        assert home.endswith("/")
        with (
            pytest.raises(EnvironmentFailed, match="another process serves"),
            one_server(tmp_path),
        ):
            pass
    with one_server(tmp_path) as again:
        assert again == home


# --- what Slack's own pages show ------------------------------------------------------


def facts(chat: Chat) -> SlackFacts:
    """The facts of a chat, with the questions of the real packs."""
    application = chat.application
    return SlackFacts(
        chat.mailbox, application, application.rules, application.pseudonyms, PACKS
    )


async def test_the_home_lists_packs_health_and_data_R_C1(chat: Chat) -> None:
    """Of this workspace alone."""
    await chat.hears()
    await chat.bind("other", paused=True)
    await chat.bind("gone", channel="C9")
    await chat.bind("long", tenant="T2")
    await chat.rings()
    home = await facts(chat).home("T1", "U1")
    assert [(p.channel, p.title, p.paused) for p in home.packs] == [
        ("C1", "Other", True),
        ("everywhere else", "Small", False),
    ]
    assert home.health == "I am well. 1 question waiting."
    assert "1 question, 1 thread" in home.data
    stranger = await facts(chat).home("T1", "U2")
    assert stranger.data == "Nothing of yours is stored."


async def test_first_questions_are_those_of_the_channels_pack_R_C1(
    chat: Chat,
) -> None:
    """None where the pack has none."""
    assert await facts(chat).questions("T1", "C1") == ()
    await chat.bind("textbook")
    questions = await facts(chat).questions("T1", "C1")
    assert len(questions) == 4
    assert "What is SLAM?" in questions


async def test_first_questions_are_answered_as_the_fixtures_say_R_E1(
    room: Room,
) -> None:
    """From the demo texts, with the words that they name."""
    for name in NAMES:
        for case in must_answer(name):
            outcome = await room.ask(name, case["question"])
            said = " ".join(quote.text for quote in quotes(outcome))
            assert all(words in said for words in case["quotes"]), plain_text(outcome)


def must_answer(pack: str) -> list[dict[str, object]]:
    """The cases of a pack's fixtures."""
    file = PACKS / pack / "fixtures" / "must_answer.yaml"
    return yaml.safe_load(file.read_text(encoding="utf-8"))["cases"]
