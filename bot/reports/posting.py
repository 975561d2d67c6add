"""A text of the bot's in a channel, unasked."""

import re2

from adapters.ledger.mail_outbox import Reply
from adapters.ledger.mail_records import Claimed, Letter
from adapters.mail import Action, Incoming, Place, Platform
from bot.wiring import RENDERERS, Application
from engine.model.errors import UsageError

_CHANNEL = re2.compile(r"(slack):([A-Z0-9]+):([A-Z0-9]+)|(discord):(\d+):(\d+)")


def parse_channel(typed: str) -> Place:
    """Parse a channel of a platform.

    Raises:
        UsageError: it is none.
    """
    found = _CHANNEL.fullmatch(typed)
    if found is None:
        raise UsageError(
            f"--post {typed}: write slack:TEAM:CHANNEL or discord:SERVER:CHANNEL"
        )
    platform, tenant, name = (part for part in found.groups() if part is not None)
    return Place(platform=Platform(platform), tenant=tenant, channel=name)


def make_letter(application: Application, place: Place, text: str, event: str) -> Reply:
    """Make a text for the outbox.

    Args:
        application: the parts of the process.
        place: the channel.
        text: what is said there.
        event: names it; the same text of the same name is posted once.
    """
    incoming = Incoming(
        event=event,
        platform=place.platform,
        action=Action.ASK,
        place=place,
        person="",
        received=application.clock.now(),
    )
    parts = RENDERERS[place.platform].notice(text, incoming)
    claimed = Claimed(incoming=incoming, asker="", worker="", attempts=1)
    return Reply(claimed, Letter(place=place, parts=parts), callback=False)
