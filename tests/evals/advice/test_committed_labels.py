"""The labels of the project: what they are, and what judges make of them."""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from adapters.loaders import markdown
from adapters.loaders.limits import Limits
from config.settings import PACKS
from engine.documents.corpus import build_document
from evals import store
from evals.advice.judge import (
    COMMITTED,
    LEAST,
    NAME,
    Believed,
    Label,
    Verdict,
    estimate_worth,
    judge_labels,
    read_labels,
    write_prompt,
)
from evals.commands import judge as command
from evals.forms import Result, Score
from evals.score import specimen
from tests.loopback.model import Json, Said, provider_aside

LABELS = read_labels(COMMITTED)
SEALED = tuple(label for label in LABELS if label.part == "sealed")
SCORES = (
    Score(
        case="a",
        repeat=0,
        metric=NAME,
        result=Result.FAIL,
        marks=({"carried": True}, {"carried": True}, {"carried": False}) * 30,
    ),
)
Says = Callable[[Label], bool]


class Scripted:
    """A judge that knows the labels by what it is sent, and says of each as told."""

    name = "scripted"

    def __init__(self, says: Says) -> None:
        self._labels = {
            write_prompt(each.claim, each.passages): each for each in LABELS
        }
        self._says = says

    async def ask(self, prompt: str, form: type[Any]) -> Any:
        return Verdict(why="scripted", carried=self._says(self._labels[prompt]))


@pytest.fixture(scope="module")
def texts() -> Mapping[str, str]:
    """The documents of the demo corpora, as they are stored, by pack and file."""
    files = sorted(PACKS.glob("*/corpus/*.md"))
    return {f"{file.parts[-3]}/{file.name}": _text(file) for file in files}


def _text(file: Path) -> str:
    parsed = markdown.parse(file.read_text("utf-8"), file.name, Limits())
    return build_document(parsed, "one").text


async def _worth(says: Says) -> Believed:
    return estimate_worth(SCORES, LABELS, await judge_labels(Scripted(says), LABELS))


# --- the labels -------------------------------------------------------------------


def test_the_labels_can_prove_something_R_E2() -> None:
    """Enough of each kind in each part, for the same metric, with canaries."""
    parts = Counter((label.good, label.part) for label in LABELS)
    good = sum(label.good for label in LABELS)
    assert {label.metric for label in LABELS} == {NAME}
    assert set(parts) == {(g, p) for g in (True, False) for p in ("open", "sealed")}
    assert min(parts.values()) >= LEAST + 5
    assert 0.4 <= good / len(LABELS) <= 0.6
    assert 0.4 <= len(SEALED) / len(LABELS) <= 0.6


def test_a_change_of_the_file_is_a_line_of_a_review() -> None:
    """Canonical lines, sorted by id."""
    held = sorted(LABELS, key=lambda label: label.id)
    lines = (f"{store.canonical(asdict(label))}\n" for label in held)
    assert COMMITTED.read_text(encoding="utf-8") == "".join(lines)


def test_passages_stand_word_for_word_in_the_demo_corpora_R_E2(
    texts: Mapping[str, str],
) -> None:
    """Of both packs; who edits a document looks at the labels over it."""
    lost = [
        (label.id, passage)
        for label in LABELS
        for passage in label.passages
        if not any(passage in text for text in texts.values())
    ]
    packs = Counter(_document(label.passages[0], texts)[0] for label in LABELS)
    assert not lost
    assert min(packs["oncology"], packs["textbook"]) >= 60


def test_no_document_is_open_and_sealed_R_E2(texts: Mapping[str, str]) -> None:
    """Who words a judge by the open part has read no sealed claim or passage."""
    parts: dict[tuple[str, str], set[str]] = {}
    claims: dict[str, set[str]] = {}
    for label in LABELS:
        claims.setdefault(label.claim, set()).add(label.part)
        for passage in label.passages:
            parts.setdefault(_document(passage, texts), set()).add(label.part)
    assert [document for document, held in parts.items() if len(held) > 1] == []
    assert [claim for claim, held in claims.items() if len(held) > 1] == []


def test_no_claim_is_carried_and_not_carried_R_E2() -> None:
    """Over the same passages there is one verdict, given once."""
    seen = Counter((label.claim, label.passages) for label in LABELS)
    assert [claim for (claim, _), times in seen.items() if times > 1] == []


def test_canaries_are_open_and_of_both_kinds_R_E2() -> None:
    """Somebody has to look at a drifted one, which must not unseal anything."""
    canaries = [label for label in LABELS if label.canary]
    assert {label.part for label in canaries} == {"open"}
    assert min(Counter(label.good for label in canaries).values()) >= 5


def test_labels_say_who_judged_and_why() -> None:
    """In a sentence each; nobody is called a clinician who is none."""
    assert {label.by for label in LABELS} == {
        "a founding engineer, while reading the passage; no clinician"
    }
    assert all(label.why.endswith(".") for label in LABELS)


# --- judges over them -------------------------------------------------------------


async def test_a_judge_that_is_right_is_permitted_R_E2() -> None:
    """On every label: its rate is corrected, and the interval is honest."""
    worth = await _worth(lambda label: label.good)
    assert worth.permit.granted
    assert worth.weight == "gate"
    assert worth.rate is not None
    assert worth.rate.value == pytest.approx(2 / 3)
    assert worth.rate.low < worth.rate.value < worth.rate.high


async def test_a_judge_that_knows_the_open_part_alone_only_advises_R_E2() -> None:
    """A prompt worded until the open labels fit proves nothing."""
    worth = await _worth(lambda label: label.good or label.part == "sealed")
    assert worth.weight == "advice"


@pytest.mark.parametrize(("misses", "granted"), [(4, True), (8, False)])
async def test_few_mistakes_are_borne_and_more_are_not_R_E2(
    misses: int, granted: bool
) -> None:
    """Bad claims let through: four of the sealed leave a permit, eight do not."""
    let = [label.id for label in SEALED if not label.good][:misses]
    worth = await _worth(lambda label: label.good or label.id in let)
    assert worth.permit.granted is granted


def test_the_command_judges_the_committed_labels_R_E2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without --labels; what is told is the permit."""
    run = tmp_path / "run"
    store.write_cases(run, [specimen.case()])
    store.write_rows(run, [specimen.answer()])
    store.write_sources(run, specimen.SOURCES.values())
    store.write_manifest(run, {"code": "abc"})
    known = {write_prompt(label.claim, label.passages): label.good for label in LABELS}

    def judge(body: Json) -> Said:
        carried = known.get(body["messages"][-1]["content"], True)
        return Said(json.dumps({"why": "read", "carried": carried}))

    with provider_aside(judge) as served:
        for name, value in (("MODEL", "openai/test"), ("MODEL_URL", served.url)):
            monkeypatch.setenv(f"GROUNDRULE_{name}", value)
        monkeypatch.setenv("GROUNDRULE_MODEL_KEY", "k")
        monkeypatch.setenv("GROUNDRULE_JUDGE", "same")
        done = CliRunner().invoke(command.app, [str(run)], catch_exceptions=False)
    assert done.exit_code == 0
    assert "it has earned a place among the metrics that decide" in done.output
    assert len(served.asked) == len(LABELS) + 2


def _document(passage: str, texts: Mapping[str, str]) -> tuple[str, str]:
    """The pack and the document of a passage."""
    name = next(name for name, text in texts.items() if passage in text)
    pack, _, file = name.partition("/")
    return pack, file
