"""A run in sentences: why it is red, which answers changed, everything of one case."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.errors import UsageError
from evals.decide import WRONG
from evals.deciding.finished import Finished
from evals.deciding.sentences import cases as many
from evals.deciding.verdict import Check, Status, Verdict
from evals.deciding.words import marked
from evals.forms import Case, Result, Row, Score

# What of a manifest says when and how much, not from what.
NOT_INPUTS = frozenset({"baseline", "errors", "form", "git", "rows", "scoring"})
MOST_CASES = 20  # of one check; the report shows all of them
MOST_METRICS = 4  # that are named where they say the same
EXCERPT = 160  # characters of a passage


@dataclass(frozen=True, slots=True)
class Change:
    """A case whose first row is not what it was; a side that lacks it is None."""

    case: str
    then: Row | None
    now: Row | None


# --- why --------------------------------------------------------------------------


def why(verdict: Verdict, run: Finished, baseline: Finished | None) -> Iterator[str]:
    """Why a run may not go out, check by check and case by case, or that it may."""
    yield verdict.why
    failing = [c for c in verdict.checks if c.result is not Status.PASS]
    told: set[str] = set()
    for check in failing:
        yield ""
        yield f"{check.check}: {check.result.value}. {check.why}"
        yield from _cases(check, failing, (run, baseline), told)
    yield ""
    yield from _moved(run, baseline)


def _cases(
    check: Check,
    failing: Sequence[Check],
    runs: tuple[Finished, Finished | None],
    told: set[str],
) -> Iterator[str]:
    """The cases of a check that no check before it told, with all that is wrong.

    What could not run is told once, by the check of errors. What is told here is added
    to `told`.
    """
    run, _ = runs
    about = {name: _wrong([check], name, run) for name in check.cases}
    crashed = [
        name
        for name, scores in about.items()
        if check.metric and scores and all(s.result is Result.ERROR for s in scores)
    ]
    left = [name for name in check.cases if name not in crashed]
    new = [name for name in left if name not in told]
    for name in new[:MOST_CASES]:
        naming = [each for each in failing if name in each.cases]
        yield from _case(name, _wrong(naming, name, run), runs)
    told.update(new[:MOST_CASES])
    if len(new) > MOST_CASES:
        yield f"  and {len(new) - MOST_CASES} more; the report shows them"
    if again := [name for name in left if name in told and name not in new]:
        yield f"  {many(again)} told above"
    if crashed:
        yield f"  {many(crashed)} could not be run or judged, see errors"


def _case(
    name: str, scores: Sequence[Score], runs: tuple[Finished, Finished | None]
) -> Iterator[str]:
    """One case: where it stands, what is wrong, and what came of it then and now."""
    run, baseline = runs
    case = run.cases.get(name) or (baseline.cases.get(name) if baseline else None)
    if case is None:
        return
    yield f"  {name} ({place(case)}): {case.question}"
    for said, metrics in _together(scores).items():
        yield f"    {_listed(metrics)}: {said}"
    then = baseline.row(name) if baseline else None
    yield f"    {_outcomes(then, run.row(name))}"


def _listed(metrics: Sequence[str]) -> str:
    few = len(metrics) <= MOST_METRICS
    return ", ".join(metrics) if few else f"{len(metrics)} metrics"


def _wrong(checks: Sequence[Check], name: str, run: Finished) -> list[Score]:
    """What is wrong with a case of what these checks look at."""
    metrics = {check.metric for check in checks}
    return [
        score
        for score in run.scores.get(name, ())
        if score.result in WRONG and ("" in metrics or score.metric in metrics)
    ]


def _together(scores: Sequence[Score]) -> dict[str, list[str]]:
    """The metrics that say the same, by what they say."""
    found: dict[str, list[str]] = {}
    for score in scores:
        found.setdefault(f"{score.result.value}, {score.why}", []).append(score.metric)
    return found


def _outcomes(then: Row | None, now: Row | None) -> str:
    if then is None:
        return f"now {outcome(now)}"
    if then.served == (now.served if now else ""):
        return f"{outcome(now)}, word for word as in the baseline"
    return f"in the baseline {outcome(then)}, now {outcome(now)}"


def _moved(run: Finished, baseline: Finished | None) -> Iterator[str]:
    """What the run was made from that the baseline was not."""
    if baseline is None:
        yield "There is no baseline, so nothing is known of what changed."
        return
    now, then = run.manifest, baseline.manifest
    parts = sorted(
        name
        for name in now.keys() | then.keys()
        if name not in NOT_INPUTS and now.get(name) != then.get(name)
    )
    if parts:
        yield f"Changed since the baseline: {', '.join(parts)}."
    else:
        yield "Nothing that the run was made from has changed since the baseline."
    changed = list(changes(baseline, run))
    shown = ": python -m evals diff BASELINE RUN shows them" if changed else ""
    yield f"{len(changed)} of {len(run.rows)} answers changed{shown}."


# --- diff -------------------------------------------------------------------------


def changes(then: Finished, now: Finished) -> Iterator[Change]:
    """The cases whose served text, outcome or error changed, by id."""
    for name in sorted(then.rows.keys() | now.rows.keys()):
        old, new = then.row(name), now.row(name)
        if old is None or new is None or _said(old) != _said(new):
            yield Change(name, old, new)


def diff(then: Finished, now: Finished) -> Iterator[str]:
    """What changed between two runs, word by word, with what the metrics say of it."""
    changed = list(changes(then, now))
    every = then.rows.keys() | now.rows.keys()
    yield f"{len(changed)} of {len(every)} answers changed: {then.name} → {now.name}"
    for each in changed:
        case = now.cases.get(each.case) or then.cases[each.case]
        yield ""
        yield f"{each.case} ({place(case)}): {case.question}"
        if outcome(each.then) != outcome(each.now):
            yield f"  [-{outcome(each.then)}-] {{+{outcome(each.now)}+}}"
        yield from _judged(
            then.scores.get(each.case, ()), now.scores.get(each.case, ())
        )
        text = marked(
            each.then.served if each.then else "", each.now.served if each.now else ""
        )
        yield from (f"  {line}" for line in text.splitlines())


def _judged(then: Sequence[Score], now: Sequence[Score]) -> Iterator[str]:
    """The metrics that say something else of the first row."""
    old = {score.metric: score for score in then if score.repeat == 0}
    for score in now:
        before = old.get(score.metric)
        if score.repeat == 0 and before and before.result is not score.result:
            yield f"  {score.metric}: {before.result} → {score.result}, {score.why}"


def _said(row: Row) -> tuple[str, str, str | None]:
    return outcome(row), row.served, row.error


# --- one case ---------------------------------------------------------------------


def explain(name: str, run: Finished, baseline: Finished | None) -> Iterator[str]:
    """Everything that is known of one case.

    Raises:
        UsageError: the run has no such case; near ones are named.
    """
    case = run.cases.get(name)
    if case is None:
        near = [each for each in sorted(run.cases) if name.lower() in each.lower()]
        hint = f"did you mean {', '.join(near[:5])}?" if near else "see cases.jsonl"
        raise UsageError(f"{run.name} has no case {name!r}: {hint}")
    yield f"{case.id} ({place(case)}), suite {case.suite}"
    yield f"Question: {case.question}"
    yield from _expected(case)
    for row in run.rows.get(name, ()):
        yield ""
        yield from _row(row, run)
    then = baseline.row(name) if baseline else None
    now = run.row(name)
    yield ""
    if then is None:
        yield "The baseline does not have it."
    elif now is not None and _said(then) == _said(now):
        yield "Baseline: the same, word for word."
    else:
        yield f"Baseline: {outcome(then)}. What changed, word by word:"
        text = marked(then.served, now.served if now else "")
        yield from (f"  {line}" for line in text.splitlines())


def _expected(case: Case) -> Iterator[str]:
    expected = case.expected
    yield f"Expected: {expected.outcome}"
    for fact in expected.facts:
        yield f"  says {' or '.join(map(repr, fact))}"
    for field in ("reasons", "absent", "sources", "not_found", "sections", "states"):
        held = getattr(expected, field)
        if held:
            yield f"  {field.replace('_', ' ')}: {', '.join(held)}"
    for change in case.changes:
        done = next(
            f"{field} {value!r}"
            for field in ("delete", "without", "replace", "insert")
            if (value := getattr(change, field))
        )
        yield f"  after the change of {change.path}: {done}"
    if case.shows:
        yield f"Shows: {', '.join(case.shows)}"


def _row(row: Row, run: Finished) -> Iterator[str]:
    yield f"Row {row.repeat}: {outcome(row)}"
    for score in run.scores.get(row.case, ()):
        if score.repeat == row.repeat:
            value = "" if score.value is None else f" ({score.value:.2f})"
            yield f"  {score.metric}: {score.result.value}{value}, {score.why}"
    if row.record is not None:
        yield from _record(row, run)
    yield "Served:"
    yield from (f"  {line}" for line in row.served.splitlines())


def _record(row: Row, run: Finished) -> Iterator[str]:
    held = row.record or {}
    intent, gate = held["intent"], held["gate"]
    yield f"Routed: {intent['query_type']} ({intent['name']})"
    if gate:
        said = gate["rule"] or gate["explanation"] or gate["reason"]
        yield f"Gate: {gate['verdict']}, {said}"
    for passage in row.evidence:
        source = run.sources.get(passage["version"])
        text = source.text[passage["start"] : passage["end"]] if source else ""
        shown = " ".join(text.split())[:EXCERPT]
        where = source.path if source else passage["document"]
        yield f"Passage {passage['relevance']:.2f} {where}: {shown}"
    for cited in held["sources"]:
        yield f"Cites [{cited['number']}] {cited['title']}, {cited['section']}"


# --- words ------------------------------------------------------------------------


def outcome(row: Row | None) -> str:
    """What came of a row, in words."""
    if row is None:
        return "not asked"
    if row.record is None:
        return f"could not run: {row.error}"
    if row.refused:
        shown = row.record["refusal_reason"] or "no reason"
        return f"refused ({row.record['reason_code'] or shown})"
    return f"answered with {len(row.record['sources'])} sources"


def place(case: Case) -> str:
    """Where a case stands, as editors open it."""
    return f"{case.file}:{case.line}" if case.file else "generated"
