"""The gap board from the terminal: refused, attached or documented, closed (R-D6)."""

import json
from pathlib import Path

import pytest

from config.settings import PACKS
from evals.cases import suites
from evals.relevance import own
from tests.bot.command import Command, command

CORPUS = PACKS / "textbook" / "corpus"
QOS = "What are the default QoS settings?"
OVERSHOOTS = "my robot overshoots, what now?"
NEVER = "Who won the football match yesterday?"
CANARY = "heron@example.org"


@pytest.fixture
def bot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    """The command line over one page of the textbook."""
    run = command(tmp_path / "data", monkeypatch, capsys)
    assert run("ingest", page("pid-control", tmp_path), "--pack", "textbook").code == 0
    return run


def page(name: str, folder: Path) -> Path:
    """A page of the textbook that is no demo text, so that none is taken in."""
    text = (CORPUS / f"{name}.md").read_text(encoding="utf-8")
    real = text.replace("demo: true\n", "").replace("demo/", "real/")
    file = folder / f"{name}.md"
    file.write_text(real.replace("course-textbook", "ros2-docs"), encoding="utf-8")
    return file


def ask(bot: Command, question: str, *more: object) -> None:
    said = bot("ask", question, "--pack", "textbook", "--json", *more)
    assert json.loads(said.out)["was_refusal"], said.out


def board(bot: Command, *more: object) -> list[dict[str, object]]:
    result = bot("gaps", "list", "textbook", "--json", *more)
    assert result.code == 0, result.err
    found: list[dict[str, object]] = json.loads(result.out)
    return found


def test_a_gap_lives_until_a_document_answers_it_R_D6(
    bot: Command, tmp_path: Path
) -> None:
    """Refused and masked, kept open with the reason, closed by an ingestion, exported;
    what no document answers stays."""
    ask(bot, f"{QOS} Write to {CANARY}.")
    ask(bot, NEVER)
    first, second = sorted(board(bot), key=lambda gap: str(gap["text"]), reverse=True)
    assert CANARY not in json.dumps([first, second])
    assert "[e-mail]" in json.dumps([first, second])
    assert "asker" not in json.dumps(first)
    stays = bot("gaps", "close", "textbook", first["id"])
    assert stays.code == 1
    assert "stays open: " in stays.err
    taken_in = bot("ingest", page("ros2-qos", tmp_path), "--pack", "textbook")
    assert "1 gap closed, 0 askers told" in taken_in.err, taken_in.err
    [left] = board(bot)
    assert left["text"] == NEVER
    shown = bot("gaps", "show", "textbook", str(left["id"])[:6])
    assert NEVER in shown.out
    assert "why: " in shown.out
    file = tmp_path / "textbook" / "gaps.yaml"
    file.parent.mkdir()
    assert bot("gaps", "export", "textbook", "--to", file).code == 0
    cases = {case.question: case for case in suites.read(file).cases}
    assert cases[NEVER].expected.outcome == "refuse"
    assert len(cases) == 2
    gone = bot("gaps", "close", "textbook", left["id"], "--not-ours", "no sports")
    assert gone.code == 0
    assert board(bot) == []
    assert bot("gaps", "close", "textbook", left["id"], "--again").code == 0
    assert [gap["text"] for gap in board(bot)] == [NEVER]


