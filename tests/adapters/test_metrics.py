"""Metrics as Prometheus scrapes them."""

import urllib.request
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families as parsed

from adapters.metrics import serve_metrics
from adapters.observer import EventsObserver
from engine.model.errors import EnvironmentFailed


def scraped(port: int) -> dict[tuple[str, str], float]:
    """Every sample by its name and its labels."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
        text = answer.read().decode()
    return {
        (sample.name, ",".join(sorted(sample.labels.values()))): sample.value
        for family in parsed(text)
        for sample in family.samples
    }


def test_counters_and_figures_can_be_scraped_R_O2_R_O4(tmp_path: Path) -> None:
    """As they are at that moment, refusals by their reason."""
    observer = EventsObserver(tmp_path / "events.jsonl")
    with serve_metrics(observer, "127.0.0.1", 0) as port:
        for pack in ("oncology", "oncology", "textbook"):
            observer.count("questions", {"pack": pack})
        observer.count("evidence_gate_blocked", {"reason": "LOW_SCORE"})
        for value in (2.5, 1.5):
            observer.observe("response_time_ms", value)
        found = scraped(port)
        observer.count("questions", {"pack": "textbook"})
        later = scraped(port)
    assert found == {
        ("groundrule_questions_total", "oncology"): 2,
        ("groundrule_questions_total", "textbook"): 1,
        ("groundrule_evidence_gate_blocked_total", "LOW_SCORE"): 1,
        ("groundrule_response_time_ms_count", ""): 2,
        ("groundrule_response_time_ms_sum", ""): 4,
        ("groundrule_response_time_ms_largest", ""): 2.5,
        ("groundrule_events_not_written_total", ""): 0,
    }
    assert later["groundrule_questions_total", "textbook"] == 2


def test_an_address_that_is_taken_is_said(tmp_path: Path) -> None:
    """With the setting that chooses another."""
    observer = EventsObserver(tmp_path / "events.jsonl")
    with (
        serve_metrics(observer, "127.0.0.1", 0) as port,
        pytest.raises(EnvironmentFailed, match="GROUNDRULE_METRICS"),
        serve_metrics(observer, "127.0.0.1", port),
    ):
        pass
