"""Wrong answers that a baseline holds have an owner and a day on which they end."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path

import pytest

from engine.model.errors import UsageError
from evals.commands.release import list_packs
from evals.compare import accepted
from evals.compare import runs as baseline
from evals.compare.accepted import Accepted
from evals.compare.runs import BASELINES
from evals.compare.verdict import Check, Status
from evals.forms import Result, Weight
from evals.score import catalogue
from tests.evals import samples
from tests.evals.test_commands import judged

TODAY = date(2026, 11, 23)
ENTRY = Accepted(case="dose", owner="Content team", until=TODAY, why="is too old")


def checked(found: Sequence[str], *entries: Accepted, on: date = TODAY) -> list[Check]:
    return list(accepted.check_owners(found, entries, on))


def test_an_accepted_wrong_answer_is_told_until_its_day_R_E3() -> None:
    """On its last day it still is; the sentence says how many there are."""
    [check] = checked(["dose"], ENTRY)
    assert check.result is Status.PASS
    assert check.why.startswith("1 case answered wrongly")


def test_a_wrong_answer_that_nobody_owns_is_red_R_E3() -> None:
    [check] = checked(["dose", "other"], ENTRY)
    assert (check.result, check.cases) == (Status.FAIL, ("other",))


def test_a_day_that_has_passed_is_red_R_E3() -> None:
    """It names whose it is."""
    [check] = checked(["dose"], ENTRY, on=date(2026, 11, 24))
    assert check.result is Status.FAIL
    assert "dose (Content team, 2026-11-23)" in check.why


def test_what_is_mended_leaves_the_file_R_E3() -> None:
    """An entry that nothing needs would let the answer turn wrong again unseen."""
    [check] = checked([], ENTRY)
    assert check.result is Status.INCONCLUSIVE
    assert "baseline accept RUN" in check.why


def test_an_answer_is_wrong_where_it_fails_a_gate_metric_R_E3() -> None:
    """What was refused is no wrong answer, and advice decides nothing."""
    made = judged(samples.run(), ("dose", "facts"))
    assert made.row("dose") is not None
    gates: dict[str, Weight] = {"facts": "gate"}
    assert set(accepted.find_reasons(made, gates)) == {"dose"}
    assert accepted.find_reasons(made, {"facts": "advice"}) == {}
    refused = samples.run(rows=(samples.refusal("dose"), *samples.ROWS[1:]))
    assert accepted.find_reasons(judged(refused, ("dose", "facts")), gates) == {}


def test_the_file_says_what_an_entry_lacks_R_E3(tmp_path: Path) -> None:
    """File, line and field; twice the same case is refused, too."""
    file = tmp_path / accepted.FILE
    file.write_text("oncology:\n- case: dose\n  until: 2026-12-01\n  why: x\n")
    with pytest.raises(UsageError, match=r"accepted\.yaml:2: oncology\[0\]\.owner"):
        accepted.read(tmp_path)
    entry = "- {case: dose, owner: team, until: 2026-12-01, why: x}\n"
    file.write_text(f"oncology:\n{entry}{entry}")
    with pytest.raises(UsageError, match="dose is there twice"):
        accepted.read(tmp_path)
    file.write_text("oncology:\n- {case: a, owner: ' ', until: 2026-12-01, why: x}\n")
    with pytest.raises(UsageError, match="owner: is empty"):
        accepted.read(tmp_path)


def test_renewing_keeps_owners_and_days_R_E3(tmp_path: Path) -> None:
    """New ones get the owner and the day that are given; what is mended goes."""
    gone = ENTRY.model_copy(update={"case": "gone"})
    wrong = {"dose": "is too old", "new": "is false"}
    made = accepted.renew([ENTRY, gone], wrong, "Owners", date(2026, 12, 21))
    assert made[0] == ENTRY
    assert (made[1].case, made[1].owner, len(made)) == ("new", "Owners", 2)
    accepted.write(tmp_path, {"oncology": made})
    assert accepted.read(tmp_path) == {"oncology": made}


def test_the_first_line_counts_them_R_E3() -> None:
    late = ENTRY.model_copy(update={"case": "late", "until": date(2026, 11, 1)})
    said = accepted.describe({"oncology": (ENTRY,), "textbook": (late,)}, TODAY)
    assert said.startswith("2 wrong answers accepted for now (oncology 1, textbook 1)")
    assert "1 past its day" in said
    assert accepted.describe({}, TODAY) == "No wrong answer is accepted."


@pytest.mark.parametrize("pack", list_packs())
def test_every_wrong_answer_of_a_baseline_is_owned_R_E3(pack: str) -> None:
    """Whoever stores a baseline renews the file: `python -m evals baseline accept`."""
    made = baseline.load(pack)
    assert made is not None
    weights = catalogue.WEIGHTS
    answered = {
        row.case
        for rows in made.rows.values()
        for row in rows
        if row.outcome == "answer"
    }
    found = {
        score.case
        for score in made.held.scores
        if score.result is Result.FAIL and weights[score.metric] == "gate"
    }
    entries = accepted.read(BASELINES).get(pack, ())
    assert sorted(entry.case for entry in entries) == sorted(answered & found)
