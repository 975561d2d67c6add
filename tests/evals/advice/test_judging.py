"""A recorded run before a real connection to a stand-in judge."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from adapters.language_model import Choice, LanguageModel
from engine.model.errors import UsageError
from evals import store
from evals.advice.judge import FOLDER, NAME, Label, judge_run
from evals.advice.judge_model import ModelJudge
from evals.advice.ragas_bridge import ask_ragas
from evals.commands import judge as command
from evals.forms import Result
from evals.score import specimen
from evals.score.catalogue import Subject
from tests.loopback.model import Json, Provider, Said, provider, provider_aside

# ragas reads an id of its user, also where it sends nothing, and leaves the file open.
pytestmark = pytest.mark.filterwarnings(
    "ignore:.*ragas.uuid.json:pytest.PytestUnraisableExceptionWarning"
)


LABEL = Label(
    id="a",
    metric=NAME,
    good=True,
    part="sealed",
    by="a nurse",
    why="read it",
    claim=specimen.OWN,
    passages=(specimen.OWN,),
)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A recorded run of an answer and a refusal."""
    rows = [specimen.answer(), replace(specimen.refusal(), case="refused")]
    facts = specimen.case(facts=(("12 hours apart",),))
    store.write_cases(tmp_path, [replace(facts, id=row.case) for row in rows])
    store.write_rows(tmp_path, rows)
    store.write_sources(tmp_path, specimen.SOURCES.values())
    store.write_manifest(tmp_path, {"code": "abc"})
    return tmp_path


def _judge(served: Provider) -> ModelJudge:
    return ModelJudge(LanguageModel(Choice("openai/test", url=served.url, key="k")))


def _carried(body: Json) -> Said:
    """Carried is what does not speak of bleeding."""
    claim = str(body["messages"][-1]["content"]).partition("Statement:\n")[2]
    return Said(json.dumps({"why": "read", "carried": "bleeding" not in claim}))


async def test_a_run_is_judged_and_its_worth_is_told_R_E2(run: Path) -> None:
    """Scores stand apart from those that decide, with what the labels show."""
    async with provider(_carried) as served:
        found = await judge_run(run, _judge(served), [LABEL])
    assert [score.value for score in found.scores] == [None, 0.5]
    assert found.count(Result.ABSTAINED) == found.count(Result.FAIL) == 1
    assert not found.believed.permit.granted
    assert store.read_scores(run / FOLDER) == found.scores
    manifest: Any = store.read_manifest(run / FOLDER)
    assert manifest["judge"] == "openai/test"
    assert manifest["believed"]["weight"] == "advice"
    assert not (run / store.SCORES).exists()


@pytest.mark.ragas
async def test_ragas_asks_the_same_judge() -> None:
    """Its prompts, through DSPy, and the answer in its form."""
    said = {"statement": "it", "reason": "read", "attributed": 1}
    case = specimen.case(facts=(("12 hours apart",),))
    on = Subject(case, specimen.answer(), specimen.SOURCES)
    async with provider(lambda _: Said(json.dumps({"classifications": [said]}))) as at:
        found = await ask_ragas("ragas_context_recall", on, _judge(at))
    assert found.value == 1.0


def test_the_command_names_what_is_missing(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A judge, a cassette."""
    monkeypatch.delenv("GROUNDRULE_JUDGE", raising=False)
    for arguments, says in (
        ([str(run)], "GROUNDRULE_JUDGE"),
        ([str(run), "--play", str(run / "none.jsonl")], "no such cassette"),
    ):
        with pytest.raises(UsageError, match=says):
            CliRunner().invoke(command.app, arguments, catch_exceptions=False)


def test_a_judge_is_taped_once_and_played_without_a_provider_R_E2_R_E5(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Played, it needs no name of a model: that is on the tape."""
    tape, labels = tmp_path / "judge.jsonl", tmp_path / "labels.jsonl"
    labels.write_text(store.canonical(LABEL), encoding="utf-8")

    def judged(option: str) -> bytes:
        line = [str(run), "--labels", str(labels), option, str(tape)]
        CliRunner().invoke(command.app, line, catch_exceptions=False)
        return (run / FOLDER / store.SCORES).read_bytes()

    with provider_aside(_carried) as served, monkeypatch.context() as patch:
        names = {"MODEL": "openai/test", "MODEL_URL": served.url, "JUDGE": "same"}
        for name, value in names.items():
            patch.setenv(f"GROUNDRULE_{name}", value)
        live = judged("--tape")
    assert len(served.asked) == 3
    assert judged("--play") == live
    assert Result.ERROR not in {s.result for s in store.read_scores(run / FOLDER)}
