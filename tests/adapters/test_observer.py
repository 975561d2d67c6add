"""Events on disk, counters in memory."""

import json
from pathlib import Path

from adapters.observer import EventsObserver


def test_an_event_is_one_line_with_exactly_its_fields_R_G8(tmp_path: Path) -> None:
    """Nothing is added to what the engine hands over."""
    observer = EventsObserver(tmp_path / "events.jsonl")
    fields = {"event": "evidence_gate_blocked", "query": "a “b”\nc", "chunkCount": 0}
    observer.event("evidence_gate_blocked", fields)
    observer.event("chat_request_complete", {"event": "chat_request_complete"})
    observer.close()
    lines = (tmp_path / "events.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == [
        fields,
        {"event": "chat_request_complete"},
    ]


def test_a_folder_that_cannot_be_written_fails_no_question(tmp_path: Path) -> None:
    """The failure is counted and nothing is raised."""
    observer = EventsObserver(tmp_path / "absent" / "events.jsonl")
    observer.event("x", {"event": "x"})
    observer.event("y", {"event": "y", "value": float("nan")})
    assert observer.failures == 2


def test_events_are_their_owners_alone_R_S8(tmp_path: Path) -> None:
    """A new file under any umask, and one of an earlier release."""
    file = tmp_path / "events.jsonl"
    for earlier in (False, True):
        if earlier:
            file.chmod(0o644)
        observer = EventsObserver(file)
        observer.event("x", {"event": "x"})
        observer.close()
        assert file.stat().st_mode & 0o777 == 0o600


def test_counters_keep_their_labels_apart_R_O4(tmp_path: Path) -> None:
    """A reason's count and the denominator over all reasons."""
    observer = EventsObserver(tmp_path / "events.jsonl")
    observer.count("blocked", {"reason": "LOW_SCORE"})
    observer.count("blocked", {"reason": "LOW_SCORE"})
    observer.count("blocked", {"reason": "NO_RESULTS"})
    assert observer.counted("blocked", {"reason": "LOW_SCORE"}) == 2
    assert observer.counted("blocked") == 3
    assert observer.counted("asked") == 0


def test_observations_are_summed_up(tmp_path: Path) -> None:
    """Count, total and largest of a metric, in bounded memory."""
    observer = EventsObserver(tmp_path / "events.jsonl")
    for value in (2.0, 5.0, 3.0):
        observer.observe("response_time_ms", value)
    seen = observer.figures["response_time_ms"]
    assert (seen.count, seen.total, seen.largest) == (3, 10.0, 5.0)
