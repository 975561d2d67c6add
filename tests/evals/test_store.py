"""The files of a run: the same bytes, and nothing damaged is read as whole."""

from datetime import date
from pathlib import Path

import pytest

from evals import store
from evals.forms import AtMost, Case, Change, Expected, Result, Row, Score, Source
from evals.store import StoreFailed

CASE = Case(
    id="a",
    question="What\u2028is “it”?",
    expected=Expected(
        outcome="answer",
        facts=(("x", "y"),),
        tiers={1: 2},
        at_most=AtMost(section=5, tiers={1: 3}, types={"page": 0}),
    ),
    as_of=date(2026, 1, 2),
    changes=(Change(path="a.md", replace=("1", "2")), Change(path="b.md", delete=True)),
)
ROW = Row(case="a", key="k", record={"was_refusal": False}, sections=({"claims": []},))
SCORE = Score(case="a", repeat=0, metric="m", result=Result.PASS, value=0.5)
SOURCE = Source(version="v", document="d", path="d.md", text="one\r\ntwo\x85three")


def fill(folder: Path) -> None:
    """A whole record."""
    store.write_cases(folder, [CASE])
    store.write_rows(folder, [ROW])
    store.write_sources(folder, [SOURCE])
    store.write_manifest(folder, {"code": "c"})


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    """Every form survives, line ends inside texts too."""
    fill(tmp_path)
    store.write_scores(tmp_path, [SCORE])
    found = store.recorded(tmp_path)
    assert found.cases == {"a": CASE}
    assert found.rows == (ROW,)
    assert found.sources == {"v": SOURCE}
    assert found.manifest == {"code": "c"}
    assert store.read_scores(tmp_path) == (SCORE,)


def test_the_order_of_writing_does_not_matter(tmp_path: Path) -> None:
    """Lines are sorted by what they are about, keys by name: the same bytes."""
    rows = [Row(case=c, repeat=r) for c in "ba" for r in (1, 0)]
    store.write_rows(tmp_path, rows)
    first = (tmp_path / store.ANSWERS).read_bytes()
    store.write_rows(tmp_path, reversed(rows))
    assert (tmp_path / store.ANSWERS).read_bytes() == first
    assert [(r.case, r.repeat) for r in store.read_rows(tmp_path)] == [
        ("a", 0),
        ("a", 1),
        ("b", 0),
        ("b", 1),
    ]
    assert first.startswith(b'{"case":"a","error":null,"evidence":[],')


def test_a_verdict_keeps_its_order(tmp_path: Path) -> None:
    """The last line of a verdict is the verdict."""
    checks = [{"check": "z"}, {"check": "a"}, {"check": "a"}]
    store.write_verdict(tmp_path, checks)
    assert list(store.read_verdict(tmp_path)) == checks


def test_a_row_that_stands_twice_is_refused(tmp_path: Path) -> None:
    """One case asked once has one row."""
    with pytest.raises(StoreFailed, match="twice"):
        store.write_rows(tmp_path, [ROW, Row(case="a", error="other")])
    assert not (tmp_path / store.ANSWERS).exists()


def test_a_number_that_is_none_is_never_written(tmp_path: Path) -> None:
    """No NaN reaches a file."""
    with pytest.raises(StoreFailed, match="cannot be written"):
        store.write_rows(tmp_path, [Row(case="a", record={"x": float("nan")})])


def test_missing_empty_and_damaged_files_are_named(tmp_path: Path) -> None:
    """What cannot be read is no empty record."""
    with pytest.raises(StoreFailed, match=r"answers\.jsonl: is missing"):
        store.read_rows(tmp_path)
    file = tmp_path / store.ANSWERS
    file.write_text("")
    with pytest.raises(StoreFailed, match="is empty"):
        store.read_rows(tmp_path)
    for damaged in ("{", "[]", '{"case":"a"}', '{"case":"a","sections":[],"x":1}'):
        file.write_text(damaged + "\n")
        with pytest.raises(StoreFailed, match=r"answers\.jsonl:1: is damaged"):
            store.read_rows(tmp_path)


def test_a_record_has_a_row_for_each_case_and_none_beside_R_E4(tmp_path: Path) -> None:
    """A row that is lost, or of nowhere, is an error of the record."""
    fill(tmp_path)
    store.write_rows(tmp_path, [ROW, Row(case="b")])
    with pytest.raises(StoreFailed, match="b is no case"):
        store.recorded(tmp_path)
    other = Case(id="c", question="?", expected=Expected(outcome="refuse"))
    store.write_rows(tmp_path, [ROW])
    store.write_cases(tmp_path, [CASE, other])
    with pytest.raises(StoreFailed, match="has no row of c"):
        store.recorded(tmp_path)


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """An error of the disk is a sentence."""
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreFailed, match="cannot be written"):
        store.write_rows(tmp_path / "file", [ROW])
