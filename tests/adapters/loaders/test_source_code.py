"""Source code as text: nothing of a file is changed, so its lines are the file's."""

from pathlib import Path

import pytest

from adapters.loaders.limits import Limits
from adapters.loaders.sandbox import Parser
from adapters.loaders.source_code import parse
from config.settings import PACKS
from engine.documents.chunks import make_chunks
from engine.documents.corpus import build_document
from engine.model.errors import DocumentError, DocumentTooLarge
from engine.model.passage import Chunk

DEMO = PACKS / "code_audit" / "corpus"
ROOT = Path(__file__).parents[3]
PYTHON = '''"""What this is for.

Second paragraph with ünïcode.
"""

import os

LIMIT = 3


@decorated
class Box:
    """Holds things."""

    size = 1

    async def open(
        self, key: str
    ) -> None:
        # why
        turn(key)


AFTER = Box()
'''


def blocks_of(text: str, path: str) -> list[tuple[str, int, str]]:
    """(kind, level, text) of every block; only marks may stand outside one."""
    parsed, last = parse(text, path, Limits()), 0
    for block in parsed.blocks:
        assert last <= block.start < block.end <= len(parsed.text)
        assert not any(map(str.isalnum, parsed.text[last : block.start]))
        last = block.end
    assert not any(map(str.isalnum, parsed.text[last:]))
    return [(b.kind.value, b.level, b.of(parsed.text)) for b in parsed.blocks]


def chunks(text: str, path: str) -> tuple[Chunk, ...]:
    return make_chunks(build_document(parse(text, path, Limits()), "s"))


def test_python_is_read_by_syntax_R_P3() -> None:
    """Definitions are headings as written, docstrings prose, the rest code."""
    assert blocks_of(PYTHON, "src/box.py") == [
        ("paragraph", 0, "What this is for."),
        ("paragraph", 0, "Second paragraph with ünïcode."),
        ("code", 1, "import os\n\nLIMIT = 3"),
        ("heading", 1, "@decorated\nclass Box:"),
        ("paragraph", 0, "Holds things."),
        ("code", 2, "    size = 1"),
        ("heading", 2, "async def open(\n        self, key: str\n    ) -> None:"),
        ("code", 3, "        # why\n        turn(key)"),
        ("code", 1, "AFTER = Box()"),
    ]


def test_code_behind_a_definition_is_not_in_it_R_A14() -> None:
    """A section ends where what comes after it stands further out."""
    found = {chunk.text: chunk.section for chunk in chunks(PYTHON, "src/box.py")}
    assert found["AFTER = Box()"] == ()
    [inner] = [section for text, section in found.items() if "turn(key)" in text]
    assert inner == (
        "@decorated class Box:",
        "async def open( self, key: str ) -> None:",
    )


@pytest.mark.parametrize(
    ("path", "text", "together"),
    [
        ("a.js", "// Adds two.\nfunction add(a, b) { return a + b }\n", "Adds two."),
        ("a.go", "package a\n\n// Run starts it.\nfunc Run() {}\n", "Run starts it."),
        ("a.rs", "/// Stops it.\nfn stop() {}\n", "Stops it."),
        (
            "A.java",
            "class A {\n  /** Opens the door. */\n  void open() {}\n}\n",
            "Opens the door.",
        ),
        ("a.ts", "/** One. */\nexport function one(): number { return 1 }\n", "One."),
    ],
)
def test_a_comment_stays_with_what_it_is_about_R_A14(
    path: str, text: str, together: str
) -> None:
    """Outside Python both are one piece of code."""
    kinds = [piece for kind, _, piece in blocks_of(text, path)]
    [piece] = [piece for piece in kinds if together in piece]
    assert "(" in piece.split(together)[1]


@pytest.mark.parametrize(
    ("path", "text", "heading"),
    [
        ("a.toml", "x = 1\n\n[tool.ruff]\nline-length = 88\n", "[tool.ruff]"),
        ("a.yaml", "# about\nplan:\n  import: daily\n", "plan:"),
    ],
)
def test_configuration_is_read_by_section_R_P3(
    path: str, text: str, heading: str
) -> None:
    """The last line stands below the heading."""
    last = chunks(text, path)[-1]
    assert last.section == (heading,)
    assert last.text.endswith(text.splitlines()[-1].strip())


def test_lines_of_every_passage_are_those_of_the_file_R_G10() -> None:
    """Of the demo package and of this project's core, by reading bytes."""
    files = [
        *DEMO.rglob("*.py"),
        *DEMO.rglob("*.toml"),
        *(ROOT / "engine").glob("*.py"),
        *(ROOT / "engine" / "text").glob("*.py"),
    ]
    assert len(files) > 30
    for file in files:
        lines = file.read_bytes().decode().split("\n")
        for chunk in chunks("\n".join(lines), file.name):
            first, last = chunk.line_of(chunk.start), chunk.line_of(chunk.end - 1)
            held = "\n".join(lines[first - 1 : last])
            assert chunk.file == file.name
            assert chunk.text in held
            for at, excerpt in ((e.line, e) for e in chunk.context):
                assert excerpt.text.split("\n")[0] in lines[at - 1]
                assert chunk.line_of(excerpt.start) == at


def test_every_word_of_a_file_is_in_a_block() -> None:
    """Nothing but marks is left out."""
    for file in (ROOT / "engine").glob("*.py"):
        assert blocks_of(file.read_text("utf-8"), file.name)


@pytest.mark.parametrize("name", ["a.py", "a.js", "a.go", "a.rs", "A.java", "a.yaml"])
def test_code_that_is_none_is_read_all_the_same_R_S2(name: str) -> None:
    """Broken syntax, deep nesting and endless lines stay text by line."""
    deep = "".join(f"{' ' * n}class A{n}:\n" for n in range(300)) + "x = (" * 5_000
    for text in ("def (:\n  '''open", deep, "x = " + "1 + " * 50_000, "é\x00b\n"):
        parsed = parse(text, name, Limits())
        assert len(parsed.text) == len(text)
        for chunk in make_chunks(build_document(parsed, "s")):
            assert parsed.text[chunk.start : chunk.end] == chunk.text


def test_lines_that_cannot_be_counted_are_refused_R_G10(tmp_path: Path) -> None:
    """Some editors part a line at a lone carriage return; Windows' ends are fine."""
    (tmp_path / "a.py").write_bytes(b"a = 1\r\nb = 2\r\n")
    (tmp_path / "b.py").write_bytes(b"a = 1\rb = 2\n")
    with Parser() as parser:
        [parsed] = parser.parse(tmp_path / "a.py", "a.py")
        assert parsed.text == "a = 1\nb = 2\n"
        with pytest.raises(DocumentError, match="carriage returns"):
            parser.parse(tmp_path / "b.py", "b.py")


def test_a_file_with_too_many_pieces_is_refused_R_S2() -> None:
    """With its name, before the rest is read."""
    text = "def f():\n    pass\n" * 30
    with pytest.raises(DocumentTooLarge, match=r"a\.py"):
        parse(text, "a.py", Limits(blocks=20))
    with pytest.raises(DocumentTooLarge, match=r"a\.py"):
        parse(text, "a.py", Limits(characters=20))


def test_a_strange_name_is_one_token_R_V6() -> None:
    """A path is written so that it stays on its line."""
    [chunk] = chunks("a = 1\n", "x\ny: 2.py")
    assert chunk.file == "x%0Ay%3A%202.py"
