"""Whether a new program may take the place of the present one (R-E8, R-E10).

Both were recorded and scored over the same cases, and are decided by the code that
decides a release, the present program in place of the baseline. On top of that verdict
stands what a release allows and a new program does not: a gate metric that goes down
at all, a set too small to see anything, and nothing gained.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from adapters.inert import many
from engine.prompts import Failure
from evals.decide import Scored, decide
from evals.deciding.finished import Finished
from evals.deciding.pairing import ALL
from evals.deciding.sentences import percent
from evals.deciding.statistics import needed
from evals.deciding.targets import SHARES
from evals.deciding.verdict import Check, Decision, Status, Verdict
from evals.forms import Result, Weight

GATE = "gate "  # how the names of these checks begin


@dataclass(frozen=True, slots=True)
class Judgement:
    """What came of a new program: kept only where the decision is RELEASE.

    Attributes:
        decision: REGRESSION where it is worse or not better, INCONCLUSIVE where that
            cannot be said.
        reasons: why, in sentences.
        figures: of each gate metric over all cases, in a sentence.
    """

    decision: Decision
    reasons: tuple[str, ...]
    figures: Mapping[str, str] = field(default_factory=dict)

    @property
    def kept(self) -> bool:
        """Whether it takes the place of the present one."""
        return self.decision is Decision.RELEASE


def weigh(new: Scored, present: Scored, weights: Mapping[str, Weight]) -> Judgement:
    """Judge a new program beside the present one.

    Args:
        new: the comparison cases with the new program.
        present: the same cases with the present one.
        weights: of every metric.

    Raises:
        UsageError: there is nothing to compare; see `evals.decide.decide`.
    """
    verdict = decide(new, present, weights)
    before = decide(present, present, weights)
    gates = [c for c in verdict.checks if c.check.startswith(GATE) and c.slice == ALL]
    figures = {check.metric: _figure(check) for check in gates if check.pairs}
    lost = tuple(_errors(new, present))
    if lost:
        return Judgement(Decision.INCONCLUSIVE, lost, figures)
    worse = [*_worse(verdict, before), *_weaker(gates)]
    if worse:
        return Judgement(Decision.REGRESSION, tuple(dict.fromkeys(worse)), figures)
    unknown = [*_open(verdict), *_small(gates)]
    if unknown:
        return Judgement(Decision.INCONCLUSIVE, tuple(unknown), figures)
    better = [figures[check.metric] for check in gates if (check.delta or 0.0) > 0]
    if not better:
        why = "No gate metric got better, so the present program stays."
        return Judgement(Decision.REGRESSION, (why,), figures)
    return Judgement(Decision.RELEASE, tuple(better), figures)


def heard(new: Finished, present: Finished) -> Judgement | None:
    """Why two runs show nothing of two programs; None where they do.

    Where a provider fails the sources are quoted, and quotations score well: a key that
    was refused half-way would look like a better program. Nor is a program better for
    drafts that are rejected, and quoted from the sources instead.
    """
    silent = [*_silent(new), *_silent(present)]
    if silent:
        cases = ", ".join(dict.fromkeys(silent[:5]))
        why = f"The model was not heard on every case, or answered too late: {cases}."
        return Judgement(Decision.INCONCLUSIVE, (why,))
    before, now = _drafted(present), _drafted(new)
    if now < before:
        why = f"Fewer answers are in the model's words: {before} before, {now} now."
        return Judgement(Decision.REGRESSION, (why,))
    return None


def _silent(run: Finished) -> Iterator[str]:
    for case, rows in run.rows.items():
        prompts = [p for row in rows for p in (row.record or {}).get("prompts", ())]
        failures = {prompt["failure"] for prompt in prompts} - {None}
        if failures - {Failure.UNREADABLE.value}:
            yield case


def _drafted(run: Finished) -> int:
    """How many answers stand in a model's words."""
    rows = (row for each in run.rows.values() for row in each)
    return sum((row.record or {}).get("mode") == "llm" for row in rows)


def _figure(check: Check) -> str:
    """A gate metric over all cases that were judged with both programs."""
    before, delta = check.baseline or 0.0, check.delta or 0.0
    wide = ""
    if check.interval is not None and delta:
        low, high = check.interval
        wide = f", a change of {low * 100:+.0f} to {high * 100:+.0f} points at 95 %"
    now = f"{percent(before)} before, {percent(before + delta)} now{wide}"
    cases = many(check.pairs or 0, "case")
    documents = many(check.documents or 0, "document")
    return f"{check.metric}: {now}; {cases} about {documents}."


def _worse(verdict: Verdict, before: Verdict) -> Iterator[str]:
    """The failed checks; a target that was missed before is no news."""
    missed = {check.check for check in before.checks if check.result is Status.FAIL}
    for check in verdict.checks:
        known = check.check.startswith(SHARES) and check.check in missed
        if check.result is Status.FAIL and not known:
            yield check.why


def _weaker(gates: list[Check]) -> Iterator[str]:
    """R-E8 allows no drop at all, whether chance would explain it or not."""
    return (
        f"{check.metric} is weaker, and may not be. {_figure(check)}"
        for check in gates
        if (check.delta or 0.0) < 0
    )


def _errors(*sides: Scored) -> Iterator[str]:
    for side, name in zip(sides, ("the new", "the present"), strict=True):
        lost = {s.case for s in side.scores if s.result is Result.ERROR}
        if lost:
            cases = ", ".join(sorted(lost)[:5])
            yield f"With {name} program, some could not be run or judged: {cases}."


def _open(verdict: Verdict) -> Iterator[str]:
    return (c.why for c in verdict.checks if c.result is Status.INCONCLUSIVE)


def _small(gates: list[Check]) -> Iterator[str]:
    """A set in which the fall of every document would not be significant shows
    nothing, however many gate metrics judged it."""
    judged = [check.documents or 0 for check in gates if check.pairs]
    documents, least = max(judged, default=0), needed(len(judged))
    if documents < least:
        metrics = many(len(judged), "gate metric")
        yield (
            f"The comparison is about {many(documents, 'document')}, and {least} are "
            f"the fewest in which {metrics} could be seen to fall: write more cases, "
            "or try another --seed."
        )
