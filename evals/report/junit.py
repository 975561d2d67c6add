"""A verdict as JUnit results: a test a case and a test a check, red where that is.

A case fails where a failed check names it. What it got wrong in the baseline too is no
failure here, as it is none of the verdict.
"""

from collections.abc import Iterable
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from adapters.inert import inert
from evals.deciding.finished import Finished
from evals.deciding.problems import Problem, problems
from evals.deciding.verdict import Check, Status, Verdict
from evals.forms import Case

# XML takes neither, written out or not.
_NEVER = str.maketrans({"\ufffe": "\ufffd", "\uffff": "\ufffd"})


def junit(verdict: Verdict, run: Finished) -> str:
    """The results as XML."""
    found: dict[str, list[Problem]] = {}
    for problem in problems(verdict, run):
        if problem.case and problem.check.result is Status.FAIL:
            found.setdefault(problem.case, []).append(problem)
    groups: dict[str, list[Case]] = {}
    for _, case in sorted(run.cases.items()):
        groups.setdefault(case.suite, []).append(case)
    suites = [
        _suite(f"{run.name}.{name}", [_case(c, found.get(c.id, ())) for c in cases])
        for name, cases in sorted(groups.items())
    ]
    suites.append(_suite(f"{run.name}.verdict", [_check(c) for c in verdict.checks]))
    root = Element("testsuites")
    root.extend(suites)
    text = ElementTree.tostring(root, encoding="unicode", xml_declaration=False)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'


def _suite(name: str, tests: list[Element]) -> Element:
    counts = {
        "tests": len(tests),
        "failures": sum(test.find("failure") is not None for test in tests),
        "errors": sum(test.find("error") is not None for test in tests),
    }
    made = Element("testsuite", {n: str(v) for n, v in counts.items()})
    made.set("name", _text(name))
    for test in tests:
        test.set("classname", _text(name))
    made.extend(tests)
    return made


def _case(case: Case, found: Iterable[Problem]) -> Element:
    made = Element("testcase", {"name": _text(case.id)})
    if case.file:
        made.attrib.update({"file": _text(case.file), "line": str(case.line)})
    said = [f"{problem.check.check}: {problem.why}" for problem in found]
    if said:
        made.append(_told("failure", said[0], "\n".join([case.question, *said])))
    return made


def _check(check: Check) -> Element:
    made = Element("testcase", {"name": _text(check.check)})
    if check.result is Status.FAIL:
        made.append(_told("failure", check.why, check.why))
    elif check.result is Status.INCONCLUSIVE:
        made.append(_told("error", check.why, check.why))
    return made


def _told(tag: str, message: str, text: str) -> Element:
    made = Element(tag, {"message": _text(message)})
    made.text = _text(text)
    return made


def _text(text: str) -> str:
    return inert(text).translate(_NEVER)
