"""Messages are read line by line, and what is wrong names the line."""

from datetime import date
from pathlib import Path

import pytest

from engine.model.errors import UsageError
from evals.cases import messages, suites
from evals.cases.suites import Library
from evals.commands.release import list_packs

LEAST = 600


def write(folder: Path, *lines: str) -> Library:
    file = folder / messages.MESSAGES / "made_up.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return Library(folder, folder)


def test_a_message_is_a_case_that_expects_nothing(tmp_path: Path) -> None:
    library = write(
        tmp_path,
        '{"id": "a", "says": "and for kids?", "after": "fever?", "takes": 2}',
        '{"id": "b", "says": "how long", "selects": "text", "as_of": "2024-05-01"}',
    )
    (suite,) = messages.load("made_up", library)
    first, second = suite.cases
    assert (first.question, first.previous, first.chooses) == (
        "and for kids?",
        "fever?",
        2,
    )
    assert (second.selection, second.as_of) == ("text", date(2024, 5, 1))
    assert first.expected.outcome == "either"
    assert first.line == 1


def test_a_pack_without_a_file_has_none(tmp_path: Path) -> None:
    assert messages.load("made_up", Library(tmp_path, tmp_path)) == ()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"id": "a"}', r"jsonl:1: .*says"),
        ('{"id": "a", "says": " "}', "says nothing"),
        ('{"id": "a", "says": "x", "word": "y"}', "word"),
        ("[]", "jsonl:1"),
        ('{"id": "a", "says": "x"}\n{"id": "a", "says": "y"}', "a is in"),
    ],
)
def test_a_wrong_line_is_refused(tmp_path: Path, line: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        messages.load("made_up", write(tmp_path, line))


@pytest.mark.parametrize(
    ("held", "said"), [(b"", "holds no message"), (b"\xff", "is no UTF-8")]
)
def test_a_file_without_messages_is_refused(
    tmp_path: Path, held: bytes, said: str
) -> None:
    library = write(tmp_path)
    (file,) = (tmp_path / messages.MESSAGES).iterdir()
    file.write_bytes(held)
    with pytest.raises(UsageError, match=said):
        messages.load("made_up", library)


def test_there_are_six_hundred_and_none_is_a_case_of_a_suite_R_E1() -> None:
    every = [c for p in list_packs() for s in messages.load(p) for c in s.cases]
    alone = {c.question.casefold() for c in every if c.previous is None}
    known = {
        case.question.casefold()
        for pack in list_packs()
        for suite in suites.load(pack)
        for case in suite.cases
    }
    assert len(every) >= LEAST
    assert alone & known == set()
