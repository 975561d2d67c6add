"""Plugins of a domain: preflights, validators and extractors of findings (R-P5, R-P8).

A plugin is a callable that an installed package names by an entry point in one of three
groups; the ones that come with Groundrule are listed here, so that they are there
without an installation. What a question does not name is never loaded.
"""

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Protocol, cast

from adapters.preflight.hits import Hit, Look
from engine.inspection.question_pack import Inquiry, Plugin
from engine.inspection.records import Block, Decided, Finding, Problem
from engine.model.errors import EnvironmentFailed, UsageError

PREFLIGHTS = "groundrule.preflights"
VALIDATORS = "groundrule.validators"
EXTRACTORS = "groundrule.extractors"

BUNDLED: Mapping[str, Mapping[str, str]] = {
    PREFLIGHTS: {"python_security": "adapters.preflight.python_security:gather"},
    VALIDATORS: {"python_security": "adapters.preflight.python_security:check"},
    EXTRACTORS: {"python_security": "adapters.preflight.python_security:extract"},
}


class PreflightPlugin(Protocol):
    """Finds places: reads `look.contents()`, and nothing else of the machine."""

    def __call__(self, look: Look, step: Plugin) -> Iterable[Hit]: ...


class Validator(Protocol):
    """Objects to a verdict over its evidence; never changes one."""

    def __call__(
        self, inquiry: Inquiry, decided: Decided, blocks: tuple[Block, ...]
    ) -> Iterable[Problem]: ...


class Extractor(Protocol):
    """Findings of a question's evidence, each at a place of it."""

    def __call__(
        self, inquiry: Inquiry, blocks: tuple[Block, ...]
    ) -> Iterable[Finding]: ...


def preflight(name: str) -> PreflightPlugin:
    """The preflight of a plugin; see `_loaded` for what is raised."""
    return cast(PreflightPlugin, _loaded(PREFLIGHTS, name))


def validator(name: str) -> Validator:
    """The validator of a plugin; see `_loaded` for what is raised."""
    return cast(Validator, _loaded(VALIDATORS, name))


def extractor(name: str) -> Extractor:
    """The extractor of a plugin; see `_loaded` for what is raised."""
    return cast(Extractor, _loaded(EXTRACTORS, name))


def check(inquiries: Iterable[Inquiry]) -> None:
    """Load every plugin that the questions name, so that a missing one ends nothing."""
    for inquiry in inquiries:
        for step in inquiry.preflights:
            if isinstance(step, Plugin):
                preflight(step.plugin)
        for name in inquiry.validators:
            validator(name)
        for name in inquiry.extractors:
            extractor(name)


def _loaded(group: str, name: str) -> Callable[..., object]:
    """What a plugin's name stands for; one that comes with Groundrule comes first.

    Raises:
        UsageError: nothing installed has this name, or two packages have it.
        EnvironmentFailed: it cannot be imported, or is nothing that can be called.
    """
    bundled = BUNDLED[group]
    if name in bundled:
        module, _, attribute = bundled[name].partition(":")
        return cast(Callable[..., object], getattr(import_module(module), attribute))
    named: dict[str, EntryPoint] = {}
    for point in entry_points(group=group):
        if point.name == name and named.setdefault(name, point).value != point.value:
            raise UsageError(f"two packages bring {name} for {group}: remove one")
    if name not in named:
        known = sorted({*bundled, *(each.name for each in entry_points(group=group))})
        raise UsageError(
            f"no plugin {name!r} for {group} is installed: there are {', '.join(known)}"
        )
    try:
        found = named[name].load()
    except (ImportError, AttributeError) as error:
        raise EnvironmentFailed(f"the plugin {name}: {error}") from error
    if not callable(found):
        raise EnvironmentFailed(f"the plugin {name} cannot be called: {found!r}")
    return cast(Callable[..., object], found)
