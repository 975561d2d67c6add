"""Read how somebody at a terminal names a person."""

import re2

from adapters.mail import Platform
from bot.assistant import ASKER
from bot.messages.pseudonym import LENGTH, Pseudonyms
from engine.model.errors import UsageError

_SLACK = re2.compile(r"slack:([A-Z0-9]+):([A-Z0-9]+)")
_DISCORD = re2.compile(r"discord:([0-9]{1,20})")
_PSEUDONYM = re2.compile(rf"[0-9a-f]{{{LENGTH}}}")


def find_pseudonym(typed: str, known: Pseudonyms) -> str:
    """Find the pseudonym of who is named: on a platform, at this terminal, or by it.

    Raises:
        UsageError: it names no person.
    """
    if slack := _SLACK.fullmatch(typed):
        return known.of_person(Platform.SLACK, slack[1], slack[2])
    if discord := _DISCORD.fullmatch(typed):
        return known.of_person(Platform.DISCORD, "", discord[1])
    if typed == ASKER or _PSEUDONYM.fullmatch(typed):
        return typed
    raise UsageError(
        f"{typed!r} is nobody: write slack:TEAM:USER, discord:USER, `{ASKER}` for who "
        "asked at a terminal, or a pseudonym"
    )
