"""The one file of words and forms: whole, and nothing in it that nobody reads."""

import re
import tomllib
from pathlib import Path

import pytest

from engine import text
from engine.text.english import form
from engine.text.patterns import compile_pattern

ROOM = Path(text.__file__).parent
DATA = tomllib.loads((ROOM / "english.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", DATA["forms"])
def test_every_form_is_a_pattern_R_A11(name: str) -> None:
    """With its lists put in, and in the linear-time dialect."""
    assert "%" not in form(name)
    compile_pattern(form(name))


def test_every_list_and_form_is_read_by_somebody_R_A11() -> None:
    """By name in the code, or inside another form."""
    files = ROOM.parent.rglob("*.py")
    code = " ".join(path.read_text(encoding="utf-8") for path in files)
    inside = " ".join(DATA["forms"].values())
    named = {n for g in re.findall(r"%([a-z_0-9|]+)%", inside) for n in g.split("|")}
    for table in ("words", "forms", "phrases"):
        unread = [n for n in DATA[table] if n not in named and f'"{n}"' not in code]
        assert unread == []


def test_no_word_stands_twice_in_a_list_R_A11() -> None:
    for listed in DATA["words"].values():
        assert len(listed.split()) == len(set(listed.split()))
