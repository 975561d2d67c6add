"""A run of a question pack as one page, in the style of all reports."""

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from adapters.inert import inert, one_line
from bot.inspection.summary import Run, deterministic_hash, explain_unjudged, summarize
from bot.pages.document import document, themes
from bot.pages.elements import element
from engine.inspection.records import Gathered, Result, Status

# A status as the style knows it.
_KIND = {
    Status.MET: "pass",
    Status.UNJUDGED: "not_applicable",
    Status.FAILED: "fail",
    Status.ERROR: "fail",
    Status.INCONCLUSIVE: "inconclusive",
}
_VERDICT = {0: "release", 1: "regression", 3: "inconclusive", 4: "regression"}


def render_page(run: Run) -> str:
    """Render the report as HTML."""
    pack = run.loaded.pack
    title = one_line(pack.title)
    hashed = deterministic_hash(run.loaded, run.ran.results)
    about = f"pack {pack.id} {pack.version} · hash {hashed[:12]}"
    about += f" · model {run.model}" if run.model else " · no model"
    nothing = explain_unjudged(run)
    body = element(
        "main",
        "",
        element(
            "header",
            "",
            element("h1", "", title),
            element(
                "div",
                "verdict" if nothing else f"verdict {_VERDICT[run.exit_code]}",
                element("b", "", summarize(run)),
                element("p", "", nothing),
                element("p", "", inert(pack.description)),
            ),
            element("p", "about", inert(about)),
            themes(),
        ),
        *_render_changes(run),
        element("h2", "", "Questions"),
        element("div", "cases", *(_render_question(each, run) for each in _sort(run))),
    )
    return document(title, body)


def _sort(run: Run) -> list[Result]:
    """Sort what changes the exit code first, the rest as the pack has it."""
    return sorted(run.ran.results, key=lambda each: each.status.harmless)


def _render_changes(run: Run) -> Iterator[Element]:
    if run.compared is None:
        return
    yield element("h2", "", inert(f"Against {run.compared}"))
    listed = [
        element(
            "li",
            "fail" if change.worse else "",
            inert(f"{change.question}: {change.before}, now {change.now}"),
        )
        for change in run.changes
    ]
    yield element("ul", "", *(listed or [element("li", "", "nothing changed")]))


def _render_question(result: Result, run: Run) -> Element:
    asked = run.inquiry(result.question)
    kind = _KIND[result.status]
    summary = element(
        "summary",
        "",
        element("b", "", result.question),
        element("span", "question", one_line(asked.question)),
        element("span", f"badge {kind}", f"{result.verdict}: {result.status}"),
    )
    inside = [element("p", "", inert(asked.why))] if asked.why else []
    inside += [element("p", "about", inert(result.why))] if result.why else []
    if result.diagnosis:
        inside.append(element("p", "about", inert(f"NOT FOUND: {result.diagnosis}")))
    inside.append(element("pre", "text", inert(result.answer)))
    inside += [_render_gathered(each) for each in result.gathered]
    made = element("details", "case", summary, *inside)
    made.attrib["id"] = f"question-{result.question}"
    if not result.status.harmless:
        made.attrib["open"] = "open"
    return made


def _render_gathered(found: Gathered) -> Element:
    """Render what a preflight found, folded away."""
    told = f"{found.preflight} ({found.kind}): {found.count} in {found.files} files"
    told += f", {found.missed} not read" if found.missed else ""
    listed = [
        element("li", "", inert(f"{block.place} {block.note}"))
        for block in found.blocks[:50]
    ]
    left = found.count - len(listed)
    if left > 0:
        listed.append(element("li", "", f"and {left} more"))
    listed += [element("li", "lost", inert(f"{u.path}: {u.why}")) for u in found.unread]
    head = element("summary", "", inert(told))
    return element("details", "", head, element("ul", "", *listed))
