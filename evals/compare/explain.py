"""A run in sentences: why it is red, which answers changed, everything of one case."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

from engine.model.errors import UsageError
from evals.compare.decide import WRONG
from evals.compare.runs import INPUTS, Baseline, Finished, find_moved_cases
from evals.compare.stored import Moved
from evals.compare.verdict import Check, Verdict
from evals.forms import Case, Row, Score

MOST_CASES = 20  # of one check; the report shows all of them
EXCERPT = 160  # characters of a passage


def why(verdict: Verdict, run: Finished, baseline: Baseline | None) -> Iterator[str]:
    """Say why a run may not go out, check by check and case by case, or that it may.

    A case comes below the first check that names it, with all that is wrong with it.
    """
    yield verdict.why
    known = find_moved_cases(run, baseline) if baseline else {}
    told: set[str] = set()
    for check in verdict.checks:
        if check.holds_back:
            yield f"\n{check.check}: {check.result.value}. {check.why}"
            new = [name for name in check.cases if name not in told]
            for name in new[:MOST_CASES]:
                yield from _explain_case(name, run, known.get(name, ()))
            if new[MOST_CASES:]:
                yield f"  and {len(new[MOST_CASES:])} more; the report shows them"
            told.update(check.cases)
    yield ""
    yield from _compare_inputs(run, baseline)
    shown = ", ".join(list(known)[:MOST_CASES])
    yield f"{len(known)} of {len(run.rows)} rows moved{f': {shown}' if shown else ''}."


def _explain_case(name: str, run: Finished, found: Sequence[Moved]) -> Iterator[str]:
    """Describe a case: its place, what is wrong, its outcome, and what moved."""
    case = run.cases.get(name)
    if case is None:
        yield f"  {name}: is no longer asked"
        return
    yield f"  {name} ({place(case)}): {case.question}"
    wrong: dict[str, list[str]] = {}
    for score in run.scores.get(name, ()):
        if score.result in WRONG:
            said = f"{score.result.value}, {score.why}"
            wrong.setdefault(said, []).append(score.metric)
    for said, metrics in wrong.items():
        yield f"    {', '.join(metrics)}: {said}"
    yield f"    {describe_outcome(run.row(name))}"
    yield from _describe_moves(found)


def _describe_moves(found: Sequence[Moved]) -> Iterator[str]:
    """Describe what moved since the baseline, a line each."""
    for each in found:
        sides = f": {each.then or 'nothing'} → {each.now or 'nothing'}"
        yield f"    moved, {each.kind}{sides if each.then or each.now else ''}"


def _compare_inputs(run: Finished, baseline: Baseline | None) -> Iterator[str]:
    """Say what the run was made from that the baseline was not."""
    if baseline is None:
        yield "There is no baseline, so nothing is known of what moved."
        return
    parts = [n for n in INPUTS if run.manifest.get(n) != baseline.manifest.get(n)]
    yield f"Changed since the baseline: {', '.join(parts) or 'nothing'}."


def explain(name: str, run: Finished, baseline: Baseline | None) -> Iterator[str]:
    """Say everything of one case: expectation, scores, passages, text, what moved.

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
        yield f"\nRow {row.repeat}: {describe_outcome(row)}"
        scores = (s for s in run.scores.get(name, ()) if s.repeat == row.repeat)
        yield from map(_describe_score, scores)
        yield from _describe_passages(row, run)
        yield f"Served:\n{row.served}"
    if baseline is None or name not in baseline.rows:
        yield "\nThe baseline does not have it."
        return
    found = find_moved_cases(run, baseline).get(name, ())
    yield "\nMoved since the baseline:" if found else "\nAs in the baseline."
    yield from _describe_moves(found)


def _describe_score(score: Score) -> str:
    value = "" if score.value is None else f" ({score.value:.2f})"
    return f"  {score.metric}: {score.result.value}{value}, {score.why}"


def _describe_passages(row: Row, run: Finished) -> Iterator[str]:
    for passage in row.evidence:
        source = run.sources.get(passage["version"])
        text = source.text[passage["start"] : passage["end"]] if source else ""
        where = source.path if source else passage["document"]
        shown = " ".join(text.split())[:EXCERPT]
        yield f"  Passage {passage['relevance']:.2f} {where}: {shown}"


def describe_outcome(row: Row | None) -> str:
    """Describe in words what came of a row."""
    if row is None:
        return "not asked"
    if row.record is None:
        return f"could not run: {row.error}"
    if row.refused:
        shown = row.record["refusal_reason"] or "no reason"
        return f"refused ({row.record['reason_code'] or shown})"
    return f"answered with {len(row.record['sources'])} sources"


def place(case: Case) -> str:
    """Return the place of a case, in the form that editors open."""
    return f"{case.file}:{case.line}" if case.file else "generated"


@dataclass(frozen=True, slots=True)
class Problem:
    """A complaint of one check about one case.

    Attributes:
        check: the check.
        case: its id; empty where the check is about the run itself.
        file, line: of the case; empty for one that was generated.
        why: the metrics' reasons, or the check's own.
    """

    check: Check
    case: str
    file: str
    line: int
    why: str


def problems(verdict: Verdict, run: Finished) -> Iterator[Problem]:
    """Yield every complaint by check; a check that names no case has one."""
    for check in verdict.checks:
        if not check.holds_back:
            continue
        for name in check.cases:
            yield _make_problem(check, name, run)
        if not check.cases:
            yield Problem(check, "", "", 0, check.why)


def _make_problem(check: Check, name: str, run: Finished) -> Problem:
    case = run.cases.get(name)
    said = [
        f"{score.metric}: {score.why}"
        for score in run.scores.get(name, ())
        if score.result in WRONG and check.metric in ("", score.metric)
    ]
    return Problem(
        check=check,
        case=name,
        file=case.file if case else "",
        line=case.line if case else 0,
        why="; ".join(dict.fromkeys(said)) or check.why,
    )
