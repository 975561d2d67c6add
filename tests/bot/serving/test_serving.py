"""`serve` before it serves: tokens, packs, one process per folder."""

import shutil
from pathlib import Path

import pytest
import yaml

from adapters.mail import Platform
from bot.commands.serve import parse_address
from bot.serving.instance import one_server
from bot.serving.platforms import Address, list_configured, plan_openings
from config.settings import PACKS, Settings
from engine.model.errors import EnvironmentFailed, UsageError
from engine.model.record import plain_text
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
            plan_openings(application, platforms, http)


def test_a_platform_with_a_token_is_served() -> None:
    """Without being named."""
    given = Settings.model_validate({**BOT, "discord_token": "t"})
    assert list_configured(given) == SLACK | DISCORD
    assert list_configured(Settings()) == frozenset()


def test_http_is_a_port_or_a_host_with_one() -> None:
    """Only this machine reaches it unless a host is named."""
    assert parse_address(None) is None
    assert parse_address("3000") == HTTP
    assert parse_address("0.0.0.0:80") == Address("0.0.0.0", 80)
    for wrong in ("", "web", "localhost:", "70000"):
        with pytest.raises(UsageError, match="--http"):
            parse_address(wrong)


def test_one_process_serves_a_platform_from_a_folder(tmp_path: Path) -> None:
    """Its successor bears the same name and gives back what it had claimed."""
    with one_server(tmp_path, SLACK) as names:
        assert [name.endswith("/") for name in names] == [True]
        with (
            pytest.raises(EnvironmentFailed, match="another process serves Slack"),
            one_server(tmp_path, SLACK | DISCORD),
        ):
            pass
        with one_server(tmp_path, DISCORD) as others:
            assert set(others).isdisjoint(names)
    with one_server(tmp_path, SLACK | DISCORD) as both:
        assert set(both) == {*names, *others}


def test_a_copied_folder_has_a_name_of_its_own(tmp_path: Path) -> None:
    """Else its server would give back what the other one is at work on."""
    original, copy = tmp_path / "data", tmp_path / "copy"
    original.mkdir()
    with one_server(original, SLACK) as [name]:
        shutil.copytree(original, copy)
        with one_server(copy, SLACK) as [other]:
            assert other != name
            assert not other.startswith(name)


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
