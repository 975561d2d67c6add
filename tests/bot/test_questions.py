"""`questions`: written by a model that is scripted, added, reviewed, exported."""

import io
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.settings import PACKS
from tests.bot.command import Command, command
from tests.loopback.model import Json, Provider, Said, prompt_of, provider_aside

PID = "demo/pid-control"
GOOD = "What is integral windup and why is it bad?"
FIGURE = "What happens to the arm after 4711 steps?"
NOWHERE = "Which sentence does not exist here?"
TOPIC = "windup"
CANARY = "heron"


def proposing(body: Json) -> Said:
    """Good and bad questions of the passage about windup, none of any other."""
    found: list[dict[str, object]] = []
    if f"> What is integral {TOPIC}?" in prompt_of(body):
        found = [
            {"question": GOOD, "sentences": [1, "2"]},
            {"question": FIGURE, "sentences": [1]},
            {"question": NOWHERE, "sentences": [99]},
            {"question": "w" * 5_000, "sentences": [1]},
            {"question": "A fifth that nobody asked for?", "sentences": [1]},
        ]
    return Said(json.dumps({"questions": found}))


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[Provider]:
    """A provider, and the settings that lead to it."""
    with provider_aside(proposing) as running:
        monkeypatch.setenv("GROUNDRULE_MODEL", "openai/test")
        monkeypatch.setenv("GROUNDRULE_MODEL_URL", running.url)
        monkeypatch.setenv("GROUNDRULE_MODEL_PRICES", "1/2")
        yield running


@pytest.fixture
def bot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    """The command line over one page of the textbook."""
    run = command(tmp_path / "data", monkeypatch, capsys)
    folder = tmp_path / "course"
    folder.mkdir()
    shutil.copy(PACKS / "textbook" / "corpus" / "pid-control.md", folder)
    assert run("ingest", folder, "--pack", "textbook").code == 0
    return run


def listed(bot: Command) -> dict[str, list[str]]:
    """Question -> its columns."""
    out = bot("questions", "list", "textbook").out
    rows = [line.split("\t") for line in out.splitlines()]
    return {row[-1]: row for row in rows}


def write(bot: Command, *more: object) -> object:
    """Let the model write."""
    return bot("questions", "write", "textbook", "--most", 4, *more)


def test_only_what_stands_the_round_trip_is_kept_R_Q2(
    bot: Command, served: Provider
) -> None:
    """Figures stand there, sentences exist, the gate opens; the rest is counted."""
    result = write(bot)
    assert result.code == 0
    assert "1 question kept, 3 dropped" in result.out
    assert "dropped 1: names no sentence of the passage" in result.err
    assert "dropped 1: too short or too long" in result.err
    assert "does not stand there" in result.err
    rows = listed(bot)
    assert rows[GOOD][1:4] == ["in use", "openai/test", PID]
    assert not {FIGURE, NOWHERE} & rows.keys()
    assert "What is integral windup?" in rows  # the heading


def test_what_was_read_is_paid_for_once_R_Q4(bot: Command, served: Provider) -> None:
    """A second run asks for nothing and adds nothing."""
    write(bot)
    asked = len(served.asked)
    assert asked > 3
    again = write(bot)
    assert len(served.asked) == asked
    assert "0 to be read" in again.out
    assert "0 questions kept" in again.out


def test_the_budget_is_kept_to_R_Q4(bot: Command, served: Provider) -> None:
    """The estimate comes first; what is spent stays below, and the next run goes on."""
    estimate = write(bot, "--estimate")
    assert served.asked == []
    assert "tokens, US$ 0." in estimate.out
    assert write(bot, "--budget", 0).err.count("budget spent") == 1
    assert served.asked == []
    assert "budget spent" in write(bot, "--budget", 0.004).err
    some = len(served.asked)
    assert 0 < some < 7
    write(bot)
    assert len(served.asked) == len({json.dumps(body) for body in served.asked}) > some


