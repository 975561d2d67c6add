"""A clock that stood wrong for a while does bounded damage (R-C5, R-C3)."""

from datetime import timedelta

from adapters.ledger.mailbox import Mailbox
from tests.adapters.ledger.mail_samples import answer, come, incoming, take
from tests.fakes import FixedClock

DAY = timedelta(days=1)


async def test_what_a_clock_dated_ahead_counts_against_nobody_R_C5(
    mailbox: Mailbox, clock: FixedClock
) -> None:
    """A day ahead and back: who asked then is within the limits all the same."""
    now = clock.moment
    for number in range(3):
        clock.moment = now + DAY
        await answer(mailbox, incoming(f"E{number}", received=clock.moment))
    clock.moment = now
    await answer(mailbox, incoming("E8", received=now))
    await come(mailbox, incoming("E9", received=now))
    recent = await mailbox.recent(await take(mailbox), now - timedelta(minutes=1))
    assert (recent.person, recent.channel) == (1, 1)


async def test_who_was_told_by_a_clock_ahead_is_told_again_R_C5(
    mailbox: Mailbox, clock: FixedClock
) -> None:
    """A day ahead and back: the notice of the limit is not kept back for a day."""
    now, minute = clock.moment, timedelta(minutes=1)
    clock.moment = now + DAY
    await come(mailbox, incoming("E1", received=clock.moment))
    told = await take(mailbox)
    assert await mailbox.warn(told, clock.moment - minute)
    await mailbox.reply(told, [])
    clock.moment = now
    for number in (2, 3):
        await come(mailbox, incoming(f"E{number}", received=now))
    again = await take(mailbox)
    assert await mailbox.warn(again, now - minute)
    await mailbox.reply(again, [])
    assert not await mailbox.warn(await take(mailbox), now - minute)


async def test_an_event_claimed_by_a_clock_ahead_is_claimed_again_R_C3(
    mailbox: Mailbox, clock: FixedClock
) -> None:
    """No lease is as long as that, so its worker is not waited for."""
    now = clock.moment
    await come(mailbox, incoming())
    clock.moment = now + DAY
    await take(mailbox, "w1")
    assert await mailbox.claim("w2", 60.0) is None  # w1 has it
    clock.moment = now
    assert (await take(mailbox, "w2")).attempts == 2
