"""ragas over a recorded run, beside the decision; most of it needs `make ragas`."""

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evals import store
from evals.advice.ragas_bridge import (
    FOLDER,
    METRICS,
    ask_ragas,
    make_sample,
    read_ragas,
    run_ragas,
)
from evals.forms import Case, Result, Row, Score
from evals.report.page import write_ragas
from evals.score import specimen
from evals.score.catalogue import Finding, Subject
from evals.score.score import score_run
from tests.bot.command import Command
from tests.evals.report.test_page import shown as show_page

# ragas reads an id of its user, also where it sends nothing, and leaves the file open.
pytestmark = pytest.mark.filterwarnings(
    "ignore:.*ragas.uuid.json:pytest.PytestUnraisableExceptionWarning"
)

ADVISING = {name for name, metric in METRICS.items() if not metric.asks}
CASE = specimen.case(
    facts=(("12 hours apart",), ("bleeding can be dangerous",)),
    sources=(specimen.A.path, "other.md"),
)


class Scripted:
    """A judge that says yes to what a text holds."""

    name = "scripted"

    def __init__(self, *statements: str) -> None:
        self._statements = list(statements)

    async def ask(self, prompt: str, form: type[Any]) -> Any:
        last = prompt.rpartition("Now perform")[2] or prompt
        holds = [specimen.BLEEDING in last, specimen.DOSE in last]
        match form.__name__:
            case "StatementGeneratorOutput":
                return form(statements=self._statements)
            case "NLIStatementOutput":
                read = zip(self._statements, holds, strict=False)
                given = [
                    {"statement": s, "reason": "read", "verdict": int(held)}
                    for s, held in read
                ]
                return form(statements=given)
            case "ContextPrecisionOutput":
                return form(reason="read", verdict=1)
            case "ContextRecallOutput":
                said = {"statement": "it", "reason": "read", "attributed": 1}
                return form(classifications=[said])
        raise RuntimeError(f"no answer to {form.__name__}")


class Broken:
    """A judge that is away."""

    name = "broken"

    async def ask(self, prompt: str, form: type[Any]) -> Any:
        raise RuntimeError("the judge is away")


def subject(row: Row, case: Case = CASE) -> Subject:
    """A row with its case and the documents of the specimens."""
    return Subject(case, row, specimen.SOURCES)


async def judged(row: Row, judge: Broken | Scripted, *names: str) -> dict[str, Finding]:
    """What metrics of ragas find in a row."""
    return {name: await ask_ragas(name, subject(row), judge) for name in names}


def test_a_sample_holds_what_was_let_through_and_what_is_cited() -> None:
    """Contexts, cited passages, and the paragraphs that carry the facts."""
    row = specimen.answer()
    more = {**row.evidence[0], **specimen.place(specimen.A, specimen.OWN)}
    held = make_sample(subject(replace(row, evidence=(*row.evidence, more))))
    cited = next(name for name in held if name.endswith("cited"))
    assert held[cited] == [specimen.DOSE, specimen.BLEEDING]
    assert held["retrieved_contexts"] == [*held[cited], specimen.OWN]
    assert held["retrieved_context_ids"] == ["tablets.md", "warnings.md"]
    assert held["reference_contexts"] == [specimen.DOSE]
    assert "[1]" not in held["response"]


@pytest.mark.ragas
async def test_a_row_ends_as_a_finding_whatever_happens_R_E2() -> None:
    """A refusal never reaches ragas, an error stays one, a value is a share."""
    scripted = Scripted("a", "b")
    found = await judged(specimen.answer(), scripted, *METRICS)
    assert {one.result for one in found.values()} == {Result.PASS}, found
    assert all(math.isfinite(one.value or 0.0) for one in found.values())
    for row, result in (
        (specimen.refusal(), Result.ABSTAINED),
        (Row(case="failed", error="no model"), Result.ERROR),
    ):
        ended = await judged(row, scripted, *METRICS)
        assert {one.result for one in ended.values()} == {result}


@pytest.mark.ragas
async def test_a_judge_that_is_away_or_says_nothing_gives_errors_R_E2() -> None:
    """ragas gives NaN for an answer of which its judge makes no statement."""
    asking = METRICS.keys() - ADVISING
    found = await judged(specimen.answer(), Broken(), *asking)
    assert all(
        one.result is Result.ERROR and "away" in one.why for one in found.values()
    )
    found = await judged(specimen.answer(), Scripted(), "ragas_faithfulness")
    assert found["ragas_faithfulness"].result is Result.ERROR
    assert "NaN" in found["ragas_faithfulness"].why


