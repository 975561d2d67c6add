"""What Slack and Discord would refuse of a reply, wherever an outcome may be shown.

The faces that the bot itself posts with render it; `evals/platforms`, which knows
nothing of them, judges. The first-use notice is left out, and both platforms show every
pack, also where one forbids a platform (R-C6): no reply may depend on that.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

from adapters.discord import names as discord_names
from adapters.mail import Action, Incoming, Method, Part, Place, Platform
from adapters.reply import Reply, compose, inert
from adapters.slack.names import RESPONSE_URL
from bot.wiring import FACES
from engine.policy.pack import Pack
from engine.records import Outcome
from evals.platforms import discord_limits, slack_limits
from evals.platforms.discord_limits import Call

MOST = 20  # that a row holds; how many more there are is its last one
LONGEST = 200  # characters of one
# As long as the ledger's, and the same in every run.
AUDIT_ID = "aaaaaaaaaaaa"

_MOMENT = datetime(2000, 1, 1, tzinfo=UTC)
_CALLBACKS: Mapping[Platform, Mapping[str, str]] = {
    Platform.SLACK: {RESPONSE_URL: "https://hooks.slack.com/commands/1"},
    Platform.DISCORD: {
        discord_names.APPLICATION: "1",
        discord_names.INTERACTION: "1",
        discord_names.TOKEN: "1",
        discord_names.PRIVATE: discord_names.YES,
    },
}
# An answer to an interaction fills what was deferred; all else is a new message.
_CALLS: Mapping[Method, Call] = {
    Method.POST: "create",
    Method.WHISPER: "create",
    Method.RESPOND: "webhook_edit",
}


@dataclass(frozen=True, slots=True)
class _Way:
    """One way in which a reply comes to be shown.

    `alone`: only the asker sees it, through the callback of an interaction.
    """

    name: str
    action: Action
    alone: bool


_WAYS = (
    _Way("mention", Action.ASK, alone=False),
    _Way("command", Action.ASK, alone=True),
    _Way("more", Action.MORE, alone=True),
    _Way("sources", Action.SOURCES, alone=True),
    _Way("why", Action.WHY, alone=True),
    _Way("handover", Action.ASK_PERSON, alone=False),
)


def platform_faults(outcome: Outcome, pack: Pack, today: date) -> tuple[str, ...]:
    """What a platform would refuse of an outcome, in words; empty when all is well.

    Args:
        outcome: what the engine came to.
        pack: whose words it is said in.
        today: the day from which the age of a source is counted.

    Returns:
        At most MOST faults, each with platform, way and number of the message, such as
        "slack mention 1: blocks.3.text: …"; the same for the same outcome.
    """
    known = outcome.model_copy(update={"audit_id": AUDIT_ID})
    reply = compose(known, pack.wording, today)
    whole = compose(known, pack.wording, today, whole=True)
    found = [
        f"{platform} {way.name} {number}: {problem}"[:LONGEST]
        for platform in FACES
        for way in _WAYS
        if reply.more or way.action is not Action.MORE
        for shown in (whole if way.action is Action.ASK_PERSON else reply,)
        for number, part in enumerate(_parts(shown, outcome, way, platform), start=1)
        for problem in _CHECKS[platform](part)
    ]
    more = len(found) - MOST
    return (*found[:MOST], f"… and {more} more") if more > 0 else tuple(found)


def _parts(
    reply: Reply, outcome: Outcome, way: _Way, platform: Platform
) -> Sequence[Part]:
    face, question = FACES[platform], inert(outcome.question.text)
    incoming = _incoming(question, way, platform)
    match way.action:
        case Action.MORE:
            return face.more(reply, incoming)
        case Action.SOURCES:
            return face.sources(reply, incoming)
        case Action.WHY:
            return face.why(reply, incoming)
        case Action.ASK_PERSON:
            return face.handover(reply, incoming, question)
        case _:
            return face.answer(reply, incoming)


def _incoming(question: str, way: _Way, platform: Platform) -> Incoming:
    place = Place(
        platform=platform,
        tenant="1",
        channel="C1",
        message=None if way.alone else "1",
        private=way.alone,
    )
    return Incoming(
        event=way.name,
        platform=platform,
        action=way.action,
        place=place,
        person="1",
        text=question,
        about=place.message,
        audit_id=AUDIT_ID,
        callback=_CALLBACKS[platform] if way.alone else {},
        received=_MOMENT,
    )


def _by_slack(part: Part) -> Iterator[str]:
    yield from slack_limits.check_message(part.payload)


def _by_discord(part: Part) -> Iterator[str]:
    yield from discord_limits.check_message(part.payload, _CALLS[part.method])


_CHECKS: Mapping[Platform, Callable[[Part], Iterator[str]]] = {
    Platform.SLACK: _by_slack,
    Platform.DISCORD: _by_discord,
}
