"""Model calls on file: played strictly, taped without a key, changed by nobody."""

import json
from collections.abc import Mapping
from datetime import date
from pathlib import Path

import pytest
from pydantic import SecretStr

from config.settings import Settings
from engine.model.errors import UsageError
from evals import store
from evals.forms import Row
from evals.record.cassettes import Call, Cassette, CassetteMiss
from evals.record.recorder import Tools
from evals.record.taped import TapedModels
from tests.engine.pipeline.test_drafting import passages
from tests.evals import library
from tests.evals.library import Small
from tests.loopback.model import Json, Said, prompt_of, provider

KEY = "canary-key-that-is-never-written"
TODAY = date(2026, 3, 4)
REQUEST = {"model": "openai/test", "messages": [{"content": "Say A."}], "repeat": 0}


def taped(file: Path, *calls: tuple[Json, str]) -> Cassette:
    """A cassette with these calls on it."""
    made = Cassette(file, [KEY])
    for request, said in calls:
        made.put(request, Call((said,), {"completion_tokens": 1}, 0.5))
    made.save("openai/test", None, TODAY)
    return made


def test_a_call_is_found_by_its_whole_request_R_E5(tmp_path: Path) -> None:
    """Another model, question or repeat is another call."""
    file = tmp_path / "one.jsonl"
    taped(file, (REQUEST, "A"))
    found = Cassette(file)
    assert found.play(REQUEST) == Call(("A",), {"completion_tokens": 1}, 0.5)
    assert found.head["writer"] == "openai/test"
    assert found.head["taped"] == "2026-03-04"
    for change in ({"model": "openai/other"}, {"repeat": 1}, {"messages": []}):
        with pytest.raises(CassetteMiss, match="tape it with --tape"):
            found.play(REQUEST | change)


def test_no_key_is_ever_written_R_E5_R_S1(tmp_path: Path) -> None:
    """Neither that of the settings nor what looks like one; the call is found still."""
    file = tmp_path / "one.jsonl"
    other = "sk-proj-0123456789abcdefghij"
    request = REQUEST | {"headers": f"Bearer {KEY}", "text": f"my key is {other}"}
    taped(file, (request, f"Your key is {other}, or {KEY}."))
    text = file.read_text(encoding="utf-8")
    assert KEY not in text
    assert other not in text
    again = Cassette(file, ["another-key-of-somebody-else"])
    theirs = request | {"headers": "Bearer another-key-of-somebody-else"}
    assert "(hidden)" in again.play(theirs).outputs[0]


def test_a_cassette_is_the_same_bytes_whatever_came_first(tmp_path: Path) -> None:
    """Calls stand in the order of their addresses."""
    other = REQUEST | {"repeat": 1}
    taped(tmp_path / "a.jsonl", (REQUEST, "A"), (other, "B"))
    taped(tmp_path / "b.jsonl", (other, "B"), (REQUEST, "A"))
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()


def test_a_cassette_that_was_changed_is_refused(tmp_path: Path) -> None:
    """A question that was edited is no longer what was asked."""
    file = tmp_path / "one.jsonl"
    taped(file, (REQUEST, "A"))
    file.write_text(file.read_text().replace("Say A.", "Say B."))
    with pytest.raises(UsageError, match="was changed"):
        Cassette(file)
    for damaged in ("", "{}\n", '{"cassette":2}\n', "no JSON\n"):
        file.write_text(damaged)
        with pytest.raises(UsageError, match="is no cassette"):
            Cassette(file)


# --- a whole run ------------------------------------------------------------------


@pytest.fixture(scope="session")
def drafting(tmp_path_factory: pytest.TempPathFactory) -> Small:
    """The small pack; a model drafts for it where one is named."""
    return library.make(tmp_path_factory.mktemp("drafting"))


def draft(body: Json) -> Said:
    """The sentences that speak of a temperature."""
    assert "temperature" in prompt_of(body)
    offered = [pair for each in passages(body) for pair in each.items()]
    chosen = [number for number, text in offered if "temperature" in text]
    sections = [{"sentences": chosen}] if chosen else []
    said = {"status": "answered", "sections": sections, "not_found": []}
    return Said(json.dumps(said, ensure_ascii=False))


