"""Red runs, changed answers and single cases are explained in sentences."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine.model.errors import EnvironmentFailed, UsageError
from evals import store
from evals.compare.decide import decide
from evals.compare.explain import explain, why
from evals.compare.runs import (
    Finished,
    make_baseline,
    read_run,
    read_verdict,
    write_verdict,
)
from evals.compare.verdict import Verdict
from evals.forms import Result, Row
from tests.evals import samples
from tests.evals.compare.scored import FACTS, QUOTES, WEIGHTS

BASELINE = make_baseline(samples.run("baseline"))


def decided(run: Finished) -> Verdict:
    return decide(run.scored, BASELINE.held, WEIGHTS)


def told(lines: Iterator[str]) -> str:
    return "\n".join(lines)


def test_a_red_run_is_explained_R_E3() -> None:
    """The check, the case with its place, the metric's reason and what came of it."""
    rows = (samples.refusal("dose"), *samples.ROWS[1:])
    run = samples.run(rows=rows, failing={("dose", FACTS): Result.FAIL}, code="2")
    said = told(why(decided(run), run, BASELINE))
    assert said.startswith("Must not be released: hard failures facts failed.")
    assert "dose (evals/suites/made_up/basics.yaml:12): How is dose taken?" in said
    assert "facts: fail, facts looked at dose" in said
    assert "    refused (NO_RESULTS)\n    moved, outcome: answer → refusal" in said
    assert "Changed since the baseline: code." in said
    assert "1 of 3 rows moved: dose." in said


def test_a_case_that_fails_two_metrics_is_told_once_R_E3() -> None:
    """Below the first check that names it, with what both metrics say of it."""
    failing = {("dose", FACTS): Result.FAIL, ("dose", QUOTES): Result.FAIL}
    run = samples.run(failing=failing, code="2")
    said = told(why(decided(run), run, BASELINE))
    assert said.count("How is dose taken?") == 1
    assert "facts: fail, facts looked at dose" in said
    assert "verbatim: fail, verbatim looked at dose" in said


def test_a_green_run_says_so_in_a_sentence() -> None:
    said = told(why(decided(samples.run()), samples.run(), BASELINE))
    assert said.startswith("May be released: all ")
    assert "Changed since the baseline: nothing." in said


def test_a_case_that_could_not_run_is_told_as_that() -> None:
    crashed = Row(case="dose", error="model: out of reach")
    failing = {("dose", QUOTES): Result.ERROR, ("dose", FACTS): Result.ERROR}
    run = samples.run(rows=(crashed, *samples.ROWS[1:]), failing=failing)
    alike = [replace(s, why=crashed.error) for s in run.scores["dose"]]
    run = replace(run, scores={**run.scores, "dose": tuple(alike)})
    said = told(why(decided(run), run, BASELINE))
    assert "    could not run: model: out of reach" in said
    assert "    facts, verbatim: error" in said
    assert said.count("How is dose taken?") == 1


def test_what_moved_is_named_though_the_outcome_did_not_R_E3() -> None:
    changed = samples.answer("dose", text="Take the tablets twice a day")
    now = samples.run("now", rows=(changed, *samples.ROWS[1:]))
    assert "1 of 3 rows moved: dose." in told(why(decided(now), now, BASELINE))
    said = told(explain("dose", now, BASELINE))
    assert "moved, quotations: tablets v1 [20, 65) → tablets v1 [20, 48)" in said


def test_one_case_is_explained_whole() -> None:
    said = told(explain("dose", samples.run(), BASELINE))
    for part in (
        "Question: How is dose taken?",
        "Expected: outcome answer, facts (('twice a day',),)",
        "verbatim: pass",
        "Passage 0.90 tablets.md: Take the tablets twice a day",
        "As in the baseline.",
    ):
        assert part in said, part


def test_an_unknown_case_names_near_ones() -> None:
    with pytest.raises(UsageError, match="did you mean dose"):
        told(explain("dos", samples.run(), None))


def test_a_run_is_read_back_as_it_was_kept(tmp_path: Path) -> None:
    made = samples.run(tmp_path.name)
    read = read_run(samples.kept(made, tmp_path))
    assert read == replace(made, manifest=read.manifest)
    write_verdict(tmp_path, decided(read))
    assert read_verdict(tmp_path).lines() == decided(made).lines()


def test_what_is_missing_or_damaged_is_named(tmp_path: Path) -> None:
    """With the command that makes it, and the exit code that fits."""
    with pytest.raises(UsageError, match="record"):
        read_run(tmp_path)
    samples.kept(samples.run(), tmp_path)
    with pytest.raises(UsageError, match="decide"):
        read_verdict(tmp_path)
    (tmp_path / store.VERDICT).write_text('{"check":"verdict","result":"release"}\n')
    with pytest.raises(EnvironmentFailed, match="does not follow"):
        read_verdict(tmp_path)
    (tmp_path / store.SCORES).write_text("{]\n")
    with pytest.raises(EnvironmentFailed, match=r"scores\.jsonl:1"):
        read_run(tmp_path)
