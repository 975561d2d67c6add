"""Text search: lines, values, context and limits; linear whatever the text."""

from pathlib import Path

import pytest

from tests.adapters.preflight.repositories import assert_stands, gather, made, places
from tests.growth import linear


def test_each_line_is_one_hit_with_its_values_R_P3(tmp_path: Path) -> None:
    """Two matches in one line are one block; their groups are its values."""
    root = made(tmp_path, {"a.py": "x\ndef f(): def g():\n\ndef h():\n"})
    found = gather(root, kind="search", pattern=r"def (\w+)")
    assert places(found) == ["a.py:2", "a.py:4"]
    assert [block.values for block in found.blocks] == [("f", "g"), ("h",)]


def test_a_pattern_stays_on_its_line_R_P3(tmp_path: Path) -> None:
    """`^` and `$` are those of lines, and white space is never a line feed."""
    root = made(tmp_path, {"a.txt": "one\ntwo\n\nthree"})
    assert places(gather(root, kind="search", pattern=r"one\s+two")) == []
    assert places(gather(root, kind="search", pattern=r"^two$")) == ["a.txt:2"]
    assert places(gather(root, kind="search", pattern=r"^$")) == ["a.txt:3"]
    assert places(gather(root, kind="search", pattern=r"e$")) == ["a.txt:1", "a.txt:4"]


def test_context_widens_the_range_and_the_limit_counts_the_rest(
    tmp_path: Path,
) -> None:
    root = made(tmp_path, {"a.txt": "1\n2\nhit\n4\n5\nhit\n"})
    found = gather(root, kind="search", pattern="HIT", ignore_case=True, context=1)
    assert places(found) == ["a.txt:2-4", "a.txt:5-6"]
    assert assert_stands(root, found) == 5
    found = gather(root, kind="search", pattern="hit", limit=1)
    assert (found.count, found.beyond) == (2, 1)


def test_the_first_line_of_every_file_is_evidence(tmp_path: Path) -> None:
    """Also where a file ends without a line feed; an empty one is one empty line."""
    root = made(tmp_path, {"a.py": "x", "b.py": "", "c.txt": "y\n"})
    assert places(gather(root, kind="files", include=["*.py"])) == ["a.py:1", "b.py:1"]


@pytest.mark.parametrize(
    ("hidden", "pattern"),
    [
        ("\uff45\uff56\uff41\uff4c(x)", r"\beval\("),
        ("pass\u200bword = 1", "password"),
        ("pa\u00adss\u2060wo\ufeffrd", "password"),
        ("\u202epassword\u202c", "^password$"),
        ("\u0440\u0430ssw\u043erd = 1", "password"),
        ("\u0421\u041e\u0420\u03a5RIGH\u0422", "COPYRIGHT"),
        ("\U0001d41e\U0001d42f\U0001d41a\U0001d425(x)", "eval"),
        ("\ufb01le", "file"),
    ],
)
def test_a_search_reads_what_a_reader_sees_R_V8(
    tmp_path: Path, hidden: str, pattern: str
) -> None:
    """Nothing hides in full-width, unseen or foreign letters; the line is as it is."""
    root = made(tmp_path, {"a.txt": f"first\n{hidden}\nlast\n"})
    found = gather(root, kind="search", pattern=pattern)
    assert places(found) == ["a.txt:2"]
    [block] = found.blocks
    assert block.note == "in letters that only look like these"
    assert block.lines[0].text == hidden


def test_what_stands_there_plainly_has_no_remark_R_V8(tmp_path: Path) -> None:
    """Also beside letters of other alphabets."""
    word = "\u043f\u0430\u0440\u043e\u043b\u044c"  # password, in Russian
    root = made(tmp_path, {"a.txt": f"{word} password \uff58\n{word}\n"})
    found = gather(root, kind="search", pattern=f"password|{word}")
    assert places(found) == ["a.txt:1", "a.txt:2"]
    assert {block.note for block in found.blocks} == {""}


def test_a_search_takes_time_linear_in_the_text_R_V8(tmp_path: Path) -> None:
    """A pattern that backtracks elsewhere, over one line without an end."""

    def searched(size: int) -> None:
        root = made(tmp_path / str(size), {"a.txt": "a" * size})
        gather(root, kind="search", pattern="(a*)*b")

    assert linear(searched, 400_000)


def test_a_binary_file_is_not_absent_though_no_line_of_it_can_be_cited_R_P4(
    tmp_path: Path,
) -> None:
    root = made(tmp_path, {"a.so": b"\0\1", "a.py": "x = 1\n"})
    found = gather(root, kind="files", include=["*.so"])
    assert (found.blocks, found.complete) == ((), False)
    assert found.unread[0].why == "is binary: no line of it can be cited"
    assert gather(root, kind="files", include=["*.go"]).complete
    assert gather(root, kind="files", include=["*"]).complete


def test_an_empty_file_is_there_and_is_cited_as_its_first_line_R_P4(
    tmp_path: Path,
) -> None:
    """Most markers are empty: `py.typed`."""
    root = made(tmp_path, {"py.typed": ""})
    found = gather(root, kind="files", include=["py.typed"])
    assert [str(block.place) for block in found.blocks] == ["py.typed:1"]
    assert found.blocks[0].lines[0].text == ""
    assert found.complete
    for pattern in ("x", "^$", ""):
        assert not gather(root, kind="search", pattern=pattern or "y*").blocks
