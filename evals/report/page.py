"""A run as one page that fetches nothing: verdict, checks, trend, every case.

`report.html` and `case.html` draw it; here is what they are filled with.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path
from typing import Literal

from adapters.inert import inert, one_line
from bot.pages.templates import render
from evals.compare.decide import WRONG
from evals.compare.explain import describe_outcome, place
from evals.compare.runs import Finished
from evals.compare.stored import Moved
from evals.compare.trend import Point, list_metrics
from evals.compare.verdict import Verdict, Whole
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


def mark_words(row: Row | None, other: Row | None, hide: Kind) -> Sequence[Piece]:
    """Mark what is served on one side and not on the other.

    Args:
        row: the side.
        other: the other side; nothing is marked where one of both is missing.
        hide: what only the other side has: "gone", or "new" where the other is newer.
    """
    mine = row.served if row else ""
    if row is None or other is None:
        return [Piece("same", mine)]
    old, new = (mine, other.served) if hide == "new" else (other.served, mine)
    return [piece for piece in compare_words(old, new) if piece.kind != hide]


# --- what a row cites -------------------------------------------------------------

AROUND = 240  # characters of the source shown on either side of what is cited
EXCERPT = 200  # of a passage that was offered and not cited


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch [start, end) of a text; `true` where the quote is found there."""

    start: int
    end: int
    true: bool


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


def mark_quotes(cited: Json, source: Source) -> Iterator[tuple[str, Span | None]]:
    """Yield what is cited with the passage around it; quotes come with their span."""
    marks = find_spans(cited["quotes"], source.text)
    first = min([cited["start"], *(span.start for span in marks)])
    last = max([cited["end"], *(span.end for span in marks)])
    start, end = max(0, first - AROUND), min(len(source.text), last + AROUND)
    yield ("…" if start else ""), None
    at = start
    for span in marks:
        yield source.text[at : span.start], None
        yield source.text[span.start : span.end], span
        at = span.end
    yield source.text[at:end] + ("…" if end < len(source.text) else ""), None


def _cut(passage: Json, source: Source | None) -> str:
    """Cut a passage that the gate let through short."""
    text = source.text[passage["start"] : passage["end"]] if source else ""
    short = " ".join(text.split())
    return f"{short[:EXCERPT]}…" if len(short) > EXCERPT else short


# --- a case -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Shown:
    """A case as it is drawn: its rows on both sides, its scores, what moved.

    Scores that are wrong come first.
    """

    case: Case
    now: Row | None
    then: Row | None
    scores: Sequence[Score]
    moved: Sequence[Moved]

    @property
    def differs(self) -> bool:
        """Tell whether both sides serve something, and not the same."""
        if self.then is None or self.now is None:
            return False
        return self.then.served != self.now.served

    @property
    def changed(self) -> bool:
        """Tell whether the answer differs from the other side or the baseline."""
        return self.differs or bool(self.moved)

    @property
    def slices(self) -> str:
        """The slices as JSON, for the filters."""
        return json.dumps([inert(name) for name in self.case.slices])

    @property
    def results(self) -> str:
        """Metrics with their results as JSON, for the filters."""
        return json.dumps(sorted({(s.metric, s.result.value) for s in self.scores}))

    @property
    def facts(self) -> Sequence[str]:
        """What the answer has to say, and what it must not."""
        expected = self.case.expected
        facts = [" or ".join(f"“{wording}”" for wording in f) for f in expected.facts]
        return [*facts, *(f"never “{text}”" for text in expected.absent)]


@dataclass(frozen=True, slots=True)
class Sides:
    """A run, what it is shown beside, and what moved since the baseline, by case."""

    run: Finished
    beside: Finished | None = None
    moved: Mapping[str, Sequence[Moved]] = field(default_factory=dict)

    def show(self, case: Case) -> Shown:
        """Gather what is drawn of a case."""
        scores = self.run.scores.get(case.id, ())
        return Shown(
            case=case,
            now=self.run.row(case.id),
            then=self.beside.row(case.id) if self.beside else None,
            scores=sorted(scores, key=lambda score: score.result not in WRONG),
            moved=self.moved.get(case.id, ()),
        )


def _word(mark: Json) -> str:
    return one_line(
        ", ".join(f"{name} {value}" for name, value in sorted(mark.items()))
    )


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
RUNS = 60  # runs in the drawing of the trend, the newest


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
    run, newest = sides.run, points[-RUNS:]
    cases = sorted(run.cases.values(), key=lambda case: _sort_key(case, run))
    return render(
        "evals/report/report.html",
        {
            "whole": whole,
            "verdict": verdict,
            "sides": sides,
            "inputs": _list_inputs(run),
            "points": newest,
            "metrics": list_metrics(newest),
            "ragas": by_ragas,
            "ragas_title": TITLE,
            "ragas_head": HEAD,
            "ragas_rows": list(list_rows(by_ragas)) if by_ragas else (),
            "ragas_said": describe_agreement(by_ragas) if by_ragas else "",
            "listed": LISTED,
            "cases": [sides.show(case) for case in cases],
            "filters": _list_filters(cases, run),
            "wrong": WRONG,
            "outcome": describe_outcome,
            "place": place,
            "word": _word,
            "cut": _cut,
            "mark_words": mark_words,
            "mark_quotes": mark_quotes,
        },
        script=SCRIPT.read_text(encoding="utf-8"),
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


def _sort_key(case: Case, run: Finished) -> tuple[bool, str, int, str]:
    """Sort those that failed first, the rest by their place in their files."""
    wrong = any(score.result in WRONG for score in run.scores.get(case.id, ()))
    return not wrong, case.file, case.line, case.id


def _list_filters(cases: Sequence[Case], run: Finished) -> Mapping[str, Sequence[str]]:
    """List what cases can be filtered by, by the name of the filter."""
    return {
        "Suite": sorted({case.suite for case in cases}),
        "Slice": sorted({name for case in cases for name in case.slices}),
        "Metric": sorted({score.metric for score in run.scored.scores}),
        "Result": [result.value for result in Result],
    }
