"""The checks of Slack and Discord: each step of setting a platform up.

Without `--online` only what is on this machine: which tokens there are and whether they
look like what they should be, who administers, which packs answer where. No check says
anything of a secret but its name.
"""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass

import re2
from pydantic import SecretStr

from adapters.discord import reach as discord_reach
from adapters.ledger.mail_records import EVERYWHERE
from adapters.mail import FORM_REFUSED, Platform
from adapters.reply import many
from adapters.slack import reach as slack_reach
from adapters.slack.calls import CallFailed
from bot.doctor.check import Check, State
from bot.messages import wording
from bot.routing import read_rules
from bot.serving.preparing import find_problem
from bot.wiring import Application
from config.settings import Settings, name, reveal
from engine.model.errors import EnvironmentFailed, GroundruleError, UsageError

_SECTIONS = {
    Platform.SLACK: "docs/platforms.md, In Slack",
    Platform.DISCORD: "docs/platforms.md, In Discord",
}


@dataclass(frozen=True, slots=True)
class Shape:
    """The form of a token, and where it is found."""

    field: str
    pattern: re2._Regexp
    looks: str
    place: str


def _make_shape(field: str, pattern: str, looks: str, place: str) -> Shape:
    return Shape(field, re2.compile(pattern), looks, place)


_SLACK = "api.slack.com/apps"
SHAPES = (
    _make_shape(
        "slack_bot_token",
        r"xoxb-[\w-]+",
        'begins with "xoxb-"',
        f"{_SLACK}, OAuth & Permissions, Bot User OAuth Token",
    ),
    _make_shape(
        "slack_app_token",
        r"xapp-[\w-]+",
        'begins with "xapp-"',
        f"{_SLACK}, Basic Information, App-Level Tokens",
    ),
    _make_shape(
        "slack_signing_secret",
        r"[0-9a-f]{32}",
        "has 32 characters, 0 to 9 and a to f",
        f"{_SLACK}, Basic Information, Signing Secret",
    ),
    _make_shape(
        "slack_client_id",
        r"\d+\.\d+",
        "is two numbers with a dot between them",
        f"{_SLACK}, Basic Information, Client ID",
    ),
    _make_shape(
        "slack_client_secret",
        r"[0-9a-f]{32}",
        "has 32 characters, 0 to 9 and a to f",
        f"{_SLACK}, Basic Information, Client Secret",
    ),
    _make_shape(
        "discord_token",
        r"[\w-]+\.[\w-]+\.[\w-]+",
        'has three parts with dots between them, and no "Bot " before it',
        "discord.com/developers/applications, Bot, Reset Token",
    ),
)


async def check_platforms(
    application: Application, *, online: bool
) -> AsyncIterator[Check]:
    """Run every check; `online` adds what the platforms say of the tokens."""
    settings = application.settings
    for check in _check_shapes(settings):
        yield check
    for check in (_check_slack(settings), _check_discord(settings)):
        yield check
    if limits := _check_limits(application):
        yield limits
    for platform in Platform:
        if _is_set_up(settings, platform):
            async for check in _check_packs(application, platform):
                yield check
    if online:
        async for check in _check_online(settings):
            yield check


async def _check_online(settings: Settings) -> AsyncIterator[Check]:
    token = reveal(settings.slack_bot_token)
    if token is not None:
        check = await _check_slack_bot(settings.slack_api, token)
        yield check
        if check.state is State.OK:
            yield await _check_slack_layout(settings.slack_api, token)
    token = reveal(settings.slack_app_token)
    if token is not None:
        yield await _check_slack_sockets(settings.slack_api, token)
    token = reveal(settings.discord_token)
    if token is not None:
        yield await _check_discord_bot(token)


# --- tokens -----------------------------------------------------------------------


def _check_shapes(settings: Settings) -> Iterator[Check]:
    for shape in SHAPES:
        given = getattr(settings, shape.field)
        text = reveal(given) if isinstance(given, SecretStr) else given
        if text is not None and not shape.pattern.fullmatch(text):
            said = f"wrong: it {shape.looks} ({shape.place})"
            yield Check(State.CONFIGURATION, name(shape.field), said)


def _check_slack(settings: Settings) -> Check:
    part = Platform.SLACK.value
    if not _is_set_up(settings, Platform.SLACK):
        said = f"not set up; {_SECTIONS[Platform.SLACK]}"
        return Check(State.NOTE, part, said)
    many_workspaces = settings.slack_client_id is not None
    missing = [
        field
        for field, needed in (
            ("slack_bot_token", not many_workspaces),
            ("slack_client_secret", many_workspaces),
            ("slack_signing_secret", many_workspaces),
            ("slack_app_token", not (many_workspaces or settings.slack_signing_secret)),
        )
        if needed and getattr(settings, field) is None
    ]
    if missing:
        said = f"not set: {', '.join(map(name, missing))}; {_SECTIONS[Platform.SLACK]}"
        return Check(State.CONFIGURATION, part, said)
    where = "workspaces that install it" if many_workspaces else "one workspace"
    how = "sockets" if settings.slack_app_token else "HTTP, with `serve --http`"
    return Check(State.OK, part, f"{where}, over {how}")


def _check_discord(settings: Settings) -> Check:
    part = Platform.DISCORD.value
    if not _is_set_up(settings, Platform.DISCORD):
        said = f"not set up; {_SECTIONS[Platform.DISCORD]}"
        return Check(State.NOTE, part, said)
    if settings.discord_token is None:
        said = f"not set: {name('discord_token')}; {_SECTIONS[Platform.DISCORD]}"
        return Check(State.CONFIGURATION, part, said)
    return Check(State.OK, part, "a token is set")


