"""The gap board as its owners see it, drawn beside the replies (R-D6)."""

from collections.abc import Iterator
from datetime import UTC, datetime

from adapters.gap_board import (
    BoardPanel,
    GapLine,
    GapPanel,
    Panel,
    PassageLine,
    PassagePanel,
)
from adapters.mail import Action, Incoming, Place, Platform
from bot.preview.page import Scene, Shown
from bot.wiring import FACES

PACK = "textbook"
TITLE = "Physical AI and humanoid robotics"
_FIRST = GapLine(
    gap="3f2a9c01d4e7",
    pack=TITLE,
    text="my robot overshoots, what now?",
    counted=f"{TITLE} · 3 questions, the last on 2026-11-20 · 2 low score, 1 none of "
    "these",
    why="Still open: the gate stays closed: LOW_SCORE (best 0.41, minimum 0.70).",
)
_SECOND = GapLine(
    gap="7be0115a9c42",
    pack=TITLE,
    text="Which battery does the walking robot in lab 12 need? Write to [e-mail]",
    counted=f"{TITLE} · 1 question, the last on 2026-11-18 · 1 low score",
    why="A document was asked for on 2026-11-19.",
)
_PID = "PID control of robot joints"
PANELS: tuple[tuple[str, str, Panel], ...] = (
    (
        "gaps",
        "The gap board of a pack's owners",
        BoardPanel(gaps=(_FIRST, _SECOND), more=4),
    ),
    (
        "gap",
        "One gap of it",
        GapPanel(
            line=_FIRST,
            asked=("Why does the arm swing past its goal?",),
            near=(f"{_PID} > How do you tune a PID controller? (0.41)",),
        ),
    ),
    (
        "gap-passages",
        "Passages that a question can be attached to",
        PassagePanel(
            gap=_FIRST.gap,
            words="tune a controller that overshoots",
            found=(
                PassageLine(
                    passage="a-1",
                    title=f"{_PID} > How do you tune a PID controller?",
                    text="Tuning by hand follows these steps: 1. Set Ki and Kd to zero "
                    "and start with a small Kp. …",
                ),
                PassageLine(
                    passage="a-2",
                    title=f"{_PID} > What does each gain do?",
                    text="A larger proportional gain makes the joint react faster, but "
                    "too much of it makes the joint overshoot and oscillate. …",
                ),
            ),
        ),
    ),
)


def board_scenes() -> Iterator[Scene]:
    """What an owner is sent, for whom alone it is visible."""
    for name, title, panel in PANELS:
        shown = Shown(name=name, title=title, pack=PACK, pack_title=TITLE)
        yield Scene(
            shown, "board", {p: FACES[p].board(panel, _pressed(p)) for p in Platform}
        )


def _pressed(platform: Platform) -> Incoming:
    """Somebody asked for it in a channel."""
    return Incoming(
        event="board",
        platform=platform,
        action=Action.GAPS,
        place=Place(platform=platform, tenant="1", channel="C1", private=True),
        person="1",
        received=datetime(2026, 11, 22, tzinfo=UTC),
    )
