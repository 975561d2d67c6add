"""The labelled suites: as data they are whole, and a wrong line is named."""

from collections import Counter
from pathlib import Path

import pytest

from engine.model.errors import UsageError
from evals.relevance import cases
from evals.relevance.cases import Case, load


@pytest.mark.parametrize("pack", ["oncology", "textbook"])
@pytest.mark.parametrize("suite", ["development", "exam"])
def test_the_suites_are_whole_R_E1(pack: str, suite: str) -> None:
    """Ids are unique; what is answerable has gold and a wording, the rest has none."""
    found = load(pack, suite)
    assert len(found) == len({case.id for case in found}) > 50
    for case in found:
        assert bool(case.gold) == case.answerable
        assert (case.wording is not None) == case.answerable
        for place in (p for parts in case.gold for p in parts):
            assert place.start < place.end


@pytest.mark.parametrize("pack", ["oncology", "textbook"])
def test_tuning_and_reporting_stay_apart_R_E3(pack: str) -> None:
    """Both halves hold every kind; no question on the topic is in two."""
    found = load(pack)
    halves = Counter((case.half, case.kind) for case in found)
    assert {half for half, _ in halves} == {"tune", "test"}
    assert len(halves) == 6
    on_topic = [case for case in found if case.kind != "off_corpus"]
    tuned = {case.question.lower() for case in on_topic if case.half == "tune"}
    tested = {case.question.lower() for case in on_topic if case.half == "test"}
    exam = {case.question.lower() for case in load(pack, "exam")}
    assert not tuned & tested
    assert not tuned & exam


def test_a_suite_that_is_not_there_is_named() -> None:
    with pytest.raises(UsageError, match=r"nobody.*development\.jsonl"):
        load("nobody")


@pytest.mark.parametrize("line", ["nonsense", "{}", '{"id": "x", "kind": "odd"}'])
def test_a_wrong_line_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    """File and number, so that it can be mended."""
    good = Case(id="a", question="?", kind="near_miss", wording=None, half="tune")
    (tmp_path / "small").mkdir()
    file = tmp_path / "small" / "development.jsonl"
    file.write_text(f"{good.model_dump_json()}\n{line}\n", encoding="utf-8")
    monkeypatch.setattr(cases, "SUITES", tmp_path)
    with pytest.raises(UsageError, match="line 2"):
        load("small")
