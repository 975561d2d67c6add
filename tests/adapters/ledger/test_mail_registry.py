"""What the bot knows of threads, channels, packs and readers."""

from datetime import date, timedelta

import pytest

from adapters.ledger.mail_records import (
    EVERYWHERE,
    Binding,
    Claimed,
    ThreadNote,
    Verdict,
)
from adapters.ledger.mailbox import Mailbox
from adapters.mail import Incoming, Platform
from tests.adapters.ledger.mail_samples import (
    ASKER,
    OTHER,
    answer,
    bound,
    come,
    incoming,
    part,
    place,
    post,
    rendering,
    take,
)
from tests.adapters.ledger.samples import refused
from tests.fakes import FixedClock
from tests.spending import spend


async def test_a_thread_is_owned_where_something_was_asked_R_C1(
    mailbox: Mailbox,
) -> None:
    """The last question counts; a channel without threads is one of its own."""
    room = place(thread=None)
    for number, where in enumerate((place(), place(), room)):
        await come(mailbox, incoming(f"E{number}", number))
        note = ThreadNote(place=where, previous=f"Question {number}\0?")
        asked = refused(id=f"q-{number}", asker=ASKER)
        await mailbox.settle(await take(mailbox), asked, rendering(part()), note)
    thread = await mailbox.thread(place())
    assert thread is not None
    assert (thread.previous, thread.question_id) == ("Question 1\u2400?", "q-1")
    assert await mailbox.owns(room)
    assert not await mailbox.owns(place(thread="2.0"))
    assert not await mailbox.owns(place("C2"))
    await mailbox.leave(place())
    assert not await mailbox.owns(place())
    assert await mailbox.owns(room)


async def test_a_binding_comes_back_as_it_was_set_R_C5(
    mailbox: Mailbox, clock: FixedClock
) -> None:
    """The last one counts; taken away, the whole tenant's holds, if there is one."""
    await mailbox.bind(bound(pack="textbook"))
    await mailbox.bind(bound())
    assert await mailbox.binding(place()) == bound(changed=clock.now())
    assert await mailbox.binding(place("C2")) is None
    assert await mailbox.binding(place(tenant="T2")) is None
    whole = bound(EVERYWHERE, pack="textbook")
    await mailbox.bind(whole)
    elsewhere = await mailbox.binding(place("C2"))
    assert elsewhere is not None
    assert elsewhere.pack == "textbook"
    listed = await mailbox.bindings(Platform.SLACK)
    assert [binding.channel for binding in listed] == [EVERYWHERE, "C1"]
    assert await mailbox.bindings(Platform.DISCORD) == ()
    await mailbox.unbind(Platform.SLACK, "T1", "C1")
    here = await mailbox.binding(place())
    assert here is not None
    assert here.pack == "textbook"


@pytest.mark.parametrize(
    ("own", "whole", "paused", "pack"),
    [
        (bound(), bound(EVERYWHERE, paused=True), True, "oncology"),
        (bound(paused=True), bound(EVERYWHERE), True, "oncology"),
        (bound(pack=None, paused=True), bound(EVERYWHERE, pack="b"), True, "b"),
        (bound(), bound(EVERYWHERE, pack="b"), False, "oncology"),
    ],
)
async def test_a_channel_or_its_tenant_is_paused_R_U5(
    mailbox: Mailbox, own: Binding, whole: Binding, paused: bool, pack: str
) -> None:
    """A pause of either holds; one without a pack leaves the tenant's."""
    await mailbox.bind(own)
    await mailbox.bind(whole)
    found = await mailbox.binding(place())
    assert found is not None
    assert (found.paused, found.pack, found.channel) == (paused, pack, "C1")


async def test_a_pack_is_paused_everywhere_R_U5(mailbox: Mailbox) -> None:
    """Until it is resumed; doing it twice is doing it once."""
    await mailbox.pause("oncology", ASKER)
    await mailbox.pause("oncology", OTHER)
    assert await mailbox.paused("oncology")
    assert not await mailbox.paused("textbook")
    await mailbox.resume("oncology")
    await mailbox.resume("oncology")
    assert not await mailbox.paused("oncology")


async def test_what_a_pack_spent_adds_up_by_day_R_U5(mailbox: Mailbox) -> None:
    """In millionths, so that nothing is lost in rounding."""
    today, tomorrow = date(2026, 11, 22), date(2026, 11, 23)
    assert await spend(mailbox, today, "oncology", 0) == 0
    assert await spend(mailbox, today, "oncology", 1_250) == 1_250
    assert await spend(mailbox, today, "oncology", 3) == 1_253
    assert await spend(mailbox, today, "textbook", 1) == 1
    assert await spend(mailbox, tomorrow, "oncology", 2) == 2


async def claimed_by(mailbox: Mailbox, event: Incoming, asker: str) -> Claimed:
    """An event that came in and was handed out."""
    await come(mailbox, event, asker)
    claimed = await take(mailbox)
    assert claimed.asker == asker
    return claimed


async def test_first_use_is_told_once_R_U6(mailbox: Mailbox) -> None:
    """A channel once, whoever asks; and again for the same event, if it is repeated."""
    first = await claimed_by(mailbox, incoming("E1"), ASKER)
    assert await mailbox.greet(first)
    assert await mailbox.greet(first)
    second = await claimed_by(mailbox, incoming("E2", 1), OTHER)
    assert not await mailbox.greet(second)
    elsewhere = await claimed_by(mailbox, incoming("E3", 2, place=place("C2")), ASKER)
    assert await mailbox.greet(elsewhere)


async def test_a_private_first_use_is_the_persons_R_U6(mailbox: Mailbox) -> None:
    """Nobody else in the channel has seen what they were told."""
    private = place(private=True)
    mine = await claimed_by(mailbox, incoming("E1", place=private), ASKER)
    theirs = await claimed_by(mailbox, incoming("E2", 1, place=private), OTHER)
    other = place("C2", private=True)
    again = await claimed_by(mailbox, incoming("E3", 2, place=other), ASKER)
    public = await claimed_by(mailbox, incoming("E4", 3, place=place()), "asker-3")
    told = [await mailbox.greet(claimed) for claimed in (mine, theirs, again, public)]
    assert told == [True, True, False, True]


async def test_the_last_verdict_of_a_reader_counts_R_C1(mailbox: Mailbox) -> None:
    """With hostile text as its reason, too."""
    outcome = await answer(mailbox, incoming())
    assert outcome.audit_id is not None
    for helpful in (True, False):
        reason = None if helpful else "\0 half \ud83d"
        await mailbox.feedback(
            Verdict(
                audit_id=outcome.audit_id, asker=OTHER, helpful=helpful, reason=reason
            )
        )
    assert (await mailbox.data_of(OTHER)).verdicts == 1


async def test_my_data_counts_what_is_stored_R_S5(
    mailbox: Mailbox, clock: FixedClock
) -> None:
    """Of that person alone."""
    start = clock.now()
    nothing = await mailbox.data_of(ASKER)
    assert (nothing.questions, nothing.first, nothing.waiting) == (0, None, 0)
    await answer(mailbox, incoming("E1"))
    clock.moment += timedelta(days=1)
    await answer(mailbox, incoming("E2", 1), part("n0"), part("n1"))
    await answer(mailbox, incoming("E3", 2), asker=OTHER)
    await post(mailbox, "9.0")
    await post(mailbox, "9.1")
    await come(mailbox, incoming("E4", 3))
    held = await mailbox.data_of(ASKER)
    assert (held.questions, held.waiting, held.replies) == (2, 1, 3)
    assert (held.first, held.last) == (start, start + timedelta(days=1))
