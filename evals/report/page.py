"""A run as one page that fetches nothing: verdict, checks, trend, every case.

`bot/pages/document.py` writes it and keeps it inert.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path
from typing import Literal
from xml.etree.ElementTree import Element

from adapters.inert import inert, one_line
from bot.pages.document import document, themes
from bot.pages.elements import element
from evals.compare.decide import WRONG
from evals.compare.explain import describe_outcome, place
from evals.compare.runs import Finished
from evals.compare.stored import Moved
from evals.compare.trend import Point, list_metrics
from evals.compare.verdict import Check, Status, Verdict, Whole
from evals.forms import Case, Json, Result, Row, Score, Source

# --- two texts, word by word ------------------------------------------------------

LONGEST = 4_000  # words of a text that are compared one by one
_WORD = re.compile(r"\S+|\s+")

Kind = Literal["same", "gone", "new"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of words of one kind, with the white space after them."""

    kind: Kind
    text: str


def compare_words(then: str, now: str) -> Iterator[Piece]:
    """Yield the pieces of both texts, in order.

    The pieces that stayed and went together are the old text, to the letter; those that
    stayed and came are the new one. Very long texts are compared as a whole.
    """
    old, new = _WORD.findall(then), _WORD.findall(now)
    if then == now:
        yield from _yield_piece("same", now)
    elif max(len(old), len(new)) > LONGEST:
        yield from _yield_piece("gone", then)
        yield from _yield_piece("new", now)
    else:
        for kind, a, b, c, d in SequenceMatcher(None, old, new, False).get_opcodes():
            if kind == "equal":
                yield from _yield_piece("same", "".join(new[c:d]))
            else:
                yield from _yield_piece("gone", "".join(old[a:b]))
                yield from _yield_piece("new", "".join(new[c:d]))


def _yield_piece(kind: Kind, text: str) -> Iterator[Piece]:
    if text:
        yield Piece(kind, text)


# --- what a row cites -------------------------------------------------------------

