"""`doctor` on Slack and Discord: each step that can be wrong is named, with the fix."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from discord import Permissions

from adapters.discord.reach import NEEDED
from adapters.ledger.mail_records import Binding
from adapters.mail import Platform
from adapters.slack.install import SCOPES
from bot.doctor.check import Check, State
from bot.doctor.platforms import SHAPES, check_platforms
from bot.wiring import Application
from config.settings import Settings, name
from engine.model.errors import UsageError
from tests.conftest import ROOT
from tests.loopback.discord import DiscordServer
from tests.loopback.faults import answered
from tests.loopback.slack import SlackServer

BOT, APP, HEX = "xoxb-1-abc", "xapp-1-A0-1-abc", "0123456789abcdef" * 2
NOWHERE = "http://127.0.0.1:9/api/"
PAGE = ROOT / "docs" / "platforms.md"
SECRETS = {
    "slack_bot_token": BOT,
    "slack_app_token": APP,
    "slack_signing_secret": HEX,
    "slack_client_id": "1.2",
    "slack_client_secret": HEX,
    "discord_token": "MTIz.abc-_9.xyz",
}


class Doctor:
    """Looks at settings on a data folder of the test."""

    def __init__(self, data: Path) -> None:
        self._data = data

    def application(self, **settings: object) -> Application:
        made = Settings.model_validate({"data": self._data, **settings})
        return Application(made)

    async def looks(self, *, online: bool = False, **settings: object) -> list[Check]:
        async with self.application(**settings) as application:
            return [
                check async for check in check_platforms(application, online=online)
            ]


@pytest.fixture
def doctor(tmp_path: Path) -> Doctor:
    """A doctor."""
    return Doctor(tmp_path / "data")


def of(checks: list[Check], part: str) -> Check:
    [found] = [check for check in checks if check.part == part]
    return found


# --- tokens -----------------------------------------------------------------------


async def test_nothing_set_up_is_no_fault(doctor: Doctor) -> None:
    """The terminal works without a platform; what to read is said."""
    checks = await doctor.looks()
    assert [(c.state, c.part) for c in checks] == [
        (State.NOTE, "slack"),
        (State.NOTE, "discord"),
    ]
    said = PAGE.read_text(encoding="utf-8")
    for check in checks:
        section = check.found.partition("docs/platforms.md, ")[2].partition(".")[0]
        assert f"\n## {section}\n" in said


async def test_what_is_set_up_is_said(doctor: Doctor) -> None:
    """One workspace over sockets, and Discord."""
    checks = await doctor.looks(
        slack_bot_token=BOT,
        slack_app_token=APP,
        discord_token=SECRETS["discord_token"],
        admins="slack:T1:U1,discord:2",
    )
    assert of(checks, "slack").found == "one workspace, over sockets"
    assert of(checks, "discord").state is State.OK
    assert not [c for c in checks if c.state is State.CONFIGURATION]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.field)
async def test_a_token_of_the_wrong_shape_is_named_and_not_shown_R_S1(
    doctor: Doctor, shape: object
) -> None:
    """Each of them, taken for another or with something around it."""
    field: str = shape.field  # type: ignore[attr-defined]
    right = SECRETS[field]
    assert name(field) not in {c.part for c in await doctor.looks(**{field: right})}
    for wrong in (f" {right}", f"{right}\n", f"Bot {right}", "xoxp-secret", "S3CRET"):
        check = of(await doctor.looks(**{field: wrong}), name(field))
        assert check.state is State.CONFIGURATION
        assert shape.place in check.found  # type: ignore[attr-defined]
        assert wrong.strip() not in check.found


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        ("slack_app_token", ["slack_bot_token"]),
        ("slack_bot_token", ["slack_app_token"]),
        ("slack_client_id", ["slack_client_secret", "slack_signing_secret"]),
        ("slack_signing_secret", ["slack_bot_token"]),
        ("slack_pack", ["slack_bot_token", "slack_app_token"]),
        ("discord_pack", ["discord_token"]),
    ],
)
async def test_what_is_missing_is_named(
    doctor: Doctor, given: str, missing: list[str]
) -> None:
    """Of a platform that is half set up."""
    value = SECRETS.get(given, "textbook")
    part = given.partition("_")[0]
    check = of(await doctor.looks(**{given: value}), part)
    assert check.state is State.CONFIGURATION
    assert all(name(field) in check.found for field in missing)


async def test_http_and_installs_are_ways_to_set_slack_up(doctor: Doctor) -> None:
    """A signing secret instead of an app token, client id and secret instead of one."""
    http = await doctor.looks(slack_bot_token=BOT, slack_signing_secret=HEX)
    assert "serve --http" in of(http, "slack").found
    installs = await doctor.looks(
        slack_client_id="1.2", slack_client_secret=HEX, slack_signing_secret=HEX
    )
    assert of(installs, "slack").state is State.OK
    assert "install" in of(installs, "slack").found


# --- packs ------------------------------------------------------------------------


async def test_no_pack_is_said_with_the_command_that_binds_one(doctor: Doctor) -> None:
    """Per platform."""
    checks = await doctor.looks(
        slack_bot_token=BOT, slack_app_token=APP, discord_token="a.b.c"
    )
    for platform, command in (("slack", "/ask-admin bind"), ("discord", "/pack bind")):
        check = of(checks, f"{platform} packs")
        assert check.state is State.NOTE
        assert command in check.found
        check = of(checks, f"{platform} direct messages")
        assert (
            check.found
            == f"direct messages have no pack: set {name(platform + '_pack')}"
        )


async def test_a_limit_that_names_no_pack_is_named_R_C5(doctor: Doctor) -> None:
    """What was meant would answer everywhere."""
    limits = {"pack_tenants": "oncologie=slack:T1"}
    check = of(await doctor.looks(**limits), name("pack_tenants"))
    assert check.state is State.CONFIGURATION
    assert "'oncologie'" in check.found
    async with doctor.application(**limits) as application:
        with pytest.raises(UsageError, match="oncologie"):
            _ = application.rules


async def test_a_binding_against_a_limit_is_named_R_C5(doctor: Doctor) -> None:
    """It was made before the limit was."""
    async with doctor.application() as application:
        binding = Binding(
            platform=Platform.SLACK, tenant="T2", channel="C1", pack="oncology", by="x"
        )
        await application.mailbox.bind(binding)
    given = {"slack_bot_token": BOT, "slack_app_token": APP}
    checks = await doctor.looks(pack_tenants="oncology=slack:T1", **given)
    check = of(checks, "slack packs")
    assert check.state is State.CONFIGURATION
    assert check.found == f"C1: oncology is limited to others ({name('pack_tenants')})"
    assert of(checks, name("pack_tenants")).found == "oncology: slack:T1"


async def test_bindings_and_the_pack_of_the_rest_are_shown(doctor: Doctor) -> None:
    """Channel by channel."""
    async with doctor.application() as application:
        binding = Binding(
            platform=Platform.SLACK, tenant="T1", channel="C1", pack="oncology", by="x"
        )
        await application.mailbox.bind(binding)
    checks = await doctor.looks(
        slack_bot_token=BOT, slack_app_token=APP, slack_pack="textbook"
    )
    check = of(checks, "slack packs")
    assert check.state is State.OK
    assert check.found.startswith("oncology in C1; textbook in every other channel")


async def test_a_pack_that_cannot_answer_there_is_named_R_C6(doctor: Doctor) -> None:
    """Forbidden on the platform, or not installed."""
    async with doctor.application() as application:
        binding = Binding(
            platform=Platform.DISCORD, tenant="1", channel="9", pack="gone", by="x"
        )
        await application.mailbox.bind(binding)
    token = SECRETS["discord_token"]
    checks = await doctor.looks(discord_token=token, discord_pack="oncology")
    wrong = [c.found for c in checks if c.part == "discord packs"]
    assert len(wrong) == 2
    assert "no pack is called 'gone'" in wrong[0]
    assert "may not be used on Discord" in wrong[1]
    assert name("discord_pack") in wrong[1]


# --- online -----------------------------------------------------------------------


async def test_slack_is_asked_only_online(doctor: Doctor) -> None:
    """Its answer names the workspace; both tokens are asked about."""
    async with SlackServer() as slack:
        tokens = {"slack_bot_token": "xoxb-1", "slack_app_token": slack.app_token}
        given = {**tokens, "slack_api": slack.base_url}
        await doctor.looks(**given)
        assert slack.workspace.calls == []
        checks = await doctor.looks(online=True, **given)
    assert of(checks, "slack bot token").found.startswith("of the workspace")
    assert of(checks, "slack app token").state is State.OK
    assert of(checks, "slack layout").state is State.OK


async def test_a_layout_that_slack_refuses_is_told(doctor: Doctor) -> None:
    """What replies look like meanwhile; a Slack that does not judge is no fault."""
    async with SlackServer() as slack:
        given = {"slack_bot_token": "xoxb-1", "slack_api": slack.base_url}
        for error, state in (
            ("invalid_message", State.BROKEN),
            ("unknown_method", State.NOTE),
        ):
            told = f'{{"ok": false, "error": "{error}"}}'
            slack.fail("blocks.validate", answered(200, told))
            check = of(await doctor.looks(online=True, **given), "slack layout")
            assert check.state is state
            assert error in check.found


async def test_a_token_that_slack_refuses_is_a_setting_to_change(
    doctor: Doctor,
) -> None:
    """Slack's word for it is told."""
    async with SlackServer() as slack:
        checks = await doctor.looks(
            online=True,
            slack_bot_token="xoxb-9",
            slack_app_token="xapp-9",
            slack_api=slack.base_url,
        )
    for part in ("slack bot token", "slack app token"):
        assert of(checks, part).state is State.CONFIGURATION
        assert "invalid_auth" in of(checks, part).found


