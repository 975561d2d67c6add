"""Ways to put another function, or another value of a pack, in the place of one."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pytest

from adapters import packs
from engine.policy.pack import Pack

Broken = AbstractContextManager[None]


@contextmanager
def instead(changes: Mapping[str, object]) -> Iterator[None]:
    """Other functions in the places of some, by their full names."""
    with pytest.MonkeyPatch.context() as patch:
        for place, other in changes.items():
            patch.setattr(place, other)
        yield


@contextmanager
def policy(change: Callable[[Pack], Pack]) -> Iterator[None]:
    """A loaded pack with another value, past the floors that loading holds."""
    real = packs.load
    with instead({"adapters.packs.load": lambda folder: change(real(folder))}):
        yield


def gate(**changes: Any) -> Broken:
    """Other numbers of the gate."""

    def change(pack: Pack) -> Pack:
        held = pack.gate.model_copy(update=changes)
        return pack.model_copy(update={"gate": held})

    return policy(change)


def openings(**changes: Any) -> Broken:
    """Other numbers of every opening, and nothing else that keeps the gate closed."""

    def change(pack: Pack) -> Pack:
        opened = tuple(o.model_copy(update=changes) for o in pack.gate.openings)
        held = pack.gate.model_copy(update={"openings": opened})
        return pack.model_copy(update={"gate": held})

    return policy(change)