AROUND = 240  # characters of the source shown on either side of what is cited
EXCERPT = 200  # of a passage that was offered and not cited


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch [start, end) of a text; `true` where the quote is found there."""

    start: int
    end: int
    true: bool


def draw_citations(row: Row, sources: Mapping[str, Source]) -> Iterator[Element]:
    """Draw each citation of a row with the passage around it; none of an error."""
    for cited in row.record["sources"] if row.record else ():
        source = sources.get(cited["version"])
        title = f"[{cited['number']}] {cited['title']}"
        at = f"{source.path} {source.version[:8]}" if source else ""
        where = " · ".join(filter(None, (cited["section"], at)))
        yield element(
            "figure",
            "source",
            element("figcaption", "", inert(title), element("small", "", inert(where))),
            _draw_passage(cited, source),
        )


def draw_offered(row: Row, sources: Mapping[str, Source]) -> Iterator[Element]:
    """Draw each passage that the gate let through, cut short."""
    for passage in row.evidence:
        source = sources.get(passage["version"])
        text = source.text[passage["start"] : passage["end"]] if source else ""
        short = " ".join(text.split())
        cut = f"{short[:EXCERPT]}…" if len(short) > EXCERPT else short
        title = source.title if source else passage["document"]
        about = f"{passage['relevance']:.2f} {title}: "
        yield element("li", "", element("b", "", inert(about)), inert(cut))


def find_spans(quotes: Sequence[Json], text: str) -> tuple[Span, ...]:
    """Find the stretches of quotes in a text, in order.

    A quote that begins inside another is left out, and one that lies outside the text
    has no stretch.
    """
    found: list[Span] = []
    for quote in sorted(quotes, key=lambda each: (each["start"], each["end"])):
        start, end = quote["start"], quote["end"]
        after = found[-1].end if found else 0
        if after <= start < end <= len(text):
            found.append(Span(start, end, text[start:end] == quote["text"]))
    return tuple(found)


def _draw_passage(cited: Json, source: Source | None) -> Element:
    if source is None:
        said = "This document version is not among the sources of the run."
        return element("p", "lost", said)
    marks = find_spans(cited["quotes"], source.text)
    first = min([cited["start"], *(span.start for span in marks)])
    last = max([cited["end"], *(span.end for span in marks)])
    start, end = max(0, first - AROUND), min(len(source.text), last + AROUND)
    parts: list[Element | str] = ["…"] if start else []
    at = start
    for span in marks:
        parts.append(inert(source.text[at : span.start]))
        parts.append(_draw_mark(span, source))
        at = span.end
    parts.append(inert(source.text[at:end]))
    parts += ["…"] if end < len(source.text) else []
    return element("blockquote", "", *parts)


def _draw_mark(span: Span, source: Source) -> Element:
    place = f"characters {span.start} to {span.end}"
    title = place if span.true else f"{place}: not what the answer quotes"
    kind = "" if span.true else "wrong"
    return element("mark", kind, inert(source.text[span.start : span.end]), title=title)


# --- a case -----------------------------------------------------------------------

_SHOWN: dict[Kind, str] = {"same": "span", "gone": "del", "new": "ins"}
MOST_MARKS = 30  # of one score


@dataclass(frozen=True, slots=True)
class Sides:
    """A run, what it is shown beside, and what moved since the baseline, by case."""

    run: Finished
    beside: Finished | None = None
    moved: Mapping[str, Sequence[Moved]] = field(default_factory=dict)


def draw_case(case: Case, sides: Sides) -> Element:
    """Draw a case as an element that opens; its filters are in its attributes."""
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
    made = element("details", "case", summary, *_draw_body(case, sides, scores))
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


def _draw_body(
    case: Case, sides: Sides, scores: tuple[Score, ...]
) -> Iterator[Element]:
    about = f"{place(case)} · expects: {case.expected.outcome}"
    shows = f" · shows {', '.join(case.shows)}" if case.shows else ""
    yield element("p", "about", inert(about + shows))
    yield _draw_facts(case)
    yield from _draw_scores(scores)
    found = sides.moved.get(case.id, ())
    if found:
        yield element("h4", "", "Moved since the baseline")
        yield element("ul", "moved", *map(_draw_move, found))
    now = sides.run.row(case.id)
    then = sides.beside.row(case.id) if sides.beside else None
    pair = [_draw_side("This run", now, then, "gone")]
    if sides.beside is not None:
        pair.insert(0, _draw_side(f"Against: {sides.beside.name}", then, now, "new"))
    yield element("div", "pair", *pair)
    yield from _draw_cited("What this run cites, in its sources", sides.run, now)
    if then is not None and now is not None and then.served != now.served:
        yield from _draw_cited("What it is compared with cites", sides.beside, then)
    if now is not None and now.evidence:
        head = element(
            "summary", "", f"Passages that the gate let through: {len(now.evidence)}"
        )
        held = element("ul", "", *draw_offered(now, sides.run.sources))
        yield element("details", "offered", head, held)


def _draw_facts(case: Case) -> Element:
    facts = [" or ".join(f"“{wording}”" for wording in f) for f in case.expected.facts]
    facts += [f"never “{text}”" for text in case.expected.absent]
    return element("ul", "facts", *(element("li", "", inert(fact)) for fact in facts))


def _draw_move(moved: Moved) -> Element:
    return element(
        "li",
        "",
        element("b", "", moved.kind),
        " ",
        element("del", "", inert(moved.then)),
        " ",
        element("ins", "", inert(moved.now)),
    )


def _draw_scores(scores: tuple[Score, ...]) -> Iterator[Element]:
    """Draw what failed, then the other scores; what did not apply is folded away."""
    told = [s for s in scores if s.result is not Result.NOT_APPLICABLE]
    told.sort(key=lambda score: score.result not in WRONG)
    yield element("ul", "scores", *map(_draw_score, told))
    rest = [s for s in scores if s.result is Result.NOT_APPLICABLE]
    if rest:
        head = element("summary", "", f"Did not apply: {len(rest)}")
        yield element(
            "details", "", head, element("ul", "scores", *map(_draw_score, rest))
        )


def _draw_score(score: Score) -> Element:
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


def _draw_side(title: str, row: Row | None, other: Row | None, hide: Kind) -> Element:
    """Draw one side's served text, with a mark on what the other side lacks."""
    head = element(
        "h4", "", inert(title), element("small", "", inert(describe_outcome(row)))
    )
    mine = row.served if row else ""
    if other is None or row is None:
        return element("section", "side", head, element("div", "text", inert(mine)))
    old, new = (mine, other.served) if hide == "new" else (other.served, mine)
    pieces = [
        element(_SHOWN[piece.kind], "", inert(piece.text))
        for piece in compare_words(old, new)
        if piece.kind != hide
    ]
    return element("section", "side", head, element("div", "text", *pieces))


def _draw_cited(title: str, run: Finished | None, row: Row | None) -> Iterator[Element]:
    found = list(draw_citations(row, run.sources)) if run and row else []
    if found:
        yield element("h4", "", title)
        yield element("div", "cited", *found)


# --- rates over runs --------------------------------------------------------------

WIDTH, HEIGHT, EDGE = 640.0, 200.0, 12.0
RUNS = 60  # runs in the drawing, the newest
COLOURS = 8  # classes c0 to c7 of page.css


