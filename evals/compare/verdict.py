"""The form of a decision: checks with their denominators, then one verdict.

Every count names what it leaves out, so that a rate cannot look better by losing rows.
An ERROR stays in the denominator; rows that abstained or did not apply are counted
beside it.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any

from evals.compare.statistics import Interval, wilson
from evals.forms import Json, Result, Score

DIGITS = 4


class Decision(StrEnum):
    """The decision on a run."""

    RELEASE = "release"
    REGRESSION = "regression"
    INCONCLUSIVE = "inconclusive"


EXIT_CODES: Mapping[Decision, int] = {
    Decision.RELEASE: 0,
    Decision.REGRESSION: 1,
    Decision.INCONCLUSIVE: 3,
}


HEADLINES: Mapping[Decision, str] = {
    Decision.RELEASE: "May be released",
    Decision.REGRESSION: "Must not be released",
    Decision.INCONCLUSIVE: "Cannot be decided, so it must not be released",
}
# Of several, one that must not go out keeps all of them back, then one that is open.
_WORST = (Decision.REGRESSION, Decision.INCONCLUSIVE, Decision.RELEASE)


class Status(StrEnum):
    """The result of a check."""

    PASS = "pass"
    FAIL = "fail"
    INCONCLUSIVE = "inconclusive"
    NOT_SHOWN = "not shown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """The number of scores of each kind; the five are all of them."""

    passed: int = 0
    failed: int = 0
    abstained: int = 0
    not_applicable: int = 0
    errors: int = 0

    @property
    def total(self) -> int:
        """Count all rows."""
        return self.scored + self.abstained + self.not_applicable + self.errors

    @property
    def scored(self) -> int:
        """Count the rows that were judged."""
        return self.passed + self.failed

    @property
    def counted(self) -> int:
        """Return the denominator of every rate: rows judged, and rows that should
        be."""
        return self.scored + self.errors

    @property
    def rate(self) -> float | None:
        """Return the share that passed; None where nothing was to be judged."""
        return self.passed / self.counted if self.counted else None

    @property
    def interval(self) -> Interval | None:
        """Return Wilson's interval of the rate; None where nothing was to be judged."""
        return wilson(self.passed, self.counted)

    def describe(self) -> str:
        """Describe the rate with its interval, and all denominators."""
        held = self.interval
        wide = (
            f", {format_percent(held.low)} to {format_percent(held.high)} at 95 %"
            if held
            else ""
        )
        return (
            f"{self.passed} of {self.counted} passed{wide} ({self.total} in all: "
            f"{self.scored} scored, {self.abstained} abstained, "
            f"{self.not_applicable} not applicable, {self.errors} errors)"
        )


