"""The forms of settings with several parts, and of each part.

A value of another form raises ValueError, which says how to write it.
"""

import re
from typing import Literal
from urllib.parse import urlsplit

# A Slack id names one person of one workspace, a Discord id one person everywhere.
OPERATOR = re.compile(r"slack:[A-Z0-9]+:[A-Z0-9]+|discord:\d{1,20}")
TENANT = re.compile(r"slack:[A-Z0-9]+|discord:(?:\d{1,20}|dm)")
CHANNEL = re.compile(r"slack:[A-Z0-9]+:[A-Z0-9]+|discord:\d{1,20}:\d{1,20}")
LOGIN = re.compile(r"[^\s,|=]{1,200}")  # as a proxy says it
Day = Literal[
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"
]


def split(text: str, between: str) -> tuple[str, ...]:
    """Split a list, without its empty parts."""
    return tuple(part.strip() for part in text.split(between) if part.strip())


def read_by_pack(value: object, form: re.Pattern[str], example: str) -> object:
    """Read packs with places of a form, as an environment variable holds them."""
    if not isinstance(value, str):
        return value
    found: dict[str, frozenset[str]] = {}
    for part in split(value, ","):
        pack, _, named = part.partition("=")
        places = split(named, "|")
        wrong = [place for place in places if not form.fullmatch(place)]
        if not pack or not places or wrong or pack in found:
            raise ValueError(
                f"{part!r} is not understood: write each pack once, as {example}"
            )
        found[pack] = frozenset(places)
    return found


def check_operators(named: tuple[str, ...]) -> tuple[str, ...]:
    """Refuse people without the platform that knows them."""
    for operator in named:
        if not OPERATOR.fullmatch(operator):
            raise ValueError(
                f"{operator!r} names no person: write slack:TEAM:USER, such as "
                "slack:T0123:U0456, because a Slack id is one of a workspace; or "
                "discord:USER"
            )
    return named


def check_address(url: str) -> str:
    """Refuse an address of the web that names a user or holds a key."""
    try:
        split = urlsplit(url)
        _ = split.port  # read here: it is no port above 65535
    except ValueError:
        split = urlsplit("")
    if split.scheme not in ("http", "https") or not split.hostname:
        raise ValueError("write the whole address: https://host/v1")
    if split.username is not None or split.query or split.fragment:
        raise ValueError("leave out user, password and what follows ?: use the key")
    return url