async def test_a_slack_out_of_reach_is_no_setting_to_change(doctor: Doctor) -> None:
    """It is the environment."""
    checks = await doctor.looks(online=True, slack_bot_token=BOT, slack_api=NOWHERE)
    assert of(checks, "slack bot token").state is State.BROKEN


@pytest.fixture
async def forgetful() -> AsyncIterator[str]:
    """The address of a Slack whose app was made without one of our scopes."""

    async def answer(_: web.Request) -> web.Response:
        told = {"ok": True, "bot_id": "B1", "team": "Ward 3"}
        scopes = ",".join(sorted(set(SCOPES) - {"im:history"}))
        return web.json_response(told, headers={"X-OAuth-Scopes": scopes})

    app = web.Application()
    app.add_routes([web.post("/api/auth.test", answer)])
    async with TestServer(app) as server:
        yield str(server.make_url("/api/"))


async def test_a_scope_that_the_app_lacks_is_named(
    doctor: Doctor, forgetful: str
) -> None:
    """So that what stays silent for want of it is explained."""
    checks = await doctor.looks(online=True, slack_bot_token=BOT, slack_api=forgetful)
    check = of(checks, "slack bot token")
    assert check.state is State.CONFIGURATION
    assert "Ward 3: not allowed to im:history;" in check.found


