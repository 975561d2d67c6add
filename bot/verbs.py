"""Verbs of a command line, each in a module that is imported when the verb is used."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from engine.model.errors import EnvironmentFailed

OURS = frozenset({"bot", "adapters", "engine", "config", "evals"})


class Verbs(TyperGroup):
    """Shows every verb, imports the one that is used.

    `package` holds a module for each verb, and each module a typer app named `app`.
    """

    package: str = ""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Replace the verb's stub by the command of its module."""
        name, stub, rest = super().resolve_command(ctx, args)
        if name is None or stub is None:
            return name, stub, rest
        return name, get_command(_import_verb(self.package, name).app), rest


def command_line(text: str) -> typer.Typer:
    """Make a command line without verbs yet, with its help text."""
    return typer.Typer(
        cls=Verbs,
        help=text,
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )


def add_verbs(app: typer.Typer, package: str, verbs: Mapping[str, str]) -> Any:
    """Add a stub and a line of help for each verb, and return one callable."""
    group = get_command(app)
    if not isinstance(group, Verbs):
        raise TypeError("the command line must be a group of verbs")
    group.package = package
    for name, line in verbs.items():
        group.add_command(TyperCommand(name, help=line), name)
    return group


def _import_verb(package: str, name: str) -> Any:
    """Import the module of a verb.

    Raises:
        EnvironmentFailed: a package that it needs is not installed.
    """
    try:
        return import_module(f"{package}.{name.replace('-', '_')}")
    except ModuleNotFoundError as error:
        missing = str(error.name)
        if missing.split(".")[0] in OURS:
            raise
        raise EnvironmentFailed(
            f"the package {missing} is not installed: run `make env`"
        ) from error
