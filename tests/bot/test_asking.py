"""`ask` and `chat` over the demo texts, as a person and as another program use them."""

import json
import os
import pty
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import jsonschema
import pytest

from engine.model.record import record_schema
from tests.bot.command import Command, command
from tests.conftest import ROOT

ANSWERED = "What does the derivative gain of a PID controller do?"
LONG = "What is a node?"
OVERSHOOTS = "my robot overshoots, what now"
REFUSED = "Is ROS 2 better than ROS 1?"
QUOTED = "The derivative gain damps the motion, but amplifies the noise of the sensor."
TEXTBOOK = ("--pack", "textbook")


def run(
    data: Path,
    *arguments: object,
    typed: str = "",
    environment: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """The command line as its own process."""
    line = [sys.executable, "-m", "bot", "--data", data, *arguments]
    return subprocess.run(
        list(map(str, line)),
        cwd=ROOT,
        input=typed,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, **(environment or {})},
        timeout=120,
        check=False,
    )


@pytest.fixture(scope="module")
def first(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """A new data folder, and the first question that was ever asked there."""
    data = tmp_path_factory.mktemp("demo") / "data"
    return data, run(data, "ask", ANSWERED, *TEXTBOOK)


@pytest.fixture
def data(first: tuple[Path, object]) -> Path:
    """A data folder that has taken the demo texts of the textbook pack in."""
    return first[0]


@pytest.fixture
def bot(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    """The command line in this process."""
    return command(data, monkeypatch, capsys)


def test_the_first_question_takes_the_demo_texts_in_and_answers(
    first: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    """The reply alone on standard output; what was done, once, on standard error."""
    data, asked = first
    assert asked.returncode == 0, asked.stderr
    assert QUOTED in asked.stdout
    assert "Sources\n[1] " in asked.stdout
    assert "[demo text]" in asked.stdout
    assert "\x1b" not in asked.stdout
    assert "taking in its demo texts" in asked.stderr
    assert "stored" in asked.stderr  # R-U6
    again = run(data, "ask", ANSWERED, *TEXTBOOK)
    assert again.stderr == ""


def test_every_answer_names_the_command_that_proves_it_R_D3(bot: Command) -> None:
    """The id in the last line verifies, offline."""
    asked = bot("ask", ANSWERED, *TEXTBOOK)
    hint = asked.out.rstrip().rsplit("verify ", 1)
    proven = bot("verify", hint[1])
    assert proven.code == 0
    assert proven.out.startswith("verified: 1 answer")


def test_a_refusal_is_a_result(bot: Command) -> None:
    """Exit 0, or 1 on request; numbers and nearest passages only behind --why."""
    refused = bot("ask", REFUSED, *TEXTBOOK)
    assert refused.code == 0
    assert "only answer questions from the textbook" in refused.out
    assert "What would help" not in refused.out
    shown = bot("ask", REFUSED, *TEXTBOOK, "--why", "--fail-on-refusal")
    assert shown.code == 1
    assert "What would help" in shown.out


@pytest.mark.parametrize("question", [ANSWERED, REFUSED])
def test_json_prints_the_record_R_D1(bot: Command, question: str) -> None:
    """One object that fits the committed schema."""
    printed = bot("ask", question, *TEXTBOOK, "--json")
    record = json.loads(printed.out)
    jsonschema.validate(record, json.loads(record_schema()))
    assert record["was_refusal"] == (question == REFUSED)
    assert record["audit_id"]


def test_ages_are_those_of_the_date_that_was_asked_for_R_F5(bot: Command) -> None:
    """The date is named, and what came after it is said to."""
    asked = bot("ask", ANSWERED, *TEXTBOOK, "--as-of", "2026-03-24")
    assert "Analysis date basis: 2026-03-24 (explicit_as_of)" in asked.out
    assert "published 2026-03-10, 2 weeks old on 2026-03-24" in asked.out
    early = bot("ask", ANSWERED, *TEXTBOOK, "--as-of", "2024-03-01")
    assert "Sources published after 2024-03-01" in early.out
    assert "published 2026-03-10" not in early.out


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("yesterday", "write year, month and day, as in 2024-03-01"),
        ("01/03/2024", "write year, month and day, as in 2024-03-01"),
        ("20240301", "write year, month and day, as in 2024-03-01"),
        ("2010-13-45", "there is no day 2010-13-45: month must be in 1..12"),
        ("2023-02-29", "there is no day 2023-02-29"),
    ],
)
def test_a_wrong_date_is_an_error_of_use_that_says_the_form_R_F5_R_P2(
    bot: Command, given: str, told: str
) -> None:
    """In words for people, and nothing is asked."""
    wrong = bot("ask", ANSWERED, *TEXTBOOK, "--as-of", given)
    assert wrong.code == 2
    assert told in " ".join(wrong.err.split())
    assert "Value error" not in wrong.err
    assert not wrong.out


def test_a_day_that_is_to_come_is_answered_for_and_said_to_be_R_F5(
    bot: Command,
) -> None:
    """Nobody takes what holds today for the rule of a later day."""
    ahead = bot("ask", ANSWERED, *TEXTBOOK, "--as-of", "2099-01-01")
    assert "2099-01-01 is still to come." in ahead.out
    assert "it may change until then" in ahead.out
    assert "still to come" not in bot("ask", ANSWERED, *TEXTBOOK).out


def test_debug_prints_its_contract_R_F8(
    bot: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the terminal and in JSON, under the names that are fixed."""
    monkeypatch.setenv("DEBUG_MODE", "true")
    record = json.loads(bot("ask", REFUSED, *TEXTBOOK, "--json").out)
    last = bot("ask", REFUSED, *TEXTBOOK).out.splitlines()[-1]
    names = {"analysisDate", "failureState", "failureStateInfo", "budget", "retrieval"}
    assert set(record["debug"]) == set(json.loads(last)) == names
    assert set(record["debug"]["analysisDate"]) == {"basis", "asOf"}


def test_a_batch_answers_in_order_and_resumes(bot: Command, tmp_path: Path) -> None:
    """Ids are echoed, a bad line is named, and a second run asks nothing again."""
    questions, outcomes = tmp_path / "questions.jsonl", tmp_path / "outcomes.jsonl"
    lines = [
        json.dumps(ANSWERED),
        "nonsense",
        json.dumps({"id": "mine", "question": REFUSED}),
        json.dumps({"id": "no", "question": ANSWERED, "pack": "nobody"}),
    ]
    questions.write_text("\n".join(lines), encoding="utf-8")
    batch = ("ask", "--batch", questions, "--out", outcomes, *TEXTBOOK)
    done = bot(*batch)
    assert done.code == 1
    assert "questions.jsonl:2: is no JSON" in done.err
    assert "questions.jsonl:4: no pack is called 'nobody'" in done.err
    written = outcomes.read_text(encoding="utf-8")
    records = [json.loads(line) for line in written.splitlines()]
    assert [(r["id"], r["was_refusal"]) for r in records] == [
        ("1", False),
        ("mine", True),
    ]
    for record in records:
        jsonschema.validate(record, json.loads(record_schema()))
    outcomes.write_text(written[:-40], encoding="utf-8")
    assert bot(*batch).code == 1
    resumed = outcomes.read_text(encoding="utf-8").splitlines()
    assert resumed[0] == written.splitlines()[0]
    assert json.loads(resumed[1])["id"] == "mine"
    questions.write_text(lines[2], encoding="utf-8")
    assert bot(*batch, "--fail-on-refusal").code == 1
    assert bot(*batch, "--fail-on-refusal").code == 1


def test_a_conversation_in_a_pipe(data: Path) -> None:
    """Answers on standard output; /why, /sources, /select, /pack and nonsense work."""
    lines = [ANSWERED, "/why", "/sources", "/select", "/pack nobody", "/?", "/quit"]
    held = run(data, "chat", *TEXTBOOK, typed="\n".join(lines))
    assert held.returncode == 0
    assert QUOTED in held.stdout
    assert held.stdout.count("Sources") == 2
    assert "Why\n" in held.stdout
    assert "no pack is called 'nobody'" in held.stderr
    assert "/help, /quit" in held.stderr


def test_a_choice_is_asked_by_its_number_R_Q5(bot: Command) -> None:
    """Printed as a list with the command that asks one; JSON holds the same."""
    shown = bot("ask", OVERSHOOTS, *TEXTBOOK)
    assert "Did you mean:\n  1. How do you tune a PID controller?\n" in shown.out
    assert "  0. None of these\n" in shown.out
    assert " ask --choose " in shown.out
    refused = json.loads(bot("ask", OVERSHOOTS, *TEXTBOOK, "--json").out)
    jsonschema.validate(refused, json.loads(record_schema()))
    first = refused["choices"][0]
    assert first["question"] == "How do you tune a PID controller?"
    assert {"document_id", "title", "question_id", "section"} <= first.keys()
    name = f"{refused['audit_id']}.1"
    chosen = json.loads(bot("ask", "--choose", name, "--json").out)
    assert not chosen["was_refusal"]
    assert chosen["chosen_from"] == refused["audit_id"]
    assert chosen["question"] == first["question"]


@pytest.mark.parametrize("name", ["", "nothing", "nothing.1", "{id}.0", "{id}.9"])
def test_a_choice_that_was_not_offered_is_an_error_R_Q5(
    bot: Command, name: str
) -> None:
    """With what to type instead."""
    refused = json.loads(bot("ask", OVERSHOOTS, *TEXTBOOK, "--json").out)
    wrong = bot("ask", "--choose", name.format(id=refused["audit_id"]))
    assert wrong.code == 2
    assert wrong.err


def test_a_number_in_a_conversation_chooses_R_Q5(data: Path) -> None:
    """0 says that it is none of these, once; without choices another number is a fact
    or a question, and 0 is neither."""
    lines = ["0", OVERSHOOTS, "0", "0", "9", "1", "7", "/quit"]
    held = run(data, "chat", *TEXTBOOK, typed="\n".join(lines))
    assert held.returncode == 0, held.stderr
    assert "You chose: How do you tune a PID controller?" in held.stdout
    assert "To ask one:" not in held.stdout
    assert held.stderr.count("Thank you. I noted") == 1
    assert held.stderr.count("That is noted already.") == 1
    assert "Type a number from 0 to" in held.stderr
    assert held.stderr.count("There is nothing to choose from") == 1
    assert held.stdout.count("To check this") == 3


def quoted(shown: str) -> list[str]:
    """The quoted lines of a reply."""
    return [line for line in shown.split("\n") if line.startswith("│ ")]


def test_the_rest_of_a_long_answer_is_one_option_away_R_A3(
    bot: Command, data: Path
) -> None:
    """--full and /more show what was left out, --json has all of it."""
    first, whole = bot("ask", LONG, *TEXTBOOK), bot("ask", LONG, *TEXTBOOK, "--full")
    assert "To see the rest: ask again with --full\n" in first.out
    assert "To see the rest" not in whole.out
    shown, every = quoted(first.out), quoted(whole.out)
    assert every[: len(shown)] == shown
    assert len(every) > len(shown) > 0
    held = run(data, "chat", *TEXTBOOK, typed=f"/more\n{LONG}\n/more\n")
    assert "Ask something first." in held.stderr
    assert "To see the rest: /more\n" in held.stdout
    assert quoted(held.stdout) == every
    record = json.loads(bot("ask", LONG, *TEXTBOOK, "--json").out)
    claims = [claim["more"] for part in record["sections"] for claim in part["claims"]]
    assert claims == sorted(claims) and {*claims} == {False, True}


def test_a_selection_is_the_only_context_R_A6(bot: Command) -> None:
    """What does not stand in the selected text is refused, whatever the pack holds."""
    selection = "The integral part reacts to the sum of past errors."
    asked = bot("ask", ANSWERED, *TEXTBOOK, "--selection", selection, "--json")
    record = json.loads(asked.out)
    assert all(source["quote"] in selection for source in record["sources"])
    assert QUOTED not in record["answer"]


def test_a_reader_that_goes_away_sees_no_traceback(data: Path) -> None:
    """`ask … | head -1` ends quietly."""
    line = f'{sys.executable} -m bot --data {data} ask "{ANSWERED}" --pack textbook'
    piped = subprocess.run(
        ["bash", "-c", f"{line} | head -1"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert piped.stdout.count("\n") == 1
    assert "Traceback" not in piped.stderr
    assert "BrokenPipe" not in piped.stderr


@pytest.mark.parametrize("no_color", ["", "1"])
def test_a_terminal_gets_colours_unless_it_wants_none(
    data: Path, no_color: str
) -> None:
    """NO_COLOR is obeyed, and lines are no wider than the terminal."""
    mine, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "50", "NO_COLOR": no_color}
    line = [sys.executable, "-m", "bot", "--data", str(data), "ask", ANSWERED]
    with subprocess.Popen(
        [*line, *TEXTBOOK], cwd=ROOT, stdout=theirs, stderr=theirs, env=environment
    ) as shown:
        os.close(theirs)
        text = read_all(mine)
    assert shown.returncode == 0
    assert ("\x1b[3" in text) == (not no_color)
    plain = [line for line in text.splitlines() if "│" in line and "\x1b" not in line]
    assert all(len(line) <= 50 for line in plain)


def read_all(terminal: int) -> str:
    """Everything a program writes to a terminal until it ends."""
    parts = []
    with os.fdopen(terminal, "rb", buffering=0) as stream:
        while True:
            try:
                part = stream.read(4096)
            except OSError:  # Linux says so when the other side is closed
                break
            if not part:
                break
            parts.append(part)
    return b"".join(parts).decode("utf-8")


def test_a_full_disk_is_exit_4_and_the_fixed_text_R_I10(
    first: tuple[Path, object], tmp_path: Path
) -> None:
    """Nothing of question or answer is said where the record cannot be stored."""
    data = tmp_path / "data"
    subprocess.run(["cp", "-r", str(first[0]), str(data)], check=True)
    limit = "ulimit -f 40"  # KiB: the ledger opens, and no record fits any more
    line = f'{sys.executable} -m bot --data {data} ask "{ANSWERED}" --pack textbook'
    full = subprocess.run(
        ["bash", "-c", f"{limit}; exec {line}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert full.returncode == 4, full.stdout
    assert "could not store a record" in full.stdout
    assert "derivative" not in full.stdout
    assert "the disk is full" in full.stderr
    assert "Traceback" not in full.stderr


def test_talk_is_answered_as_talk_in_the_terminal_R_U10(data: Path) -> None:
    """As text and as JSON, with questions to choose from, and as no refusal."""
    said = run(data, "ask", "thanks a lot!", *TEXTBOOK, "--fail-on-refusal")
    assert (said.returncode, said.stdout.splitlines()[0][:16]) == (
        0,
        "You are welcome.",
    )
    record = json.loads(run(data, "ask", "hello", *TEXTBOOK, "--json").stdout)
    assert (record["talk"], record["was_refusal"]) == ("hello", False)
    assert record["first_questions"]
    chatted = run(data, "chat", *TEXTBOOK, typed="never mind\n/quit\n")
    assert chatted.stdout.startswith("All right.")
