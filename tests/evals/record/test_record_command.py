"""`python -m evals record`: the line it ends with, errors by name, wrong usage."""

from functools import partial
from pathlib import Path

import pytest

from evals import store
from tests.bot.command import Command
from tests.evals import library


@pytest.fixture
def record(tmp_path: Path, evals: Command, monkeypatch: pytest.MonkeyPatch) -> Command:
    """The verb over the small pack, which keeps nothing outside of a test."""
    small = library.make(tmp_path)
    monkeypatch.setenv("GROUNDRULE_PACKS", str(small.library.packs))
    monkeypatch.setenv("GROUNDRULE_DATA", str(tmp_path / "untouched"))
    places = ("--pack", library.PACK, "--cache", tmp_path / "cache")
    return partial(evals, "record", *places)


def test_a_run_ends_with_its_counts_R_E4(record: Command, tmp_path: Path) -> None:
    """Cases, rows, errors, and what was asked now and before."""
    out = tmp_path / "run"
    options = ("--suite", "must_refuse_fixtures", "--no-generated", "--out", out)
    first = record(*options)
    assert first.code == 0, first.err
    assert "10 cases, 10 rows, 0 errors; 10 asked, 0 known from before" in first.out
    assert len(store.recorded(out).rows) == 10
    assert "0 asked, 10 known from before" in record(*options).out
    assert not (tmp_path / "untouched").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--suite", "none"), "--suite none: there are"),
        (("--repeats", 0), "--repeats 0"),
        (("--concurrency", 0), "--concurrency 0"),
        (("--max-usd", -1), "--max-usd -1"),
        (("--play", "none.jsonl"), "there is no such cassette"),
        (("--play", "a", "--tape", "b"), "give one of them"),
    ],
)
def test_wrong_usage_is_a_sentence_and_exit_code_2_R_P2(
    record: Command, options: tuple[object, ...], said: str
) -> None:
    """Nothing is asked, and no record is written."""
    result = record(*options)
    assert result.code == 2
    assert said in result.err
    assert "Traceback" not in result.err
