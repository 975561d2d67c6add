"""Render an outcome as Slack and Discord would be sent it; nothing is judged here.

The faces that the bot itself posts with render it. The first-use notice is left out,
and both platforms show every pack, also one that forbids a platform (R-C6): no reply
may depend on that.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

from adapters.discord import names as discord_names
from adapters.mail import Action, Incoming, Part, Place, Platform
from adapters.reply import Reply, compose, inert
from adapters.slack.names import RESPONSE_URL
from bot.wiring import FACES
from engine.model.outcome import Outcome
from engine.policy.pack import Pack

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


@dataclass(frozen=True, slots=True)
class Way:
    """One way in which a reply comes to be shown.

    `alone`: only the asker sees it, through the callback of an interaction.
    """

    name: str
    action: Action
    alone: bool


WAYS = (
    Way("mention", Action.ASK, alone=False),
    Way("command", Action.ASK, alone=True),
    Way("more", Action.MORE, alone=True),
    Way("sources", Action.SOURCES, alone=True),
    Way("why", Action.WHY, alone=True),
    Way("handover", Action.ASK_PERSON, alone=False),
)


@dataclass(frozen=True, slots=True)
class Rendered:
    """The messages of one platform for an outcome that is shown in one way."""

    platform: Platform
    way: str
    parts: Sequence[Part]


def rendered(outcome: Outcome, pack: Pack, today: date) -> Iterator[Rendered]:
    """Yield the messages of an outcome for both platforms, in each way to show it.

    The payloads are the same for the same outcome, whatever its audit id is. The way
    "more" is left out where nothing is left to show.

    Args:
        outcome: what the engine came to.
        pack: whose words it is said in.
        today: the day from which the age of a source is counted.
    """
    known = outcome.model_copy(update={"audit_id": AUDIT_ID})
    reply = compose(known, pack.wording, today)
    whole = compose(known, pack.wording, today, whole=True)
    for platform in FACES:
        for way in WAYS:
            if way.action is Action.MORE and not reply.more:
                continue
            shown = whole if way.action is Action.ASK_PERSON else reply
            parts = _parts(shown, outcome.question.text, way, platform)
            yield Rendered(platform, way.name, parts)


def _parts(reply: Reply, asked: str, way: Way, platform: Platform) -> Sequence[Part]:
    face, question = FACES[platform], inert(asked)
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


def _incoming(question: str, way: Way, platform: Platform) -> Incoming:
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
