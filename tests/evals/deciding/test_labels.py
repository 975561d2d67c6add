"""A person's verdict is kept with author, reason and the text that it is about."""

from datetime import date
from pathlib import Path

import pytest

from engine.errors import UsageError
from evals.deciding.labels import Signed, append, digest, label, read
from evals.forms import Row
from tests.evals import samples

SIGNED = Signed("Robin", "says  what\nthe page says", date(2026, 11, 22))


def test_labels_are_appended_and_read(tmp_path: Path) -> None:
    file = tmp_path / "labels" / "made_up.jsonl"
    first = label(samples.run(), "dose", "useful", "pass", SIGNED)
    append(file, first)
    append(file, label(samples.run(), "unknown", "useful", "fail", SIGNED))
    assert [(each.case, each.result) for each in read(file)] == [
        ("dose", "pass"),
        ("unknown", "fail"),
    ]
    assert first.reason == "says what the page says"
    assert first.served == digest(samples.ROWS[0].served)


def test_labels_without_author_reason_or_row_are_refused() -> None:
    day = SIGNED.written
    crashed = samples.run(rows=(Row(case="dose", error="away"), *samples.ROWS[1:]))
    for run, case, signed, said in (
        (samples.run(), "dose", Signed(" ", "x", day), "author"),
        (samples.run(), "dose", Signed("x", "", day), "reason"),
        (samples.run(), "nothing", SIGNED, "no case"),
        (crashed, "dose", SIGNED, "could not run"),
    ):
        with pytest.raises(UsageError, match=said):
            label(run, case, "useful", "pass", signed)


def test_a_damaged_label_names_its_line(tmp_path: Path) -> None:
    file = tmp_path / "labels.jsonl"
    file.write_text("\n{}\n")
    with pytest.raises(UsageError, match=r"labels\.jsonl:2"):
        list(read(file))
    assert list(read(tmp_path / "none.jsonl")) == []