def test_a_budget_needs_a_price_R_Q4(
    bot: Command, served: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without one nothing is asked."""
    monkeypatch.delenv("GROUNDRULE_MODEL_PRICES")
    result = write(bot, "--budget", 1)
    assert (result.code, served.asked) == (2, [])
    assert "GROUNDRULE_MODEL_PRICES" in result.err


def test_restricted_passages_reach_no_model_R_Q4_R_S8(
    bot: Command, served: Provider, tmp_path: Path
) -> None:
    """Neither those with access tags nor those of one tenant."""
    secret = tmp_path / "secret"
    secret.mkdir()
    text = f"# Birds\n\nThe grey {CANARY} of the lab sleeps in the reeds at night.\n"
    (secret / "birds.md").write_text(text, encoding="utf-8")
    put = ("ingest", secret, "--pack", "textbook", "--source", "course-labs")
    assert bot(*put, "--tags", "staff").code == 0
    assert "1 document limited to some people left out" in write(bot).err
    assert bot(*put, "--tenant", "discord:7").code == 0
    mine = write(bot, "--tenant", "discord:7")
    assert "1 document limited to some people left out" in mine.err
    assert CANARY not in json.dumps(served.asked)


@pytest.mark.parametrize(
    "said",
    [
        "no JSON at all",
        '{"questions": "none"}',
        '{"questions": [{"question": 7, "sentences": []}]}',
        json.dumps({"questions": [{"question": "a\0[[ ## x ## ]]", "sentences": []}]}),
        json.dumps({"questions": [{"question": GOOD, "sentences": ["1" * 900]}]}),
        "[" * 5_000,
    ],
)
def test_hostile_answers_of_a_model_are_data_R_Q2(
    bot: Command, served: Provider, said: str
) -> None:
    """Whatever comes back, nothing is kept and nothing breaks."""
    served.script = lambda body: Said(said)
    result = write(bot, "--document", PID)
    assert result.code in (0, 1)
    assert "0 questions kept" in result.out


def test_a_person_attaches_a_question_R_Q1(bot: Command) -> None:
    """It is used where the gate opens; else it is kept out, and the reason is said."""
    place = ("--document", PID, "--section", "What is integral windup?")
    good = bot("questions", "add", "textbook", GOOD, *place, "--by", "Ada")
    assert good.code == 0
    bad = bot("questions", "add", "textbook", "Who won the cup in 1954?", *place)
    assert bad.code == 1
    assert "kept out of use" in bad.err
    rows = listed(bot)
    assert rows[GOOD][1] == "in use"
    assert rows["Who won the cup in 1954?"][1] != "in use"
    twice = bot("questions", "add", "textbook", GOOD, *place)
    assert (twice.code, "already" in twice.err) == (2, True)
    wrong = bot("questions", "add", "textbook", GOOD, *place[:3], "Nowhere")
    assert (wrong.code, "--section" in wrong.err) == (2, True)


def test_what_was_removed_stays_out_R_Q4(bot: Command, served: Provider) -> None:
    """No later run of the model or of `ingest` brings it back."""
    write(bot)
    name = listed(bot)[GOOD][0]
    assert bot("questions", "remove", "textbook", name).code == 0
    write(bot)
    assert listed(bot)[GOOD][1] == "removed"
    assert bot("questions", "remove", "textbook", "nothing").code == 2


def test_a_review_goes_on_where_it_stopped_R_Q4(
    bot: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kept, written anew, dropped; each decision is stored at once."""
    place = ("--document", PID, "--section", "What is integral windup?")
    texts = (
        GOOD,
        "What does integral windup mean?",
        "What is integral windup in a controller?",
    )
    added = [bot("questions", "add", "textbook", text, *place).code for text in texts]
    assert added == [0, 0, 0]
    better = "How does windup of the integral happen?"
    review = ("questions", "review", "textbook", "--by", "Dr Ada")

    def type_in(text: str) -> None:
        monkeypatch.setattr("sys.stdin", io.StringIO(text))

    type_in("k\nq\n")
    first = bot(*review)
    assert "1/3" in first.out
    assert "QUESTION: " in first.out
    type_in(f"e\n{better}\nd\n")
    assert "1/2" in bot(*review).out
    type_in("")
    assert bot(*review).out == ""
    states = {text: row[1] for text, row in listed(bot).items()}
    assert sorted(states[text] for text in texts) == ["in use", "removed", "removed"]
    assert better in states


def test_an_export_is_read_by_ingest_R_Q4(bot: Command, tmp_path: Path) -> None:
    """What was attached goes into a file beside the documents, and back in."""
    place = ("--document", PID, "--section", "What is integral windup?")
    assert bot("questions", "add", "textbook", GOOD, *place).code == 0
    file = tmp_path / "course" / "questions.jsonl"
    assert bot("questions", "export", "textbook", "--to", file).code == 0
    (line,) = [json.loads(text) for text in file.read_text("utf-8").splitlines()]
    assert (line["document"], line["question"]) == (PID, GOOD)
    other = ("--data", tmp_path / "other")
    assert bot(*other, "ingest", tmp_path / "course", "--pack", "textbook").code == 0
    out = bot(*other, "questions", "list", "textbook").out
    assert f"in use\tquestions.jsonl:1\t{PID}" in out


def test_a_restored_ledger_asks_what_it_asked_then_R_U7(
    bot: Command, tmp_path: Path
) -> None:
    """The index forgets questions that came after the backup."""
    assert bot("backup", tmp_path / "before.db").code == 0
    place = ("--document", PID, "--section", "What is integral windup?")
    assert bot("questions", "add", "textbook", GOOD, *place).code == 0
    restored = bot("restore", tmp_path / "before.db")
    assert restored.code == 0
    assert "1 document indexed" in restored.out
    assert GOOD not in listed(bot)
