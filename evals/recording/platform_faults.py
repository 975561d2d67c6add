"""What Slack and Discord would refuse of a reply, wherever an outcome may be shown.

`evals/recording/rendering.py` renders it as the bot posts it; `evals/platforms`, which
knows nothing of that, judges.
"""

from collections.abc import Callable, Iterator, Mapping
from datetime import date

from adapters.mail import Method, Part, Platform
from engine.policy.pack import Pack
from engine.records import Outcome
from evals.platforms import discord_limits, slack_limits
from evals.platforms.discord_limits import Call
from evals.recording.rendering import rendered

MOST = 20  # that a row holds; how many more there are is its last one
LONGEST = 200  # characters of one
# An answer to an interaction fills what was deferred; all else is a new message.
_CALLS: Mapping[Method, Call] = {
    Method.POST: "create",
    Method.WHISPER: "create",
    Method.RESPOND: "webhook_edit",
}


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
    found = [
        f"{shown.platform} {shown.way} {number}: {problem}"[:LONGEST]
        for shown in rendered(outcome, pack, today)
        for number, part in enumerate(shown.parts, start=1)
        for problem in _CHECKS[shown.platform](part)
    ]
    more = len(found) - MOST
    return (*found[:MOST], f"… and {more} more") if more > 0 else tuple(found)


def _by_slack(part: Part) -> Iterator[str]:
    yield from slack_limits.check_message(part.payload)


def _by_discord(part: Part) -> Iterator[str]:
    yield from discord_limits.check_message(part.payload, _CALLS[part.method])


_CHECKS: Mapping[Platform, Callable[[Part], Iterator[str]]] = {
    Platform.SLACK: _by_slack,
    Platform.DISCORD: _by_discord,
}
