"""Reading a file of questions, and going on where an earlier run stopped."""

import io
import json
import resource
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from bot import batch
from bot.batch import LONGEST_LINE, Item, Outcomes, hash_item, read_lines
from bot.documents.writing import try_lock
from engine.model.codes import Reason
from engine.model.errors import EnvironmentFailed, UsageError
from tests.conftest import ROOT


def read(text: str | bytes) -> list[object]:
    """Items, and the problems of lines that are none."""
    raw = text if isinstance(text, bytes) else text.encode()
    return [
        line.item or (line.number, line.problem) for line in read_lines(io.BytesIO(raw))
    ]


def test_a_line_is_a_string_or_an_object() -> None:
    """Ids are echoed; a line without one is known by its number."""
    found = read('"What?"\n\n{"id": "q7", "question": "Who?", "pack": "textbook"}\n')
    assert found == [
        Item(id="1", question="What?"),
        Item(id="q7", question="Who?", pack="textbook"),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "3",
        "[]",
        "null",
        '{"id": "a"}',
        '{"question": "a", "unknown": 1}',
        '{"question": "a", "as_of": "yesterday"}',
        '"  "',
        '"' + "\\ud800",
        "[" * 100_000,
    ],
)
def test_a_malformed_line_is_reported_with_its_number(line: str) -> None:
    """The lines around it are read."""
    before, bad, after = read(f'"a"\n{line}\n"b"\n')
    assert (before, after) == (Item(id="1", question="a"), Item(id="3", question="b"))
    assert isinstance(bad, tuple)
    assert bad[0] == 2
    assert bad[1]


@pytest.mark.parametrize(
    "line",
    [
        r'{"question": "hello \ud83d"}',
        r'"hello \udc00"',
        r'{"question": "hello", "selection": "a \ud83d"}',
        r'{"question": "hello", "id": "\ud83d"}',
        r'{"question": "hello", "tags": ["\ud83d"]}',
        r'{"\ud83d": 1}',
    ],
)
def test_half_a_character_is_a_bad_line_and_ends_no_batch_R_I8(line: str) -> None:
    """It is named; the lines beside it go on."""
    file = io.BytesIO(f'"one"\n{line}\n"two"\n'.encode())
    first, bad, last = read_lines(file)
    assert bad.item is None
    assert bad.problem is not None
    assert "half a character" in bad.problem
    for whole in (first, last):
        assert whole.item is not None
        assert hash_item(whole.item, "corpus")


def test_a_field_that_stands_twice_is_a_bad_line_R_I8() -> None:
    """Nobody knows which of two questions is meant; the last one was asked."""
    (line,) = read_lines(io.BytesIO(b'{"question": "one", "question": "two"}'))
    assert line.item is None
    assert "'question' twice" in (line.problem or "")


def test_bytes_that_are_no_text_are_reported() -> None:
    """A line in another encoding is malformed, not fatal."""
    (bad,) = read(b'"\xff\xfe"\n')
    assert isinstance(bad, tuple)


def test_an_endless_line_is_skipped_without_being_read() -> None:
    """The line after it is answered."""
    found = read(b'"' + b"x" * (3 * LONGEST_LINE) + b'"\n"b"\n')
    assert found[1] == Item(id="2", question="b")


def run(path: Path, questions: Iterable[str], stop_after: int | None = None) -> int:
    """Answer each question that is not done; how many that were."""
    asked = 0
    with Outcomes(path) as out:
        for question in questions:
            item = Item(id=question, question=question)
            wanted = hash_item(item, "corpus")
            if out.next(wanted):
                continue
            if asked == stop_after:
                return asked
            out.append(item, {"question_id": wanted, "answer": f"to {question}"})
            asked += 1
        out.finish()
    return asked


def ids(path: Path) -> list[str]:
    return [json.loads(line)["id"] for line in path.read_bytes().splitlines()]


def test_a_second_run_asks_nothing_again(tmp_path: Path) -> None:
    """The file is byte for byte the same."""
    out = tmp_path / "out.jsonl"
    assert run(out, "abc") == 3
    before = out.read_bytes()
    assert run(out, "abc") == 0
    assert out.read_bytes() == before


def test_an_interrupted_run_goes_on(tmp_path: Path) -> None:
    """What was written before stays; order is that of the questions."""
    out = tmp_path / "out.jsonl"
    assert run(out, "abcd", stop_after=2) == 2
    assert run(out, "abcd") == 2
    assert ids(out) == list("abcd")


@pytest.mark.parametrize("torn", range(1, 60, 7))
def test_a_torn_last_line_is_answered_again(tmp_path: Path, torn: int) -> None:
    """A crash while a line was written costs that line only."""
    out = tmp_path / "out.jsonl"
    run(out, "abc")
    out.write_bytes(out.read_bytes()[:-torn])
    assert run(out, "abc") == 1
    assert ids(out) == list("abc")


def test_a_changed_questions_file_reuses_what_it_can(tmp_path: Path) -> None:
    """Only the new question is asked, and the order follows the new file."""
    out = tmp_path / "out.jsonl"
    run(out, "abcd")
    assert run(out, "axdb") == 1
    assert ids(out) == list("axdb")


