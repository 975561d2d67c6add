"""A kept row says what came of a case, and two of them say what moved."""

from dataclasses import replace
from pathlib import Path

import pytest

from evals.compare.stored import (
    Kind,
    StoredRow,
    find_moved,
    hash_case,
    read_stored,
    store_row,
    write_stored,
)
from evals.forms import Expected, Result, Score, Shape, Shown
from evals.store import StoreFailed
from tests.evals import samples

CASE = samples.case("dose")
SHOWN = Shown(
    shapes={"slack": Shape(hash="s1", outline="mention [section]")}, words="w1"
)


def row() -> StoredRow:
    """A kept answer."""
    return store_row(replace(samples.answer("dose"), shown=SHOWN), CASE)


def test_a_row_is_kept_by_what_a_reader_notices_R_E3() -> None:
    start = samples.TEXT.index(samples.DOSE)
    held = row()
    assert held.outcome == "answer"
    assert held.quotes == (("tablets", "v1", start, start + len(samples.DOSE)),)
    assert (held.shapes, held.words) == ({"slack": "s1"}, "w1")
    refused = store_row(samples.refusal("unknown"), CASE)
    assert (refused.outcome, refused.reason) == ("refusal", "NO_RESULTS")
    assert not refused.quotes


@pytest.mark.parametrize(
    ("changed", "kinds"),
    [
        ({"outcome": "refusal"}, [Kind.OUTCOME]),
        ({"reason": "LOW_SCORE"}, [Kind.REASON]),
        ({"states": ("EMERGENCY",)}, [Kind.STATES]),
        ({"quotes": (("tablets", "v1", 0, 4),)}, [Kind.QUOTATIONS]),
        ({"quotes": (("tablets", "v2", 25, 70),)}, [Kind.QUOTATIONS]),
        ({"choices": ("When?",)}, [Kind.CHOICES]),
        ({"shapes": {"slack": "s2"}}, [Kind.SLACK]),
        ({"shapes": {"slack": "s1", "discord": "d"}}, [Kind.DISCORD]),
        ({"words": "w2"}, [Kind.WORDS]),
        ({"words": "w2", "reason": "BUSY"}, [Kind.REASON]),
        ({"asked": "other", "outcome": "refusal"}, [Kind.EDITED]),
        ({}, []),
    ],
)
def test_what_moved_is_named_R_E3(
    changed: dict[str, object], kinds: list[Kind]
) -> None:
    """Words count by themselves, where nothing else moved."""
    then = row()
    now = replace(then, **changed)  # type: ignore[arg-type]
    assert [each.kind for each in find_moved([then], [now])] == kinds


def test_a_row_that_came_or_went_is_named() -> None:
    assert [each.kind for each in find_moved([row()], [])] == [Kind.GONE]
    assert [each.kind for each in find_moved([], [row()])] == [Kind.NEW]


def test_an_edited_case_is_another_question() -> None:
    """Where it stands and what groups it is in are not asked."""
    assert hash_case(replace(CASE, line=99, slices=())) == hash_case(CASE)
    for edited in (
        replace(CASE, question="How often?"),
        replace(CASE, expected=Expected(outcome="refuse")),
        replace(CASE, chooses=1),
    ):
        assert hash_case(edited) != hash_case(CASE)


def test_what_metrics_said_is_kept_in_letters() -> None:
    scores = [
        Score(case="dose", repeat=0, metric="b", result=Result.FAIL, value=0.5),
        Score(case="dose", repeat=0, metric="a", result=Result.PASS, value=1.0),
        Score(case="dose", repeat=0, metric="c", result=Result.NOT_APPLICABLE),
    ]
    held = store_row(samples.answer("dose"), CASE, scores)
    assert held.results == "pf-"
    again = list(held.scores(["a", "b", "c"]))
    assert [s.result for s in again] == [Result.PASS, Result.FAIL, scores[2].result]
    assert again[1].value == 0.5


def test_rows_are_read_as_they_were_written(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    rows = (row(), store_row(samples.refusal("unknown"), samples.case("unknown")))
    write_stored(file, reversed(rows))
    assert read_stored(file) == rows
    assert file.read_text(encoding="utf-8").count("\n") == 2
    line = file.read_text(encoding="utf-8").splitlines(keepends=True)[0]
    file.write_text(line * 2, encoding="utf-8")
    with pytest.raises(StoreFailed, match="dose is there twice"):
        read_stored(file)
    file.write_text('{"case": "dose"}\n', encoding="utf-8")
    with pytest.raises(StoreFailed, match=r"rows\.jsonl:1: is damaged"):
        read_stored(file)
