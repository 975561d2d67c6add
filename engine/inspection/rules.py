"""A question's rule over its evidence: a verdict without any model.

A condition holds, does not hold, or cannot be told: what was not found in files that
could not be read is not known to be absent. What cannot be told decides nothing.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

import re2

from engine.inspection.question_pack import Condition, Inquiry
from engine.inspection.records import (
    INSUFFICIENT,
    NOT_FOUND,
    Block,
    Decided,
    Gathered,
    blocks_of,
    gate_opens,
)

_VERSION = re2.compile(r"\d+(?:\.\d+)*")
_UPPER = re2.compile(r"^\s*[<!]")

Evidence = Mapping[str, Gathered]


@dataclass(frozen=True, slots=True)
class _Judged:
    """Whether a condition holds (None: cannot be told), what shows it, and why."""

    holds: bool | None
    shown: tuple[Block, ...] = ()
    why: str = ""


def decide(
    inquiry: Inquiry, gathered: Iterable[Gathered], *, analyse_only: bool
) -> Decided:
    """Return the verdict of the first case that holds; NOT FOUND without any
    evidence.
    """
    found = tuple(gathered)
    if not gate_opens(found):
        return nothing_found(found, analyse_only=analyse_only)
    evidence = {each.preflight: each for each in found}
    against: list[Block] = []
    reasons: list[str] = []
    for case in inquiry.rule:
        if case.when is None:
            shown = tuple(dict.fromkeys(against)) or blocks_of(found)
            return Decided(verdict=case.verdict, shown=shown, why="; ".join(reasons))
        judged = _judge(case.when, evidence)
        if judged.holds is None:
            return Decided(
                verdict=INSUFFICIENT, shown=blocks_of(found), gaps=(judged.why,)
            )
        if judged.holds:
            shown = judged.shown or blocks_of(found)
            return Decided(verdict=case.verdict, shown=shown, why=judged.why)
        against += judged.shown
        reasons.append(judged.why)
    return Decided(
        verdict=INSUFFICIENT,
        shown=blocks_of(found),
        gaps=("the question has no rule: it needs a model",),
    )


def nothing_found(gathered: Iterable[Gathered], *, analyse_only: bool) -> Decided:
    """Return what is said without evidence."""
    gaps = tuple(
        _unknown(each)
        if each.missed or each.dropped
        else f"{each.preflight} found nothing"
        for each in gathered
    )
    return Decided(verdict=INSUFFICIENT if analyse_only else NOT_FOUND, gaps=gaps)


def _judge(condition: Condition, evidence: Evidence) -> _Judged:
    return _JUDGES[condition.kind](condition, evidence)


def _unknown(found: Gathered) -> str:
    """Return what could not be looked into."""
    if not (found.missed or found.dropped):
        return f"{found.preflight}: a search by meaning does not tell what is absent"
    first = f", first {found.unread[0].path} ({found.unread[0].why})"
    files = f"{found.missed} files could not be read{first if found.unread else ''}"
    moved = f"{found.dropped} places changed while they were read"
    return f"{found.preflight}: {files if found.missed else moved}"


def _present(condition: Condition, evidence: Evidence) -> _Judged:
    found = evidence[condition.present or ""]
    if found.blocks:
        return _Judged(True, found.blocks, f"{found.preflight}: {found.count} found")
    if not found.complete:
        return _Judged(None, (), _unknown(found))
    return _Judged(False, (), f"{found.preflight}: none in {found.files} files")


def _absent(condition: Condition, evidence: Evidence) -> _Judged:
    name = condition.absent
    present = _present(Condition(present=name), evidence)
    holds = None if present.holds is None else not present.holds
    return _Judged(holds, present.shown, present.why)


def _count(condition: Condition, evidence: Evidence) -> _Judged:
    found = evidence[condition.count or ""]
    least, most = condition.at_least or 0, condition.at_most
    why = f"{found.preflight}: {found.count} found"
    if most is not None and found.count > most:
        return _Judged(False, found.blocks, f"{why}, at most {most} allowed")
    if not found.complete and (most is not None or found.count < least):
        return _Judged(None, (), _unknown(found))
    return _Judged(found.count >= least, found.blocks, why)


def _every(found: Gathered, good: Callable[[Block], bool], wanted: str) -> _Judged:
    """Return whether all blocks are good; over nothing it does not hold."""
    bad = tuple(block for block in found.blocks if not good(block))
    if bad:
        return _Judged(False, bad, f"{found.preflight}: {len(bad)} {wanted}")
    if not found.complete or found.beyond:
        left = f"{found.preflight}: {found.beyond} hits beyond its limit"
        return _Judged(None, (), left if found.complete else _unknown(found))
    why = f"{found.preflight}: all {found.count}"
    return _Judged(bool(found.blocks), found.blocks, why)


def _all_match(condition: Condition, evidence: Evidence) -> _Judged:
    pattern = re2.compile(condition.pattern or "")
    return _every(
        evidence[condition.all_match or ""],
        lambda block: any(pattern.search(line.text) for line in block.lines),
        f"have no line that matches {condition.pattern}",
    )


def _version_at_least(condition: Condition, evidence: Evidence) -> _Judged:
    least = _numbers(condition.version or "")
    return _every(
        evidence[condition.version_at_least or ""],
        lambda block: _lowest(block) >= least,
        f"are not known to be at least {condition.version}",
    )


def _lowest(block: Block) -> tuple[int, ...]:
    """Return the lowest version that a requirement allows; () where it names none."""
    required = block.values[1] if len(block.values) > 1 else ""
    parts = (part for part in required.split(",") if not _UPPER.search(part))
    return max((_numbers(part) for part in parts), default=())


def _numbers(version: str) -> tuple[int, ...]:
    """Return a version as numbers without trailing zeros: 2.0 is 2."""
    found = _VERSION.search(version)
    numbers = [int(part[:9]) for part in found[0].split(".")] if found else []
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)


def _values_of(condition: Condition, evidence: Evidence) -> _Judged:
    fold = str.casefold if condition.ignore_case else str
    among = [evidence[name] for name in condition.among or ()]
    told = {fold(v) for each in among for b in each.blocks for v in b.values}
    lacking = next((a for a in among if not a.complete or a.beyond), None)
    judged = _every(
        evidence[condition.values_of or ""],
        lambda block: all(fold(value) in told for value in block.values),
        f"not in {', '.join(condition.among or ())}",
    )
    if judged.holds is False and judged.shown and lacking is not None:
        return _Judged(None, (), f"{lacking.preflight}: not all of it is known")
    return judged


def _all(condition: Condition, evidence: Evidence) -> _Judged:
    judged = [_judge(each, evidence) for each in condition.all or ()]
    return _joined(judged, next(_of(judged, False), None) or next(_of(judged), None))


def _any(condition: Condition, evidence: Evidence) -> _Judged:
    judged = [_judge(each, evidence) for each in condition.any or ()]
    met = next(_of(judged, True), None) or next(_of(judged), None)
    return met or _Judged(False, _shown(judged), _why(judged))


def _none(condition: Condition, evidence: Evidence) -> _Judged:
    judged = _any(Condition(any=condition.none), evidence)
    holds = None if judged.holds is None else not judged.holds
    return _Judged(holds, judged.shown, judged.why)


def _of(judged: list[_Judged], holds: bool | None = None) -> Iterator[_Judged]:
    return (each for each in judged if each.holds is holds)


def _joined(judged: list[_Judged], decisive: _Judged | None) -> _Judged:
    """Return what stands in the way, else all that holds; over nothing it does not
    hold.
    """
    return decisive or _Judged(bool(judged), _shown(judged), _why(judged))


def _shown(judged: list[_Judged]) -> tuple[Block, ...]:
    return tuple(dict.fromkeys(block for each in judged for block in each.shown))


def _why(judged: list[_Judged]) -> str:
    return "; ".join(each.why for each in judged)


_JUDGES: Mapping[str, Callable[[Condition, Evidence], _Judged]] = {
    "present": _present,
    "absent": _absent,
    "count": _count,
    "all_match": _all_match,
    "version_at_least": _version_at_least,
    "values_of": _values_of,
    "all": _all,
    "any": _any,
    "none": _none,
}
