"""Rows times metrics: nothing lost, nothing made up, a stumble is an error."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from engine.model.errors import EnvironmentFailed, UsageError
from evals import store
from evals.commands import score as scoring
from evals.forms import Case, Result, Row
from evals.score import catalogue, specimen
from evals.score.catalogue import Finding, Metric, Subject
from evals.score.score import ScoresLost, score, score_run

CRASHES = 4


def shaky(does: str, crashing: int = CRASHES) -> Metric:
    """A metric that passes all but some cases, in which it does something else."""
    names = {f"case-{number:03}" for number in range(crashing)}

    def judge(on: Subject) -> Finding:
        value = 1.0
        if on.row.case in names:
            if does == "raises":
                raise KeyError("sources")
            if does == "gives nothing":
                return None  # type: ignore[return-value]
            value = float(does)
        return Finding(result=Result.PASS, value=value)

    return Metric("shaky", "gate", judge, tuple)


def _run(count: int) -> tuple[dict[str, Case], list[Row]]:
    names = [f"case-{number:03}" for number in range(count)]
    cases = {name: replace(specimen.case(), id=name) for name in names}
    return cases, [replace(specimen.answer(), case=name) for name in names]


@pytest.mark.parametrize("does", ["raises", "gives nothing", "nan", "inf", "1.5", "-1"])
def test_four_crashes_of_a_hundred_are_four_errors_R_E2(does: str) -> None:
    """A crash, a NaN and a number that is no share stay in the denominator."""
    cases, rows = _run(100)
    found = score(cases, rows, specimen.SOURCES, [shaky(does)])
    assert len(found) == 100
    assert sum(one.result is Result.ERROR for one in found) == CRASHES
    assert all(one.why for one in found if one.result is Result.ERROR)


def test_a_row_that_is_an_error_is_one_for_every_metric_R_E2() -> None:
    """Also one without a record, and one of no case."""
    cases, rows = _run(3)
    rows[0] = Row(case="case-000", error="no model")
    rows[1] = Row(case="case-001")
    del cases["case-002"]
    metrics = catalogue.load()
    found = score(cases, rows, specimen.SOURCES, metrics)
    assert len(found) == 3 * len(metrics)
    assert {one.result for one in found} == {Result.ERROR}
    assert "no model" in found[0].why


def test_a_damaged_row_is_an_error_not_a_pass() -> None:
    """A record that lacks its parts cannot be judged."""
    cases, _ = _run(1)
    row = Row(case="case-000", record={"was_refusal": False}, served="“x”")
    for one in score(cases, [row], {}, catalogue.load(["verbatim", "citation"])):
        assert one.result is Result.ERROR


def test_nothing_to_score_is_refused() -> None:
    """An empty run proves nothing."""
    cases, rows = _run(1)
    with pytest.raises(ScoresLost, match="no row"):
        score(cases, [], {}, catalogue.load(["facts"]))
    with pytest.raises(ScoresLost, match="no metric"):
        score(cases, rows, {}, [])


def test_doubled_rows_and_metrics_are_refused() -> None:
    """Nothing is counted twice."""
    cases, rows = _run(2)
    facts = catalogue.load(["facts"])
    with pytest.raises(ScoresLost, match="twice"):
        score(cases, [*rows, rows[0]], {}, facts)
    with pytest.raises(ScoresLost, match="twice"):
        score(cases, rows, {}, [*facts, *facts])


def test_scores_are_sorted_whatever_the_order_of_rows() -> None:
    """By case, repeat and metric."""
    cases, rows = _run(5)
    metrics = catalogue.load(["routing", "facts"])
    forward = score(cases, rows, {}, metrics)
    backward = score(cases, rows[::-1], {}, metrics[::-1])
    assert forward == backward
    places = [(one.case, one.repeat, one.metric) for one in forward]
    assert places == sorted(places)


# --- the command ------------------------------------------------------------------


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A recorded run of three cases, one of which could not be asked."""
    cases, rows = _run(3)
    rows[2] = Row(case="case-002", error="no model")
    store.write_cases(tmp_path, cases.values())
    store.write_rows(tmp_path, rows)
    store.write_sources(tmp_path, specimen.SOURCES.values())
    store.write_manifest(tmp_path, {"code": "abc"})
    return tmp_path


def test_an_old_record_is_scored_without_a_call_R_E2(run: Path) -> None:
    """Scores, and the hash of the code that judged, stand beside the answers."""
    found = score_run(run)
    assert found.rows == 3
    assert len(found.scores) == 3 * len(catalogue.NAMES)
    assert found.count(Result.ERROR) == len(catalogue.NAMES)
    assert store.read_scores(run) == found.scores
    manifest: Any = store.read_manifest(run)
    assert manifest["code"] == "abc"
    assert manifest["scoring"]["code"] == catalogue.code()
    assert set(manifest["scoring"]["mutation"].values()) == {1.0}


def test_scoring_twice_gives_the_same_bytes_R_E2(run: Path) -> None:
    """Nothing in scores.jsonl differs from run to run."""
    score_run(run)
    first = (run / store.SCORES).read_bytes()
    score_run(run)
    assert (run / store.SCORES).read_bytes() == first


def test_the_command_says_what_came_of_it(run: Path) -> None:
    """Counts by result; an unknown metric and an empty folder have their exit codes."""
    said = CliRunner().invoke(scoring.app, [str(run), "--metric", "facts"])
    assert said.exit_code == 0
    assert "3 rows by 1 metric: 0 pass, 0 fail" in said.output
    with pytest.raises(UsageError, match="verbatim"):
        _invoke(scoring.app, str(run), "--metric", "quotes")
    with pytest.raises(EnvironmentFailed, match="record first"):
        _invoke(scoring.app, str(run / "nowhere"))


def _invoke(app: typer.Typer, *arguments: str) -> None:
    CliRunner().invoke(app, arguments, catch_exceptions=False)


def test_metrics_are_the_standard_library_alone() -> None:
    """Scoring brings neither engine nor pydantic nor numpy."""
    program = (
        "import sys, json; from evals.score import catalogue, score;"
        "catalogue.load(); print(json.dumps(sorted(sys.modules)))"
    )
    made = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    loaded = {name.split(".")[0] for name in json.loads(made.stdout)}
    outside = {"engine", "pydantic", "numpy", "re2", "yaml", "bot", "adapters"}
    assert not loaded & outside
