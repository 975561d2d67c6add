"""Whether a new program may take the place of the present one (R-E8, R-E10).

Both were recorded and scored over the same cases, and are decided by the code that
decides a release, the present program in place of the baseline. On top of that verdict
stands what a release allows and a new program does not: a gate metric that goes down
at all, over all cases or in one slice; a case that it judged with one program alone,
where that could hide a fall; a set too small to see anything; and nothing gained, but
for a program that a person wrote or changed.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from adapters.inert import many
from evals.decide import Scored, decide
from evals.deciding.comparison import RENEW
from evals.deciding.finished import Finished
from evals.deciding.pairing import ALL, judged, measure
from evals.deciding.sentences import named, percent
from evals.deciding.statistics import needed
from evals.deciding.targets import SHARES
from evals.deciding.verdict import Check, Decision, Status, Verdict
from evals.forms import Result, Score, Weight
from evals.recording import hearing

GATE = "gate "  # how the names of these checks begin


@dataclass(frozen=True, slots=True)
class Judgement:
    """What came of a new program: kept only where the decision is RELEASE.

    Attributes:
        decision: REGRESSION where it is worse, or not better and has to be;
            INCONCLUSIVE where that cannot be said.
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


def weigh(
    new: Scored,
    present: Scored,
    weights: Mapping[str, Weight],
    *,
    gain: bool = True,
) -> Judgement:
    """Judge a new program beside the present one.

    Args:
        new: the comparison cases with the new program.
        present: the same cases with the present one.
        weights: of every metric.
        gain: whether it has to be better in something. What a person takes out of a
            program need not be: it may only be no worse.

    Raises:
        UsageError: there is nothing to compare; see `evals.decide.decide`.
    """
    verdict = decide(new, present, weights)
    before = decide(present, present, weights)
    every = [check for check in verdict.checks if check.check.startswith(GATE)]
    gates = [check for check in every if check.slice == ALL]
    figures = {check.metric: _figure(check) for check in gates if check.pairs}
    failed = tuple(_errors(new, present))
    if failed:
        return Judgement(Decision.INCONCLUSIVE, failed, figures)
    worse = [*_worse(verdict, before), *_weaker(every)]
    if worse:
        return Judgement(Decision.REGRESSION, _once(worse), figures)
    alone = _alone(new, present, sorted(n for n, w in weights.items() if w == "gate"))
    unknown = [*_open(verdict), *alone, *_small(gates)]
    if unknown:
        return Judgement(Decision.INCONCLUSIVE, _once(unknown), figures)
    better = [figures[check.metric] for check in gates if (check.delta or 0.0) > 0]
    return _gained(better, figures, gain)


def _gained(better: Sequence[str], figures: Mapping[str, str], gain: bool) -> Judgement:
    """The judgement on a program that is no worse."""
    if better:
        return Judgement(Decision.RELEASE, tuple(better), figures)
    if gain:
        why = "No gate metric got better, so the present program stays."
        return Judgement(Decision.REGRESSION, (why,), figures)
    if not figures:
        why = "No gate metric judged a case with both programs."
        return Judgement(Decision.INCONCLUSIVE, (why,))
    why = "No gate metric is lower, and a person asks for this program."
    return Judgement(Decision.RELEASE, (why,), figures)


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
        why = f"Fewer answers are of the model's choice: {before} before, {now} now."
        return Judgement(Decision.REGRESSION, (why,))
    return None


def _silent(run: Finished) -> Iterator[str]:
    """The cases on which the model was not heard, each once."""
    for case, rows in run.rows.items():
        if not all(map(hearing.heard, rows)):
            yield case


def _drafted(run: Finished) -> int:
    """How many answers a model selected."""
    rows = (row for each in run.rows.values() for row in each)
    return sum((row.record or {}).get("mode") == "llm" for row in rows)


def _once(reasons: Iterable[str]) -> tuple[str, ...]:
    """Each reason once: two checks may say the same."""
    return tuple(dict.fromkeys(reasons))


def _figure(check: Check) -> str:
    """A gate metric over the cases that were judged with both programs."""
    before, delta = check.baseline or 0.0, check.delta or 0.0
    wide = ""
    if check.interval is not None and delta:
        low, high = check.interval
        wide = f", a change of {low * 100:+.0f} to {high * 100:+.0f} points at 95 %"
    now = f"{percent(before)} before, {percent(before + delta)} now{wide}"
    where = "" if check.slice == ALL else f" in {check.slice}"
    cases = many(check.pairs or 0, "case")
    documents = many(check.documents or 0, "document")
    return f"{check.metric}{where}: {now}; {cases} about {documents}."


def _worse(verdict: Verdict, before: Verdict) -> Iterator[str]:
    """The failed checks; a target that was missed before is no news."""
    missed = {check.check for check in before.checks if check.result is Status.FAIL}
    for check in verdict.checks:
        known = check.check.startswith(SHARES) and check.check in missed
        if check.result is Status.FAIL and not known:
            yield check.why


def _weaker(gates: list[Check]) -> Iterator[str]:
    """R-E8 allows no drop at all, whether chance would explain it or not.

    A metric that is lower over all cases is told once, and not slice by slice.
    """
    lower = [check for check in gates if (check.delta or 0.0) < 0]
    whole = {check.metric for check in lower if check.slice == ALL}
    for check in lower:
        if check.slice == ALL or check.metric not in whole:
            yield f"{check.metric} is weaker, and may not be. {_figure(check)}"


def _alone(new: Scored, present: Scored, gates: Sequence[str]) -> Iterator[str]:
    """What a gate metric judged more often with one program than with the other.

    It is no pair, and in no figure. It hides no fall only where the present program
    failed it, or the new one passed it.
    """
    both = new.cases.keys() & present.cases.keys()
    for metric in gates:
        then, now = (
            judged(s for s in side.scores if s.metric == metric and s.case in both)
            for side in (present, new)
        )
        hidden = [
            case
            for case in sorted(then.keys() | now.keys())
            if _hides(then.get(case, ()), now.get(case, ()))
        ]
        if hidden:
            yield (
                f"{metric} judged {many(len(hidden), 'case')} with one program alone, "
                f"which may hide a fall: {named(hidden)}."
            )


def _hides(then: Sequence[Score], now: Sequence[Score]) -> bool:
    """Whether judgements that only one program has could hide that a case fell."""
    if len(now) < len(then):
        return any(map(measure, then))
    return len(now) > len(then) and any(measure(each) < 1 for each in now)


def _errors(*sides: Scored) -> Iterator[str]:
    for side, name in zip(sides, ("the new", "the present"), strict=True):
        lost = {s.case for s in side.scores if s.result is Result.ERROR}
        if lost:
            cases = ", ".join(sorted(lost)[:5])
            yield f"With {name} program, some could not be run or judged: {cases}."


def _open(verdict: Verdict) -> Iterator[str]:
    """What stands in the way of a comparison; no new baseline mends it here."""
    for check in verdict.checks:
        if check.result is Status.INCONCLUSIVE:
            yield check.why.removesuffix(f" {RENEW}.")


def _small(gates: list[Check]) -> Iterator[str]:
    """A set in which the fall of every document would not be significant shows
    nothing, however many gate metrics judged it."""
    sizes = [check.documents or 0 for check in gates if check.pairs]
    documents, least = max(sizes, default=0), needed(len(sizes))
    if sizes and documents < least:
        metrics = many(len(sizes), "gate metric")
        yield (
            f"The comparison is about {many(documents, 'document')}, and {least} are "
            f"the fewest in which {metrics} could be seen to fall: write more cases, "
            "or try another --seed."
        )
