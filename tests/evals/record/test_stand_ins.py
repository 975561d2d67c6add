"""The clock of evaluations: a fixed day, and no second that a row could depend on."""

from datetime import UTC, date, datetime

import pytest

from evals.record.corpora import FixedClock

DAY = date(2026, 7, 1)


def test_no_second_passes_so_that_a_busy_machine_changes_no_row() -> None:
    clock = FixedClock(DAY)
    seconds = clock.monotonic
    assert (seconds(), seconds()) == (0.0, 0.0)
    assert clock.now() == datetime(2026, 7, 1, 12, tzinfo=UTC)


def test_where_a_model_is_waited_for_seconds_pass(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("evals.record.corpora.time.monotonic", lambda: 12.5)
    seconds = FixedClock(DAY, passing=True).monotonic
    assert seconds() == 12.5
