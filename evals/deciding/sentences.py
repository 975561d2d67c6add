"""Pieces of the sentences that a verdict is told in."""

from collections.abc import Collection, Iterable

NAMED = 5  # names in a sentence; the data holds all of them


def cases(of: Collection[object]) -> str:
    """How many cases, in words."""
    return "1 case" if len(of) == 1 else f"{len(of)} cases"


def named(names: Iterable[str]) -> str:
    """The first names in order, and how many more there are."""
    found = unique(names)
    more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
    return ", ".join(found[:NAMED]) + more


def unique(names: Iterable[str]) -> tuple[str, ...]:
    """Names in order, each once."""
    return tuple(sorted(set(names)))


def percent(share: float) -> str:
    """A share as people read it."""
    return f"{100 * share:.1f} %"