def tally(scores: Iterable[Score]) -> Tally:
    """Count scores by their result."""
    found = dict.fromkeys(Result, 0)
    for score in scores:
        found[score.result] += 1
    return Tally(
        passed=found[Result.PASS],
        failed=found[Result.FAIL],
        abstained=found[Result.ABSTAINED],
        not_applicable=found[Result.NOT_APPLICABLE],
        errors=found[Result.ERROR],
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One line of verdict.jsonl.

    Attributes:
        check: its name, as in "invariant verbatim".
        result: fail and inconclusive both keep a release back, and so does not shown
            where the check is required.
        why: a sentence for people.
        metric, slice: of the rows; empty for a check of the run itself.
        counts: denominators, in rows.
        bound: the highest rate of failures that zero of n leaves likely, at 95 %.
        baseline, delta, interval: means of the paired cases, and their difference.
        pairs, documents: how many cases were paired, and of how many documents.
        p, holm: of a drop, alone and among all tests of the run.
        detects: the smallest share of documents whose fall would be significant.
        required: true where it has to be shown, as an invariant has.
        cases: ids that the sentence is about.
    """

    check: str
    result: Status
    why: str
    metric: str = ""
    slice: str = ""
    counts: Tally | None = None
    bound: float | None = None
    baseline: float | None = None
    delta: float | None = None
    interval: tuple[float, float] | None = None
    pairs: int | None = None
    documents: int | None = None
    p: float | None = None
    holm: float | None = None
    detects: float | None = None
    cases: tuple[str, ...] = ()
    required: bool = False

    @property
    def open(self) -> bool:
        """Tell whether it is undecided, and so keeps a release back."""
        unshown = self.result is Status.NOT_SHOWN and self.required
        return unshown or self.result is Status.INCONCLUSIVE

    @property
    def holds_back(self) -> bool:
        """Tell whether it keeps a release back."""
        return self.open or self.result is Status.FAIL

    def line(self) -> Json:
        """Return the check as JSON, without its empty fields."""
        found: dict[str, Any] = {}
        for each in fields(self):
            value = getattr(self, each.name)
            if each.name == "counts" and value is not None:
                found.update(_count_fields(value))
            elif value is not False and value not in (None, "", ()):
                found[each.name] = _plain(value)
        return found


@dataclass(frozen=True, slots=True)
class Verdict:
    """All checks of a run, and what follows from them."""

    checks: tuple[Check, ...]

    @property
    def decision(self) -> Decision:
        """Release only where every check passed and there was one."""
        if any(check.result is Status.FAIL for check in self.checks):
            return Decision.REGRESSION
        if any(check.open for check in self.checks) or not self.checks:
            return Decision.INCONCLUSIVE
        return Decision.RELEASE

    @property
    def exit_code(self) -> int:
        """Return the exit code."""
        return EXIT_CODES[self.decision]

    @property
    def why(self) -> str:
        """Return the verdict in a sentence."""
        return f"{HEADLINES[self.decision]}: {self.said}."

    @property
    def said(self) -> str:
        """Say what the verdict follows from, without a full stop."""
        failed, passed = self._list_with(Status.FAIL), self._list_with(Status.PASS)
        if failed:
            return f"{_list_names(failed)} failed"
        unshown = self._list_with(Status.NOT_SHOWN)
        if any(check.open for check in self.checks):
            named = self._list_with(Status.INCONCLUSIVE)
            required = [c.check for c in self.checks if c.open and c.check in unshown]
            said = [f"{_list_names(named)} {_is(named)} open"] if named else []
            said += (
                [f"{_list_names(required)} {_is(required)} not shown"]
                if required
                else []
            )
            return ", ".join(said)
        if not self.checks:
            return "every check is open"
        rest = (
            f", and {_list_names(unshown)} {_is(unshown)} not shown" if unshown else ""
        )
        return f"all {len(passed)} checks passed{rest}"

    def _list_with(self, result: Status) -> list[str]:
        return [check.check for check in self.checks if check.result is result]

    def with_check(self, check: Check) -> "Verdict":
        """Return the verdict with one more check, in place of an earlier one of its
        name."""
        others = (each for each in self.checks if each.check != check.check)
        return Verdict((*others, check))

    def lines(self) -> list[Json]:
        """Return the lines of verdict.jsonl, the verdict last."""
        last = {"check": "verdict", "result": self.decision.value, "why": self.why}
        return [*(check.line() for check in self.checks), last]


@dataclass(frozen=True, slots=True)
class Whole:
    """The verdict on all packs together: the source of reports and exit codes.

    The first line of every report, the last line of a command and its exit code are
    made of it and of nothing else.
    """

    packs: Mapping[str, Verdict]

    @property
    def decision(self) -> Decision:
        """Release only where every pack may be released, and there is one."""
        found = {verdict.decision for verdict in self.packs.values()}
        return next((d for d in _WORST if d in found), Decision.INCONCLUSIVE)

    @property
    def exit_code(self) -> int:
        """Return the exit code."""
        return EXIT_CODES[self.decision]

    @property
    def why(self) -> str:
        """Return the verdict in a sentence, with the packs that it follows from."""
        decision, packs = self.decision, self.packs
        if decision is Decision.RELEASE and len(packs) > 1:
            return f"{HEADLINES[decision]}: all {len(packs)} packs passed every check."
        said = (f"{n}: {v.said}" for n, v in packs.items() if v.decision is decision)
        return f"{HEADLINES[decision]}: {'; '.join(said) or 'no pack was asked'}."


def parse(lines: Sequence[Json]) -> Verdict:
    """Read a verdict from lines, of which the last repeats what follows from the
    others.

    Raises:
        ValueError: a line is no check, or the last one is not what follows from them.
    """
    if not lines or lines[-1].get("check") != "verdict":
        raise ValueError("the last line is no verdict")
    made = Verdict(tuple(_read_check(line) for line in lines[:-1]))
    if lines[-1].get("result") != made.decision.value:
        raise ValueError("the verdict does not follow from its checks")
    return made


def _read_check(line: Json) -> Check:
    found = dict(line)
    try:
        if "total" in found:
            for name in ("total", "scored", "rate", "wilson"):
                found.pop(name, None)
            names = [each.name for each in fields(Tally)]
            found["counts"] = Tally(**{name: found.pop(name) for name in names})
        found["result"] = Status(found["result"])
        for name in ("cases", "interval"):
            if name in found:
                found[name] = tuple(found[name])
        return Check(**found)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"a line is no check: {error}") from error


def _count_fields(counts: Tally) -> dict[str, Any]:
    found: dict[str, Any] = {
        each.name: getattr(counts, each.name) for each in fields(Tally)
    }
    found |= {"total": counts.total, "scored": counts.scored}
    held = counts.interval
    if counts.rate is not None and held is not None:
        found |= {"rate": _plain(counts.rate), "wilson": _plain((held.low, held.high))}
    return found


def _plain(value: Any) -> Any:
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, float):
        return round(value, DIGITS)
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return value


def _is(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _list_names(names: Sequence[str], most: int = 4) -> str:
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


# --- pieces of sentences ----------------------------------------------------------

NAMED = 5  # names in a sentence; the data holds all of them


def count_cases(of: Collection[object]) -> str:
    """Count cases, in words."""
    return "1 case" if len(of) == 1 else f"{len(of)} cases"


def list_names(names: Iterable[str]) -> str:
    """List the first names in order, and how many more there are."""
    found = sort_unique(names)
    more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
    return ", ".join(found[:NAMED]) + more


def sort_unique(names: Iterable[str]) -> tuple[str, ...]:
    """Sort names, each once."""
    return tuple(sorted(set(names)))


def format_percent(share: float) -> str:
    """Format a share as people read it."""
    return f"{100 * share:.1f} %"
