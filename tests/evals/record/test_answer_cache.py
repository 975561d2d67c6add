"""Answers of earlier runs: found by their request alone, asked again when damaged."""

import json
import os
import time
from pathlib import Path

import pytest

from engine.model.prompt import Failure
from engine.pipeline.drafting import LATE
from evals.forms import Case, Expected, Row, Source
from evals.record.answers import UNUSED_S, AnswerCache
from evals.record.runner import Answered, Item
from evals.store import StoreFailed

SOURCE = Source(version="v", document="d", path="d.md", text="one\u2028two")


def item(name: str, key: str = "k" * 64, repeat: int = 0) -> Item:
    """A case to be asked."""
    case = Case(id=name, question="?", expected=Expected(outcome="answer"))
    return Item(case, repeat, key)


def answered(asked: Item) -> Answered:
    """Its answer."""
    row = Row(case=asked.case.id, repeat=asked.repeat, key=asked.key, record={"a": 0.5})
    return Answered(row, (SOURCE,), {"milliseconds": {"total": 7.5}, "cost": 0.1})


def test_an_answer_is_found_by_its_request_R_E4(tmp_path: Path) -> None:
    """Another case with the same request has the same answer, under its own id."""
    cache = AnswerCache(tmp_path)
    assert cache.get(item("a")) is None
    cache.put(answered(item("a")))
    found = cache.get(item("b"))
    assert found is not None
    assert found.row == answered(item("b")).row
    assert found.sources == (SOURCE,)
    assert found.took == {"milliseconds": {"total": 7.5}, "cost": 0.1, "cached": True}
    assert cache.get(item("a", key="l" * 64)) is None


def test_errors_are_never_kept_R_E4(tmp_path: Path) -> None:
    """A case that could not be asked is asked again by the next run."""
    cache = AnswerCache(tmp_path)
    cache.put(Answered(Row(case="a", key="k" * 64, error="crashed")))
    assert cache.get(item("a")) is None


def worded(*failures: str | None) -> Answered:
    """An answer whose calls of a model came to this."""
    record = {"mode": "llm", "prompts": [{"failure": each} for each in failures]}
    return Answered(Row(case="a", key="k" * 64, record=record))


@pytest.mark.parametrize(
    ("failures", "kept"),
    [
        ((), True),
        ((None,), True),
        ((Failure.UNREADABLE, None), True),
        *(((None, each), each is Failure.UNREADABLE) for each in Failure),
    ],
)
def test_an_answer_after_a_failure_of_the_provider_is_not_kept_R_E4(
    tmp_path: Path, failures: tuple[Failure | None, ...], kept: bool
) -> None:
    """It is no answer of the model; what older code kept of them is none either."""
    cache = AnswerCache(tmp_path)
    cache.put(worded(*failures))
    assert (cache.get(item("a")) is not None) is kept

    cache.put(worded(None))
    (file,) = tmp_path.glob("kk/*.json")
    held = json.loads(file.read_text())
    held["row"]["record"]["prompts"] = [{"failure": each} for each in failures]
    file.write_text(json.dumps(held))
    assert (cache.get(item("a")) is not None) is kept


@pytest.mark.parametrize(("code", "kept"), [("budget", True), (LATE, False)])
def test_an_answer_for_which_no_time_was_left_is_not_kept_R_E4(
    tmp_path: Path, code: str, kept: bool
) -> None:
    """No call was begun, so that none failed; money and calls are the pack's limit."""
    record = {"mode": "deterministic", "prompts": [], "findings": [{"code": code}]}
    cache = AnswerCache(tmp_path)
    cache.put(Answered(Row(case="a", key="k" * 64, record=record)))
    assert (cache.get(item("a")) is not None) is kept


@pytest.mark.parametrize("damage", ["{", "[]", "{}", '{"row":{}}', ""])
def test_what_is_damaged_is_asked_again(tmp_path: Path, damage: str) -> None:
    """A broken answer, or a broken document of it, is none."""
    cache = AnswerCache(tmp_path)
    for part in ("kk/*.json", "sources/*.json"):
        cache.put(answered(item("a")))
        assert cache.get(item("a")) is not None
        (file,) = tmp_path.glob(part)
        file.write_text(damage)
        assert cache.get(item("a")) is None
        file.unlink()


@pytest.mark.parametrize("name", ["prompts", "findings"])
@pytest.mark.parametrize("damage", [[{}], ["x"], [None], 3, None])
def test_an_answer_whose_calls_cannot_be_read_is_asked_again_R_E4(
    tmp_path: Path, name: str, damage: object
) -> None:
    """Nobody knows whether the model was heard."""
    cache = AnswerCache(tmp_path)
    cache.put(worded(None))
    (file,) = tmp_path.glob("kk/*.json")
    held = json.loads(file.read_text())
    held["row"]["record"][name] = damage
    file.write_text(json.dumps(held))
    assert cache.get(item("a")) is None


def test_an_answer_to_another_request_is_none(tmp_path: Path) -> None:
    """A file that lies under a wrong address is not believed."""
    cache = AnswerCache(tmp_path)
    cache.put(answered(item("a")))
    (file,) = tmp_path.glob("kk/*.json")
    file.rename(file.with_name(f"{'kk' + 'l' * 62}.json"))
    assert cache.get(item("a", key="kk" + "l" * 62)) is None


def test_old_answers_are_forgotten(tmp_path: Path) -> None:
    """What nobody made for two weeks goes; what is new stays."""
    cache = AnswerCache(tmp_path)
    cache.put(answered(item("old")))
    then = time.time() - UNUSED_S - 60
    for file in tmp_path.rglob("*.json"):
        os.utime(file, (then, then))
    cache.put(answered(item("new", key="n" * 64)))
    cache.forget()
    assert cache.get(item("old")) is None
    assert [file.parent.name for file in tmp_path.rglob("n*.json")] == ["nn"]


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """A full or closed disk ends the run with a sentence."""
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreFailed, match="cannot be written"):
        AnswerCache(tmp_path / "file").put(answered(item("a")))
