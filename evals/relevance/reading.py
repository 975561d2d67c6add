"""Fit what a reader's scores say over an embedder, on labelled questions.

The relevance of a passage that was read is the logistic of the reader's log-odds and of
what the features say for it. Reliability is measured on it. Then 0.5 and 0.7 are put
where the shares below of the labelled questions would be answered wrongly, in each
domain that has enough of them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.model.ports import Floats, Reader
from engine.policy.pack import Domain
from engine.rank.calibration import GENERAL, SURE, Calibration, Linear, Place
from engine.rank.reading import (
    BEFORE,
    FOUND,
    LIKELY,
    MOST,
    Bounds,
    Reading,
    rank_for_reading,
    read,
)
from evals.relevance.collect import Collected, keep_letters
from evals.relevance.fit import fit_logistic

# Shares of the labelled questions, with an answer and without, whose best passage may
# be wrong and reach 0.5 (what is answered from) and 0.7 (one document that suffices); a
# wrong answer about software harms no patient.
USED, SUFFICIENT, TECHNICAL_SUFFICIENT = 0.05, 0.02, 0.04
TECHNICAL = Domain.TECHNICAL.value
PUTS = (
    f"{USED} of the questions wrong at 0.5, {SUFFICIENT} of them at 0.7, "
    f"{TECHNICAL_SUFFICIENT} in technical packs"
)
CLOSEST = 0.35  # log-odds between the two, at least: few questions may tell them apart
ENOUGH = 40  # unanswerable questions of a domain that give it a place of its own
LEAST = 0.02  # share of answering passages that may lie below the reader's floor
UNREAD = Linear(  # used until something was read: the log-odds before
    names=(FOUND, BEFORE), mean=(0.0, 0.0), scale=(10.0, 10.0), weights=(0.0, 10.0)
)
AS_FITTED = Place(even=0.0, sure=SURE)


@dataclass(frozen=True, slots=True)
class Read:
    """One passage of a case, read: its log-odds, those that speak for it, its label.

    `log_odds` are the reader's, `likely` those of the features (`LIKELY`).

    `answers` is None where a passage of an answerable question holds no labelled place:
    it may answer all the same.
    """

    case: int
    log_odds: float
    likely: float
    answers: bool | None
    domain: str = GENERAL


async def read_all(
    collected: Sequence[Collected], calibration: Calibration, reader: Reader
) -> list[Read]:
    """Read the passages of every case that the engine would read, with their labels.

    Raises:
        ReaderFailed: the reader cannot be loaded or reached.
    """
    rows: list[Read] = []
    for number, one in enumerate(collected):
        measured = one.found.measure(calibration)
        chosen = rank_for_reading(measured, one.found.candidates)[:MOST]
        reading = Reading(reader, calibration)
        text, arms = one.found.view.text, one.found.candidates
        domain = one.found.pack.domain.value
        for chunk in await read(reading, text, chosen, arms, Bounds()):
            said = keep_letters(chunk.text)
            holds = any(all(part in said for part in parts) for parts in one.gold)
            answers = holds or (None if one.case.answerable else False)
            rows.append(
                Read(number, chunk.parts[FOUND], chunk.parts[LIKELY], answers, domain)
            )
    return rows


@dataclass(frozen=True, slots=True)
class Fitted:
    """The logistic, its places, the reader's floor; relevance and truth of each row."""

    reading: Linear
    places: Mapping[str, Place]
    floor: float
    said: Floats
    true: Floats


def fit_reading(rows: Sequence[Read]) -> Fitted:
    """Fit the logistic of the labelled rows, and its places."""
    labelled = [row for row in rows if row.answers is not None]
    true = np.array([float(bool(row.answers)) for row in labelled])
    fitted = fit_logistic((FOUND, LIKELY), _stack_features(labelled), true)
    odds = fitted.of(_stack_features(labelled))
    said = (1 / (1 + np.exp(-np.clip(odds, -30, 30)))).astype(np.float32)
    answering = _stack_features(labelled)[true == 1, 0]
    floor = float(np.quantile(answering, LEAST)) if len(answering) else -np.inf
    places = _place_domains(_find_first(rows, fitted))
    return Fitted(fitted, places, floor, said, true.astype(np.float32))


def _stack_features(rows: Sequence[Read]) -> NDArray[Any]:
    return np.array([(row.log_odds, row.likely) for row in rows])


@dataclass(frozen=True, slots=True)
class _First:
    """The passage that a question would be answered from: its log-odds where it is
    wrong, else none at all."""

    domain: str
    unanswerable: bool
    wrong: float


def _find_first(rows: Sequence[Read], fitted: Linear) -> list[_First]:
    cases: dict[tuple[str, int], list[tuple[float, bool | None]]] = {}
    for row, odds in zip(rows, fitted.of(_stack_features(rows)), strict=True):
        own = cases.setdefault((row.domain, row.case), [])
        own.append((float(odds), row.answers))
    found = []
    for (domain, _), read_ in cases.items():
        odds, answers = max(read_, key=lambda one: one[0])
        unanswerable = all(one is False for _, one in read_)
        wrong = odds if answers is False else -np.inf
        found.append(_First(domain, unanswerable, wrong))
    return found


def _place_domains(first: Sequence[_First]) -> dict[str, Place]:
    """Place 0.5 and 0.7 for all domains and for each with enough near misses."""
    places = {GENERAL: _place_thresholds(first, SUFFICIENT)}
    for domain in sorted({one.domain for one in first} - {GENERAL}):
        own = [one for one in first if one.domain == domain]
        if sum(one.unanswerable for one in own) >= ENOUGH:
            enough = TECHNICAL_SUFFICIENT if domain == TECHNICAL else SUFFICIENT
            places[domain] = _place_thresholds(own, enough)
    return places


def _place_thresholds(first: Sequence[_First], sufficient: float) -> Place:
    """Place them where few questions, with an answer or without, are answered wrongly.

    Of too few questions none is counted, because one would be more than the share.
    """
    parts = [
        [one.wrong for one in first if one.unanswerable is unanswerable]
        for unanswerable in (True, False)
    ]
    if not parts[0]:
        return AS_FITTED
    even, sure = (
        max(
            float(np.quantile(part, 1 - share, method="higher"))
            for number, part in enumerate(parts)
            if number == 0 or len(part) * share >= 1
        )
        for share in (USED, sufficient)
    )
    return Place(even=round(even, 4), sure=round(max(sure, even + CLOSEST), 4))
