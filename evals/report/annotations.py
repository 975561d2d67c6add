"""A verdict as annotations of a hosted workflow, each on the data line of its case."""

from collections.abc import Iterator

from adapters.inert import one_line
from evals.deciding.finished import Finished
from evals.deciding.problems import Problem, problems
from evals.deciding.verdict import Status, Verdict

# The text of an annotation, and its fields, escape these.
_IN_TEXT = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_IN_FIELD = _IN_TEXT | str.maketrans({":": "%3A", ",": "%2C"})


def annotations(verdict: Verdict, run: Finished) -> Iterator[str]:
    """A line for each complaint; of two about one case and metric the first."""
    seen: set[tuple[str, str]] = set()
    for problem in problems(verdict, run):
        place = (problem.case, problem.check.metric or problem.check.check)
        if place not in seen:
            seen.add(place)
            yield _line(problem)


def _line(problem: Problem) -> str:
    failed = problem.check.result is Status.FAIL
    title = " ".join(filter(None, (problem.check.check, problem.case)))
    fields = {"title": title}
    if problem.file:
        fields = {"file": problem.file, "line": str(problem.line)} | fields
    held = ",".join(f"{name}={_safe(text, _IN_FIELD)}" for name, text in fields.items())
    kind = "error" if failed else "warning"
    return f"::{kind} {held}::{_safe(problem.why, _IN_TEXT)}"


def _safe(text: str, marks: dict[int, str]) -> str:
    return one_line(text).translate(marks)
