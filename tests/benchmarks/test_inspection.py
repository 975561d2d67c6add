"""What the benchmark of question packs asks."""

from pathlib import Path

import pytest

from benchmarks import bench_inspection
from benchmarks.bench_inspection import QUESTIONS, questions, repository
from engine.inspection.question_pack import QuestionPack


def test_it_asks_twenty_questions_that_a_pack_may_ask() -> None:
    pack = QuestionPack.model_validate(questions())
    assert len(pack.questions) == QUESTIONS


def test_its_repository_is_of_installed_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench_inspection, "FILES", 20)
    size = repository(tmp_path / "repository")
    files = [f for f in (tmp_path / "repository").rglob("*") if f.is_file()]
    assert len(files) == 20
    assert size == sum(file.stat().st_size for file in files)
