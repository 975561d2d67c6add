"""Fit and write a calibration with its provenance and reliability."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import pairwise
from pathlib import Path

from bot.pages.templates import render
from engine.model.ports import Floats, Reader
from engine.rank.calibration import GENERAL, Calibration
from evals.relevance.collect import Collected
from evals.relevance.fit import assign_folds, fit_order, fit_relevance, make_rows
from evals.relevance.reading import AS_FITTED, PUTS, UNREAD, Read, fit_reading, read_all

# Log-odds that a passage which its reader selected answers, beyond those of one that a
# search brought: the likeliest where half of the selections answer lies between 0.75
# and 0.9. From 201 passages of four sentences, selected for questions of the tuning
# half of oncology: 64 that answer, and the best ones that do not.
SELECTED = 0.8
BINS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


@dataclass(frozen=True, slots=True)
class Bin:
    """One bar of a reliability diagram: mean relevance, share that is true, count."""

    low: float
    high: float
    said: float
    true: float
    count: int


@dataclass(frozen=True, slots=True)
class Labelled:
    """The input of a calibration: measured questions of these suites, and the day."""

    collected: Sequence[Collected]
    suites: Sequence[str]
    today: date


async def fit(labelled: Labelled, embedder: str, reader: Reader) -> Calibration:
    """Fit on labelled questions: first without a reader, then with what it reads.

    Raises:
        ReaderFailed: the reader cannot be loaded or reached.
    """
    tuned = labelled.collected
    before = _fit_unread(tuned, embedder, reader)
    read: list[Read] = []
    fold = assign_folds(tuned)
    for number in sorted(set(fold)):
        seen = [c for c, own in zip(tuned, fold, strict=True) if own != number]
        places = [at for at, own in enumerate(fold) if own == number]
        rows = await read_all(
            [tuned[at] for at in places], _fit_unread(seen, embedder, reader), reader
        )
        read += [replace(row, case=places[row.case]) for row in rows]
    fitted = fit_reading(read)
    bins = make_bins(fitted.said, fitted.true)
    return before.model_copy(
        update={
            "reading": fitted.reading,
            "floor": fitted.floor,
            "places": fitted.places,
            "provenance": {
                "date": labelled.today.isoformat(),
                "fitted_on": list(labelled.suites),
                "questions": len(tuned),
                "answerable": sum(c.case.answerable for c in tuned),
                "read": len(read),
                "puts": PUTS,
                "reliability_error": round(compute_error(bins), 4),
                "reliability_from": "five folds by document, held out, unmoved",
                "reliability": [
                    [b.low, b.high, round(b.said, 3), round(b.true, 3), b.count]
                    for b in bins
                ],
                "command": "python -m evals calibrate",
            },
        }
    )


def _fit_unread(
    collected: Sequence[Collected], embedder: str, reader: Reader
) -> Calibration:
    """Fit order and relevance without a reader."""
    order = fit_order(collected)
    return Calibration(
        embedder=embedder,
        reader=reader.name,
        order=order,
        relevance=fit_relevance(make_rows(collected, order)),
        reading=UNREAD,
        places={GENERAL: AS_FITTED},
        floor=0.0,
        selected=SELECTED,
    )


def make_bins(said: Floats, true: Floats) -> list[Bin]:
    """Count the bars that are not empty."""
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


def compute_error(bins: Sequence[Bin]) -> float:
    """Compute the expected calibration error: mean distance of said and true, by bin
    size."""
    total = sum(b.count for b in bins)
    return sum(b.count * abs(b.said - b.true) for b in bins) / total


def write(calibration: Calibration, path: Path) -> None:
    """Write a calibration file."""
    path.write_text(calibration.model_dump_json(indent=1) + "\n", encoding="utf-8")


def draw_diagram(calibration: Calibration) -> str:
    """Draw the reliability diagram as an SVG picture: said against true."""
    bars = calibration.provenance["reliability"]
    return render("evals/relevance/diagram.svg", {"bars": bars})
