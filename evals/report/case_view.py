"""One case on the page: what was asked, what came of it twice, what the metrics say."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from adapters.inert import inert, one_line
from bot.pages.elements import element
from evals.decide import WRONG
from evals.deciding.explain import outcome, place
from evals.deciding.finished import Finished
from evals.deciding.words import Kind, compare
from evals.forms import Case, Json, Result, Row, Score
from evals.kept import Moved
from evals.report.quote_view import citations, offered

_SHOWN: dict[Kind, str] = {"same": "span", "gone": "del", "new": "ins"}
MOST_MARKS = 30  # of one score


@dataclass(frozen=True, slots=True)
class Sides:
    """A run, what it is shown beside, and what moved since the baseline, by case."""

    run: Finished
    beside: Finished | None = None
    moved: Mapping[str, Sequence[Moved]] = field(default_factory=dict)


def drawn(case: Case, sides: Sides) -> Element:
    """A case as an element that opens; its filters stand in its attributes."""
    now = sides.run.row(case.id)
    then = sides.beside.row(case.id) if sides.beside else None
    differs = then is not None and now is not None and then.served != now.served
    changed = differs or case.id in sides.moved
    scores = sides.run.scores.get(case.id, ())
    badges = [
        element("span", f"badge {s.result}", f"{s.metric}: {s.result}")
        for s in scores
        if s.result in WRONG
    ]
    badges += [element("span", "badge changed", "changed")] if changed else []
    summary = element(
        "summary",
        "",
        element("b", "", inert(case.id)),
        element("span", "question", one_line(case.question)),
        *(badges or [element("span", "badge pass", "all passed")]),
    )
    made = element("details", "case", summary, *_body(case, sides, scores))
    made.attrib.update(
        {
            "id": f"case-{one_line(case.id)}",
            "data-suite": inert(case.suite),
            "data-slices": json.dumps([inert(name) for name in case.slices]),
            "data-scores": json.dumps(
                sorted({(s.metric, s.result.value) for s in scores})
            ),
            "data-changed": "yes" if changed else "no",
        }
    )
    return made


def _body(case: Case, sides: Sides, scores: tuple[Score, ...]) -> Iterator[Element]:
    about = f"{place(case)} · expects: {case.expected.outcome}"
    shows = f" · shows {', '.join(case.shows)}" if case.shows else ""
    yield element("p", "about", inert(about + shows))
    yield _facts(case)
    yield from _scores(scores)
    found = sides.moved.get(case.id, ())
    if found:
        yield element("h4", "", "Moved since the baseline")
        yield element("ul", "moved", *map(_move, found))
    now = sides.run.row(case.id)
    then = sides.beside.row(case.id) if sides.beside else None
    pair = [_side("This run", now, then, "gone")]
    if sides.beside is not None:
        pair.insert(0, _side(f"Against: {sides.beside.name}", then, now, "new"))
    yield element("div", "pair", *pair)
    yield from _cited("What this run cites, in its sources", sides.run, now)
    if then is not None and now is not None and then.served != now.served:
        yield from _cited("What it is compared with cites", sides.beside, then)
    if now is not None and now.evidence:
        head = element(
            "summary", "", f"Passages that the gate let through: {len(now.evidence)}"
        )
        held = element("ul", "", *offered(now, sides.run.sources))
        yield element("details", "offered", head, held)


def _facts(case: Case) -> Element:
    facts = [" or ".join(f"“{wording}”" for wording in f) for f in case.expected.facts]
    facts += [f"never “{text}”" for text in case.expected.absent]
    return element("ul", "facts", *(element("li", "", inert(fact)) for fact in facts))


def _move(moved: Moved) -> Element:
    return element(
        "li",
        "",
        element("b", "", moved.kind),
        " ",
        element("del", "", inert(moved.then)),
        " ",
        element("ins", "", inert(moved.now)),
    )


def _scores(scores: tuple[Score, ...]) -> Iterator[Element]:
    """What failed, what else was said, and folded away what did not apply."""
    told = [s for s in scores if s.result is not Result.NOT_APPLICABLE]
    told.sort(key=lambda score: score.result not in WRONG)
    yield element("ul", "scores", *map(_score, told))
    rest = [s for s in scores if s.result is Result.NOT_APPLICABLE]
    if rest:
        head = element("summary", "", f"Did not apply: {len(rest)}")
        yield element("details", "", head, element("ul", "scores", *map(_score, rest)))


def _score(score: Score) -> Element:
    value = "" if score.value is None else f" {score.value:.2f}"
    repeat = f", repeat {score.repeat}" if score.repeat else ""
    head = element("b", score.result.value, f"{score.metric}: {score.result}{value}")
    inside: list[Element | str] = [head, inert(f"{repeat} {score.why}")]
    marks = [element("li", "", _words(mark)) for mark in score.marks[:MOST_MARKS]]
    if len(score.marks) > MOST_MARKS:
        marks.append(element("li", "", f"and {len(score.marks) - MOST_MARKS} more"))
    if marks:
        head = element("summary", "", f"Marks: {len(score.marks)}")
        inside.append(element("details", "", head, element("ul", "", *marks)))
    return element("li", "", *inside)


def _words(mark: Json) -> str:
    return one_line(
        ", ".join(f"{name} {value}" for name, value in sorted(mark.items()))
    )


def _side(title: str, row: Row | None, other: Row | None, hide: Kind) -> Element:
    """One side's served text; what the other side has not is marked in it."""
    head = element("h4", "", inert(title), element("small", "", inert(outcome(row))))
    mine = row.served if row else ""
    if other is None or row is None:
        return element("section", "side", head, element("div", "text", inert(mine)))
    old, new = (mine, other.served) if hide == "new" else (other.served, mine)
    pieces = [
        element(_SHOWN[piece.kind], "", inert(piece.text))
        for piece in compare(old, new)
        if piece.kind != hide
    ]
    return element("section", "side", head, element("div", "text", *pieces))


def _cited(title: str, run: Finished | None, row: Row | None) -> Iterator[Element]:
    found = list(citations(row, run.sources)) if run and row else []
    if found:
        yield element("h4", "", title)
        yield element("div", "cited", *found)
