"""Every requirement id in the project is defined, on a page that is true."""

import re

from evals.cases.requirement_ids import KNOWN
from scripts.requirements import PAGE, chapters, page, shown
from tests.shape.source import ROOT

WRITTEN = re.compile(r"(?<![A-Za-z0-9])R[-_]([A-Z])(\d+)(?![0-9A-Za-z])")
PLACES = ("engine", "adapters", "bot", "config", "evals", "scripts", "benchmarks")
KINDS = {".py", ".yaml", ".md", ".jsonl", ".toml", ".css", ".js"}
INVENTED = {"R-E99"}  # tests show with it that an unknown id is refused


def ids() -> set[str]:
    """All that are defined."""
    return {each for sentences in chapters().values() for each in sentences}


def test_every_id_that_is_used_is_defined() -> None:
    """In code, tests, suites and documents; recorded answers are not read."""
    files = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "Makefile")]
    for place in (*PLACES, "tests", "docs"):
        files += [f for f in (ROOT / place).rglob("*") if f.suffix in KINDS]
    unknown: dict[str, set[str]] = {}
    defined = ids() | INVENTED
    for file in files:
        if file.is_relative_to(ROOT / "evals/baselines"):
            continue
        for letter, number in WRITTEN.findall(file.read_text(encoding="utf-8")):
            each = f"R-{letter}{number}"
            if each not in defined:
                unknown.setdefault(each, set()).add(file.relative_to(ROOT).as_posix())
    assert unknown == {}


def test_every_id_that_a_case_may_list_is_defined() -> None:
    """What `evals coverage` knows stands on the page."""
    assert ids() >= KNOWN
    assert ids() >= set(shown())


def test_ids_stand_in_their_chapters_without_a_gap() -> None:
    """A chapter's letter, numbered from 1; each in full sentences."""
    for chapter, sentences in chapters().items():
        letter = chapter.partition(":")[0]
        numbers = range(1, len(sentences) + 1)
        assert list(sentences) == [f"R-{letter}{number}" for number in numbers]
        assert all(text.endswith(".") for text in sentences.values())


def test_the_page_is_up_to_date() -> None:
    """It names the files of today."""
    said = (ROOT / PAGE).read_text(encoding="utf-8")
    assert said == page(), "run: python -m scripts.requirements"
