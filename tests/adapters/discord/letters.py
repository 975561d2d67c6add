"""Incomings and outgoings built by hand."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from adapters.discord.names import ANSWER_TIME
from adapters.discord.writer import DISCORD as post
from adapters.mail import Action, Incoming, Outgoing, Part, Place, Platform
from tests.loopback.discord import DiscordServer
from tests.loopback.discord_records import Channel, Interaction, Message

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)


def incoming(
    place: Place | None = None,
    action: Action = Action.ASK,
    callback: Mapping[str, str] | None = None,
    **more: object,
) -> Incoming:
    """Something that somebody did, a mention by default."""
    place = place or Place(
        platform=Platform.DISCORD, tenant="1", channel="2", message="3"
    )
    made = Incoming(
        event="e-1",
        platform=Platform.DISCORD,
        action=action,
        place=place,
        person="4",
        text="How?",
        callback=callback or {},
        received=NOW,
    )
    return made.model_copy(update=more)


def answers(private: bool = False) -> dict[str, str]:
    """The callback of an interaction."""
    return {
        "application": "8",
        "interaction": "9",
        "token": "t",
        "private": "yes" if private else "no",
    }


def there(channel: Channel, asked: Message | None = None, **more: object) -> Place:
    """A place on a loopback Discord."""
    parent = channel.parent
    made = Place(
        platform=Platform.DISCORD,
        tenant=channel.guild.id if channel.guild else "dm",
        channel=parent.id if parent else channel.id,
        thread=channel.id if parent else None,
        message=asked.id if asked else None,
        private=channel.guild is None,
    )
    return made.model_copy(update=more)


def outgoing(
    server: DiscordServer,
    parts: Sequence[Part],
    place: Place,
    *,
    asked: Interaction | None = None,
    **more: object,
) -> Outgoing:
    """A reply to alice, or to who used a command."""
    callback: dict[str, str] = {}
    if asked is not None:
        callback = {
            "application": server.world.bot.id,
            "interaction": asked.id,
            "token": asked.token,
            "private": "yes" if place.private else "no",
        }
    made = Outgoing(
        id=1,
        place=place,
        parts=tuple(parts),
        callback=callback,
        respond_by=datetime.now(UTC) + ANSWER_TIME if asked else None,
        person=server.world.alice.id,
        attempts=1,
    )
    return made.model_copy(update=more)


def said(
    place: Place, *texts: str, callback: Mapping[str, str] | None = None
) -> list[Part]:
    """One part for each text, as an answer in that place would be sent."""
    came = incoming(place, callback=callback)
    return [
        part
        for number, text in enumerate(texts)
        for part in post.notice(text, came, number)
    ]


PAST = datetime.now(UTC) - timedelta(seconds=1)
# The answer may still be changed, but what was not deferred by now never will be.
OLD = datetime.now(UTC) + ANSWER_TIME - timedelta(seconds=11)
