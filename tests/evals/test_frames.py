"""Words around a question do not change what comes of it (R-U9)."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from bot.wiring import Application
from config.settings import Settings
from tests.demo import Demo
from tests.evals.alone import alone, drawn
from tests.evals.frames import AIM, Frame, Framed, framed, frames, share, table

PACKS = ("oncology", "textbook", "mrd", "immigration")
QUESTION = "Is grade IIIA 2.5 cm, or more?"


async def kept(
    demo: Demo, data: Path, packs: Sequence[str], number: int, around: str
) -> list[Framed]:
    """So many questions of each pack in a set of frames."""
    found = []
    settings = Settings(data=data)
    async with Application(settings, embedder=demo.embedder) as application:
        for name in packs:
            cases = drawn(name, number, seed=1)
            found += await framed(application, name, cases, frames()[around])
    return found


@pytest.mark.parametrize(
    ("frame", "asked"),
    [
        (Frame(name="a", text={"any": "Hi! {question}"}), f"Hi! {QUESTION}"),
        (Frame(name="a", text={"any": "x", "mrd": "{question} y"}), f"{QUESTION} y"),
        (
            Frame(name="a", text={"any": "{question}"}, lower=True),
            "is grade iiia 2.5 cm or more",
        ),
    ],
)
def test_a_frame_stands_around_a_question_R_U9(frame: Frame, asked: str) -> None:
    """A pack's own words first; lower case loses marks and no figure."""
    assert frame.around(QUESTION, "mrd") == asked


def test_both_sets_have_eight_frames_of_the_same_kinds_R_U9() -> None:
    """So that what was mended with one in view is measured with the other."""
    kinds = [[frame.name for frame in around] for around in frames().values()]
    assert len(kinds[0]) == 8
    assert all(kind == kinds[0] for kind in kinds)


def test_the_same_seed_draws_the_same_questions_R_E1() -> None:
    assert drawn("mrd", 5, seed=1) == drawn("mrd", 5, seed=1) != drawn("mrd", 5, seed=2)
    questions = [case.question for case in alone("mrd")]
    assert len(questions) == len(set(questions)) >= 50


async def test_a_framed_question_keeps_its_outcome_R_U9(
    demo: Demo, tmp_path: Path
) -> None:
    """A few of two packs; `make prove` asks 50 of each of four."""
    data = demo.copy(tmp_path / "data")
    found = await kept(demo, data, ("oncology", "textbook"), 3, "open")
    assert share(found) >= AIM, table(found)


@pytest.mark.prove
@pytest.mark.parametrize("around", ["open", "blind"])
async def test_200_framed_questions_keep_their_outcomes_R_U9(
    demo: Demo, tmp_path: Path, around: str
) -> None:
    data = demo.copy(tmp_path / "data")
    found = await kept(demo, data, PACKS, 50, around)
    assert share(found) >= AIM, table(found)
