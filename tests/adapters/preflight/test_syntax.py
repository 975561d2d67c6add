"""Definitions and references in six languages; comments and strings are neither."""

from pathlib import Path

import pytest

from tests.adapters.preflight.repositories import assert_stands, gather, made, places

SOURCES = {
    "a.py": (
        "# load\nclass Thing:\n    def load(self):\n        pass\n\n"
        'if True:\n    def load():\n        return "load()"\nload()\nx.load\n'
    ),
    "a.js": (
        "// load\nclass Thing { load() {} }\nfunction load() {}\n"
        'const other = () => load();\nconst s = "load()";\n'
    ),
    "a.ts": (
        "interface Thing { load(): void }\ntype Load = string;\n"
        "function load(): void {}\nload();\n"
    ),
    "a.tsx": "function load() { return <b>load</b>; }\nload();\n",
    "a.go": (
        "package a\n\n// load\ntype Thing struct{}\nfunc load() {}\n"
        "func (t Thing) load() {}\nfunc b() { load(); t.load() }\n"
    ),
    "a.rs": (
        "// load\nstruct Thing;\nfn load() {}\nimpl Thing { fn load(&self) {} }\n"
        "fn b() { load(); t.load(); }\n"
    ),
    "A.java": (
        "// load\nclass Thing {\n  void load() {}\n"
        '  void b() { load(); this.load(); String s = "load"; new Thing(); }\n}\n'
    ),
}
LOADS = {
    "a.py": ["method 3", "function 7"],
    "a.js": ["method 2", "function 3"],
    "a.ts": ["method 1", "function 3"],
    "a.tsx": ["function 1"],
    "a.go": ["function 5", "method 6"],
    "a.rs": ["function 3", "method 4"],
    "A.java": ["method 3"],
}
CALLS = {
    "a.py": [9],
    "a.js": [4],
    "a.ts": [4],
    "a.tsx": [2],
    "a.go": [7],
    "a.rs": [5],
    "A.java": [4],
}
each = pytest.mark.parametrize("name", SOURCES)


@each
def test_definitions_with_their_kind_and_range_R_P3(tmp_path: Path, name: str) -> None:
    root = made(tmp_path, {name: SOURCES[name]})
    found = gather(root, kind="definitions", name="load")
    told = [f"{block.values[1]} {block.first}" for block in found.blocks]
    assert told == LOADS[name]
    assert assert_stands(root, found)


@each
def test_calls_are_no_comments_and_no_strings_R_P3(tmp_path: Path, name: str) -> None:
    root = made(tmp_path, {name: SOURCES[name]})
    found = gather(root, kind="references", name="load", calls=True)
    assert [block.first for block in found.blocks] == CALLS[name]


@pytest.mark.parametrize("name", ["a.py", "a.js", "a.ts", "a.go", "a.rs", "A.java"])
def test_types_have_one_word_in_every_language(tmp_path: Path, name: str) -> None:
    """A struct is a class."""
    root = made(tmp_path, {name: SOURCES[name]})
    found = gather(root, kind="definitions", name="Thing", what=["class", "interface"])
    assert len(found.blocks) == 1


def test_uses_that_are_no_calls_count_unless_only_calls_are_asked_for(
    tmp_path: Path,
) -> None:
    root = made(tmp_path, {"a.py": SOURCES["a.py"]})
    found = gather(root, kind="references", name="load")
    assert [block.first for block in found.blocks] == [9, 10]


def test_code_that_does_not_parse_stops_nothing(tmp_path: Path) -> None:
    """Brackets without end, bytes that are no text, another language's code."""
    files = {
        "deep.py": "(" * 100_000,
        "bytes.py": b"def load(\xff\xfe):\n",
        "other.go": "def load():\n",
        "good.py": "def load():\n    pass\n",
    }
    root = made(tmp_path, files)
    assert "good.py:1-2" in places(gather(root, kind="definitions", name="load"))


ALIASED = (
    "from subprocess import Popen as P\nP(x)",
    "import subprocess as s\nrun = s.Popen\nrun(x)",
    "import subprocess\nsubprocess.\uff30open(x)",
    "import subprocess\ngetattr(subprocess, 'Popen')(x)",
)


@pytest.mark.parametrize("text", ALIASED)
def test_a_call_by_another_name_is_a_call_R_P4(tmp_path: Path, text: str) -> None:
    """Python's own tree says what an alias stands for."""
    root = made(tmp_path, {"a.py": f"{text}\n"})
    found = gather(root, kind="references", name="Popen|popen", calls=True)
    last = len(text.split("\n"))
    assert (last, ("Popen",)) in [(b.first, b.values) for b in found.blocks]


def test_where_python_cannot_be_read_no_call_is_known_to_be_absent_R_P4(
    tmp_path: Path,
) -> None:
    """The name stands there, and nobody knows as what."""
    root = made(tmp_path, {"a.py": "from subprocess import Popen as P\nprint 'x'\nP(x"})
    found = gather(root, kind="references", name="Popen", calls=True)
    assert not found.complete