async def test_discord_names_the_bot_and_counts_its_servers(doctor: Doctor) -> None:
    """Online."""
    async with DiscordServer() as discord:
        with discord.redirected():
            checks = await doctor.looks(online=True, discord_token=discord.token)
    check = of(checks, "discord token")
    assert check.state is State.OK
    assert "server" in check.found


async def test_what_it_may_not_do_in_a_discord_server_is_named(doctor: Doctor) -> None:
    """So that what stays silent for want of it is explained."""
    async with DiscordServer() as discord:
        guild = next(iter(discord.world.guilds.values()))
        guild.granted = str(NEEDED.value & ~Permissions(send_messages=True).value)
        with discord.redirected():
            checks = await doctor.looks(online=True, discord_token=discord.token)
    check = of(checks, "discord token")
    assert check.state is State.CONFIGURATION
    assert f"in {guild.name} not allowed to send messages: invite it" in check.found


def test_the_address_that_invites_asks_for_what_is_needed() -> None:
    """No more and no less."""
    asked = re.findall(r"permissions=(\d+)", PAGE.read_text("utf-8"))
    assert asked == [str(NEEDED.value)]


async def test_a_token_that_discord_refuses_is_a_setting_to_change(
    doctor: Doctor,
) -> None:
    """And is not shown."""
    async with DiscordServer() as discord:
        with discord.redirected():
            checks = await doctor.looks(online=True, discord_token="a.b.c")
    check = of(checks, "discord token")
    assert check.state is State.CONFIGURATION
    assert "a.b.c" not in check.found
