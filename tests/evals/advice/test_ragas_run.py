"""A recorded run through ragas, and what the report says of it; needs `make ragas`."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from evals import store
from evals.advice.ragas_bridge import Tools
from evals.advice.ragas_run import ADVISING, FOLDER, run_through, told
from evals.forms import Score
from evals.metrics import specimen
from evals.report import ragas_view
from evals.scoring import score_run
from tests.bot.command import Command
from tests.evals.advice.test_ragas_bridge import Broken

pytestmark = pytest.mark.filterwarnings(
    "ignore:.*ragas.uuid.json:pytest.PytestUnraisableExceptionWarning"
)


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
    ran = await run_through(run, Tools())
    assert ran.broken == ()
    assert ran.ours > 2 * 10
    assert {score.metric for score in ran.theirs} == set(ADVISING)
    assert len(store.read_scores(run / FOLDER)) == 2 * len(ADVISING)


@pytest.mark.ragas
@pytest.mark.parametrize("value", [0.5, None])
async def test_a_value_that_differs_is_red_R_E2(run: Path, value: float | None) -> None:
    """Whatever the decision says, and whichever way it lies."""
    changed(run, "verbatim", value=value, result="fail")
    ran = await run_through(run, Tools())
    [differing] = ran.differing
    assert differing.startswith("specimen: verbatim is fail")


@pytest.mark.ragas
async def test_a_judge_that_is_away_breaks_nothing_R_E2(run: Path) -> None:
    """What it judges is advice; its errors are counted."""
    ran = await run_through(run, Tools(judge=Broken()))
    assert ran.broken == ()
    held = told(run)
    assert held is not None and held["judge"] == "broken"
    lines = {line["metric"]: line for line in held["theirs"]}
    assert lines["ragas_faithfulness"]["errors"] == 1
    assert lines["ragas_faithfulness"]["mean"] is None


@pytest.mark.ragas
async def test_the_report_shows_what_ragas_made_of_these_answers_R_E2(
    run: Path,
) -> None:
    """Of these and no others: scored again, it says nothing of them."""
    assert ragas_view.markdown(told(run)) == ""
    await run_through(run, Tools())
    said = ragas_view.markdown(told(run))
    assert "all agree" in said
    assert "| ragas_id_context_recall | 1.000 | 1 of 2 | 0 |" in said
    shown = "".join(ragas_view.section(told(run)).itertext())
    assert "all agree" in shown and "ragas_id_context_recall" in shown
    changed(run, "verbatim", why="looked at again")
    assert told(run) is None


def test_a_page_says_that_ragas_was_not_asked() -> None:
    """Where nobody ran it, nobody is told that all agree."""
    assert "make ragas" in "".join(ragas_view.section(None).itertext())


def test_without_a_run_there_is_nothing_to_score(
    evals: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says what to do first."""
    monkeypatch.setattr("evals.commands.ragas.RUNS", tmp_path)
    told_of = evals("ragas")
    assert told_of.code == 2
    assert "make evals" in told_of.err
