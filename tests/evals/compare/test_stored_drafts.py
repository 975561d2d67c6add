"""Stored drafts are a check of every verdict."""

from pathlib import Path

import pytest

from engine.model.errors import UsageError
from evals.compare import drafts as replay
from evals.compare.drafts import Expected, check_stored_drafts
from evals.compare.verdict import Status
from tests.evals.sensitivity.breaking import instead

STORED = replay.load()


def test_a_file_that_is_missing_is_taken_back_from_git(tmp_path: Path) -> None:
    """It is no pack, so that no command makes one."""
    with pytest.raises(UsageError, match=r"is missing; take it back from git"):
        replay.load(tmp_path / "stored_drafts.yaml")


def test_a_wrong_verdict_is_a_failed_check_of_every_pack_R_P2_R_E2(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is named; a draft that breaks what judges it is one of them."""
    assert check_stored_drafts().result is Status.PASS
    wrong = STORED[0].model_copy(update={"expected": Expected(shown=("Else.",))})
    monkeypatch.setattr("evals.compare.drafts.load", lambda: (wrong, *STORED[1:3]))
    found = check_stored_drafts()
    assert found.result is Status.FAIL
    assert found.why.startswith(f"1 fault in 3 stored drafts: {wrong.id}: shown: ")
    broken = {"evals.compare.drafts.judge_draft": lambda _: {}["nothing"]}
    with instead(broken):
        assert f"{wrong.id}: makes no answer (KeyError" in check_stored_drafts().why