@pytest.mark.ragas
async def test_what_is_carried_by_uncited_passages_shows_R_E2() -> None:
    """Faithful to all that was found, half as faithful to what is cited."""
    row = specimen.answer()
    less = [specimen.citation(1, specimen.B, specimen.BLEEDING)]
    row = replace(row, record={**(row.record or {}), "sources": less})
    names = ("ragas_faithfulness", "ragas_faithfulness_cited")
    found = await judged(row, Scripted("bleeding", "dose"), *names)
    assert [found[name].value for name in names] == [1.0, 0.5]


# --- a run ------------------------------------------------------------------------


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A scored run of an answer and a refusal."""
    rows = [specimen.answer(), replace(specimen.refusal(), case="refused")]
    facts = specimen.case(facts=(("12 hours apart",),), sources=(specimen.A.path,))
    store.write_cases(tmp_path, [replace(facts, id=row.case) for row in rows])
    store.write_rows(tmp_path, rows)
    store.write_sources(tmp_path, specimen.SOURCES.values())
    store.write_manifest(tmp_path, {"code": "abc"})
    score_run(tmp_path)
    return tmp_path


def changed(run: Path, metric: str, **more: object) -> None:
    """Let the decision say something else of the answer."""
    scores: Sequence[Score] = store.read_scores(run)
    store.write_scores(
        run,
        [
            replace(one, **more)  # type: ignore[arg-type]
            if (one.case, one.metric) == ("specimen", metric)
            else one
            for one in scores
        ],
    )


@pytest.mark.ragas
async def test_deciding_metrics_come_to_the_same_by_ragas_R_E2(run: Path) -> None:
    """Every one of them for every row, beside those of ragas that ask nobody."""
    ran = await run_ragas(run)
    assert ran.broken == ()
    assert ran.ours > 2 * 10
    assert {score.metric for score in ran.theirs} == ADVISING
    values = {s.metric: s.value for s in ran.theirs if s.case == "specimen"}
    assert values["ragas_id_context_precision"] == 0.5
    assert values["ragas_id_context_recall"] == 1.0
    assert len(store.read_scores(run / FOLDER)) == 2 * len(ADVISING)


@pytest.mark.ragas
@pytest.mark.parametrize("value", [0.5, None])
async def test_a_value_that_differs_is_red_R_E2(run: Path, value: float | None) -> None:
    """Whatever the decision says, and whichever way it lies."""
    changed(run, "verbatim", value=value, result="fail")
    ran = await run_ragas(run)
    [differing] = ran.differing
    assert differing.startswith("specimen: verbatim is fail")


@pytest.mark.ragas
async def test_a_judge_that_is_away_breaks_nothing_R_E2(run: Path) -> None:
    """What it judges is advice; its errors are counted."""
    ran = await run_ragas(run, Broken())
    assert ran.broken == ()
    held = read_ragas(run)
    assert held is not None and held["judge"] == "broken"
    lines = {line["metric"]: line for line in held["theirs"]}
    assert lines["ragas_faithfulness"]["errors"] == 1
    assert lines["ragas_faithfulness"]["mean"] is None


@pytest.mark.ragas
async def test_the_report_shows_what_ragas_made_of_these_answers_R_E2(
    run: Path,
) -> None:
    """Of these and no others: scored again, it says nothing of them."""
    assert write_ragas(read_ragas(run)) == ""
    await run_ragas(run)
    said = write_ragas(read_ragas(run))
    assert "all agree" in said
    assert "| ragas_id_context_recall | 1.000 | 1 of 2 | 0 |" in said
    shown = show_page(by_ragas=read_ragas(run))
    assert "all agree" in shown and "ragas_id_context_recall" in shown
    changed(run, "verbatim", why="looked at again")
    assert read_ragas(run) is None


def test_a_page_says_that_ragas_was_not_asked() -> None:
    """Where nobody ran it, nobody is told that all agree."""
    assert "make ragas" in show_page()


def test_without_a_run_there_is_nothing_to_score(
    evals: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says what to do first."""
    monkeypatch.setattr("evals.commands.ragas.RUNS", tmp_path)
    told_of = evals("ragas")
    assert told_of.code == 2
    assert "make evals" in told_of.err
