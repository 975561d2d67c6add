"""Labelled messages: a text, its kind, and whether it is an emergency."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from engine.model.frozen import Frozen

LABELS = Path(__file__).resolve().parent.parent / "labels"
# Fitted on; what a fit that had not seen them says of them judges it.
TUNE = tuple(
    LABELS / f"urgency_{name}.jsonl" for name in ("tune", "blind_a", "blind_b")
)
# Short messages of every kind: emergencies, talk, needs for support, figures alone.
KINDS, KINDS_HELD = (
    LABELS / f"urgency_{name}.jsonl" for name in ("kinds", "kinds_held")
)
MORE = LABELS / "urgency_more.jsonl"  # fitted on, never measured on
# Held back: measured on, never fitted on or read. Misses of the first were seen once.
# The third holds short messages of every kind, as people type them, the fourth expected
# side effects told with distress and emergencies told calmly, the fifth what is missing
# on a ward, a child's future and visitors, beside emergencies in the same words.
EARLIER, HELD, TYPED, TOLD, MISSING = (
    LABELS / f"urgency_{name}.jsonl"
    for name in ("held", "held2", "held3", "held4", "held5")
)


class Message(Frozen):
    """One message; `kind` says which emergency it is, or of which sort it is none."""

    text: str
    urgent: bool
    kind: str
    language: str


class Tally(Frozen):
    """The messages of a kind, and the number of them that raised the notice."""

    kind: str
    urgent: bool
    messages: int
    raised: int


def load(*paths: Path) -> tuple[Message, ...]:
    """Read the messages of files, in their order."""
    lines = [li for p in paths for li in p.read_text(encoding="utf-8").splitlines()]
    return tuple(Message.model_validate(json.loads(line)) for line in lines)


def tally(messages: Sequence[Message], raised: Sequence[bool]) -> tuple[Tally, ...]:
    """Count messages and notices by kind, emergencies first."""
    all_of = Counter((not m.urgent, m.kind) for m in messages)
    loud = Counter(
        (not m.urgent, m.kind) for m, rang in zip(messages, raised, strict=True) if rang
    )
    return tuple(
        Tally(kind=key[1], urgent=not key[0], messages=number, raised=loud[key])
        for key, number in sorted(all_of.items())
    )


def share(tallies: Sequence[Tally], *, urgent: bool) -> float:
    """Return the share that raised the notice: found emergencies, or false alarms."""
    those = [t for t in tallies if t.urgent is urgent]
    return sum(t.raised for t in those) / max(1, sum(t.messages for t in those))