def _check_limits(application: Application) -> Check | None:
    """Say what limits packs to workspaces and servers; None where nothing does."""
    limits = application.settings.pack_tenants
    if not limits:
        return None
    part = name("pack_tenants")
    try:
        read_rules(application.settings, application.pack_names())
    except UsageError as error:
        return Check(State.CONFIGURATION, part, str(error))
    said = "; ".join(f"{pack}: {', '.join(sorted(limits[pack]))}" for pack in limits)
    return Check(State.OK, part, said)


def _is_set_up(settings: Settings, platform: Platform) -> bool:
    """Tell whether anything of a platform is set, except its address."""
    fields = (f for f in Settings.model_fields if f.startswith(f"{platform}_"))
    set_ = (getattr(settings, f) for f in fields if not f.endswith("_api"))
    return any(value is not None for value in set_)


# --- packs ------------------------------------------------------------------------


async def _check_packs(
    application: Application, platform: Platform
) -> AsyncIterator[Check]:
    part = f"{platform} packs"
    try:
        default = application.rules.packs.get(platform)
        bindings = await application.mailbox.bindings(platform)
    except GroundruleError as error:
        yield Check(State.BROKEN, part, str(error))
        return
    places: list[tuple[str, str, str | None]] = [
        (_name_place(b.channel), b.pack, b.tenant)
        for b in bindings
        if b.pack is not None
    ]
    variable = name(f"{platform}_pack")
    if default is not None:
        others = f"every other channel and direct messages ({variable})"
        places.append((others, default, None))
    good = []
    for place, pack, tenant in places:
        problem = _find_problem(application, pack, platform, tenant)
        if problem is None:
            good.append(f"{pack} in {place}")
        else:
            yield Check(State.CONFIGURATION, part, f"{place}: {problem}")
    if good:
        yield Check(State.OK, part, "; ".join(good))
    if not places:
        command = f"{wording.COMMANDS[platform]} bind PACK"
        said = f"no channel has a pack: type `{command}` in one, or set {variable}"
        yield Check(State.NOTE, part, said)
    if default is None:
        said = f"direct messages have no pack: set {variable}"
        yield Check(State.NOTE, f"{platform} direct messages", said)


def _name_place(channel: str) -> str:
    return (
        "every channel of a workspace or server" if channel == EVERYWHERE else channel
    )


def _find_problem(
    application: Application, pack: str, platform: Platform, tenant: str | None
) -> str | None:
    """Say why a pack will not answer there; everywhere if `tenant` is None."""
    rules = application.rules
    if tenant is not None and not rules.admits(pack, platform, tenant):
        return f"{pack} is limited to others ({name('pack_tenants')})"
    return find_problem(application, pack, platform)


# --- online -----------------------------------------------------------------------


async def _check_slack_bot(api: str, token: str) -> Check:
    part = "slack bot token"
    try:
        reached = await slack_reach.check_bot_token(api, token)
    except CallFailed as failed:
        return _report_unreached(part, failed)
    if reached.lacking:
        said = (
            f"{reached.workspace}: not allowed to {', '.join(reached.lacking)}; add "
            "these scopes (adapters/slack/manifest.json) and install the app again"
        )
        return Check(State.CONFIGURATION, part, said)
    return Check(State.OK, part, f"of the workspace {reached.workspace}")


async def _check_slack_layout(api: str, token: str) -> Check:
    part = "slack layout"
    try:
        await slack_reach.check_layout(api, token)
    except CallFailed as failed:
        if FORM_REFUSED.search(failed.error) or failed.error == "invalid_message":
            said = f"Slack refuses it ({failed.error}): replies are plain paragraphs"
            return Check(State.BROKEN, part, said)
        return Check(State.NOTE, part, f"Slack does not judge it ({failed.error})")
    return Check(State.OK, part, "Slack takes what replies are made of")


async def _check_slack_sockets(api: str, token: str) -> Check:
    part = "slack app token"
    try:
        await slack_reach.check_app_token(api, token)
    except CallFailed as failed:
        return _report_unreached(part, failed)
    return Check(State.OK, part, "opens sockets")


def _report_unreached(part: str, failed: CallFailed) -> Check:
    if failed.again:
        said = f"Slack is out of reach ({failed.error}): try again"
        return Check(State.BROKEN, part, said)
    section = _SECTIONS[Platform.SLACK]
    said = f"Slack refuses it ({failed.error}): copy it again; {section}"
    return Check(State.CONFIGURATION, part, said)


async def _check_discord_bot(token: str) -> Check:
    part = "discord token"
    try:
        reached = await discord_reach.check_token(token)
    except UsageError as error:
        return Check(State.CONFIGURATION, part, str(error))
    except EnvironmentFailed as error:
        return Check(State.BROKEN, part, f"{error}: try again")
    if not reached.guilds:
        section = _SECTIONS[Platform.DISCORD]
        said = f"{reached.name} is in no server: invite it; {section}"
        return Check(State.NOTE, part, said)
    said = f"{reached.name}, in {many(reached.guilds, 'server')}"
    if not reached.lacking:
        return Check(State.OK, part, said)
    where = "; ".join(
        f"in {server} not allowed to {', '.join(missing)}"
        for server, missing in reached.lacking
    )
    section = _SECTIONS[Platform.DISCORD]
    return Check(
        State.CONFIGURATION, part, f"{said}; {where}: invite it anew; {section}"
    )
