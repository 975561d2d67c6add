"""A release that breaks leaves no report of an earlier one, and says so at last."""

from pathlib import Path

import pytest

from evals import broken
from evals.broken import JUNIT, PAGE, SUMMARY


@pytest.mark.parametrize("form", [("--out", "{}"), ("--out={}",)])
def test_a_broken_release_leaves_no_report_where_it_writes_them_R_P2(
    form: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """In the folder that --out names as well as in that of every release."""
    runs, out = tmp_path / "runs", tmp_path / "out"
    pages = [f / "mrd" / n for f in (runs, out) for n in (PAGE, SUMMARY, JUNIT)]
    for page in pages:
        page.parent.mkdir(parents=True, exist_ok=True)
        page.touch()
    monkeypatch.setattr(broken, "RUNS", runs)
    given = [each.format(out) for each in form]
    monkeypatch.setattr("sys.argv", ["evals", "release", *given])
    error = RuntimeError("no such thing")
    broken.end_broken(RuntimeError, error, None)
    assert not any(page.exists() for page in pages)
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == "Must not be released: it broke, RuntimeError: no such thing"


def test_a_verb_that_was_stopped_says_so_on_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """No traceback: nothing is wrong."""
    monkeypatch.setattr("sys.argv", ["evals", "oracle"])
    broken.end_broken(KeyboardInterrupt, KeyboardInterrupt(), None)
    assert capsys.readouterr().err == "Stopped.\n"
