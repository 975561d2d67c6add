"""ragas over our rows; needs `make ragas`."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from evals.advice.ragas_bridge import (
    METRICS,
    Tools,
    judge,
    misattribution,
)
from evals.advice.ragas_sample import sample
from evals.forms import Case, Result, Row
from evals.metrics import specimen

# ragas reads an id of its user, also where it sends nothing, and leaves the file open.
pytestmark = pytest.mark.filterwarnings(
    "ignore:.*ragas.uuid.json:pytest.PytestUnraisableExceptionWarning"
)

UNJUDGED = tuple(name for name, metric in METRICS.items() if not metric.judged)
JUDGED = tuple(name for name, metric in METRICS.items() if metric.judged)


class Scripted:
    """A judge that says yes to what a text holds, and counts what it was asked."""

    name = "scripted"

    def __init__(self, statements: Sequence[str]) -> None:
        self._statements = list(statements)
        self.asked = 0

    async def ask(self, prompt: str, form: type[Any]) -> Any:
        self.asked += 1
        last = prompt.rpartition("Now perform")[2] or prompt
        holds = [specimen.BLEEDING in last, specimen.DOSE in last]
        match form.__name__:
            case "StatementGeneratorOutput":
                return form(statements=self._statements)
            case "NLIStatementOutput":
                return form(
                    statements=[
                        {"statement": s, "reason": "read", "verdict": int(held)}
                        for s, held in zip(self._statements, holds, strict=False)
                    ]
                )
            case "ContextPrecisionOutput":
                return form(reason="read", verdict=1)
            case "ContextRecallOutput":
                said = {"statement": "it", "reason": "read", "attributed": 1}
                return form(classifications=[said])
            case "AnswerRelevanceOutput":
                return form(question="How is veltromab taken?", noncommittal=0)
        raise RuntimeError(f"no answer to {form.__name__}")


class Broken:
    """A judge that is away."""

    name = "broken"

    async def ask(self, prompt: str, form: type[Any]) -> Any:
        raise RuntimeError("the judge is away")


def _embed(texts: Sequence[str]) -> list[list[float]]:
    return [[float(len(text)), 1.0] for text in texts]


def _case() -> Case:
    return specimen.case(
        facts=(("12 hours apart",), ("bleeding can be dangerous",)),
        sources=(specimen.A.path, "other.md"),
    )


def _rows() -> tuple[dict[str, Case], list[Row]]:
    row = specimen.answer()
    rows = [
        row,
        replace(specimen.refusal(), case="refused"),
        Row(case="failed", error="no model"),
        replace(specimen.answer([specimen.said("It is so.")], []), case="bare"),
    ]
    return {one.case: replace(_case(), id=one.case) for one in rows}, rows


# --- without ragas ----------------------------------------------------------------


def test_a_sample_holds_what_was_let_through_and_what_is_cited() -> None:
    """Contexts, cited passages, and the paragraphs that carry the facts."""
    row = specimen.answer()
    more = {**row.evidence[0], **specimen.place(specimen.A, specimen.OWN)}
    held = sample(
        _case(), replace(row, evidence=(*row.evidence, more)), specimen.SOURCES
    )
    assert held.cited == (specimen.DOSE, specimen.BLEEDING)
    assert held.contexts == (specimen.DOSE, specimen.BLEEDING, specimen.OWN)
    assert held.paths == ("tablets.md", "warnings.md")
    assert held.reference_contexts == (specimen.DOSE,)
    assert "[1]" not in held.response


# --- with ragas -------------------------------------------------------------------


@pytest.mark.ragas
async def test_rows_out_are_rows_in_whatever_happens() -> None:
    """A refusal never reaches ragas, an error stays one, nothing is dropped."""
    cases, rows = _rows()
    scripted = Scripted(["a", "b"])
    tools = Tools(judge=scripted, embed=_embed)
    found = await judge(tuple(METRICS), cases, rows, specimen.SOURCES, tools)
    assert len(found) == len(METRICS) * len(rows)
    by_case = {
        name: {one.result for one in found if one.case == name} for name in cases
    }
    assert by_case["specimen"] == {Result.PASS}, [
        (one.metric, one.why) for one in found if one.case == "specimen"
    ]
    assert by_case["refused"] == {Result.ABSTAINED}
    assert by_case["failed"] == {Result.ERROR}
    assert all(one.value is None or math.isfinite(one.value) for one in found)


@pytest.mark.ragas
async def test_a_judge_that_is_away_gives_errors_not_ones() -> None:
    """Every row that needed it fails closed."""
    cases, rows = _rows()
    tools = Tools(judge=Broken(), embed=_embed)
    found = await judge(JUDGED, cases, rows[:1], specimen.SOURCES, tools)
    assert {one.result for one in found} == {Result.ERROR}
    assert "away" in found[0].why


@pytest.mark.ragas
async def test_a_nan_is_an_error() -> None:
    """ragas gives NaN for an answer of which its judge makes no statement."""
    cases, rows = _rows()
    tools = Tools(judge=Scripted([]))
    names = ["ragas_faithfulness"]
    (found,) = await judge(names, cases, rows[:1], specimen.SOURCES, tools)
    assert found.result is Result.ERROR
    assert "NaN" in found.why


@pytest.mark.ragas
async def test_what_is_carried_by_uncited_passages_shows_R_E2() -> None:
    """Faithful to all that was found, half as faithful to what is cited."""
    row = specimen.answer()
    less = [specimen.citation(1, specimen.B, specimen.BLEEDING)]
    record = {**(row.record or {}), "sources": less}
    names = ["ragas_faithfulness", "ragas_faithfulness_cited"]
    cases = {"specimen": _case()}
    tools = Tools(judge=Scripted(["bleeding", "dose"]))
    rows = [replace(row, record=record)]
    found = await judge(names, cases, rows, specimen.SOURCES, tools)
    assert [one.value for one in found] == [1.0, 0.5]
    assert misattribution(found) == 0.5


@pytest.mark.ragas
async def test_metrics_without_a_judge_ask_none() -> None:
    """By the ids of documents, and by their text."""
    cases, rows = _rows()
    found = await judge(UNJUDGED, cases, rows[:1], specimen.SOURCES, Tools())
    values = {one.metric: one.value for one in found}
    assert values["ragas_id_context_precision"] == 0.5
    assert values["ragas_id_context_recall"] == 0.5
    assert values["ragas_text_context_recall"] == 1.0


@pytest.mark.ragas
async def test_a_missing_tool_is_named() -> None:
    """Before anything is asked."""
    cases, rows = _rows()
    with pytest.raises(ValueError, match="GROUNDRULE_JUDGE"):
        await judge(["ragas_faithfulness"], cases, rows, {}, Tools())
    with pytest.raises(ValueError, match="there are"):
        await judge(["faithfulness"], cases, rows, {}, Tools())
