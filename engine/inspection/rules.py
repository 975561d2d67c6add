"""A question's rule over its evidence: a verdict without any model.

A condition holds, does not hold, or is unknown: a hit is not known to be absent where
files could not be read. An unknown condition decides nothing.
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
    collect_blocks,
    is_gate_open,
)

_VERSION = re2.compile(r"\d+(?:\.\d+)*")
_UPPER = re2.compile(r"^\s*[<!]")

Evidence = Mapping[str, Gathered]


@dataclass(frozen=True, slots=True)
class _Judged:
    """Whether a condition holds (None: unknown), the blocks that show it, and why."""

    holds: bool | None
    shown: tuple[Block, ...] = ()
    why: str = ""


def decide(
    inquiry: Inquiry, gathered: Iterable[Gathered], *, analyse_only: bool
) -> Decided:
    """Return the verdict of the first case that holds; NOT FOUND without evidence."""
    found = tuple(gathered)
    if not is_gate_open(found):
        return _decide_without(found, analyse_only=analyse_only)
    evidence = {each.preflight: each for each in found}
    against: list[Block] = []
    reasons: list[str] = []
    for case in inquiry.rule:
        if case.when is None:
            shown = tuple(dict.fromkeys(against)) or collect_blocks(found)
            return Decided(verdict=case.verdict, shown=shown, why="; ".join(reasons))
        judged = _judge(case.when, evidence)
        if judged.holds is None:
            return Decided(
                verdict=INSUFFICIENT, shown=collect_blocks(found), gaps=(judged.why,)
            )
        if judged.holds:
            shown = judged.shown or collect_blocks(found)
            return Decided(verdict=case.verdict, shown=shown, why=judged.why)
        against += judged.shown
        reasons.append(judged.why)
    return Decided(
        verdict=INSUFFICIENT,
        shown=collect_blocks(found),
        gaps=("the question has no rule: it needs a model",),
    )


def _decide_without(gathered: Iterable[Gathered], *, analyse_only: bool) -> Decided:
    """Decide without evidence."""
    gaps = tuple(
        _describe_unread(each)
        if each.missed or each.dropped
        else f"{each.preflight} found nothing"
        for each in gathered
    )
    return Decided(verdict=INSUFFICIENT if analyse_only else NOT_FOUND, gaps=gaps)


def _judge(condition: Condition, evidence: Evidence) -> _Judged:
    return _JUDGES[condition.kind](condition, evidence)


def _describe_unread(found: Gathered) -> str:
    """Describe the part of the evidence that could not be read."""
    if not (found.missed or found.dropped):
        return f"{found.preflight}: a search by meaning does not tell what is absent"
    first = f", first {found.unread[0].path} ({found.unread[0].why})"
    files = f"{found.missed} files could not be read{first if found.unread else ''}"
    moved = f"{found.dropped} places changed while they were read"
    return f"{found.preflight}: {files if found.missed else moved}"


def _judge_present(condition: Condition, evidence: Evidence) -> _Judged:
    found = evidence[condition.present or ""]
    if found.blocks:
        return _Judged(True, found.blocks, f"{found.preflight}: {found.count} found")
    if not found.complete:
        return _Judged(None, (), _describe_unread(found))
    return _Judged(False, (), f"{found.preflight}: none in {found.files} files")


def _judge_absent(condition: Condition, evidence: Evidence) -> _Judged:
    name = condition.absent
    present = _judge_present(Condition(present=name), evidence)
    holds = None if present.holds is None else not present.holds
    return _Judged(holds, present.shown, present.why)


def _judge_count(condition: Condition, evidence: Evidence) -> _Judged:
    found = evidence[condition.count or ""]
    least, most = condition.at_least or 0, condition.at_most
    why = f"{found.preflight}: {found.count} found"
    if most is not None and found.count > most:
        return _Judged(False, found.blocks, f"{why}, at most {most} allowed")
    if not found.complete and (most is not None or found.count < least):
        return _Judged(None, (), _describe_unread(found))
    return _Judged(found.count >= least, found.blocks, why)


def _judge_every(
    found: Gathered, good: Callable[[Block], bool], wanted: str
) -> _Judged:
    """Judge whether all blocks are good; without blocks it does not hold."""
    bad = tuple(block for block in found.blocks if not good(block))
    if bad:
        return _Judged(False, bad, f"{found.preflight}: {len(bad)} {wanted}")
    if not found.complete or found.beyond:
        left = f"{found.preflight}: {found.beyond} hits beyond its limit"
        return _Judged(None, (), left if found.complete else _describe_unread(found))
    why = f"{found.preflight}: all {found.count}"
    return _Judged(bool(found.blocks), found.blocks, why)


def _judge_all_match(condition: Condition, evidence: Evidence) -> _Judged:
    pattern = re2.compile(condition.pattern or "")
    return _judge_every(
        evidence[condition.all_match or ""],
        lambda block: any(pattern.search(line.text) for line in block.lines),
        f"have no line that matches {condition.pattern}",
    )


def _judge_version(condition: Condition, evidence: Evidence) -> _Judged:
    least = _parse_version(condition.version or "")
    return _judge_every(
        evidence[condition.version_at_least or ""],
        lambda block: _find_lowest(block) >= least,
        f"are not known to be at least {condition.version}",
    )


def _find_lowest(block: Block) -> tuple[int, ...]:
    """Return the lowest version that a requirement allows; () where it names none."""
    required = block.values[1] if len(block.values) > 1 else ""
    parts = (part for part in required.split(",") if not _UPPER.search(part))
    return max((_parse_version(part) for part in parts), default=())


def _parse_version(version: str) -> tuple[int, ...]:
    """Parse a version into numbers without trailing zeros: 2.0 is 2."""
    found = _VERSION.search(version)
    numbers = [int(part[:9]) for part in found[0].split(".")] if found else []
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)


def _judge_values(condition: Condition, evidence: Evidence) -> _Judged:
    fold = str.casefold if condition.ignore_case else str
    among = [evidence[name] for name in condition.among or ()]
    told = {fold(v) for each in among for b in each.blocks for v in b.values}
    lacking = next((a for a in among if not a.complete or a.beyond), None)
    judged = _judge_every(
        evidence[condition.values_of or ""],
        lambda block: all(fold(value) in told for value in block.values),
        f"not in {', '.join(condition.among or ())}",
    )
    if judged.holds is False and judged.shown and lacking is not None:
        return _Judged(None, (), f"{lacking.preflight}: not all of it is known")
    return judged


def _judge_all(condition: Condition, evidence: Evidence) -> _Judged:
    judged = [_judge(each, evidence) for each in condition.all or ()]
    return _join_judged(
        judged, next(_select(judged, False), None) or next(_select(judged), None)
    )


def _judge_any(condition: Condition, evidence: Evidence) -> _Judged:
    judged = [_judge(each, evidence) for each in condition.any or ()]
    met = next(_select(judged, True), None) or next(_select(judged), None)
    return met or _Judged(False, _join_shown(judged), _join_reasons(judged))


def _judge_none(condition: Condition, evidence: Evidence) -> _Judged:
    judged = _judge_any(Condition(any=condition.none), evidence)
    holds = None if judged.holds is None else not judged.holds
    return _Judged(holds, judged.shown, judged.why)


def _select(judged: list[_Judged], holds: bool | None = None) -> Iterator[_Judged]:
    return (each for each in judged if each.holds is holds)


def _join_judged(judged: list[_Judged], decisive: _Judged | None) -> _Judged:
    """Return the decisive judgement, else that all hold; False for none."""
    return decisive or _Judged(bool(judged), _join_shown(judged), _join_reasons(judged))


def _join_shown(judged: list[_Judged]) -> tuple[Block, ...]:
    return tuple(dict.fromkeys(block for each in judged for block in each.shown))


def _join_reasons(judged: list[_Judged]) -> str:
    return "; ".join(each.why for each in judged)


_JUDGES: Mapping[str, Callable[[Condition, Evidence], _Judged]] = {
    "present": _judge_present,
    "absent": _judge_absent,
    "count": _judge_count,
    "all_match": _judge_all_match,
    "version_at_least": _judge_version,
    "values_of": _judge_values,
    "all": _judge_all,
    "any": _judge_any,
    "none": _judge_none,
}
