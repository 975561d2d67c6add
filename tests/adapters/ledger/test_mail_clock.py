"""A clock that is wrong does bounded damage, and deletes nothing."""

from datetime import timedelta

from sqlalchemy import text

from adapters.ledger.mail_records import ClockDoubt
from adapters.ledger.mailbox import Mailbox
from adapters.ledger.store import SqlLedger
from tests.adapters.ledger.mail_samples import answer, come, incoming, take
from tests.fakes import FixedClock

DAY, HOUR = timedelta(days=1), timedelta(hours=1)


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


async def pass_time(mailbox: Mailbox, clock: FixedClock, hours: int) -> None:
    """Hours of serving, with a look at the clock after each."""
    for _ in range(hours):
        clock.moment += HOUR
        await mailbox.believe(clock.now())


async def test_a_clock_that_stepped_is_doubted_for_a_day_R_U6(
    mailbox: Mailbox, clock: FixedClock
) -> None:
    """91 days ahead: a day of serving by that clock has to pass, and it is said."""
    assert await mailbox.believe(clock.now()) is None
    last = clock.moment
    clock.moment += 91 * DAY
    doubt = await mailbox.believe(clock.now())
    assert doubt == ClockDoubt(last=last, clock=clock.moment, left=DAY)
    assert await mailbox.doubt() == doubt
    assert "91 days" in str(doubt)
    await pass_time(mailbox, clock, 23)
    doubt = await mailbox.doubt()
    assert doubt is not None
    assert doubt.left == HOUR
    await pass_time(mailbox, clock, 1)
    assert await mailbox.doubt() is None


async def test_a_clock_that_steps_back_is_believed_at_once_R_U6(
    mailbox: Mailbox, clock: FixedClock
) -> None:
    """And the doubt begins anew where it steps ahead again."""
    await mailbox.believe(clock.now())
    now = clock.moment
    clock.moment = now + 91 * DAY
    await pass_time(mailbox, clock, 20)
    clock.moment = now + HOUR
    assert await mailbox.believe(clock.now()) is None
    clock.moment = now + 91 * DAY
    doubt = await mailbox.believe(clock.now())
    assert doubt is not None
    assert doubt.left == DAY


async def test_a_second_step_is_no_day_that_passed_R_U6(
    mailbox: Mailbox, clock: FixedClock
) -> None:
    """However far the clock went between two looks, an hour of it counts."""
    await mailbox.believe(clock.now())
    for _ in range(3):
        clock.moment += 30 * DAY
        doubt = await mailbox.believe(clock.now())
    assert doubt is not None
    assert doubt.left == 22 * HOUR


async def test_serving_week_by_week_is_no_step_R_U6(
    mailbox: Mailbox, clock: FixedClock
) -> None:
    """Seven days without a look are an idle week, and of eight nobody can say."""
    for _ in range(5):
        assert await mailbox.believe(clock.now()) is None
        clock.moment += 7 * DAY
    assert await mailbox.believe(clock.now()) is None
    clock.moment += 8 * DAY
    assert await mailbox.believe(clock.now()) is not None


async def test_a_ledger_of_before_goes_by_its_newest_answer_R_U6(
    mailbox: Mailbox, dated: SqlLedger, clock: FixedClock
) -> None:
    """It has no look on record: the first after an update is judged all the same."""
    await answer(mailbox, incoming(received=clock.now()))
    clock.moment += 91 * DAY
    assert await mailbox.doubt() is not None
    assert await mailbox.believe(clock.now()) is not None
    with dated.transactions.database.writing() as connection:
        connection.execute(text("DELETE FROM sweeps"))
    clock.moment -= 85 * DAY
    assert await mailbox.believe(clock.now()) is None
