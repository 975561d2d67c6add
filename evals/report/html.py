"""A run as one page that fetches nothing: verdict, checks, trend, every case.

How it is written, and what keeps it inert: bot/pages/document.py.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from xml.etree.ElementTree import Element

from adapters.inert import inert, one_line
from bot.pages.document import document, themes
from bot.pages.elements import element
from evals.decide import WRONG
from evals.deciding.finished import Finished
from evals.deciding.verdict import Check, Status, Verdict, Whole
from evals.forms import Case, Json, Result
from evals.report import case_view, ragas_view, trend_view
from evals.report.case_view import Sides
from evals.report.trend import Point

SCRIPT = Path(__file__).with_name("page.js")
KEYS = "Keys: / searches, j and k step through the cases, Enter opens one."


def page(
    whole: Whole,
    verdict: Verdict,
    sides: Sides,
    points: Sequence[Point] = (),
    by_ragas: Json | None = None,
) -> str:
    """The report of a run as HTML.

    Args:
        whole: the verdict on all that was released together; it stands first.
        verdict: of the run.
        sides: the run, what moved since the baseline, and another run beside it.
        points: the trend, oldest first.
        by_ragas: what ragas made of the run.
    """
    run = sides.run
    title = one_line(f"Evaluation of {run.name}")
    body = element(
        "main",
        "",
        _top(title, whole, verdict, run),
        _checks(verdict),
        element("section", "", element("h2", "", "Trend"), trend_view.drawn(points)),
        ragas_view.section(by_ragas),
        _cases(sides),
    )
    return document(title, body, SCRIPT.read_text(encoding="utf-8"))


def _top(title: str, whole: Whole, verdict: Verdict, run: Finished) -> Element:
    return element(
        "header",
        "",
        element(
            "div",
            f"verdict {whole.decision}",
            element("b", "", inert(whole.why)),
            element("p", "", inert(f"{run.name}: {verdict.said}.")),
        ),
        element("h1", "", title),
        element("p", "about", inert(_made_from(run))),
        themes(),
    )


def _made_from(run: Finished) -> str:
    """Commit and hashes of what was run, cut short."""
    held = run.manifest
    parts = {
        "commit": held.get("git", {}).get("commit"),
        "code": held.get("code"),
        "pack": held.get("policy", {}).get("hash"),
        "model": held.get("model"),
        "metrics": held.get("scoring", {}).get("code"),
    }
    return " · ".join(f"{n} {str(v)[:12]}" for n, v in parts.items() if v)


# --- checks -----------------------------------------------------------------------


def _checks(verdict: Verdict) -> Element:
    """What is not passed first; the rest below it."""
    wrong = [c for c in verdict.checks if c.result is not Status.PASS]
    passed = [c for c in verdict.checks if c.result is Status.PASS]
    head = element("summary", "", f"{len(passed)} checks passed")
    rest = element("details", "", head, element("ul", "checks", *map(_check, passed)))
    listed = element("ul", "checks", *map(_check, wrong))
    return element("section", "", element("h2", "", "Checks"), listed, rest)


def _check(check: Check) -> Element:
    links: list[Element | str] = []
    if check.result is not Status.PASS:
        for name in check.cases:
            links += [
                " ",
                element("a", "", inert(name), href=f"#case-{one_line(name)}"),
            ]
    return element(
        "li",
        f"check {check.result.replace(' ', '-')}",
        element("b", "", inert(f"{check.check}: {check.result}")),
        element("p", "", inert(check.why), *links),
    )


# --- cases ------------------------------------------------------------------------


def _cases(sides: Sides) -> Element:
    cases = sorted(sides.run.cases.values(), key=lambda case: _order(case, sides.run))
    drawn = (case_view.drawn(case, sides) for case in cases)
    return element(
        "section",
        "",
        element("h2", "", "Cases"),
        _filters(cases, sides.run),
        element("p", "about", KEYS),
        element("div", "cases", *drawn),
    )


def _order(case: Case, run: Finished) -> tuple[bool, str, int, str]:
    """Those that failed first, the rest as they stand in their files."""
    wrong = any(score.result in WRONG for score in run.scores.get(case.id, ()))
    return not wrong, case.file, case.line, case.id


def _filters(cases: Sequence[Case], run: Finished) -> Element:
    metrics = {score.metric for score in run.scored.scores}
    search = element("input", "", type="search", id="text", autocomplete="off")
    changed = element("input", "", type="checkbox", id="changed")
    return element(
        "form",
        "filters",
        element("label", "", "Text", search),
        _choice("Suite", {case.suite for case in cases}),
        _choice("Slice", {name for case in cases for name in case.slices}),
        _choice("Metric", metrics),
        _choice("Result", [result.value for result in Result]),
        element("label", "box", changed, "Only changed answers"),
        element("output", "", f"{len(cases)} of {len(cases)} cases", id="count"),
        element("noscript", "", "The filters need JavaScript; all cases are shown."),
    )


def _choice(title: str, names: Iterable[str]) -> Element:
    options = [element("option", "", "any", value="")]
    shown = names if isinstance(names, list) else sorted(names)
    options += [element("option", "", inert(n), value=inert(n)) for n in shown]
    chosen = element("select", "", *options, id=title.lower())
    return element("label", "", title, chosen)