def draw_trend(points: Sequence[Point]) -> Element:
    """Draw the trend of every metric; a sentence where there is none yet."""
    shown = points[-RUNS:]
    if not shown:
        said = "No run is on record yet: each report adds one."
        return element("p", "about", said)
    names = list_metrics(shown)
    label = f"Rates of {len(names)} metrics over {len(shown)} runs; the table has them."
    svg = element("svg", "", *_draw_grid(), role="img", aria_label=label)
    svg.set("viewBox", f"0 0 {WIDTH:g} {HEIGHT:g}")
    svg.extend(_draw_line(name, at, shown) for at, name in enumerate(names))
    return element(
        "div", "trend", svg, _draw_legend(names, shown[-1]), _draw_table(names, shown)
    )


def _draw_grid() -> list[Element]:
    return [
        element(
            "line",
            "grid",
            x1=f"{EDGE:g}",
            x2=f"{WIDTH - EDGE:g}",
            y1=_place_y(share),
            y2=_place_y(share),
        )
        for share in (0.0, 0.5, 1.0)
    ]


def _draw_line(name: str, at: int, points: Sequence[Point]) -> Element:
    """Draw a metric's line; runs in which it had no rate are left out."""
    places = [
        (_place_x(number, len(points)), _place_y(each.rates[name]), each)
        for number, each in enumerate(points)
        if name in each.rates
    ]
    line = element("polyline", "", points=" ".join(f"{x},{y}" for x, y, _ in places))
    dots = []
    for x, y, each in places:
        said = one_line(f"{name} {_format_rate(each, name)}, {each.run}, {each.result}")
        title = element("title", "", said)
        dots.append(element("circle", "", title, cx=x, cy=y, r="3"))
    return element("g", f"c{at % COLOURS}", line, *dots)


def _draw_legend(names: Sequence[str], last: Point) -> Element:
    items = [
        element(
            "li",
            f"c{at % COLOURS}",
            element("span", "swatch", aria_hidden="true"),
            f"{one_line(name)} {_format_rate(last, name)}",
        )
        for at, name in enumerate(names)
    ]
    return element("ul", "legend", *items)


def _draw_table(names: Sequence[str], points: Sequence[Point]) -> Element:
    top = [element("th", "", head) for head in ("Run", "Result", *names)]
    rows = [
        element(
            "tr",
            "",
            element("th", "", one_line(each.run)),
            element("td", "", one_line(each.result)),
            *(element("td", "", _format_rate(each, name)) for name in names),
        )
        for each in reversed(points)
    ]
    table = element("table", "", element("tr", "", *top), *rows)
    wide = element("div", "wide", table, tabindex="0")
    return element("details", "", element("summary", "", "As a table"), wide)


def _format_rate(each: Point, name: str) -> str:
    rate = each.rates.get(name)
    return "none" if rate is None else f"{100 * rate:.1f} %"


def _place_x(number: int, of: int) -> str:
    step = (WIDTH - 2 * EDGE) / max(1, of - 1)
    return f"{EDGE + number * step:.1f}"


def _place_y(share: float) -> str:
    return f"{HEIGHT - EDGE - share * (HEIGHT - 2 * EDGE):.1f}"


# --- what ragas made of a run -----------------------------------------------------

TITLE = "By ragas"
LISTED = 20  # differences of ragas


def describe_agreement(held: Json) -> str:
    """Say whether ragas and the decision agree, with the denominator."""
    differing = len(held["differing"])
    judge = f", judged by {held['judge']}" if held["judge"] else ", no judge configured"
    word = f"{differing} differ" if differing else "all agree"
    return (
        f"{held['ours']} scores of deciding metrics through ragas {held['ragas']}: "
        f"{word}. Below, metrics of ragas itself; they advise{judge}."
    )


def list_rows(held: Json) -> Iterator[tuple[str, str, str, str]]:
    """Yield name, mean, judged of rows, and errors of each metric of ragas."""
    for one in held["theirs"]:
        mean = "\u2013" if one["mean"] is None else f"{one['mean']:.3f}"
        judged = f"{one['judged']} of {one['rows']}"
        yield one["metric"], mean, judged, str(one["errors"])


HEAD: Sequence[str] = ("Metric", "Mean", "Judged", "Errors")


def draw_ragas(held: Json | None) -> Element:
    """Draw the section on ragas; it also says where ragas has not seen the run."""
    title = element("h2", "", TITLE)
    if held is None:
        none = element("p", "", "ragas has not scored these answers: make ragas.")
        return element("section", "", title, none)
    head = element("tr", "", *(element("th", "", word) for word in HEAD))
    rows = [
        element("tr", "", *(element("td", "", cell) for cell in line))
        for line in list_rows(held)
    ]
    differing = [element("li", "", inert(why)) for why in held["differing"][:LISTED]]
    listed = [element("ul", "checks", *differing)] if differing else []
    said = element("p", "", inert(describe_agreement(held)))
    return element(
        "section", "", title, said, *listed, element("table", "", head, *rows)
    )