def test_outcomes_of_questions_that_are_gone_are_cut_off(tmp_path: Path) -> None:
    """The outcomes file answers the questions file, no more."""
    out = tmp_path / "out.jsonl"
    run(out, "abcd")
    assert run(out, "ab") == 0
    assert ids(out) == list("ab")


def test_a_question_that_the_environment_failed_is_asked_again(tmp_path: Path) -> None:
    """A broken index leaves no lasting refusals behind."""
    out = tmp_path / "out.jsonl"
    run(out, "abc")
    records = [json.loads(line) for line in out.read_text().splitlines()]
    records[1]["reason_code"] = Reason.INTERNAL
    out.write_text("".join(json.dumps(record) + "\n" for record in records))
    assert run(out, "abc") == 1
    assert ids(out) == list("abc")


def test_a_change_of_corpus_or_date_asks_again() -> None:
    """The key stands for everything that an answer depends on."""
    item = Item(id="a", question="a", pack="textbook")
    assert hash_item(item, "one") == hash_item(item, "one")
    assert hash_item(item, "one") != hash_item(item, "two")
    assert hash_item(item, "one") != hash_item(
        item.model_copy(update={"pack": "oncology"}), "one"
    )
    assert hash_item(item, "one") != hash_item(
        item.model_copy(update={"selection": "s"}), "one"
    )


def test_a_file_of_something_else_is_not_overwritten(tmp_path: Path) -> None:
    """A mistyped --out costs nobody a file."""
    out = tmp_path / "letter.txt"
    out.write_text("Dear Sir,\nplease\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"letter\.txt"):
        run(out, "a")
    assert out.read_text(encoding="utf-8") == "Dear Sir,\nplease\n"


@pytest.fixture
def small_disk() -> Iterator[None]:
    """Files of this process may hold no more than 300 bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (300, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.usefixtures("small_disk")
def test_a_full_disk_names_the_file_and_the_fix(tmp_path: Path) -> None:
    """The message says that the same command goes on later."""
    with pytest.raises(EnvironmentFailed, match=r"out\.jsonl.*run the same command"):
        run(tmp_path / "out.jsonl", "abcdef")


def test_a_device_is_no_outcomes_file() -> None:
    """A device could be read without end."""
    with pytest.raises(UsageError, match="/dev/full"):
        Outcomes(Path("/dev/full"))


def test_a_folder_that_is_absent_is_named(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFailed, match=r"absent"):
        Outcomes(tmp_path / "absent" / "out.jsonl")


def test_an_interrupted_resume_keeps_every_finished_outcome(tmp_path: Path) -> None:
    """The old lines stay in the file until all are put in order in one step."""
    out = tmp_path / "out.jsonl"
    run(out, "abcd")
    assert run(out, "xyabcd", stop_after=1) == 1
    assert sorted(ids(out)) == list("abcdx")
    assert run(out, "xyabcd") == 1
    assert ids(out) == list("xyabcd")
    assert [path.name for path in tmp_path.iterdir()] == ["out.jsonl"]


@pytest.mark.parametrize("text", ["Dear Sir", '{"settings": 1}'])
def test_a_short_file_of_something_else_is_not_cut(tmp_path: Path, text: str) -> None:
    """Only the beginning of an outcome passes for a line that a crash tore."""
    out = tmp_path / "letter.txt"
    out.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=r"letter\.txt"):
        Outcomes(out)
    assert out.read_text(encoding="utf-8") == text


def test_a_second_run_on_one_file_is_refused(tmp_path: Path) -> None:
    """What the first one wrote stays, and the file is free when it is done."""
    out = tmp_path / "out.jsonl"
    run(out, "ab")
    before = out.read_bytes()
    with Outcomes(out), pytest.raises(EnvironmentFailed, match=r"another run.*--out"):
        Outcomes(out)
    assert out.read_bytes() == before
    assert run(out, "abc") == 1


def test_a_killed_run_leaves_no_lock(tmp_path: Path) -> None:
    """The next run goes on at once."""
    out = tmp_path / "out.jsonl"
    run(out, "a")
    program = (
        "import sys, pathlib; from bot.batch import Outcomes;"
        f"held = Outcomes(pathlib.Path({str(out)!r}));"
        "print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as holding:
        assert holding.stdout is not None
        assert holding.stdout.readline() == b"held\n"
        with pytest.raises(EnvironmentFailed, match="another run"):
            Outcomes(out)
        holding.kill()
    assert run(out, "ab") == 1


def test_a_file_that_another_run_has_just_replaced_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its lines would be lost with the old file."""
    out = tmp_path / "out.jsonl"
    run(out, "ab")

    def late(file: io.FileIO) -> bool:
        """Another run ends between our opening the file and our locking it."""
        monkeypatch.setattr(batch, "try_lock", try_lock)
        assert run(out, "ba") == 0
        return try_lock(file)

    monkeypatch.setattr(batch, "try_lock", late)
    with pytest.raises(EnvironmentFailed, match="another run"):
        Outcomes(out)
    assert ids(out) == list("ba")
