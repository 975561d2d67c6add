"""Notes which tests passed through the door, for `python -m evals coverage`; a plugin.

The door is `Engine.ask` over the texts of a pack that is shipped or kept with the
suites, or where a platform's events come in. What a fixture asked for several tests
counts for each of them. Nothing is changed on the way: a call is noted, and made.
"""

import functools
import json
import os
import sys
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from evals.deciding.coverage import DOORS, KEPT, TESTS, kept

PACKS = TESTS.parent / "config" / "packs"
# Module, class, method: where a question comes in.
ENGINE = ("engine.ask", "Engine", "ask")
PLATFORMS = (
    ("adapters.slack.doorbell", "Doorbell", "ring"),
    ("adapters.discord.bell", "Bell", "on_message"),
    ("adapters.discord.bell", "Bell", "on_interaction"),
)
PROPERTY = "through_the_door"


class Doors:
    """What went through a door, test by test.

    Attributes:
        used: since the present test or fixture began.
    """

    def __init__(self) -> None:
        self.used = False
        self._packs = {file.parent.name for file in PACKS.glob("*/pack.yaml")}
        self._packs |= {each.name for each in (TESTS / KEPT).glob("*")}
        self._watched: set[tuple[str, str, str]] = set()
        self._fixtures: set[str] = set()
        self._passed: dict[str, bool] = {}

    def watch(self) -> None:
        """Note the calls of every door whose module somebody has imported."""
        for door in {ENGINE, *PLATFORMS} - self._watched:
            module = sys.modules.get(door[0])
            owner = getattr(module, door[1], None)
            if owner is not None:
                self._watched.add(door)
                self._note(owner, door[2], asking=door == ENGINE)

    def _note(self, owner: Any, name: str, *, asking: bool) -> None:
        plain = getattr(owner, name)

        @functools.wraps(plain)
        async def through(own: Any, given: Any, *more: Any, **named: Any) -> Any:
            self.used |= not asking or getattr(given, "pack", "") in self._packs
            return await plain(own, given, *more, **named)

        setattr(owner, name, through)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[Any]
    ) -> Generator[None, object, object]:
        """A fixture that asks, asks for every test that takes it."""
        self.watch()
        before, self.used = self.used, False
        try:
            return (yield)
        finally:
            if self.used:
                self._fixtures.add(fixturedef.argname)
            self.used |= before

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """The test itself; its own fixtures are set up."""
        self.watch()
        self.used = not self._fixtures.isdisjoint(getattr(item, "fixturenames", ()))
        try:
            return (yield)
        finally:
            item.user_properties.append((PROPERTY, self.used))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """What a test came to, of this process or of a worker."""
        if report.when == "call":
            used = dict(report.user_properties).get(PROPERTY)
            self._passed[report.nodeid] = bool(used) and report.passed

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Put it beside what earlier runs found of other tests."""
        if self._passed and not hasattr(session.config, "workerinput"):
            with suppress(OSError):  # a folder that cannot be written notes nothing
                keep(DOORS, self._passed)


def keep(file: Path, passed: dict[str, bool]) -> None:
    """Merge a run into the file: what failed or asked nothing leaves it."""
    ran = {test for test, used in passed.items() if used}
    found = (set(kept(file)) - passed.keys()) | ran
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_name(f"{file.name}.{os.getpid()}")
    draft.write_text(json.dumps(sorted(found), indent=0) + "\n", encoding="utf-8")
    os.replace(draft, file)


def pytest_configure(config: pytest.Config) -> None:
    """One for the session."""
    config.pluginmanager.register(Doors(), "doors")
