"""Claims before a judge: labels and rows by the same prompt, errors as errors."""

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from evals.advice.judge import (
    NAME,
    Label,
    LabelsWrong,
    estimate_worth,
    judge_labels,
    judge_rows,
    read_labels,
    write_prompt,
)
from evals.forms import Result, Row
from evals.score import specimen


class Reader:
    """A judge that calls carried what stands word for word in a passage."""

    name = "reader"

    def __init__(self, wrong_about: str = "\0") -> None:
        self.prompts: list[str] = []
        self._wrong_about = wrong_about

    async def ask(self, prompt: str, form: type[Any]) -> Any:
        self.prompts.append(prompt)
        held, _, claim = prompt.partition("Statement:\n")
        if "silence" in claim:
            raise RuntimeError("the judge is away")
        carried = claim.strip() in held
        turned = self._wrong_about in claim
        return form(why="read", carried=carried is not turned)


def _labels(count: int = 40) -> list[Label]:
    return [
        Label(
            id=f"{number:03}-{'good' if good else 'bad'}",
            metric=NAME,
            good=good,
            part="sealed",
            by="a nurse",
            why="read both",
            canary=number == 0,
            claim=f"Statement {number} holds."
            if good
            else f"Statement {number} fails.",
            passages=(f"Statement {number} holds.",),
        )
        for number in range(count)
        for good in (True, False)
    ]


async def test_a_judge_that_is_right_may_gate_and_its_rate_is_corrected() -> None:
    """From labels and rows to a weight and an interval."""
    reader, labels = Reader(), _labels()
    verdicts = await judge_labels(reader, labels)
    scores = await judge_rows(reader, [specimen.answer()], specimen.SOURCES)
    found = estimate_worth(scores, labels, verdicts)
    assert scores[0].result is Result.PASS
    assert (found.judged_good, found.judged) == (2, 2)
    assert found.weight == "gate"
    assert found.rate is not None
    assert found.rate.low < found.rate.value == 1.0


async def test_a_judge_that_is_wrong_about_bad_things_only_advises() -> None:
    """The permit says what it lacks."""
    reader, labels = Reader(wrong_about="fails"), _labels()
    found = estimate_worth([], labels, await judge_labels(reader, labels))
    assert found.weight == "advice"
    assert "specificity" in found.permit.why[0]
    assert found.rate is None


async def test_labels_and_rows_are_judged_by_the_same_words() -> None:
    """What holds for one holds for the other."""
    reader = Reader()
    labels = [replace(_labels(1)[0], claim=specimen.DOSE, passages=(specimen.DOSE,))]
    await judge_labels(reader, labels)
    await judge_rows(reader, [specimen.answer()], specimen.SOURCES)
    assert (
        reader.prompts[0]
        == reader.prompts[1]
        == write_prompt(specimen.DOSE, [specimen.DOSE])
    )


async def test_a_judge_that_is_away_gives_errors_R_E2() -> None:
    """A missing verdict is no verdict in favour; every row keeps its place."""
    claim = specimen.said("In silence.", 1)
    rows = [
        specimen.answer([claim]),
        replace(specimen.refusal(), case="refused"),
        Row(case="failed", error="no model"),
    ]
    found = await judge_rows(Reader(), rows, specimen.SOURCES)
    results = {score.case: score.result for score in found}
    assert results == {
        "specimen": Result.ERROR,
        "refused": Result.ABSTAINED,
        "failed": Result.ERROR,
    }
    label = replace(_labels(1)[0], claim="silence")
    assert await judge_labels(Reader(), [label]) == {label.id: None}


async def test_an_uncarried_claim_is_told() -> None:
    """With the judge's reason."""
    row = specimen.answer([specimen.said("Chew them.", 1), specimen.said("No source.")])
    (found,) = await judge_rows(Reader(), [row], specimen.SOURCES)
    assert (found.result, found.value) == (Result.FAIL, 0.0)
    assert "cites nothing" in found.why


def test_labels_are_kept_as_lines_and_read_back(tmp_path: Path) -> None:
    """In their order."""
    file = tmp_path / "labels.jsonl"
    lines = [json.dumps(asdict(label)) for label in _labels(2)]
    file.write_text("\n".join(lines), encoding="utf-8")
    assert read_labels(file) == tuple(_labels(2))


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{", "labels.jsonl:1: .*JSON"),
        ("[]", "object"),
        ('{"good": "yes"}', "id: "),
        ('{"colour": 1}', "colour: "),
        (
            '{"id":"a","metric":"m","good":1,"part":"open","by":"b","why":"w"}',
            "good: ",
        ),
        (
            '{"id":"a","metric":"m","good":true,"part":"shut","by":"b","why":"w"}',
            "part: ",
        ),
        ("", "no labels"),
    ],
)
def test_a_damaged_label_is_named(tmp_path: Path, line: str, says: str) -> None:
    """File, line and field."""
    file = tmp_path / "labels.jsonl"
    file.write_text(line, encoding="utf-8")
    with pytest.raises(LabelsWrong, match=says):
        read_labels(file)
