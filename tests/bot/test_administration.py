"""Commands of administrators, and of persons about their data."""

import pytest

from adapters.ledger.mail_records import EVERYWHERE
from adapters.mail import Action, Method, Platform
from bot import wording
from bot.administration import MOST_TRIES, Administration, Order, read_order
from bot.steps import Say, Wait
from engine.errors import LedgerFailed
from tests.bot.chat import BEN, HERE, Chat
from tests.fakes import Breaking

OPERATOR = "UOPS"
ELSEWHERE = HERE.model_copy(update={"channel": "C2", "thread": "5.0"})
ADMIN = {"admin": True}


@pytest.mark.parametrize(
    ("typed", "order"),
    [
        ("small", Order("small", role_tags={})),
        (
            "small private people=<@U1|anna>,<@!456>,@U3",
            Order("small", private=True, people=("U1", "456", "U3"), role_tags={}),
        ),
        (
            "small everywhere tags=a,b role.77=c,d",
            Order(
                "small",
                everywhere=True,
                tags=frozenset("ab"),
                role_tags={"77": frozenset("cd")},
            ),
        ),
        ("", None),
        ("private=yes", None),
        ("small secretly", None),
        ("small colour=red", None),
        ("small people=@anna maria", None),
        ("small people=a.b", None),
    ],
)
def test_an_order_is_read_whole_or_not_at_all(typed: str, order: Order | None) -> None:
    """What is not understood is not half done."""
    assert read_order(typed) == order


async def test_an_administrator_binds_a_channel_R_C1(chat: Chat) -> None:
    """Said to the administrator alone, and in force at once."""
    [part] = await chat.says("", action=Action.BIND, reason="other", **ADMIN)
    assert part.method is Method.WHISPER
    assert part.payload["text"] == "This channel is bound to “Other”."
    assert "Analysis date basis" in await chat.hears()
    said = await chat.hears("", action=Action.BIND, reason="none", **ADMIN)
    assert said == wording.UNBOUND
    assert "Analysis date basis" not in await chat.hears()


@pytest.mark.parametrize("action", [Action.BIND, Action.PAUSE, Action.RESUME])
async def test_nobody_else_does_R_C5(chat: Chat, action: Action) -> None:
    """Nothing changes."""
    command = {"action": action, "reason": "other"}
    assert await chat.hears("", **command) == wording.ADMINISTRATORS_ONLY
    assert await chat.mailbox.binding(HERE) is None


@pytest.mark.parametrize("more", ["tags=staff", "role.7=staff", "everywhere"])
async def test_what_reaches_beyond_a_channel_is_the_operators_R_C5(
    chat: Chat, more: str
) -> None:
    """Access tags, and a whole workspace."""
    command = {"action": Action.BIND, "reason": f"other {more}"}
    assert await chat.hears("", **command, **ADMIN) == wording.OPERATORS_ONLY
    assert "bound" in await chat.hears("", **command, person=OPERATOR)
    place = ELSEWHERE if more == "everywhere" else HERE
    bound = await chat.mailbox.binding(place)
    assert bound is not None
    assert bound.channel == (EVERYWHERE if more == "everywhere" else "C1")


async def test_what_cannot_be_bound_is_explained(chat: Chat) -> None:
    """An unknown pack, no pack, a pack that forbids the platform (R-C6)."""
    bind = {"action": Action.BIND, **ADMIN}
    assert "There are: closed, long, other, small" in await chat.hears(
        "", **bind, reason="nothing"
    )
    assert "/ask-admin bind PACK" in await chat.hears("", **bind)
    guild = HERE.model_copy(update={"platform": Platform.DISCORD, "tenant": "G1"})
    said = await chat.hears("", **bind, reason="closed", place=guild)
    assert "may not be used on Discord" in said


async def test_a_channel_is_paused_and_resumed_R_U5(chat: Chat) -> None:
    """Its binding stays as it was."""
    await chat.bind("other", people=("U8",))
    assert await chat.hears("", action=Action.PAUSE, **ADMIN) == wording.PAUSED
    assert "On holiday." in await chat.hears()
    assert await chat.hears("", action=Action.RESUME, **ADMIN) == wording.RESUMED
    assert "This is not on file." in await chat.hears()
    bound = await chat.mailbox.binding(HERE)
    assert bound is not None and bound.people == ("U8",)


async def test_a_pack_is_paused_everywhere_by_its_operator_R_U5(chat: Chat) -> None:
    """An administrator of one workspace does not reach others."""
    pause = {"action": Action.PAUSE, "reason": "pack"}
    assert await chat.hears("", **pause, **ADMIN) == wording.OPERATORS_ONLY
    assert await chat.hears("", **pause, person=OPERATOR) == wording.PAUSED
    assert await chat.hears(place=ELSEWHERE) == "On holiday."
    resume = {**pause, "action": Action.RESUME}
    assert await chat.hears("", **resume, person=OPERATOR) == wording.RESUMED
    assert "This is not on file." in await chat.hears(place=ELSEWHERE)


async def test_a_person_sees_and_deletes_what_is_stored_R_S5(chat: Chat) -> None:
    """The chain still verifies; others' data stay."""
    await chat.hears()
    await chat.hears(person=BEN)
    assert "1 question" in await chat.hears("", action=Action.MY_DATA)
    assert await chat.hears("", action=Action.FORGET) == wording.FORGOTTEN
    assert await chat.hears("", action=Action.MY_DATA) == "Nothing of yours is stored."
    assert "1 question" in await chat.hears("", action=Action.MY_DATA, person=BEN)
    assert (await chat.application.ledger.verify_all()).ok


async def test_forgetting_waits_for_who_reads_the_log_R_S5(chat: Chat) -> None:
    """Old bytes stand in the database's log meanwhile; it is tried some times."""
    await chat.rings("", action=Action.FORGET)
    claimed = await chat.mailbox.claim("x", 60)
    assert claimed is not None
    busy = Breaking(chat.mailbox, "forget", LedgerFailed("somebody reads"))
    application = chat.application
    desk = Administration(  # type: ignore[arg-type]
        busy, application, application.rules, application.readiness
    )
    assert isinstance(await desk.hear(claimed), Wait)
    last = claimed.model_copy(update={"attempts": MOST_TRIES})
    assert isinstance(await desk.hear(last), Say)
