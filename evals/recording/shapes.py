"""What a reply is built of on each platform, apart from its words.

A shape is the structure of a payload without its texts: types, styles, buttons by what
they do, and how many there are of each. The words are kept as one hash, so that words
that are renewed on purpose are told apart from a block that was lost.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from itertools import groupby
from typing import Any

from adapters.mail import Action
from engine.model.outcome import Outcome
from engine.policy.pack import Pack
from evals.forms import Shape, Shown
from evals.recording.quoting import faults
from evals.recording.rendering import WAYS, Rendered, rendered
from evals.store import digest

SHORT = 6  # of the outline of a way that is not spelled out
# What names a button; behind the colon of Discord's stands the reply's id.
_BUTTONS = frozenset({"action_id", "custom_id"})
# Figures of "Why?" differ in their last digit between processors, so they are left out.
_FIGURED = frozenset(way.name for way in WAYS if way.action is Action.WHY)
_FIGURE = re.compile(r"\d")


def shown(outcome: Outcome, pack: Pack, today: date, served: str) -> Shown:
    """What an outcome looks like on every platform.

    Args:
        outcome: what the engine came to.
        pack: whose words it is said in.
        today: the day from which the age of a source is counted.
        served: the text of a terminal, which counts among the words.
    """
    every = tuple(rendered(outcome, pack, today))
    said = [served, *(text for one in every for text in _said(one))]
    return Shown(
        shapes=_by_platform(every),
        words=digest("\n".join(said)),
        faults=faults(outcome, every),
    )


def shape(value: Any) -> str:
    """The structure of JSON without its texts."""
    if isinstance(value, Mapping):
        kind = value.get("type", "")
        inside = [_field(name, held) for name, held in sorted(value.items())]
        return f"{kind}({' '.join(filter(None, inside))})"
    if isinstance(value, list | tuple):
        return f"[{_runs(map(shape, value))}]"
    return "…" if isinstance(value, str) else str(value)


def _field(name: str, held: Any) -> str:
    if name == "type":
        return ""
    if name in _BUTTONS:
        return f"{name}={str(held).partition(':')[0]}"
    if name == "style" and isinstance(held, str):
        return f"style={held}"
    if isinstance(held, str):
        return name
    nested = isinstance(held, Mapping | list | tuple)
    return f"{name}{'' if nested else '='}{shape(held)}"


def outline(value: Any) -> str:
    """The types of JSON and what its buttons do, as people read it."""
    if isinstance(value, Mapping):
        named = (str(value[name]).partition(":")[0] for name in _BUTTONS & value.keys())
        kind = " ".join([str(value.get("type", "")), *named]).strip()
        lists = (held for _, held in sorted(value.items()) if isinstance(held, list))
        return kind + "".join(map(outline, lists))
    if isinstance(value, list):
        return f"[{_runs(map(outline, value))}]" if value else ""
    return ""


def _runs(shapes: Iterable[str]) -> str:
    runs = ((one, len([*same])) for one, same in groupby(shapes))
    return ", ".join(f"{count}x {one}" if count > 1 else one for one, count in runs)


def _by_platform(every: Iterable[Rendered]) -> Mapping[str, Shape]:
    whole: dict[str, list[str]] = {}
    ways: dict[str, list[str]] = {}
    for one in every:
        platform = str(one.platform)
        parts = (f"{part.method} {shape(part.payload)}" for part in one.parts)
        whole.setdefault(platform, []).extend(f"{one.way} {part}" for part in parts)
        ways.setdefault(platform, []).append(f"{one.way} {_outlined(one)}")
    return {
        name: Shape(hash=digest("\n".join(parts)), outline="; ".join(ways[name]))
        for name, parts in whole.items()
    }


def _outlined(one: Rendered) -> str:
    """The outline of a way; spelled out for the first, or there would be too much."""
    said = " ".join(outline(part.payload) for part in one.parts)
    return said if one.way == WAYS[0].name else digest(said)[:SHORT]


def _said(one: Rendered) -> Iterator[str]:
    for part in one.parts:
        for text in _texts(part.payload):
            yield _FIGURE.sub("0", text) if one.way in _FIGURED else text


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for _, held in sorted(value.items()):
            yield from _texts(held)
    elif isinstance(value, list | tuple):
        for held in value:
            yield from _texts(held)
    elif isinstance(value, str):
        yield value
