"""Commands of administrators, and of persons about their data."""

from datetime import timedelta

import pytest

from adapters.ledger.mail_records import EVERYWHERE, Binding
from adapters.ledger.transactions import ScrubPending
from adapters.mail import Action, Method, Place, Platform
from bot.messages import wording
from bot.messages.administration import MOST_TRIES, Administration, Order, read_order
from bot.routing import Say, Wait
from engine.model.errors import LedgerFailed, UsageError
from tests.bot.chat import ANNA, BEN, DIRECT, HERE, Chat
from tests.fakes import Breaking
from tests.spending import spend

OPERATOR = "UOPS"
ELSEWHERE = HERE.model_copy(update={"channel": "C2", "thread": "5.0"})
ADMIN = {"admin": True}


@pytest.mark.parametrize(
    ("typed", "order"),
    [
        ("small", Order("small")),
        (
            "small private people=<@U1>,<@456>",
            Order("small", private=True, people=("U1", "456")),
        ),
        ("small people= tags=", Order("small", people=(), tags=frozenset())),
        (
            "small everywhere tags=a,b role.77=c,d",
            Order(
                "small",
                everywhere=True,
                tags=frozenset("ab"),
                role_tags={"77": frozenset("cd")},
            ),
        ),
    ],
)
def test_an_order_is_read(typed: str, order: Order) -> None:
    """What is not named is not changed."""
    assert read_order(typed) == order


@pytest.mark.parametrize(
    ("typed", "word"),
    [
        ("private=yes", "private=yes"),
        ("small secretly", "secretly"),
        ("small colour=red", "colour=red"),
        ("small role.=a", "role.=a"),
        ("small people=@anna", "@anna"),
        ("small people=<@U1>,ben", "ben"),
        ("small people=<@U1> maria", "maria"),
    ],
)
def test_an_order_is_read_whole_or_not_at_all(typed: str, word: str) -> None:
    """What is not understood is named, and nothing is half done."""
    with pytest.raises(UsageError, match=f"“{word}”"):
        read_order(typed)


async def test_an_administrator_binds_a_channel_R_C1(chat: Chat) -> None:
    """Said to the administrator alone, and in force at once."""
    [part] = await chat.says("", action=Action.BIND, reason="other", **ADMIN)
    assert part.method is Method.WHISPER
    said = str(part.payload["text"])
    assert said.startswith("“Other” answers in this channel now. Everybody there sees")
    assert said.endswith("To try it, ask: What is other?")
    assert "Analysis date basis" in await chat.hears()
    said = await chat.hears("", action=Action.BIND, reason="none", **ADMIN)
    assert "“Small” answers there, as wherever none is bound" in said
    assert "Analysis date basis" not in await chat.hears()


async def test_what_an_administrator_bound_verifies_R_D3(chat: Chat) -> None:
    """Each command is an entry of the chain: bound, paused, taken away for good."""
    orders = (
        (Action.BIND, "other"),
        (Action.PAUSE, ""),
        (Action.BIND, "none"),  # the pause stays
        (Action.RESUME, ""),
        (Action.BIND, "none"),
    )
    for ordered, (action, reason) in enumerate(orders, 1):
        await chat.says("", action=action, reason=reason, **ADMIN)
        report = await chat.application.ledger.verify_all()
        assert (report.failures, report.entries) == ((), ordered)
    assert await chat.mailbox.bindings(Platform.SLACK) == ()


@pytest.mark.parametrize("action", [Action.BIND, Action.PAUSE, Action.RESUME])
async def test_nobody_else_does_R_C5(chat: Chat, action: Action) -> None:
    """Nothing changes."""
    command = {"action": action, "reason": "other"}
    said = await chat.hears("", **command)
    assert said == wording.administrators_only(Platform.SLACK)
    assert "/ask-admin my data and /ask-admin forget me" in said
    assert await chat.mailbox.binding(HERE) is None


