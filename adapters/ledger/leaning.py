"""Follow-up questions that repeat what somebody else asked (R-A11, R-S5).

A follow-up's record holds the question before it, and itself as it was understood with
that one, whoever asked that one. So what others asked on has to be found when a person
is forgotten, and what was asked on from there.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from sqlalchemy import Connection, select

from adapters.ledger.entries import canonical
from adapters.ledger.schema import ASKER, PREVIOUS, personal
from engine.parse.context import led_to

UNDERSTOOD = "intent.text"
ASKED = ("question", UNDERSTOOD)  # what the next question may have leaned on
# What of a follow-up may repeat the question before it.
FIELDS = (
    PREVIOUS,
    UNDERSTOOD,
    "intent.named",
    "intent.conditions",
    "intent.framing",
    "intent.missing_facts",
    "intent.corrections",
    "intent.day_phrase",
)
T = TypeVar("T")
BATCH = 500  # values of one query, well below a database's limit of parameters


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A question that leaned on another, and what it left to lean on in its turn.

    `asker` is a pseudonym.
    """

    sequence: int
    asker: str
    left: tuple[str, ...]


def on(connection: Connection, sequences: Sequence[int]) -> tuple[FollowUp, ...]:
    """The follow-ups that lean on these outcomes, directly or through others."""
    if not sequences:
        return ()
    first, seen = min(sequences), set(sequences)
    found: list[FollowUp] = []
    own = _follow_ups(connection, sequences)  # one of a choice is leant on with more
    texts = _values(connection, sequences, ASKED)
    texts |= {canonical(text) for one in own for text in one.left}
    while texts:
        leaning = set(_leaning(connection, texts, first)) - seen
        seen |= leaning
        further = list(_follow_ups(connection, sorted(leaning)))
        found += further
        texts = {canonical(text) for one in further for text in one.left}
    return tuple(found)


def _leaning(connection: Connection, texts: Iterable[str], first: int) -> Iterator[int]:
    """The later outcomes whose question before was one of these."""
    row = personal.c
    for batch in _batches(sorted(texts)):
        yield from connection.scalars(
            select(row.sequence).where(
                row.field == PREVIOUS, row.value.in_(batch), row.sequence > first
            )
        )


def _follow_ups(connection: Connection, sequences: Sequence[int]) -> Iterator[FollowUp]:
    row = personal.c
    for batch in _batches(sequences):
        mine = select(row.sequence, row.field, row.value).where(
            row.sequence.in_(batch), row.field.in_((ASKER, PREVIOUS, *ASKED))
        )
        held: dict[int, dict[str, str]] = {sequence: {} for sequence in batch}
        for sequence, field, value in connection.execute(mine):
            held[sequence][field] = str(json.loads(value))
        for sequence, said in held.items():
            understood = said.get(UNDERSTOOD, "")
            chosen = led_to(said.get("question", ""), said.get(PREVIOUS))
            left = tuple(filter(None, (understood, chosen)))
            yield FollowUp(sequence, said.get(ASKER, ""), left)


def _values(
    connection: Connection, sequences: Sequence[int], fields: Sequence[str]
) -> set[str]:
    """What these fields of outcomes hold, as canonical JSON."""
    row, found = personal.c, set[str]()
    for batch in _batches(sequences):
        mine = row.sequence.in_(batch), row.field.in_(fields)
        found.update(connection.scalars(select(row.value).where(*mine)))
    return found


def _batches(items: Sequence[T]) -> Iterator[tuple[T, ...]]:
    remaining = iter(items)
    while batch := tuple(islice(remaining, BATCH)):
        yield batch
