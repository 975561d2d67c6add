"""A run in sentences: why it is red, which answers changed, everything of one case."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields

from engine.model.errors import UsageError
from evals.compare.decide import WRONG
from evals.compare.runs import INPUTS, Baseline, Finished, moved
from evals.compare.stored import Moved
from evals.compare.verdict import Check, Verdict
from evals.forms import Case, Row, Score

MOST_CASES = 20  # of one check; the report shows all of them
EXCERPT = 160  # characters of a passage


def why(verdict: Verdict, run: Finished, baseline: Baseline | None) -> Iterator[str]:
    """Say why a run may not go out, check by check and case by case, or that it may.

    A case stands below the first check that names it, with all that is wrong with it.
    """
    yield verdict.why
    known = moved(run, baseline) if baseline else {}
    told: set[str] = set()
    for check in verdict.checks:
        if check.holds_back:
            yield f"\n{check.check}: {check.result.value}. {check.why}"
            new = [name for name in check.cases if name not in told]
            for name in new[:MOST_CASES]:
                yield from _case(name, run, known.get(name, ()))
            if new[MOST_CASES:]:
                yield f"  and {len(new[MOST_CASES:])} more; the report shows them"
            told.update(check.cases)
    yield ""
    yield from _inputs(run, baseline)
    yield f"{len(known)} of {len(run.rows)} rows moved{_listed(known)}."


def _case(name: str, run: Finished, found: Sequence[Moved]) -> Iterator[str]:
    """Say where a case stands, what is wrong, what came of it, and what moved."""
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
    yield f"    {outcome(run.row(name))}"
    yield from _moves(found)


def _moves(found: Sequence[Moved]) -> Iterator[str]:
    """What moved since the baseline, a line each."""
    for each in found:
        sides = f": {each.then or 'nothing'} → {each.now or 'nothing'}"
        yield f"    moved, {each.kind}{sides if each.then or each.now else ''}"


def _inputs(run: Finished, baseline: Baseline | None) -> Iterator[str]:
    """Say what the run was made from that the baseline was not."""
    if baseline is None:
        yield "There is no baseline, so nothing is known of what moved."
        return
    parts = [n for n in INPUTS if run.manifest.get(n) != baseline.manifest.get(n)]
    yield f"Changed since the baseline: {', '.join(parts) or 'nothing'}."


def _listed(names: Iterable[str]) -> str:
    shown = ", ".join(list(names)[:MOST_CASES])
    return f": {shown}" if shown else ""


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
        yield f"\nRow {row.repeat}: {outcome(row)}"
        scores = (s for s in run.scores.get(name, ()) if s.repeat == row.repeat)
        yield from map(_score, scores)
        yield from _passages(row, run)
        yield f"Served:\n{row.served}"
    if baseline is None or name not in baseline.rows:
        yield "\nThe baseline does not have it."
        return
    found = moved(run, baseline).get(name, ())
    yield "\nMoved since the baseline:" if found else "\nAs in the baseline."
    yield from _moves(found)


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


@dataclass(frozen=True, slots=True)
class Problem:
    """One check's complaint about one case.

    Attributes:
        check: the check.
        case: its id; empty where the check is about the run itself.
        file, line: where the case stands; empty for one that was generated.
        why: the metrics' reasons, or the check's own.
    """

    check: Check
    case: str
    file: str
    line: int
    why: str


def problems(verdict: Verdict, run: Finished) -> Iterator[Problem]:
    """Every complaint, in the order of the checks; a check without cases has one."""
    for check in verdict.checks:
        if not check.holds_back:
            continue
        for name in check.cases:
            yield _of_case(check, name, run)
        if not check.cases:
            yield Problem(check, "", "", 0, check.why)


def _of_case(check: Check, name: str, run: Finished) -> Problem:
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
