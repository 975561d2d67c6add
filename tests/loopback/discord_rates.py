"""Rate limits of a loopback Discord, and how a 429 says what to do."""

import json
import time
from collections import deque
from dataclasses import dataclass, field
from zlib import crc32

from tests.loopback.faults import Fault, answered

# The routes that tests name most; the others are spelt like these.
ME = "GET /users/@me"
SEND = "POST /channels/{channel}/messages"
EDIT = "PATCH /channels/{channel}/messages/{message}"
CALLBACK = "POST /interactions/{interaction}/{token}/callback"
FOLLOWUP = "POST /webhooks/{application}/{token}"
EDIT_ORIGINAL = "PATCH /webhooks/{application}/{token}/messages/@original"

TOO_MANY = 429


def limited(
    seconds: float = 0.05, *, everywhere: bool = False, via: bool = True
) -> Fault:
    """A 429: wait so many seconds.

    Args:
        seconds: how long.
        everywhere: every call must wait, not only those of this route.
        via: the answer passed the platform's proxy; without it, it is a ban.
    """
    body = {
        "message": "You are being rate limited.",
        "retry_after": seconds,
        "global": everywhere,
    }
    headers = {"Via": "1.1 loopback"} if via else {}
    headers["Retry-After"] = str(seconds)
    headers["X-RateLimit-Scope"] = "global" if everywhere else "user"
    if everywhere:
        headers["X-RateLimit-Global"] = "true"
    return answered(TOO_MANY, json.dumps(body), headers)


@dataclass
class Limit:
    """So many calls in so many seconds, per channel or token."""

    calls: int
    seconds: float
    _used: dict[str, deque[float]] = field(default_factory=dict)

    def take(self, key: str) -> float:
        """Count a call; how long to wait when it is one too many, else 0."""
        now = time.monotonic()
        used = self._used.setdefault(key, deque())
        while used and used[0] <= now - self.seconds:
            used.popleft()
        if len(used) >= self.calls:
            return used[0] + self.seconds - now
        used.append(now)
        return 0.0

    def headers(self, key: str, bucket: str) -> dict[str, str]:
        """What a response says about the bucket."""
        used = self._used.get(key) or deque([time.monotonic()])
        wait = max(0.0, used[0] + self.seconds - time.monotonic())
        return {
            "X-RateLimit-Limit": str(self.calls),
            "X-RateLimit-Remaining": str(max(0, self.calls - len(used))),
            "X-RateLimit-Reset": f"{time.time() + wait:.3f}",
            "X-RateLimit-Reset-After": f"{wait:.3f}",
            "X-RateLimit-Bucket": bucket,
        }


class Rates:
    """The limits in force: none at first."""

    def __init__(self) -> None:
        self.routes: dict[str, Limit] = {}
        self.everywhere: Limit | None = None  # interactions are exempt

    def refuse(self, route: str, major: str) -> Fault | None:
        """The 429 of this call, if it is one too many."""
        exempt = route.split(" ")[1].startswith(("/interactions", "/webhooks"))
        if self.everywhere and not exempt and (wait := self.everywhere.take("all")):
            return limited(wait, everywhere=True)
        limit = self.routes.get(route)
        if limit and (wait := limit.take(major)):
            return limited(wait)
        return None

    def headers(self, route: str, major: str) -> dict[str, str]:
        """The rate limit headers of a limited route."""
        limit = self.routes.get(route)
        return limit.headers(major, f"{crc32(route.encode()):08x}") if limit else {}