async def rows_of(
    small: Small, run: str, settings: Settings, cassette: Cassette, mode: str
) -> Mapping[str, Row]:
    """The rows of a run over the fever questions."""
    models = TapedModels(settings, cassette, mode)  # type: ignore[arg-type]
    plan = small.plan(run, only=("plain",))
    await small.record(plan, Tools(models=models))
    return {row.case: row for row in store.recorded(plan.out).rows}


async def test_a_taped_run_is_played_without_a_provider_R_E5(drafting: Small) -> None:
    """The same rows, no call, no key; and a question that is new is an error."""
    file = drafting.folder / "calls.jsonl"
    async with provider(draft) as served:
        settings = drafting.settings.model_copy(
            update={
                "model": "openai/test",
                "model_url": served.url,
                "model_key": SecretStr(KEY),
                "model_prices": (1.0, 1.0),
            }
        )
        live = await rows_of(drafting, "live", settings, Cassette(file, [KEY]), "tape")
        calls = len(served.asked)
    assert calls, live["fever"]
    assert KEY not in file.read_text(encoding="utf-8")
    assert live["fever"].record is not None
    assert live["fever"].record["model"] == "openai/test"
    played = await rows_of(
        drafting, "played", drafting.settings, Cassette(file), "play"
    )
    assert played["fever"].record is not None
    for name in ("answer", "sources", "mode", "model", "prompt_version"):
        assert played["fever"].record[name] == live["fever"].record[name], name
    again = await rows_of(drafting, "again", drafting.settings, Cassette(file), "play")
    assert again == played

    lines = file.read_text(encoding="utf-8").splitlines()
    file.write_text(lines[0] + "\n", encoding="utf-8")
    missed = await rows_of(drafting, "miss", drafting.settings, Cassette(file), "play")
    assert "CassetteMiss" in str(missed["fever"].error)
    assert missed["belt"].refused


def test_a_judge_alone_can_be_taped_and_played_R_E5(tmp_path: Path) -> None:
    """A pack need not let a model draft; without any name there is nothing to tape."""
    bare, file = Settings.model_validate({"data": tmp_path}), tmp_path / "judge.jsonl"
    with pytest.raises(UsageError, match="no model is named"):
        TapedModels(bare, Cassette(file), "tape")
    settings = bare.model_copy(update={"judge": "openai/test"})
    judge = TapedModels(settings, Cassette(file), "tape").judge
    assert judge is not None
    assert judge.name == "openai/test"

    made = Cassette(file)
    made.put(REQUEST, Call(("A",)))
    made.save(None, "openai/test", TODAY)
    played = TapedModels(bare, Cassette(file), "play").judge
    assert played is not None
    assert played.name == "openai/test"


def judged_onto(file: Path, writer: str | None) -> Cassette:
    """A cassette of a writer onto which a judge was taped."""
    taped(file, (REQUEST, "A"))
    again = Cassette(file)
    again.put(REQUEST | {"repeat": 1}, Call(("B",)))
    again.save(writer, "openai/judge", TODAY)
    return Cassette(file)


def test_a_judge_taped_onto_a_run_leaves_its_writer_R_E5(tmp_path: Path) -> None:
    """Who is not named this time spoke before; who is named is the last to speak."""
    kept = judged_onto(tmp_path / "a.jsonl", None)
    assert (kept.head["writer"], kept.head["judge"]) == ("openai/test", "openai/judge")
    other = judged_onto(tmp_path / "b.jsonl", "openai/other")
    assert other.head["writer"] == "openai/other"


def test_a_tape_names_each_model_that_the_settings_do_not_R_E5(tmp_path: Path) -> None:
    """A model of the environment does not hide the judge of the tape."""
    cassette = judged_onto(tmp_path / "a.jsonl", None)
    bare = Settings.model_validate({"data": tmp_path})
    for name, other in (("model", "judge"), ("judge", "model")):
        settings = bare.model_copy(update={name: "openai/mine"})
        models = TapedModels(settings, cassette, "play")
        found = {"model": models.writer, "judge": models.judge}
        assert found[name] is not None
        assert found[name].name == "openai/mine"
        assert found[other] is not None
        of_tape = {"model": "openai/test", "judge": "openai/judge"}
        assert found[other].name == of_tape[other]