def write_ragas(held: Json | None) -> str:
    """Write the part of the summary on ragas; empty where it has not seen the run.

    Its names and numbers are ours: it holds no text of an answer.
    """
    if held is None:
        return ""
    rows = [HEAD, ("---",) * len(HEAD), *list_rows(held)]
    table = "\n".join("| " + " | ".join(row) + " |" for row in rows)
    return f"\n**{TITLE}.** {describe_agreement(held)}\n\n{table}\n"


# --- the page ---------------------------------------------------------------------

SCRIPT = Path(__file__).with_name("page.js")
KEYS = "Keys: / searches, j and k step through the cases, Enter opens one."


def draw_page(
    whole: Whole,
    verdict: Verdict,
    sides: Sides,
    points: Sequence[Point] = (),
    by_ragas: Json | None = None,
) -> str:
    """Draw the report of a run as HTML.

    Args:
        whole: the verdict on all that was released together; it comes first.
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
        _draw_top(title, whole, verdict, run),
        _draw_checks(verdict),
        element("section", "", element("h2", "", "Trend"), draw_trend(points)),
        draw_ragas(by_ragas),
        _draw_cases(sides),
    )
    return document(title, body, SCRIPT.read_text(encoding="utf-8"))


def _draw_top(title: str, whole: Whole, verdict: Verdict, run: Finished) -> Element:
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
        element("p", "about", inert(_list_inputs(run))),
        themes(),
    )


def _list_inputs(run: Finished) -> str:
    """List commit and hashes of what was run, cut short."""
    held = run.manifest
    parts = {
        "commit": held.get("git", {}).get("commit"),
        "code": held.get("code"),
        "pack": held.get("policy", {}).get("hash"),
        "model": held.get("model"),
        "metrics": held.get("scoring", {}).get("code"),
    }
    return " · ".join(f"{n} {str(v)[:12]}" for n, v in parts.items() if v)


def _draw_checks(verdict: Verdict) -> Element:
    """Draw what is not passed first, the rest below it."""
    wrong = [c for c in verdict.checks if c.result is not Status.PASS]
    passed = [c for c in verdict.checks if c.result is Status.PASS]
    head = element("summary", "", f"{len(passed)} checks passed")
    rest = element(
        "details", "", head, element("ul", "checks", *map(_draw_check, passed))
    )
    listed = element("ul", "checks", *map(_draw_check, wrong))
    return element("section", "", element("h2", "", "Checks"), listed, rest)


def _draw_check(check: Check) -> Element:
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


def _draw_cases(sides: Sides) -> Element:
    cases = sorted(
        sides.run.cases.values(), key=lambda case: _sort_key(case, sides.run)
    )
    drawn = (draw_case(case, sides) for case in cases)
    return element(
        "section",
        "",
        element("h2", "", "Cases"),
        _draw_filters(cases, sides.run),
        element("p", "about", KEYS),
        element("div", "cases", *drawn),
    )


def _sort_key(case: Case, run: Finished) -> tuple[bool, str, int, str]:
    """Sort those that failed first, the rest by their place in their files."""
    wrong = any(score.result in WRONG for score in run.scores.get(case.id, ()))
    return not wrong, case.file, case.line, case.id


def _draw_filters(cases: Sequence[Case], run: Finished) -> Element:
    metrics = {score.metric for score in run.scored.scores}
    search = element("input", "", type="search", id="text", autocomplete="off")
    changed = element("input", "", type="checkbox", id="changed")
    return element(
        "form",
        "filters",
        element("label", "", "Text", search),
        _draw_choice("Suite", {case.suite for case in cases}),
        _draw_choice("Slice", {name for case in cases for name in case.slices}),
        _draw_choice("Metric", metrics),
        _draw_choice("Result", [result.value for result in Result]),
        element("label", "box", changed, "Only changed answers"),
        element("output", "", f"{len(cases)} of {len(cases)} cases", id="count"),
        element("noscript", "", "The filters need JavaScript; all cases are shown."),
    )


def _draw_choice(title: str, names: Iterable[str]) -> Element:
    options = [element("option", "", "any", value="")]
    shown = names if isinstance(names, list) else sorted(names)
    options += [element("option", "", inert(n), value=inert(n)) for n in shown]
    chosen = element("select", "", *options, id=title.lower())
    return element("label", "", title, chosen)
