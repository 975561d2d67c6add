"""Notice silent deafness: a link that answers pings and brings nothing any more.

A known fault of Socket Mode: a session comes back, the process is healthy, and no event
arrives (slackapi/bolt-python#1529). Nothing that a bot may ask for brings it an event
without people seeing it, so the probe is a new link: it is open before the old one is
closed, which loses nothing and costs one call. One link a period, since
apps.connections.open takes little more than a call a minute; with everything deaf, a
link that hears is there within two periods.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from engine.model.ports import Clock

QUIET = 60.0  # seconds, so that deafness lasts at most 120


class Hearing(Protocol):
    """What the watch knows of a link.

    `heard` is when it last brought something, on the monotonic clock; a link that was
    just opened has heard the greeting.
    """

    heard: float

    def leave(self) -> None:
        """Ask for another link in the place of this one."""


Link = TypeVar("Link", bound=Hearing)


def find_quietest(links: Sequence[Link], since: float) -> Link | None:
    """Find the link that has been quiet longest, at least since a moment; or None."""
    quiet = [link for link in links if link.heard <= since]
    return min(quiet, key=lambda link: link.heard, default=None)


async def watch(
    links: Callable[[], Sequence[Hearing]], clock: Clock, quiet: float = QUIET
) -> None:
    """Replace, for ever, a link that has been quiet for a period.

    Args:
        links: returns those that are up, each time.
        clock: the one of `Hearing.heard`.
        quiet: the period, in seconds.
    """
    while True:
        await asyncio.sleep(quiet)
        link = find_quietest(links(), clock.monotonic() - quiet)
        if link is not None:
            link.leave()