@pytest.mark.parametrize("more", ["tags=staff", "role.7=staff", "everywhere"])
async def test_what_reaches_beyond_a_channel_is_the_operators_R_C5(
    chat: Chat, more: str
) -> None:
    """Access tags, and a whole workspace."""
    command = {"action": Action.BIND, "reason": f"other {more}"}
    assert await chat.hears("", **command, **ADMIN) == wording.OPERATORS_ONLY
    assert "“Other” answers" in await chat.hears("", **command, person=OPERATOR)
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
    [*_, part] = await chat.says("", action=Action.FORGET)
    assert part.payload["text"] == wording.FORGOTTEN
    assert await chat.hears("", action=Action.MY_DATA) == "Nothing of yours is stored."
    assert "1 question" in await chat.hears("", action=Action.MY_DATA, person=BEN)
    assert (await chat.application.ledger.verify_all()).ok


async def heard(chat: Chat, error: LedgerFailed, attempts: int) -> Say | Wait:
    """What comes of "forget me" where the database fails so."""
    await chat.rings("", action=Action.FORGET)
    claimed = await chat.mailbox.claim("x", 60)
    assert claimed is not None
    application = chat.application
    desk = Administration(
        Breaking(chat.mailbox, "forget", error),  # type: ignore[arg-type]
        application,
        application.rules,
        application.readiness,
        application.router,
    )
    return await desk.hear(claimed.model_copy(update={"attempts": attempts}))


@pytest.mark.parametrize("error", [ScrubPending("somebody reads"), LedgerFailed("no")])
async def test_forgetting_is_tried_again_R_S5(chat: Chat, error: LedgerFailed) -> None:
    """Before anything is said."""
    assert isinstance(await heard(chat, error, 1), Wait)


async def test_what_was_not_forgotten_is_not_said_to_be_R_S5(chat: Chat) -> None:
    """Nothing was deleted: the person is told so."""
    step = await heard(chat, LedgerFailed("the disk is full"), MOST_TRIES)
    assert isinstance(step, Say)
    assert step.text == wording.NOT_FORGOTTEN


async def test_old_bytes_in_the_log_are_said_R_S5(chat: Chat) -> None:
    """It is deleted, and somebody reads the state before all the time."""
    step = await heard(chat, ScrubPending("somebody reads"), MOST_TRIES)
    assert isinstance(step, Say)
    assert step.text == f"{wording.FORGOTTEN} {wording.SCRUB_PENDING}"


async def test_replies_to_who_is_forgotten_are_taken_away_R_S5(chat: Chat) -> None:
    """In channels and in direct messages; those to others stay."""
    guild = Place(platform=Platform.DISCORD, tenant="G1", channel="7")
    direct = guild.model_copy(update={"tenant": "dm", "private": True})
    await chat.hears(place=guild)
    await chat.hears(place=direct)
    await chat.hears(place=guild.model_copy(update={"private": True}))  # goes by itself
    await chat.hears(place=guild, person=BEN)
    parts = await chat.says("", action=Action.FORGET, place=guild)
    gone = [part.message for part in parts if part.method is Method.DELETE]
    assert sorted(map(str, gone)) == ["m1", "m2"]
    assert len({part.nonce for part in parts}) == 3
    assert await chat.mailbox.post_of(Platform.DISCORD, "G1", "7", "m1") is None
    theirs = {"action": Action.MY_DATA, "place": guild}
    assert "1 posted message" in await chat.hears("", **theirs, person=BEN)


async def test_follow_ups_of_others_repeat_nothing_forgotten_R_S5(chat: Chat) -> None:
    """Their own words stay, and the chain verifies."""
    await chat.hears("How is a secret rash treated?")
    for message, person, text in (
        ("2.0", BEN, "And for adults?"),
        ("3.0", "U7", "And for children?"),
    ):
        place = HERE.model_copy(update={"message": message})
        said = await chat.hears(text, person=person, place=place)
        assert "secret rash" in said
    await chat.says("", action=Action.FORGET)
    kept = [
        await chat.application.ledger.read(post.audit_id)
        for message in ("m2", "m3")
        if (post := await chat.mailbox.post_of(Platform.SLACK, "T1", "C1", message))
        and post.audit_id
    ]
    assert [record.question for record in kept] == [
        "And for adults?",
        "And for children?",
    ]
    assert all("rash" not in record.model_dump_json() for record in kept)
    assert await chat.mailbox.thread(HERE) is None
    assert b"secret rash" not in (chat.application.data / "ledger.db").read_bytes()
    assert (await chat.application.ledger.verify_all()).ok


