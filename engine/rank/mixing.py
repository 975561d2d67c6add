"""Which passages are combined: caps by source, and the requirements of a question.

The order of the input is kept; relevance is not looked at.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field

from engine.model.passage import Chunk
from engine.model.question import Intent
from engine.policy.pack import CapRule, IntentRule, Pack, Required


@dataclass(frozen=True, slots=True)
class Mix:
    """The passages that were taken, in order, and why others were not.

    `capped` did not fit below a cap, `filled` were taken because they are required.
    """

    taken: tuple[Chunk, ...]
    capped: tuple[str, ...]
    filled: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """The pack's rules on the passages of one question.

    Attributes:
        names: for each passage, the names by which a rule may know its source.
        caps: the rules that apply to the question, each with how many it allows.
        requires: sources that must be among the passages; narrow demands first.
        room: how many passages there may be.
        reserved: the ids of passages that no cap leaves out.
    """

    names: Mapping[str, frozenset[str]]
    caps: tuple[tuple[CapRule, int], ...]
    requires: tuple[Required, ...]
    room: int
    reserved: frozenset[str] = frozenset()

    def of(self, sources: Sequence[str], chunk: Chunk) -> bool:
        """Return whether a passage is of one of these sources or types."""
        return not self.names[chunk.source].isdisjoint(sources)

    def count(self, sources: Sequence[str], chunks: Sequence[Chunk]) -> int:
        """Count the passages of these sources or types."""
        return sum(self.of(sources, chunk) for chunk in chunks)


def make_table(intent: Intent, rule: IntentRule, pack: Pack) -> Table:
    """Collect the rules of the pack that apply to a question."""
    names = {s.id: frozenset((s.id, s.type)) for s in pack.sources}
    return Table(
        names=names,
        caps=tuple(
            (cap, _raise_cap(cap, intent))
            for cap in pack.retrieval.caps
            if cap.holds_for(rule.query_type)
        ),
        requires=tuple(sorted(rule.requires, key=lambda r: len(r.sources))),
        room=pack.retrieval.final,
    )


def mix(ordered: Sequence[Chunk], rules: Table) -> Mix:
    """Take the first passages in order that fit below the caps, with those required.

    A cap on the share of the whole is checked last: the lowest passages above it are
    replaced by others.
    """
    caps = list(rules.caps)
    while True:
        found = _take(ordered, rules, caps)
        over = next(
            (n for n, (cap, _) in enumerate(caps) if _exceeds_share(cap, found, rules)),
            None,
        )
        if over is None:
            return found
        cap = caps[over][0]
        caps[over] = (cap, rules.count(cap.types, found.taken) - 1)


def unmet(chunks: Sequence[Chunk], rules: Table) -> Iterator[Required]:
    """Yield the requirements that the passages do not meet."""
    for wanted in rules.requires:
        if rules.count(wanted.sources, chunks) < wanted.least:
            yield wanted


def _raise_cap(cap: CapRule, intent: Intent) -> int:
    named = intent.things.get(cap.raised_by, ()) if cap.raised_by else ()
    return max(cap.most, len(named))


def _exceeds_share(cap: CapRule, found: Mix, rules: Table) -> bool:
    held = rules.count(cap.types, found.taken)
    return cap.below is not None and held >= max(cap.below * len(found.taken), 1)


def _take(
    ordered: Sequence[Chunk], rules: Table, caps: Sequence[tuple[CapRule, int]]
) -> Mix:
    """Take passages in one pass: required ones first, then all that fit."""
    below = _CapCounter(rules, caps)
    required = tuple(_take_required(ordered, rules, below))
    kept = {chunk.id for chunk in required}
    taken, capped = below.take_all(ordered, kept)
    bare, _ = _CapCounter(rules, caps).take_all(ordered, set())
    plain = {chunk.id for chunk in bare}
    filled = tuple(chunk.id for chunk in required if chunk.id not in plain)
    return Mix(taken, capped, filled)


@dataclass(slots=True)
class _CapCounter:
    """Counts taken passages against the caps."""

    rules: Table
    caps: Sequence[tuple[CapRule, int]]
    used: Counter[int] = field(default_factory=Counter)
    own: Counter[tuple[int, str]] = field(default_factory=Counter)

    def is_full(self, chunk: Chunk) -> bool:
        """Return whether a cap leaves no place for a passage."""
        for n in self._find_caps(chunk):
            cap, most = self.caps[n]
            own = self.own[n, chunk.document]
            if self.used[n] >= most or own >= (cap.per_document or most):
                return True
        return False

    def take(self, chunk: Chunk) -> None:
        """Count a passage."""
        touched = self._find_caps(chunk)
        self.used.update(touched)
        self.own.update((n, chunk.document) for n in touched)

    def take_all(
        self, ordered: Sequence[Chunk], kept: Set[str]
    ) -> tuple[tuple[Chunk, ...], tuple[str, ...]]:
        """Return the passages taken, in order, and the ids of those that a cap left
        out.
        """
        room = self.rules.room - len(kept)
        taken: list[Chunk] = []
        capped: list[str] = []
        for chunk in ordered:
            if chunk.id in kept:
                taken.append(chunk)
            elif self.is_full(chunk):
                capped.append(chunk.id)
            elif room:
                room -= 1
                self.take(chunk)
                taken.append(chunk)
        return tuple(taken), tuple(capped)

    def _find_caps(self, chunk: Chunk) -> list[int]:
        return [
            n for n, (cap, _) in enumerate(self.caps) if self.rules.of(cap.types, chunk)
        ]


def _take_required(
    ordered: Sequence[Chunk], rules: Table, below: _CapCounter
) -> Iterator[Chunk]:
    """Yield the best passages of the required sources, as far as they fit."""
    kept = [chunk for chunk in ordered if chunk.id in rules.reserved][: rules.room]
    for chunk in kept:
        below.take(chunk)
        yield chunk
    for wanted in rules.requires:
        for chunk in ordered:
            enough = rules.count(wanted.sources, kept) >= wanted.least
            if enough or len(kept) == rules.room:
                break
            new = chunk not in kept and rules.of(wanted.sources, chunk)
            if new and not below.is_full(chunk):
                below.take(chunk)
                kept.append(chunk)
                yield chunk
