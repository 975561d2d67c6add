"""Labelled questions of an administrator: found in their pages, or refused (R-G6)."""

import json
from datetime import date
from pathlib import Path

import pytest

from engine.model.document import Document
from engine.model.errors import UsageError
from evals.relevance.own import FEWEST, read

TEXT = "# Leave\n\nThirty days of leave are given each year.\n"
PAGE = Document(
    id="handbook/leave",
    version="a" * 64,
    source="handbook",
    path="pages/leave.md",
    title="Leave",
    text=TEXT,
    blocks=(),
    sentences=(),
    loader="markdown",
    retrieved=date(2026, 1, 1),
)
ASKED = {"question": "How much leave?", "page": "leave.md", "quote": "Thirty days"}


def written(folder: Path, *lines: object) -> Path:
    """A file with these lines, and as many that no page answers as make it enough."""
    rest = [{"question": f"What of {n}?"} for n in range(FEWEST - len(lines))]
    file = folder / "labelled.jsonl"
    file.write_text("\n".join(map(json.dumps, [*lines, *rest])), encoding="utf-8")
    return file


@pytest.mark.parametrize("name", ["leave.md", "Leave", "LEAVE", "handbook/leave"])
def test_a_quote_is_found_in_its_page_R_G6(tmp_path: Path, name: str) -> None:
    cases = read(written(tmp_path, {**ASKED, "page": name}), [PAGE])
    ((gold,),) = cases[0].gold
    assert TEXT[gold.start : gold.end] == "Thirty days"
    assert gold.version == PAGE.version
    assert {case.kind for case in cases} == {"answerable", "near_miss"}


def test_a_quote_with_other_marks_is_found_by_its_letters_R_G6(tmp_path: Path) -> None:
    """A row is copied from a file, and its page holds it as a table."""
    page = PAGE.model_copy(update={"text": "Leave | days\nParents | 90 | each year\n"})
    line = {**ASKED, "quote": "Parents,90,each", "kind": "everyday"}
    case = read(written(tmp_path, line), [page])[0]
    ((gold,),) = case.gold
    assert page.text[gold.start : gold.end] == "Parents | 90 | each"
    assert case.wording == "everyday"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ({**ASKED, "page": "pay.md"}, "line 1: no page of this corpus"),
        ({**ASKED, "quote": "Forty days"}, "line 1: the quote is not in"),
        ({**ASKED, "quote": " ,"}, "line 1: the quote is not in"),
        ({"question": "How much leave?", "page": "leave.md"}, "go together"),
        ({**ASKED, "kind": "near_miss"}, "a near miss has no page"),
        ({"asked": "How much leave?"}, "line 1"),
    ],
)
def test_a_wrong_line_is_named_R_G6(tmp_path: Path, line: object, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        read(written(tmp_path, line), [PAGE])


def test_too_few_questions_are_refused_R_G6(tmp_path: Path) -> None:
    file = tmp_path / "labelled.jsonl"
    file.write_text(json.dumps(ASKED), encoding="utf-8")
    with pytest.raises(UsageError, match=f"at least {FEWEST}"):
        read(file, [PAGE])
