"""A verdict as JUnit results: a test a case and a test a check, red where that is.

A case fails where a failed check names it. What it got wrong in the baseline too is no
failure here, as it is none of the verdict.
"""

from collections.abc import Iterable
from xml.etree.ElementTree import Element

from bot import junit_xml
from bot.junit_xml import document, suite, told
from evals.deciding.finished import Finished
from evals.deciding.problems import Problem, problems
from evals.deciding.verdict import Check, Status, Verdict, Whole
from evals.forms import Case


def junit(whole: Whole, verdict: Verdict, run: Finished) -> str:
    """The results as XML, named by the verdict on all that was released together."""
    found: dict[str, list[Problem]] = {}
    for problem in problems(verdict, run):
        if problem.case and problem.check.result is Status.FAIL:
            found.setdefault(problem.case, []).append(problem)
    groups: dict[str, list[Case]] = {}
    for _, case in sorted(run.cases.items()):
        groups.setdefault(case.suite, []).append(case)
    suites = [
        suite(f"{run.name}.{name}", [_case(c, found.get(c.id, ())) for c in cases])
        for name, cases in sorted(groups.items())
    ]
    suites.append(suite(f"{run.name}.verdict", [_check(c) for c in verdict.checks]))
    return document(suites, whole.why)


def _case(case: Case, found: Iterable[Problem]) -> Element:
    place = {"file": case.file, "line": str(case.line)} if case.file else None
    made = junit_xml.case(case.id, place)
    said = [f"{problem.check.check}: {problem.why}" for problem in found]
    if said:
        made.append(told("failure", said[0], "\n".join([case.question, *said])))
    return made


def _check(check: Check) -> Element:
    made = junit_xml.case(check.check)
    if check.result is Status.FAIL:
        made.append(told("failure", check.why, check.why))
    elif check.open:
        made.append(told("error", check.why, check.why))
    elif check.result is Status.NOT_SHOWN:
        made.append(told("skipped", check.why, check.why))
    return made