async def test_binding_again_ends_no_pause_and_drops_nobody_R_U5(chat: Chat) -> None:
    """What is not named stays; the pause is said."""
    tags = frozenset({"staff"})
    await chat.bind(paused=True, tags=tags, people=("U8",))
    bind = {"action": Action.BIND, **ADMIN}
    assert "still paused" in await chat.hears("", **bind, reason="small private")
    bound = await chat.mailbox.binding(HERE)
    assert bound is not None
    assert (bound.paused, bound.tags, bound.people) == (True, tags, ("U8",))
    assert bound.private
    for pack in ("other", "none"):
        assert await chat.hears("", **bind, reason=pack) == wording.HAS_TAGS
    said = await chat.hears("", **bind, reason="none", person=OPERATOR)
    assert "still paused" in said
    assert await chat.mailbox.binding(HERE) == Binding(
        platform=Platform.SLACK,
        tenant="T1",
        channel="C1",
        paused=True,
        by=chat.application.pseudonyms.of_person(Platform.SLACK, "T1", OPERATOR),
        changed=chat.clock.now(),
    )


async def test_what_a_binding_does_is_said_R_C1(chat: Chat) -> None:
    """Where, who sees it, whom questions reach, how to try it."""
    order = "other private everywhere people=<@U8>,<@U9> tags=staff"
    said = await chat.hears("", action=Action.BIND, reason=order, person=OPERATOR)
    assert said == (
        "“Other” answers in every channel that has no pack of its own now. Only who "
        "asks sees the reply. Questions can be passed on to <@U8>, <@U9>. Access "
        "tags: staff. To try it, ask: What is other?"
    )


@pytest.mark.parametrize("person", [ANNA, OPERATOR])
async def test_everybody_is_told_what_can_be_typed(chat: Chat, person: str) -> None:
    """Also who mistyped, and who may not bind."""
    said = await chat.hears("", action=Action.BIND, person=person)
    for command in ("my data", "forget me", "bind PACK", "pause", "resume"):
        assert f"/ask-admin {command}" in said


async def test_a_pack_of_other_workspaces_is_as_one_that_is_not_R_C5(
    chat: Chat,
) -> None:
    """Neither bound, nor listed, nor answered from where it was bound before."""
    await chat.bind("closed")
    limit = {"closed": frozenset({"slack:T2"}), "other": frozenset({"slack:T1"})}
    chat.application.rules.tenants.update(limit)  # type: ignore[attr-defined]
    bind = {"action": Action.BIND, **ADMIN}
    said = await chat.hears("", **bind, reason="closed")
    assert said == wording.no_such_pack("closed", ("long", "other", "small"))
    assert await chat.hears() == wording.no_pack(Platform.SLACK)
    assert "“Other” answers" in await chat.hears("", **bind, reason="other")
    abroad = HERE.model_copy(update={"tenant": "T2"})
    said = await chat.hears("", **bind, reason="other", place=abroad)
    assert said == wording.no_such_pack("other", ("closed", "long", "small"))


async def test_an_operator_of_one_workspace_is_nobody_in_another_R_C5(
    chat: Chat,
) -> None:
    """A Slack id is one of a workspace."""
    abroad = HERE.model_copy(update={"tenant": "T2"})
    pause = {"action": Action.PAUSE, "reason": "pack"}
    said = await chat.hears("", **pause, person=OPERATOR, place=abroad)
    assert said == wording.administrators_only(Platform.SLACK)


async def test_nobody_is_sent_to_bind_direct_messages(chat: Chat) -> None:
    """It says who can give them a pack, and where to ask instead."""
    chat.application.rules.packs[Platform.SLACK] = None  # type: ignore[index]
    said = await chat.hears(place=DIRECT)
    assert "GROUNDRULE_SLACK_PACK" in said and "/ask-admin bind" not in said
    assert "/ask-admin bind PACK" in await chat.hears()


async def test_a_pack_that_spent_enough_says_so_until_tomorrow_R_U5(
    chat: Chat,
) -> None:
    """Politely, and nothing is asked meanwhile."""
    object.__setattr__(chat.application.rules, "ceiling", 2_000_000)
    today = chat.clock.now().date()
    await spend(chat.mailbox, today, "small", 1_999_999)
    assert wording.SPENT not in await chat.hears()
    await spend(chat.mailbox, today, "small", 1)
    assert await chat.hears() == wording.SPENT
    chat.clock.moment += timedelta(days=1)
    assert wording.SPENT not in await chat.hears()
