"""The bounded child process that parses (R-S2)."""

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from adapters.loaders.limits import Limits
from adapters.loaders.registry import EXTENSIONS, load
from adapters.loaders.sandbox import SERVED, SERVED_CODE, Parser
from engine.model.errors import DocumentError, DocumentTooLarge
from tests.adapters.loaders.pdfs import bomb_of, pdf_of


@pytest.fixture(scope="module")
def parser() -> Iterator[Parser]:
    with Parser() as started:
        yield started


@pytest.fixture
def small() -> Iterator[Parser]:
    """A parser with small bounds."""
    limits = Limits(seconds=60, memory_bytes=400_000_000, file_bytes=60_000_000)
    with Parser(limits) as started:
        yield started


def written(folder: Path, name: str, content: str | bytes) -> Path:
    file = folder / name
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return file


def test_the_extensions_of_both_sides_agree() -> None:
    """What the parent offers is what the child reads."""
    assert SERVED | SERVED_CODE == EXTENSIONS


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.md", "# Rest\n\nRest helps."),
        ("a.HTML", "<h1>Rest</h1><p>Rest helps.</p>"),
        ("a.rst", "Rest\n====\n\nRest helps.\n"),
        ("a.txt", "\ufeffRest helps.\r\n"),
        ("a.pdf", pdf_of("Rest helps.")),
        ("a.jsonl", json.dumps({"text": "Rest helps."})),
    ],
)
def test_every_kind_of_file_comes_back_as_it_was_parsed(
    parser: Parser, tmp_path: Path, name: str, content: str | bytes
) -> None:
    """The child's answer equals parsing at home."""
    file = written(tmp_path, name, content)
    (parsed,) = parser.parse(file, f"x/{name}")
    assert parsed.text.endswith("Rest helps.")
    assert parsed == load(file, f"x/{name}", Limits()).documents[0]


def test_problems_of_single_lines_are_reported_and_the_others_go_in(
    parser: Parser, tmp_path: Path
) -> None:
    """Without somebody to report to, a bad line is an error."""
    file = written(tmp_path, "a.jsonl", '{"text": "One."}\nbroken\n{"text": "Two."}')
    problems: list[str] = []
    found = parser.parse(file, "a.jsonl", lambda error: problems.append(str(error)))
    assert [parsed.text for parsed in found] == ["One.", "Two."]
    assert len(problems) == 1 and "a.jsonl#2" in problems[0]
    with pytest.raises(DocumentError, match=r"a\.jsonl#2"):
        parser.parse(file, "a.jsonl")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("bad.pdf", b"%PDF-1.7\ngarbage", "again"),
        ("bomb.pdf", bomb_of(b" " * 120_000_000, 2), "unpacks"),
        ("bomb.md", "---\na: &a [1]\nb: [*a, *a]\n---\nx", "aliases"),
        ("deep.md", ">" * 20_000, "deep"),
        ("deep.html", "<b>" * 50_000, "deep"),
        ("binary.md", b"\xff\x00\xfe", "UTF-8"),
        ("empty.md", "", "no text"),
        ("a.odt", b"PK", "no loader"),
        ("a.xlsx", b"PK", "damaged"),
        ("a.docx", b"PK", "damaged"),
        ("a.pptx", b"PK", "damaged"),
        ("a.epub", b"PK", "damaged"),
        ("long.jsonl", '{"text": "' + "x" * 19_000_000, "split"),
        ("large.txt", b"x" * 20_000_001, "larger than"),
    ],
)
def test_bad_files_are_named_with_the_fix_and_the_next_goes_in_R_S2(
    parser: Parser, tmp_path: Path, name: str, content: str | bytes, said: str
) -> None:
    """Each costs itself alone."""
    with pytest.raises(DocumentError, match=said) as raised:
        parser.parse(written(tmp_path, name, content), f"x/{name}")
    assert f"x/{name}" in str(raised.value)
    good = written(tmp_path, "good.md", "Rest helps.")
    assert parser.parse(good, "good.md")[0].text == "Rest helps."


def test_a_file_that_takes_too_long_costs_the_child_only_R_S2(
    small: Parser, tmp_path: Path
) -> None:
    """Millions of text operators are stopped by the clock."""
    bomb = written(
        tmp_path, "slow.pdf", bomb_of(b"BT " + b"() Tj " * 3_000_000 + b"ET")
    )
    usual, small.limits = small.limits, replace(small.limits, seconds=1.5)
    with pytest.raises(DocumentTooLarge, match=r"slow\.pdf: not parsed within 1\.5"):
        small.parse(bomb, "slow.pdf")
    small.limits = usual
    good = written(tmp_path, "good.md", "Rest helps.")
    assert small.parse(good, "good.md")[0].text == "Rest helps."


def test_a_file_that_takes_too_much_memory_costs_the_child_only_R_S2(
    small: Parser, tmp_path: Path
) -> None:
    """A text that needs more than the bound is too large, and the next goes in."""
    file = written(tmp_path, "fat.txt", "\U0001f600 " * 11_000_000)
    with pytest.raises(DocumentTooLarge, match=r"fat\.txt"):
        small.parse(file, "fat.txt")
    good = written(tmp_path, "good.md", "Rest helps.")
    assert small.parse(good, "good.md")[0].text == "Rest helps."


def test_pipes_and_absent_files_are_refused_R_S2(
    parser: Parser, tmp_path: Path
) -> None:
    """A pipe would never end."""
    os.mkfifo(tmp_path / "pipe.md")
    with pytest.raises(DocumentError, match="no regular file"):
        parser.parse(tmp_path / "pipe.md", "pipe.md")
    with pytest.raises(DocumentError, match="cannot be read"):
        parser.parse(tmp_path / "absent.md", "absent.md")


def test_a_child_that_died_is_replaced(tmp_path: Path) -> None:
    """Parsing goes on after the child was killed from outside."""
    file = written(tmp_path, "a.md", "Rest helps.")
    with Parser() as parser:
        parser.parse(file, "a.md")
        child = parser._child
        assert child is not None
        child.kill()
        child.wait()
        assert parser.parse(file, "a.md")[0].text == "Rest helps."
