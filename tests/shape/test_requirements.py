"""Every requirement id in the project is defined on one page, and each one is shown."""

import re

from evals.cases import suites
from evals.cases.suites import KNOWN
from tests.shape.source import ROOT

PAGE = ROOT / "docs/requirements.md"
WRITTEN = re.compile(r"(?<![A-Za-z0-9])R[-_]([A-Z])(\d+)(?![0-9A-Za-z])")
TEST = re.compile(r"^ *(?:async )?def (test_\w+)", re.M)
PLACES = ("engine", "adapters", "bot", "config", "evals", "scripts", "benchmarks")
KINDS = {".py", ".yaml", ".md", ".jsonl", ".toml", ".css", ".js"}
INVENTED = {"R-E99"}  # tests show with it that an unknown id is refused
# Agreed, and not built: an id leaves this list with its first test.
NOT_YET: set[str] = set()


def chapters() -> dict[str, list[tuple[str, str]]]:
    """What the page says of each id, by the letter of its chapter."""
    found: dict[str, list[tuple[str, str]]] = {}
    for part in PAGE.read_text(encoding="utf-8").split("\n## ")[1:]:
        head, *each = part.split("\n### ")
        found[head[0]] = [
            (one.partition("\n")[0], one.partition("\n")[2].strip()) for one in each
        ]
    return found


def ids(text: str) -> set[str]:
    """The ids that a text names."""
    return {f"R-{letter}{number}" for letter, number in WRITTEN.findall(text)}


def shown() -> set[str]:
    """The ids that a test's name ends with, or that a case lists."""
    found: set[str] = set()
    for file in (ROOT / "tests").rglob("test_*.py"):
        for name in TEST.findall(file.read_text(encoding="utf-8")):
            found |= ids(name)
    for place in ("evals/suites", "tests/evals/sensitivity/suites"):
        for file in (ROOT / place).glob("*/*.yaml"):
            found.update(*(case.shows for case in suites.read(file).cases))
    return found


def test_every_id_that_is_used_is_defined() -> None:
    """In code, tests, suites and documents; recorded answers are not read."""
    files = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "Makefile")]
    for place in (*PLACES, "tests", "docs"):
        files += [f for f in (ROOT / place).rglob("*") if f.suffix in KINDS]
    unknown: dict[str, set[str]] = {}
    for file in files:
        if file.is_relative_to(ROOT / "evals/baselines"):
            continue
        for each in ids(file.read_text(encoding="utf-8")) - KNOWN - INVENTED:
            unknown.setdefault(each, set()).add(file.relative_to(ROOT).as_posix())
    assert unknown == {}


def test_the_page_defines_every_id_that_is_known_and_no_other() -> None:
    """A chapter's letter, numbered from 1 without a gap; each in full sentences."""
    assert {each for chapter in chapters().values() for each, _ in chapter} == KNOWN
    for letter, chapter in chapters().items():
        numbers = range(1, len(chapter) + 1)
        assert [each for each, _ in chapter] == [f"R-{letter}{n}" for n in numbers]
        assert all(text.endswith(".") for _, text in chapter)


def test_every_requirement_has_a_test_or_a_case() -> None:
    """What is not built yet is named here, and nothing that is built."""
    assert KNOWN - shown() == NOT_YET
