"""A team's own documents: started, asked labelled questions, counted (R-U13)."""

import json
import shutil
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from adapters.reader import large_reader_path
from config.settings import Settings
from engine.model.errors import UsageError
from evals.commands import calibrate, own
from evals.commands.own import ask_collections
from evals.relevance.answered import KINDS, Row, Verdict, is_shown, write_table
from evals.relevance.collections import OWN, list_collections, read_collection
from evals.relevance.own import Kind
from tests.bot.command import Command

PLAIN = "Are swim caps compulsory in the main pool?"
# Questions of the swimming club, and what comes of each with the small reader.
ASKED = {
    PLAIN: Verdict.RIGHT,
    "can i sit by the pool and watch him": Verdict.TAP,
    "How would we find out that tonight's practice is off?": Verdict.REFUSED,
    "who is the vice chair": Verdict.REFUSED,
}
# Two with a wrong label: what was answered is not what it says.
MISLABELLED = {
    "When does the membership year run?": (None, Verdict.ANSWERED),
    "How much does a gala entry cost per event?": ("Galas and comp", Verdict.WRONG),
}
HEAD = ("collection", "kind", "asked", *" ".join(Verdict).split())


@pytest.fixture
def collections(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of one collection, the club with six questions, for both commands."""
    wrong = [
        {"question": asked, "kind": "plain", "page": "galas.md", "quote": quote}
        if quote
        else {"question": asked, "kind": "near_miss"}
        for asked, (quote, _) in MISLABELLED.items()
    ]
    folder, club = tmp_path / "own", OWN / "swimming_club"
    shutil.copytree(club / "docs", folder / "club" / "docs")
    lines = (club / "questions.jsonl").read_text("utf-8").splitlines()
    right = [line for line in lines if json.loads(line)["question"] in ASKED]
    store(folder, [*right, *map(json.dumps, wrong)])
    monkeypatch.setattr(own, "list_collections", partial(list_collections, folder))
    for module in (own, calibrate):
        monkeypatch.setattr(
            module, "read_collection", partial(read_collection, folder=folder)
        )
    return folder


def store(folder: Path, lines: Sequence[str]) -> None:
    (folder / "club" / "questions.jsonl").write_text("\n".join(lines), "utf-8")


def test_every_collection_is_whole_R_U13() -> None:
    """Forty questions of four kinds, each label in the page that it names."""
    names = list_collections()
    assert len(names) == 6
    for name in names:
        kinds = Counter(line.kind for line in read_collection(name).questions)
        assert [kinds[kind] for kind in KINDS] == [6, 10, 8, 16], name


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ({"question": "When?"}, "line 1: wants a kind"),
        ({"question": "When?", "kind": "plain"}, "every other kind has one"),
        (
            {"question": "When?", "kind": "near_miss", "page": "a.md", "quote": "b"},
            "a near miss has no page",
        ),
        (
            {"question": "When?", "kind": "plain", "page": "no.md", "quote": "Now"},
            "line 1: wants a kind, and its page's words",
        ),
        (
            {"question": "?", "kind": "plain", "page": "galas.md", "quote": "At noon"},
            "line 1: wants a kind, and its page's words",
        ),
        (None, "holds no question"),
    ],
)
def test_a_wrong_label_is_named_R_U13(
    collections: Path, line: object, told: str
) -> None:
    store(collections, [json.dumps(line)] if line else [])
    with pytest.raises(UsageError, match=told):
        read_collection("club", collections)


def test_a_collection_is_started_and_asked_R_U13(
    collections: Path, evals: Command, tmp_path: Path
) -> None:
    """Each answer, tap and refusal is told from the others, and kept."""
    report = tmp_path / "own.jsonl"
    done = evals("own", "--report", report)
    assert done.code == 0, done.err
    rows = [Row.model_validate_json(x) for x in report.read_text("utf-8").splitlines()]
    mislabelled = {asked: came for asked, (_, came) in MISLABELLED.items()}
    assert {row.question: row.verdict for row in rows} == ASKED | mislabelled
    assert [row.tap is not None for row in rows] == [
        r.verdict is Verdict.TAP for r in rows
    ]
    counted = done.out.partition("all ")[2].partition("with answer")[2].split()
    assert counted[:6] == ["4", "1", "1", "1", "1", "0"]
    assert "reader: small-" in done.out
    assert "club: 6 questions asked" in done.err


def test_what_cannot_be_measured_is_not_green_R_U13(
    collections: Path, evals: Command
) -> None:
    (collections / "club" / "docs" / "minutes.docx").write_bytes(b"no archive")
    done = evals("own")
    assert done.code == 3
    assert "club: could not be measured" in done.err
    assert evals("own", "choir").code == 2
    shutil.rmtree(collections / "club")
    assert evals("own").code == 2


async def test_a_collection_can_be_fitted_on_R_G6(collections: Path) -> None:
    """Its labels are found in what the search brings."""
    found = await calibrate.measure_collection("club", Settings(reader="small"))
    labelled = {one.case.question for one in found if one.labels.any()}
    assert len(found) == len(ASKED) + len(MISLABELLED)
    assert PLAIN in labelled
    assert labelled <= {one.case.question for one in found if one.case.answerable}


def test_collections_are_fitted_on_and_measured_by_their_own_command_R_G6(
    evals: Command,
) -> None:
    done = evals("calibrate", "measure", "--collections")
    assert (done.code, "`evals own` measures them" in done.err) == (2, True)


def test_a_row_of_a_table_is_shown_whatever_its_marks_R_U13() -> None:
    shown = "item | price\n[…]\n**Club cap** | each | £7.00"
    assert is_shown("Club cap,each,£7.00", shown)
    assert not is_shown("Club cap,each,£9.00", shown)


def test_the_table_counts_by_collection_and_kind_R_U13() -> None:
    rows = [
        row("club", "plain", Verdict.RIGHT),
        row("club", "near_miss", Verdict.ANSWERED),
        row("lab", "plain", Verdict.WRONG),
        row("lab", "everyday", Verdict.TAP),
    ]
    head, *lines = write_table(rows)
    assert tuple(head.split()) == HEAD
    assert len(lines) == 3 * (len(KINDS) + 1)
    assert lines[0].split() == ["club", "plain", "1", "1", "0", "0", "0", "0"]
    assert lines[3].split() == ["club", "near_miss", "1", "0", "0", "0", "0", "1"]
    assert lines[-1].split()[-6:] == ["3", "1", "1", "1", "0", "0"]


def row(collection: str, kind: Kind, verdict: Verdict) -> Row:
    page, quote = (None, None) if kind == "near_miss" else ("a.md", "b")
    return Row(
        collection=collection,
        kind=kind,
        question="?",
        page=page,
        quote=quote,
        verdict=verdict,
        reason=None,
        tap=None,
        shown="",
    )


@pytest.mark.prove
@pytest.mark.parametrize(
    ("reader", "right", "reached", "answered"),
    [("small", 30, 68, 8), ("large", 70, 117, 11)],
)
async def test_240_questions_of_six_teams_R_U13(
    reader: str, right: int, reached: int, answered: int
) -> None:
    """At least so many of 144 right, or reached by one tap; at most so many of 96 near
    misses answered.

    Measured on 28 November 2026: 32 right, 71 reached and 6 answered with the small
    reader, 73, 121 and 10 with the large one.
    """
    settings = Settings()
    if reader == "large" and not large_reader_path(settings.cache).exists():
        pytest.skip("THE LARGE READER IS ABSENT: `make reader` builds it")
    collections = [read_collection(name) for name in list_collections()]
    rows = await ask_collections(
        collections, settings.model_copy(update={"reader": reader})
    )
    counted = Counter(row.verdict for row in rows)
    assert len(rows) == 240
    told = "\n".join(write_table(rows))
    assert counted[Verdict.RIGHT] >= right, told
    assert counted[Verdict.RIGHT] + counted[Verdict.TAP] >= reached, told
    assert counted[Verdict.ANSWERED] <= answered, told
