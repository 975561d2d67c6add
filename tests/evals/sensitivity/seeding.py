"""The table of seeded regressions: the shipped system, broken on purpose in one place.

Nothing of a row is edited: a function of the engine or an adapter, or a value of the
loaded pack, is another one while a world is asked.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tests.evals.sensitivity.breaking import Broken
from tests.evals.sensitivity.worlds import World

REGRESSIONS: dict[str, "Regression"] = {}


@dataclass(frozen=True)
class Regression:
    """A way to break the system, where it shows, and the metric meant for it."""

    name: str
    world: World
    metric: str
    broken: Callable[[], Broken]


def shows(world: World, metric: str) -> Callable[..., Callable[[], Iterator[None]]]:
    """Enter a regression in the table, under its own name."""

    def enter(function: Callable[[], Iterator[None]]) -> Callable[[], Iterator[None]]:
        name = function.__name__
        manager = contextmanager(function)
        REGRESSIONS[name] = Regression(name, world, metric, manager)
        return function

    return enter
