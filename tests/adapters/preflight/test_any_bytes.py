"""Whatever bytes a file of any kind holds, every preflight ends, and what it says of
the file stands in it."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.preflight.facts import _CONFIGURED, _MANIFESTS
from adapters.preflight.grammars import EXTENSIONS
from tests.adapters.preflight.repositories import assert_stands, gather, made

NAMES = [
    *(f"a{extension}" for extension in EXTENSIONS),
    *(f"b{extension}" for extension in _CONFIGURED),
    *(name.replace("*", "") for name in _MANIFESTS),
]
STEPS = [
    {"kind": "files"},
    {"kind": "search", "pattern": r"(\w)|^$|.", "context": 2},
    {"kind": "definitions", "name": ".+"},
    {"kind": "references", "name": ".+"},
    {"kind": "dependencies"},
    {"kind": "configuration", "key": ".*"},
    {"kind": "plugin", "plugin": "python_security"},
]
# Pieces that parsers look for, between bytes of any kind.
PIECES = st.sampled_from(
    [
        b"\n",
        b"\r\n",
        b"\r",
        b"\x0c",
        b"def f(",
        b"class A:",
        b"{",
        b"[",
        b"]",
        b'"',
        b"'",
        b"- ",
        b"a: ",
        b"a = ",
        b"&x ",
        b"*x",
        b"[project]\n",
        b"dependencies = [",
        b"eval(",
        b"yaml.load(",
        b"\xff\xfe",
        b"\xe2\x80\xa8",
        b"\t",
        b"\\",
        b"!!int ",
        b'password = "abcDEF123456"',
        b"Requires-Dist: x (>=1)",
        b"%",
        b"|\n",
        b"---\n",
    ]
)
CONTENT = st.lists(st.one_of(PIECES, st.binary(max_size=8)), max_size=60).map(b"".join)


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step["kind"])
@settings(max_examples=60)
@given(name=st.sampled_from(NAMES), content=CONTENT)
def test_every_preflight_takes_any_bytes_R_P3(
    step: dict[str, object], name: str, content: bytes
) -> None:
    with TemporaryDirectory() as folder:
        root = made(Path(folder), {name: content})
        found = gather(root, **step)
        assert_stands(root, found)
        assert found.dropped == 0
