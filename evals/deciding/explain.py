"""A run in sentences: why it is red, which answers changed, everything of one case."""

from collections.abc import Iterator
from dataclasses import dataclass, fields

from engine.errors import UsageError
from evals.decide import WRONG
from evals.deciding.finished import Finished
from evals.deciding.verdict import Status, Verdict
from evals.deciding.words import marked
from evals.forms import Case, Row, Score

# What of a manifest says when and how much, not from what.
NOT_INPUTS = frozenset({"baseline", "errors", "form", "git", "rows", "scoring"})
MOST_CASES = 20  # of one check; the report shows all of them
EXCERPT = 160  # characters of a passage


@dataclass(frozen=True, slots=True)
class Change:
    """A case whose first row is not what it was; a side that lacks it is None."""

    case: str
    then: Row | None
    now: Row | None


def why(verdict: Verdict, run: Finished, baseline: Finished | None) -> Iterator[str]:
    """Say why a run may not go out, check by check and case by case, or that it may.

    A case stands below the first check that names it, with all that is wrong with it.
    """
    yield verdict.why
    told: set[str] = set()
    for check in verdict.checks:
        if check.result is not Status.PASS:
            yield f"\n{check.check}: {check.result.value}. {check.why}"
            new = [name for name in check.cases if name not in told]
            for name in new[:MOST_CASES]:
                yield from _case(name, run, baseline)
            if new[MOST_CASES:]:
                yield f"  and {len(new[MOST_CASES:])} more; the report shows them"
            told.update(check.cases)
    yield ""
    yield from _moved(run, baseline)


def _case(name: str, run: Finished, baseline: Finished | None) -> Iterator[str]:
    """Say where a case stands, what is wrong, and what came of it then and now."""
    case = run.cases.get(name) or (baseline.cases.get(name) if baseline else None)
    if case is None:
        return
    yield f"  {name} ({place(case)}): {case.question}"
    wrong: dict[str, list[str]] = {}
    for score in run.scores.get(name, ()):
        if score.result in WRONG:
            said = f"{score.result.value}, {score.why}"
            wrong.setdefault(said, []).append(score.metric)
    for said, metrics in wrong.items():
        yield f"    {', '.join(metrics)}: {said}"
    now, then = run.row(name), baseline.row(name) if baseline else None
    before = f"in the baseline {outcome(then)}, " if then else ""
    yield f"    {before}now {outcome(now)}"


def _moved(run: Finished, baseline: Finished | None) -> Iterator[str]:
    """Say what the run was made from that the baseline was not."""
    if baseline is None:
        yield "There is no baseline, so nothing is known of what changed."
        return
    now, then = run.manifest, baseline.manifest
    parts = sorted(
        name
        for name in now.keys() | then.keys()
        if name not in NOT_INPUTS and now.get(name) != then.get(name)
    )
    yield f"Changed since the baseline: {', '.join(parts) or 'nothing'}."
    changed = [each.case for each in changes(baseline, run)]
    named = f": {', '.join(changed[:MOST_CASES])}" if changed else ""
    yield f"{len(changed)} of {len(run.rows)} answers changed{named}."


def changes(then: Finished, now: Finished) -> Iterator[Change]:
    """The cases whose served text, outcome or error changed, by id."""
    for name in sorted(then.rows.keys() | now.rows.keys()):
        old, new = then.row(name), now.row(name)
        if old is None or new is None or _said(old) != _said(new):
            yield Change(name, old, new)


def _said(row: Row) -> tuple[str, str, str | None]:
    return outcome(row), row.served, row.error


def explain(name: str, run: Finished, baseline: Finished | None) -> Iterator[str]:
    """Say everything of one case: expectation, scores, passages, texts then and now.

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
    held = ((e.name, getattr(case.expected, e.name)) for e in fields(case.expected))
    yield f"Expected: {', '.join(f'{name} {value}' for name, value in held if value)}"
    for row in run.rows.get(name, ()):
        yield f"\nRow {row.repeat}: {outcome(row)}"
        scores = (s for s in run.scores.get(name, ()) if s.repeat == row.repeat)
        yield from map(_score, scores)
        yield from _passages(row, run)
    now, then = run.row(name), baseline.row(name) if baseline else None
    if now is None or then is None:
        yield "The baseline does not have it."
        yield now.served if now else ""
    else:
        yield f"\nBaseline: {outcome(then)}. Served then and now, word by word:"
        yield marked(then.served, now.served)


def _score(score: Score) -> str:
    value = "" if score.value is None else f" ({score.value:.2f})"
    return f"  {score.metric}: {score.result.value}{value}, {score.why}"


def _passages(row: Row, run: Finished) -> Iterator[str]:
    for passage in row.evidence:
        source = run.sources.get(passage["version"])
        text = source.text[passage["start"] : passage["end"]] if source else ""
        where = source.path if source else passage["document"]
        shown = " ".join(text.split())[:EXCERPT]
        yield f"  Passage {passage['relevance']:.2f} {where}: {shown}"


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
