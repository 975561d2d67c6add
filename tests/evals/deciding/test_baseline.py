"""A baseline is made on purpose, of a whole run of a clean tree, without errors."""

from pathlib import Path

import pytest

from engine.errors import UsageError
from evals.decide import decide
from evals.deciding import baseline
from evals.deciding.finished import Finished, finished, write_verdict
from evals.forms import Result, Row
from tests.evals import samples
from tests.evals.scored import FACTS, QUOTES, WEIGHTS

CLEAN = {"git": {"commit": "abc", "dirty": False}}
WANTED = [case.id for case in samples.CASES]


def kept(folder: Path, made: Finished) -> Path:
    samples.kept(made, folder)
    write_verdict(folder, decide(made.scored, None, WEIGHTS))
    return folder


def test_a_run_becomes_the_baseline_with_its_reason_R_E3(tmp_path: Path) -> None:
    run = kept(tmp_path / "run", samples.run(**CLEAN))
    to = tmp_path / "baselines" / "made_up"
    made = baseline.renew(run, to, WANTED, "answers name\nthe dose")
    assert made.manifest[baseline.REASON] == "answers name the dose"
    loaded = baseline.load("made_up", tmp_path / "baselines")
    assert loaded is not None
    assert loaded.scored.scores == finished(run).scored.scores
    assert len((to / "trend.jsonl").read_text().splitlines()) == 1


def test_no_baseline_is_none_and_not_an_error(tmp_path: Path) -> None:
    assert baseline.load("made_up", tmp_path) is None


@pytest.mark.parametrize(
    ("made", "wanted", "reason", "said"),
    [
        (samples.run(**CLEAN), WANTED, " ", "needs a reason"),
        (samples.run(git={"dirty": True}), WANTED, "x", "differs from its commit"),
        (samples.run(git={"dirty": None}), WANTED, "x", "no git checkout"),
        (samples.run(**CLEAN), [*WANTED, "more"], "x", "lacks more"),
        (
            samples.run(failing={("dose", FACTS): Result.ERROR}, **CLEAN),
            WANTED,
            "x",
            "holds errors, in dose",
        ),
        (
            samples.run(
                rows=(Row(case="dose", error="away"), *samples.ROWS[1:]), **CLEAN
            ),
            WANTED,
            "x",
            "holds errors, in dose",
        ),
        (
            samples.run(rows=(samples.unheard("dose"), *samples.ROWS[1:]), **CLEAN),
            WANTED,
            "x",
            "not heard in dose: record again",
        ),
    ],
    ids=[
        "no reason",
        "dirty",
        "no git",
        "not whole",
        "error score",
        "error row",
        "unheard",
    ],
)
def test_what_must_not_be_a_baseline_is_refused_R_E3(
    tmp_path: Path, made: Finished, wanted: list[str], reason: str, said: str
) -> None:
    """And nothing is written."""
    run, to = kept(tmp_path / "run", made), tmp_path / "to"
    with pytest.raises(UsageError, match=said):
        baseline.renew(run, to, wanted, reason)
    assert not to.exists()


def test_what_is_wrong_in_a_baseline_stays_known(tmp_path: Path) -> None:
    """It may hold a broken invariant; the next run is red for that all the same."""
    wrong = samples.run(failing={("dose", QUOTES): Result.FAIL}, **CLEAN)
    run = kept(tmp_path / "run", wrong)
    made = baseline.renew(run, tmp_path / "to", WANTED, "first one")
    assert decide(wrong.scored, made.scored, WEIGHTS).exit_code == 1


def test_a_baseline_is_judged_anew_without_asking(tmp_path: Path) -> None:
    """By today's metrics and their code; where one stumbles, nothing is changed."""
    folder = kept(tmp_path / "made_up", samples.run(**CLEAN))
    before = (folder / "scores.jsonl").read_bytes()
    with pytest.raises(UsageError, match="needs a reason"):
        baseline.rescore(folder, "")
    with pytest.raises(UsageError, match="renew it first"):
        baseline.rescore(tmp_path / "none", "x")
    with pytest.raises(UsageError, match="holds errors"):
        baseline.rescore(folder, "these rows lack what metrics read")
    assert (folder / "scores.jsonl").read_bytes() == before
