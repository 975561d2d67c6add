"""A verdict as the summary of a pull request, in Markdown that no answer can shape.

Texts of cases and answers stand in code spans, where nothing is a link, a mention or a
heading.
"""

import re
from collections.abc import Iterator, Sequence

from adapters.inert import one_line
from evals.deciding.baseline import Baseline, moved
from evals.deciding.finished import Finished
from evals.deciding.problems import Problem, problems
from evals.deciding.verdict import Check, Decision, Status, Verdict, Whole

MOST = 20  # cases that are listed
LONGEST = 300  # characters of a text of a case
_SIGNS = {
    Decision.RELEASE: "✅",
    Decision.REGRESSION: "❌",
    Decision.INCONCLUSIVE: "⚠️",
}
_MARKS = {
    Status.PASS: "✅",
    Status.FAIL: "❌",
    Status.INCONCLUSIVE: "⚠️",
    Status.NOT_SHOWN: "⬜ not shown",
}


def summary(
    whole: Whole, verdict: Verdict, run: Finished, baseline: Baseline | None
) -> str:
    """The summary of a run, below the verdict on all that was released with it."""
    parts = [
        f"## {_SIGNS[whole.decision]} {_code(whole.why)}",
        f"{_code(run.name)}: {_code(verdict.said)}.",
        *_problems(list(problems(verdict, run)), run),
        *_changed(run, baseline),
        _table(verdict.checks),
    ]
    return "\n\n".join(parts) + "\n"


def _problems(found: Sequence[Problem], run: Finished) -> Iterator[str]:
    if not found:
        return
    lines = []
    for problem in found[:MOST]:
        case = run.cases.get(problem.case)
        asked = f" {_code(case.question)}" if case else ""
        where = f" ({_code(f'{problem.file}:{problem.line}')})" if problem.file else ""
        named = f" {_code(problem.case)}{where}{asked}" if problem.case else ""
        mark = _MARKS[problem.check.result]
        said = f"{mark} {_code(problem.check.check)}{named}: {_code(problem.why)}"
        lines.append(f"- {said}")
    if len(found) > MOST:
        lines.append(f"- and {len(found) - MOST} more; the report shows them")
    yield "\n".join(lines)


def _changed(run: Finished, baseline: Baseline | None) -> Iterator[str]:
    if baseline is None:
        return
    changed = list(moved(run, baseline))
    named = ", ".join(map(_code, changed[:MOST]))
    more = f" and {len(changed) - MOST} more" if len(changed) > MOST else ""
    listed = f": {named}{more}" if changed else ""
    yield f"{len(changed)} of {len(run.rows)} rows moved{listed}."


def _table(checks: Sequence[Check]) -> str:
    """Every check with all of its denominators."""
    head = ("", "Check", "Passed", "Failed", "Errors", "Abstained", "N/a", "Rows")
    rows = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for check in checks:
        counts = check.counts
        told = (
            (
                counts.passed,
                counts.failed,
                counts.errors,
                counts.abstained,
                counts.not_applicable,
                counts.total,
            )
            if counts
            else ("",) * 6
        )
        cells = [_MARKS[check.result], _code(check.check), *map(str, told)]
        rows.append("| " + " | ".join(cells) + " |")
    inside = "\n".join(rows)
    title = f"<summary>All {len(checks)} checks</summary>"
    return f"<details>{title}\n\n{inside}\n\n</details>"


def _code(text: str) -> str:
    """A text as a code span, whatever it holds; pipes would end a cell of a table."""
    line = one_line(text).replace("|", "¦")
    cut = f"{line[:LONGEST]}…" if len(line) > LONGEST else line
    longest = max(map(len, re.findall("`+", cut)), default=0)
    fence = "`" * (longest + 1)
    space = " " if longest else ""
    return f"{fence}{space}{cut or ' '}{space}{fence}"
