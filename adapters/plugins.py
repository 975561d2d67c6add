"""Plugins of a domain: preflights, validators and extractors of findings.

A plugin is a callable that an installed package names by an entry point in one of three
groups. The bundled ones are listed here, so that they work without an installation. A
plugin that no question names is never loaded.
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
    """A plugin that finds places; it reads `look.contents()` and nothing else."""

    def __call__(self, look: Look, step: Plugin) -> Iterable[Hit]: ...


class Validator(Protocol):
    """A plugin that objects to a verdict over its evidence and never changes one."""

    def __call__(
        self, inquiry: Inquiry, decided: Decided, blocks: tuple[Block, ...]
    ) -> Iterable[Problem]: ...


class Extractor(Protocol):
    """A plugin that makes findings of a question's evidence, each at a place."""

    def __call__(
        self, inquiry: Inquiry, blocks: tuple[Block, ...]
    ) -> Iterable[Finding]: ...


def load_preflight(name: str) -> PreflightPlugin:
    """Load the preflight of a plugin; raise as `_load` does."""
    return cast(PreflightPlugin, _load(PREFLIGHTS, name))


def load_validator(name: str) -> Validator:
    """Load the validator of a plugin; raise as `_load` does."""
    return cast(Validator, _load(VALIDATORS, name))


def load_extractor(name: str) -> Extractor:
    """Load the extractor of a plugin; raise as `_load` does."""
    return cast(Extractor, _load(EXTRACTORS, name))


def check_plugins(inquiries: Iterable[Inquiry]) -> None:
    """Load every plugin that the questions name, so that a missing one fails early."""
    for inquiry in inquiries:
        for step in inquiry.preflights:
            if isinstance(step, Plugin):
                load_preflight(step.plugin)
        for name in inquiry.validators:
            load_validator(name)
        for name in inquiry.extractors:
            load_extractor(name)


def _load(group: str, name: str) -> Callable[..., object]:
    """Load a plugin by its name; a bundled one comes first.

    Raises:
        UsageError: no installed package has this name, or two have it.
        EnvironmentFailed: it cannot be imported, or cannot be called.
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