def test_gaps_become_labelled_questions_R_U13(bot: Command, tmp_path: Path) -> None:
    """As `evals calibrate` reads them: attached with its passage, dismissed without;
    an open one is counted and left out."""
    for question in (OVERSHOOTS, NEVER, QOS):
        ask(bot, question)
    gaps = {str(gap["text"]): gap["id"] for gap in board(bot)}
    where = ("--document", "real/pid-control", "--section")
    section = "How do you tune a PID controller?"
    bot("gaps", "attach", "textbook", gaps[OVERSHOOTS], OVERSHOOTS, *where, section)
    bot("gaps", "close", "textbook", gaps[NEVER], "--not-ours", "no sports")
    file = tmp_path / "labelled.jsonl"
    exported = bot("gaps", "export", "textbook", "--labels", "--to", file)
    assert (exported.code, "2 questions" in exported.out) == (0, True), exported.err
    assert "1 open gap left out" in exported.err
    (_, attached), (_, dismissed) = own.read_lines(file)
    assert (attached.question, attached.page) == (OVERSHOOTS, "real/pid-control")
    written = page("pid-control", tmp_path).read_text("utf-8")
    assert attached.quote is not None and attached.quote.splitlines()[0] in written
    assert (dismissed.question, dismissed.page) == (NEVER, None)


def test_what_a_fixed_text_answers_is_no_gap_R_M8_R_D6(bot: Command) -> None:
    """It is on record, and refuses nothing."""
    said = bot("ask", "morning! long night shift lol", "--pack", "textbook", "--json")
    told = json.loads(said.out)
    assert (told["was_refusal"], told["reason_code"]) == (False, "FIXED_TEXT")
    assert board(bot) == []


def test_a_list_says_what_stands_in_it_or_that_nothing_does(bot: Command) -> None:
    """On standard error, so that other programs read the lines alone."""
    empty = bot("gaps", "list", "textbook")
    assert (empty.out, empty.code) == ("", 0)
    assert "no open gap" in empty.err
    ask(bot, NEVER)
    listed = bot("gaps", "list", "textbook")
    [line] = listed.out.splitlines()
    assert line.endswith(f"\t{NEVER}")
    assert len(listed.err.splitlines()[-1].split("\t")) == len(line.split("\t"))
    recalled = bot("recall", "show", "textbook")
    assert (recalled.out, recalled.code) == ("", 0)
    assert "no answer was posted that cites what is gone" in recalled.err
    for verb in (("questions", "list"), ("sources", "list", "--pack")):
        found = bot(*verb, "textbook")
        columns = found.out.splitlines()[0].split("\t")
        assert len(found.err.splitlines()[-1].split("\t")) == len(columns)


def test_what_was_asked_with_tags_is_for_who_holds_them_R_C5(bot: Command) -> None:
    """Not listed, shown or exported to others; they learn that it is there."""
    ask(bot, "What does the heron project cost?", "--tags", "board,staff")
    assert board(bot) == []
    plain = bot("gaps", "list", "textbook", "--tags", "board")
    assert "1 gap not shown" in plain.err
    [gap] = board(bot, "--tags", "board,staff")
    name = gap["id"]
    for verb in (("show", "textbook", name), ("close", "textbook", name)):
        result = bot("gaps", *verb)
        assert result.code == 2
        assert "heron" not in result.out + result.err
    assert "heron" not in bot("gaps", "export", "textbook").out
    assert board(bot, "--tags", "board,staff", "--tenant", "slack:T1") == []


def test_a_question_is_attached_in_the_owners_words_R_Q6(bot: Command) -> None:
    """A passage on which the gate opens closes the gap; another is kept out of use."""
    ask(bot, OVERSHOOTS)
    ask(bot, NEVER)
    gaps = {gap["text"]: gap["id"] for gap in board(bot)}
    place = ("--document", "real/pid-control", "--section")
    wrong = bot("gaps", "attach", "textbook", gaps[NEVER], NEVER, *place, "Nowhere")
    assert wrong.code == 2
    poor = ("attach", "textbook", gaps[NEVER], NEVER, *place, "Controllers in ROS 2")
    kept_out = bot("gaps", *poor)
    assert kept_out.code == 1
    assert "kept out of use" in kept_out.err
    good = ("attach", "textbook", gaps[OVERSHOOTS], OVERSHOOTS, *place)
    result = bot("gaps", *good, "How do you tune a PID controller?", "--by", "Ada")
    assert result.code == 0, result.err
    assert "closed" in result.out
    assert [gap["text"] for gap in board(bot)] == [NEVER]
