"""A baseline holds a row a case of a run in which everything was asked and judged."""

from pathlib import Path

import pytest

from engine.model.errors import EnvironmentFailed, UsageError
from evals.compare import runs as baseline
from evals.compare import stored as kept
from evals.compare.decide import decide
from evals.compare.runs import Finished
from evals.compare.stored import Kind
from evals.forms import Result, Row
from tests.evals import samples
from tests.evals.compare.scored import FACTS, QUOTES, WEIGHTS


def stored(folder: Path, made: Finished) -> baseline.Baseline:
    """A run that was stored, as it is read back."""
    baseline.write(folder / "made_up", made)
    read = baseline.load("made_up", folder)
    assert read is not None
    return read


def test_a_run_is_read_back_as_rows_with_what_metrics_said_R_E3(tmp_path: Path) -> None:
    run = samples.run(failing={("dose", FACTS): Result.FAIL}, code="c")
    read = stored(tmp_path, run)
    assert read.rows == baseline.make_baseline(run).rows
    assert read.manifest["code"] == "c"
    then = {(s.case, s.metric): s.result for s in run.scored.scores}
    assert {(s.case, s.metric): s.result for s in read.held.scores} == then
    assert baseline.find_moved_cases(run, read) == {}


def test_what_moved_is_named_by_case_R_E3(tmp_path: Path) -> None:
    read = stored(tmp_path, samples.run())
    now = samples.run(rows=(samples.refusal("dose"), *samples.ROWS[1:]))
    found = baseline.find_moved_cases(now, read)
    assert list(found) == ["dose"]
    kinds = [each.kind for each in found["dose"]]
    assert kinds == [Kind.OUTCOME, Kind.REASON, Kind.QUOTATIONS]


def test_no_baseline_is_none_and_not_an_error(tmp_path: Path) -> None:
    assert baseline.load("made_up", tmp_path) is None


def test_a_damaged_baseline_is_named(tmp_path: Path) -> None:
    """Also one whose rows hold other metrics than its manifest."""
    stored(tmp_path, samples.run())
    file = tmp_path / "made_up" / kept.ROWS
    whole = file.read_text(encoding="utf-8")
    file.write_text(whole.replace('"results":"p', '"results":"pp'), encoding="utf-8")
    with pytest.raises(EnvironmentFailed, match="made_up"):
        baseline.load("made_up", tmp_path)
    file.write_text("{]\n", encoding="utf-8")
    with pytest.raises(EnvironmentFailed, match=r"rows\.jsonl:1"):
        baseline.load("made_up", tmp_path)


@pytest.mark.parametrize(
    "made",
    [
        samples.run(failing={("dose", FACTS): Result.ERROR}),
        samples.run(rows=(Row(case="dose", error="away"), *samples.ROWS[1:])),
        samples.run(rows=(samples.unheard("dose"), *samples.ROWS[1:])),
    ],
    ids=["error score", "error row", "unheard"],
)
def test_what_must_not_be_a_baseline_is_refused_R_E3(
    tmp_path: Path, made: Finished
) -> None:
    """And nothing is written."""
    with pytest.raises(UsageError, match="holds errors, in dose"):
        baseline.write(tmp_path / "to", made)
    assert not (tmp_path / "to").exists()


def test_what_is_wrong_in_a_baseline_stays_known(tmp_path: Path) -> None:
    """It may hold a broken invariant; the next run is red for that all the same."""
    wrong = samples.run(failing={("dose", QUOTES): Result.FAIL})
    read = stored(tmp_path, wrong)
    assert decide(wrong.scored, read.held, WEIGHTS).exit_code == 1
