"""Fits and writes a calibration with its provenance and reliability (R-G6)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from pathlib import Path

import numpy as np

from engine.ports import Floats
from engine.retrieve.calibration import Calibration
from evals.relevance.collect import Collected
from evals.relevance.fit import (
    Row,
    fit_order,
    fit_relevance,
    folds,
    probabilities,
    rows_of,
)

# Log-odds that a passage which its reader selected answers, beyond those of one that a
# search brought: the likeliest where half of the selections answer lies between 0.75
# and 0.9. From 201 passages of four sentences, selected for questions of the tuning
# half of oncology: 64 that answer, and the best ones that do not.
SELECTED = 0.8
BINS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)

SUFFICIENT = 0.7  # the relevance of one sufficient document (R-G1, R-G5)
# Shares of the labelled unanswerable questions that may reach it: in every pack, and in
# those of a technical domain, where a wrong page costs less than silence does.
PASSED = 0.04
PASSED_TECHNICAL = 0.06
MOST_TECHNICAL = 4.0


@dataclass(frozen=True, slots=True)
class Told:
    """What was said of one document of a question, and whether it answers."""

    case: int
    said: float
    true: bool


@dataclass(frozen=True, slots=True)
class Bin:
    """One bar of a reliability diagram: what was said, what came true, of how many."""

    low: float
    high: float
    said: float
    true: float
    count: int


def fit(
    tuned: Sequence[Collected], embedder: str, today: date, suites: Sequence[str]
) -> Calibration:
    """Fit on labelled questions; reliability comes from folds that were held out."""
    order = fit_order(tuned)
    rows = rows_of(tuned, order)
    relevance = fit_relevance(rows)
    held_out = cross_fitted(tuned)
    said = np.array([one.said for one in held_out])
    bins = reliability(said, np.array([one.true for one in held_out]))
    shift = _shift(tuned, held_out)
    technical = _technical(tuned, held_out)
    return Calibration(
        embedder=embedder,
        order=order,
        relevance=relevance.shifted(shift),
        selected=SELECTED,
        technical=technical,
        provenance={
            "date": today.isoformat(),
            "fitted_on": list(suites),
            "questions": len(tuned),
            "answerable": sum(c.case.answerable for c in tuned),
            "rows": len(rows),
            "shift": round(shift, 4),
            "shift_puts": f"{PASSED} of the unanswerable at {SUFFICIENT}",
            "technical_puts": f"{PASSED_TECHNICAL} of them there, in technical packs",
            "reliability_error": round(error(bins), 4),
            "reliability_from": "five folds by document, held out, before the shift",
            "reliability": [
                [b.low, b.high, round(b.said, 3), round(b.true, 3), b.count]
                for b in bins
            ],
            "command": "python -m evals calibrate",
        },
    )


def cross_fitted(collected: Sequence[Collected]) -> list[Told]:
    """Relevance and truth of every row, from fits that had not seen its fold."""
    fold = folds(collected)
    found: list[Told] = []
    for number in sorted(set(fold)):
        seen = [c for c, f in zip(collected, fold, strict=True) if f != number]
        places = [at for at, f in enumerate(fold) if f == number]
        order = fit_order(seen)
        relevance = fit_relevance(rows_of(seen, order))
        rows: list[Row] = rows_of([collected[at] for at in places], order)
        chances = probabilities(rows, relevance)
        found += [
            Told(places[row.case], float(chance), row.answers)
            for chance, row in zip(chances, rows, strict=True)
        ]
    return found


def _shift(collected: Sequence[Collected], told: Sequence[Told]) -> float:
    """What is added to the log-odds, so that 0.7 means the same for every embedder.

    The labelled sets hold far more near misses than people ask, so the probability of
    an answer among them is no threshold for those. 0.7 is put where of the unanswerable
    questions, in folds that were held out, PASSED have a document that reaches it.
    """
    reached = _reached(collected, told, PASSED)
    return 0.0 if reached is None else _odds(SUFFICIENT) - reached


def _technical(collected: Sequence[Collected], told: Sequence[Told]) -> float:
    """What shifted log-odds above even are multiplied by in technical packs.

    So 0.7 lies where PASSED_TECHNICAL reach it, even odds stay even, and a document
    that came before another still does. 1.0 where that many do not come above even,
    and never more than MOST_TECHNICAL.
    """
    reached = _reached(collected, told, PASSED_TECHNICAL)
    odds = 0.0 if reached is None else reached + _shift(collected, told)
    if odds <= 0:
        return 1.0
    return round(min(_odds(SUFFICIENT) / odds, MOST_TECHNICAL), 4)


def _reached(
    collected: Sequence[Collected], told: Sequence[Told], share: float
) -> float | None:
    """The log-odds that the best documents of `share` of the unanswerable questions
    reach; None where no question is unanswerable."""
    best: dict[int, float] = {}
    for one in told:
        if not collected[one.case].case.answerable:
            best[one.case] = max(best.get(one.case, 0.0), one.said)
    return _odds(float(np.quantile(list(best.values()), 1 - share))) if best else None


def _odds(probability: float) -> float:
    return float(np.log(probability / (1 - probability)))


def reliability(said: Floats, true: Floats) -> list[Bin]:
    """The bars that are not empty."""
    bins = []
    for low, high in pairwise(BINS):
        inside = (said >= low) & ((said < high) | (high == 1.0))
        if inside.any():
            bins.append(
                Bin(
                    low,
                    high,
                    float(said[inside].mean()),
                    float(true[inside].mean()),
                    int(inside.sum()),
                )
            )
    return bins


def error(bins: Sequence[Bin]) -> float:
    """Expected calibration error: mean distance of said and true, by bin size."""
    total = sum(b.count for b in bins)
    return sum(b.count * abs(b.said - b.true) for b in bins) / total


def write(calibration: Calibration, path: Path) -> None:
    """Write a calibration file."""
    path.write_text(calibration.model_dump_json(indent=1) + "\n", encoding="utf-8")


def diagram(calibration: Calibration) -> str:
    """The reliability diagram as an SVG picture: said against true."""
    bars = calibration.provenance["reliability"]
    if not isinstance(bars, list):
        raise TypeError("a calibration without a reliability table")
    marks = []
    for _, _, said, true, count in bars:
        x, y, radius = 40 + 320 * said, 360 - 320 * true, 2 + count**0.5 / 4
        marks.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"/>')
    ticks = "".join(
        f'<text x="{40 + 320 * t:.0f}" y="380">{t:g}</text>'
        f'<text x="8" y="{364 - 320 * t:.0f}">{t:g}</text>'
        for t in (0, 0.25, 0.5, 0.75, 1)
    )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 400" '
        'font-family="sans-serif" font-size="11">'
        '<rect width="400" height="400" fill="white"/>'
        '<path d="M40 360H360V40H40ZM40 360L360 40" fill="none" stroke="#999"/>'
        f'<g fill="#2563a8" fill-opacity=".8">{"".join(marks)}</g>{ticks}'
        '<text x="150" y="396">relevance said</text>'
        '<text x="44" y="30">share that did answer (area: rows)</text></svg>\n'
    )
