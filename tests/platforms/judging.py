"""What Slack or Discord would refuse of messages that a face made (R-C4)."""

from collections.abc import Iterable, Mapping

from adapters.mail import Method, Part, Platform
from evals.record.platforms import Rendered
from tests.platforms import discord_limits, slack_limits

# An answer to an interaction fills what was deferred; all else is a new message.
_CALLS: Mapping[Method, discord_limits.Call] = {
    Method.POST: "create",
    Method.WHISPER: "create",
    Method.RESPOND: "webhook_edit",
    Method.UPDATE: "edit",
}


def refused(platform: Platform, parts: Iterable[Part]) -> list[str]:
    """What the platform would refuse of messages, in words; none at all is wrong."""
    shown = [part for part in parts if part.method is not Method.DELETE]
    if not shown:
        return ["no message at all"]
    return [problem for part in shown for problem in _problems(platform, part)]


def faults(shown: Iterable[Rendered]) -> dict[str, list[str]]:
    """The ways of showing an outcome in which something would be refused."""
    found = {f"{r.platform} {r.way}": refused(r.platform, r.parts) for r in shown}
    return {way: problems for way, problems in found.items() if problems}


def _problems(platform: Platform, part: Part) -> list[str]:
    if platform is Platform.SLACK:
        return slack_limits.check_message(part.payload)
    return discord_limits.check_message(part.payload, _CALLS[part.method])
