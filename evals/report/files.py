"""The reports of a run, written beside it: a page, a summary, test results, a trend.

A case of the test results fails where a failed check names it. What it got wrong in the
baseline too is no failure there, nor in the verdict. In the summary, which is Markdown,
texts of cases and answers are in code spans, where nothing is a link, a mention or a
heading.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from xml.etree.ElementTree import Element

from adapters.inert import one_line
from bot import junit_xml
from bot.junit_xml import make_result, make_suite, write_document
from engine.model.errors import EnvironmentFailed
from evals.advice.ragas_bridge import read_ragas
from evals.broken import JUNIT, PAGE, SUMMARY
from evals.compare import trend
from evals.compare.explain import Problem, problems
from evals.compare.runs import BASELINES, Baseline, Finished, find_moved_cases
from evals.compare.settle import Settled, pack_of
from evals.compare.verdict import Check, Decision, Status, Verdict, Whole
from evals.forms import Case
from evals.report.page import Sides, draw_page, write_ragas


def write(
    folder: Path,
    made: Settled,
    whole: Whole,
    beside: Finished | None = None,
    committed: Path = BASELINES,
) -> Path:
    """Write every report of a run and return the page's path.

    The trend grows by this run, after the points of the committed baselines.

    Args:
        folder: of the run.
        made: the run, decided.
        whole: the verdict on all that was released together.
        beside: another run, to show its texts beside those of this one.
        committed: the folder of all packs' baselines.

    Raises:
        EnvironmentFailed: a file cannot be written.
    """
    own = folder / trend.TREND
    trend.append(own, trend.make_point(made.run, made.verdict))
    earlier = trend.read(committed / pack_of(made.run) / trend.TREND)
    points = trend.join(earlier, trend.read(own))
    found = find_moved_cases(made.run, made.baseline) if made.baseline else {}
    sides = Sides(made.run, beside, found)
    held = read_ragas(folder)
    texts = {
        PAGE: draw_page(whole, made.verdict, sides, points, held),
        SUMMARY: write_summary(whole, made.verdict, made.run, made.baseline)
        + write_ragas(held),
        JUNIT: write_junit(whole, made.verdict, made.run),
    }
    for name, text in texts.items():
        try:
            (folder / name).write_text(text, encoding="utf-8")
        except OSError as error:
            why = f"{folder / name}: cannot be written ({error.strerror})"
            raise EnvironmentFailed(why) from error
    return folder / PAGE


def write_junit(whole: Whole, verdict: Verdict, run: Finished) -> str:
    """Write the results as XML, named by the verdict on all that was released
    together."""
    found: dict[str, list[Problem]] = {}
    for problem in problems(verdict, run):
        if problem.case and problem.check.result is Status.FAIL:
            found.setdefault(problem.case, []).append(problem)
    groups: dict[str, list[Case]] = {}
    for _, case in sorted(run.cases.items()):
        groups.setdefault(case.suite, []).append(case)
    suites = [
        make_suite(
            f"{run.name}.{name}", [_make_case(c, found.get(c.id, ())) for c in cases]
        )
        for name, cases in sorted(groups.items())
    ]
    suites.append(
        make_suite(f"{run.name}.verdict", [_make_check(c) for c in verdict.checks])
    )
    return write_document(suites, whole.why)


def _make_case(case: Case, found: Iterable[Problem]) -> Element:
    place = {"file": case.file, "line": str(case.line)} if case.file else None
    made = junit_xml.make_case(case.id, place)
    said = [f"{problem.check.check}: {problem.why}" for problem in found]
    if said:
        made.append(make_result("failure", said[0], "\n".join([case.question, *said])))
    return made


def _make_check(check: Check) -> Element:
    made = junit_xml.make_case(check.check)
    if check.result is Status.FAIL:
        made.append(make_result("failure", check.why, check.why))
    elif check.open:
        made.append(make_result("error", check.why, check.why))
    elif check.result is Status.NOT_SHOWN:
        made.append(make_result("skipped", check.why, check.why))
    return made


# The text of an annotation, and its fields, escape these.
_IN_TEXT = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_IN_FIELD = _IN_TEXT | str.maketrans({":": "%3A", ",": "%2C"})


def list_annotations(verdict: Verdict, run: Finished) -> Iterator[str]:
    """Yield a line for each complaint; of two about one case and metric the first."""
    seen: set[tuple[str, str]] = set()
    for problem in problems(verdict, run):
        place = (problem.case, problem.check.metric or problem.check.check)
        if place not in seen:
            seen.add(place)
            yield _make_annotation(problem)


def _make_annotation(problem: Problem) -> str:
    failed = problem.check.result is Status.FAIL
    title = " ".join(filter(None, (problem.check.check, problem.case)))
    fields = {"title": title}
    if problem.file:
        fields = {"file": problem.file, "line": str(problem.line)} | fields
    held = ",".join(
        f"{name}={_escape(text, _IN_FIELD)}" for name, text in fields.items()
    )
    kind = "error" if failed else "warning"
    return f"::{kind} {held}::{_escape(problem.why, _IN_TEXT)}"


def _escape(text: str, marks: dict[int, str]) -> str:
    return one_line(text).translate(marks)


LISTED = 20  # cases that are listed
LONGEST_TEXT = 300  # characters of a text of a case
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


def write_summary(
    whole: Whole, verdict: Verdict, run: Finished, baseline: Baseline | None
) -> str:
    """Write the summary of a run, below the verdict on all that was released with
    it."""
    parts = [
        f"## {_SIGNS[whole.decision]} {_quote_code(whole.why)}",
        f"{_quote_code(run.name)}: {_quote_code(verdict.said)}.",
        *_list_problems(list(problems(verdict, run)), run),
        *_list_moved(run, baseline),
        _tabulate_checks(verdict.checks),
    ]
    return "\n\n".join(parts) + "\n"


def _list_problems(found: Sequence[Problem], run: Finished) -> Iterator[str]:
    if not found:
        return
    lines = []
    for problem in found[:LISTED]:
        case = run.cases.get(problem.case)
        asked = f" {_quote_code(case.question)}" if case else ""
        where = (
            f" ({_quote_code(f'{problem.file}:{problem.line}')})"
            if problem.file
            else ""
        )
        named = f" {_quote_code(problem.case)}{where}{asked}" if problem.case else ""
        mark = _MARKS[problem.check.result]
        check, why = _quote_code(problem.check.check), _quote_code(problem.why)
        lines.append(f"- {mark} {check}{named}: {why}")
    if len(found) > LISTED:
        lines.append(f"- and {len(found) - LISTED} more; the report shows them")
    yield "\n".join(lines)


def _list_moved(run: Finished, baseline: Baseline | None) -> Iterator[str]:
    if baseline is None:
        return
    changed = list(find_moved_cases(run, baseline))
    named = ", ".join(map(_quote_code, changed[:LISTED]))
    more = f" and {len(changed) - LISTED} more" if len(changed) > LISTED else ""
    listed = f": {named}{more}" if changed else ""
    yield f"{len(changed)} of {len(run.rows)} rows moved{listed}."


def _tabulate_checks(checks: Sequence[Check]) -> str:
    """Tabulate every check with all of its denominators."""
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
        cells = [_MARKS[check.result], _quote_code(check.check), *map(str, told)]
        rows.append("| " + " | ".join(cells) + " |")
    inside = "\n".join(rows)
    title = f"<summary>All {len(checks)} checks</summary>"
    return f"<details>{title}\n\n{inside}\n\n</details>"


def _quote_code(text: str) -> str:
    """Put a text into a code span, whatever it holds; a pipe would end a table's
    cell."""
    line = one_line(text).replace("|", "¦")
    cut = f"{line[:LONGEST_TEXT]}…" if len(line) > LONGEST_TEXT else line
    longest = max(map(len, re.findall("`+", cut)), default=0)
    fence = "`" * (longest + 1)
    space = " " if longest else ""
    return f"{fence}{space}{cut or ' '}{space}{fence}"
