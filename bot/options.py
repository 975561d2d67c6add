"""Options that several verbs share, and those that come before the verb."""

from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated

import re2
import typer

from adapters.index.upkeep import SHARED
from engine.model.errors import UsageError
from engine.policy.access import find_tag_flaw

_TENANT = re2.compile(r"slack:[A-Z0-9]{1,32}|discord:[0-9]{1,20}")


@dataclass(frozen=True, slots=True)
class Options:
    """The options before the verb, and how this program was started."""

    data: Path | None
    program: str


PackName = Annotated[
    str | None, typer.Option("--pack", metavar="PACK", help="The policy pack.")
]
DocumentId = Annotated[str, typer.Option(metavar="ID", show_default=False)]
Heading = Annotated[str | None, typer.Option(help="A heading of it.")]
FirstWords = Annotated[str | None, typer.Option(help="The first words of the passage.")]
HeldTags = Annotated[
    str, typer.Option("--tags", metavar="A,B", help="Access tags that you hold.")
]

TenantName = Annotated[
    str | None,
    typer.Option(
        "--tenant",
        metavar="WHERE",
        help="Only for a workspace or server: slack:TEAM or discord:SERVER.",
    ),
]


def parse_tenant(named: str | None) -> str:
    """Parse the tenant of a workspace or server; the shared one where none is named.

    Raises:
        UsageError: it is no name of one.
    """
    if named is None:
        return SHARED
    if not _TENANT.fullmatch(named):
        raise UsageError(
            f"--tenant {plain(named)!r}: write slack:TEAM with a workspace's id "
            "(slack:T0123ABC), or discord:SERVER with a server's number (discord:789)"
        )
    return named


def split_names(listed: str) -> tuple[str, ...]:
    """Split a list at its commas into names, sorted, each once."""
    return tuple(sorted({name.strip() for name in listed.split(",") if name.strip()}))


def parse_access_tags(listed: str | None) -> tuple[str, ...]:
    """Parse the access tags of documents; none where the option was not given.

    Raises:
        UsageError: it was given and names none, or what it names is no tag.
    """
    if listed is None:
        return ()
    tags = split_names(listed)
    if not tags:
        raise UsageError(
            "--tags names no tag: write --tags A,B, or leave the option out if all may "
            "see the documents"
        )
    for tag in tags:
        flaw = find_tag_flaw(tag)
        if flaw is not None:
            raise UsageError(f"--tags: {plain(tag)!r} {flaw}; write --tags A,B")
    return tags


def parse_day(typed: str, option: str) -> date:
    """Parse the day that an option names.

    Raises:
        UsageError: it is no day.
    """
    try:
        return date.fromisoformat(typed)
    except ValueError as error:
        raise UsageError(f"{option} {typed}: write a day, as 2026-11-30") from error


def plain(typed: str) -> str:
    """Turn what was typed into text: bytes that are none become question marks."""
    return typed.encode("utf-8", "replace").decode("utf-8")


OPERATOR = """
This is for whoever runs the bot: it names documents whatever access tags they have.
"""


def group(text: str | None = None) -> typer.Typer:
    """Make a verb, or with a help text a verb with verbs below it."""
    return typer.Typer(
        help=text,
        no_args_is_help=text is not None,
        add_completion=False,
        rich_markup_mode=None,
    )
