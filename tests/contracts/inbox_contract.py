"""What every mailbox must do with what comes in."""

import asyncio
from datetime import timedelta

import pytest

from adapters.ledger.mail_records import ClaimLost, Limit, Most, ThreadNote
from adapters.ledger.mailbox import Mailbox
from adapters.mail import QUESTIONS, Accepted, Action, Platform
from tests.adapters.ledger.mail_samples import (
    ASKER,
    LEASE,
    MANY,
    OTHER,
    START,
    answer,
    come,
    fetch,
    incoming,
    part,
    place,
    post,
    rendering,
    say,
    take,
)
from tests.adapters.ledger.samples import refused
from tests.fakes import FixedClock

HOSTILE = "Nul \0, half \ud83d, \u202e, 'quoted' \\ %s :name " + "x" * 1_000_000


class InboxContract:
    """Inherit it and give fixtures `mailbox`, `dated` (its ledger) and `clock`."""

    async def test_an_event_that_comes_again_is_a_repeat_R_C3(
        self, mailbox: Mailbox, clock: FixedClock
    ) -> None:
        """While it waits, while it is in work, and a day after it was done."""
        await come(mailbox, incoming())
        assert await mailbox.accept(incoming(), ASKER, MANY) is Accepted.REPEAT
        claimed = await take(mailbox)
        assert await mailbox.accept(incoming(), ASKER, MANY) is Accepted.REPEAT
        await mailbox.reply(claimed, [])
        clock.moment += timedelta(hours=25)
        await mailbox.sweep(clock.now())
        assert await mailbox.accept(incoming(), ASKER, MANY) is Accepted.REPEAT

    async def test_two_events_of_one_subject_are_one_R_C3(
        self, mailbox: Mailbox
    ) -> None:
        """A mention and its message; without a subject every event is its own."""
        await come(mailbox, incoming("E1", subject="slack:T1:C1:1.0"))
        again = incoming("E2", subject="slack:T1:C1:1.0")
        assert await mailbox.accept(again, ASKER, MANY) is Accepted.REPEAT
        await come(mailbox, incoming("E3"))
        await come(mailbox, incoming("E4"))
        await come(mailbox, incoming("E1", platform=Platform.DISCORD))
        assert await mailbox.waiting() == 4

    async def test_a_full_inbox_says_so_once_R_C3(self, mailbox: Mailbox) -> None:
        """What is turned away is never worked on, and room makes room."""
        await come(mailbox, incoming("E1"))
        await come(mailbox, incoming("E2", 1, place=place("C2")))
        third = incoming("E3", 2)
        assert await mailbox.accept(third, ASKER, 2) is Accepted.FULL
        assert await mailbox.accept(third, ASKER, 2) is Accepted.REPEAT
        assert await mailbox.accept(incoming("E1"), ASKER, 2) is Accepted.REPEAT
        await mailbox.reply(await take(mailbox), [])
        assert await mailbox.accept(incoming("E4", 3), ASKER, 2) is Accepted.NEW
        handed = [await take(mailbox), await take(mailbox)]
        assert [claimed.incoming.event for claimed in handed] == ["E2", "E4"]

    async def test_the_oldest_event_is_handed_out_first(self, mailbox: Mailbox) -> None:
        """Whole, with its asker, and to one worker."""
        assert await mailbox.claim("w1", LEASE) is None
        young = incoming("E1", 2.0, place=place("C2"), callback={"token": "t"})
        old = incoming("E2", 1.0, selection="Rest.", roles=("r1",), admin=True)
        await come(mailbox, young, OTHER)
        await come(mailbox, old)
        first, second = await take(mailbox), await take(mailbox, "w2")
        assert (first.incoming, first.asker, first.attempts) == (old, ASKER, 1)
        assert (second.incoming, second.asker) == (young, OTHER)
        assert await mailbox.claim("w3", LEASE) is None
        assert await mailbox.waiting() == 2

    async def test_only_questions_are_turned_away_R_C3(self, mailbox: Mailbox) -> None:
        """What takes away or protects what was said gets in, however many wait."""
        await come(mailbox, incoming("waits"))
        for number, action in enumerate(Action, 1):
            event = incoming(f"E{number}", number, action=action)
            expected = Accepted.FULL if action in QUESTIONS else Accepted.NEW
            assert await mailbox.accept(event, ASKER, 1) is expected

    async def test_one_person_is_served_in_order_in_a_thread_R_U4(
        self, mailbox: Mailbox
    ) -> None:
        """An edit waits for its question; others, and other threads, do not wait."""
        await come(mailbox, incoming("ask"))
        await come(mailbox, incoming("edit", 1, action=Action.EDITED))
        await come(mailbox, incoming("elsewhere", 2, place=place("C2")))
        await come(mailbox, incoming("beside", 3, place=place(thread="2.0")))
        await come(mailbox, incoming("other", 4), OTHER)
        handed = [await take(mailbox) for _ in range(4)]
        events = [claimed.incoming.event for claimed in handed]
        assert events == ["ask", "elsewhere", "beside", "other"]
        assert await mailbox.claim("w1", LEASE) is None
        await mailbox.reply(handed[0], [])
        assert (await take(mailbox)).incoming.event == "edit"

    async def test_a_lease_that_ends_hands_the_event_on_R_C3(
        self, mailbox: Mailbox, clock: FixedClock
    ) -> None:
        """Who had it before can end it no more, and give it back no more."""
        await come(mailbox, incoming())
        lost = await take(mailbox, "w1")
        clock.moment += timedelta(seconds=LEASE - 1)
        assert await mailbox.claim("w2", LEASE) is None
        clock.moment += timedelta(seconds=1)
        claimed = await take(mailbox, "w2")
        assert claimed.attempts == 2
        with pytest.raises(ClaimLost):
            await mailbox.settle(lost, refused(), rendering(part()))
        with pytest.raises(ClaimLost):
            await mailbox.reply(lost, [part()])
        await mailbox.release(lost)
        assert await mailbox.claim("w1", LEASE) is None
        assert await mailbox.outgoing(Platform.SLACK, "p1", LEASE) is None
        await mailbox.settle(claimed, refused(), rendering(part()))
        await fetch(mailbox)

    async def test_a_claim_outlives_its_lease_while_nobody_else_has_it(
        self, mailbox: Mailbox, clock: FixedClock
    ) -> None:
        """A slow answer is no lost one; what counts is the claim, not the worker."""
        await come(mailbox, incoming())
        first = await take(mailbox, "w1")
        clock.moment += timedelta(seconds=LEASE)
        second = await take(mailbox, "w1")
        with pytest.raises(ClaimLost):
            await mailbox.reply(first, [])
        clock.moment += timedelta(days=1)
        await mailbox.reply(second, [])
        assert await mailbox.waiting() == 0

    async def test_an_event_given_back_is_handed_out_again(
        self, mailbox: Mailbox, clock: FixedClock
    ) -> None:
        """At once, or after a while."""
        await come(mailbox, incoming())
        await mailbox.release(await take(mailbox))
        await mailbox.release(await take(mailbox), after_s=5)
        assert await mailbox.claim("w1", LEASE) is None
        clock.moment += timedelta(seconds=5)
        assert (await take(mailbox)).attempts == 3

    async def test_a_dead_worker_gives_everything_back_R_C3(
        self, mailbox: Mailbox
    ) -> None:
        """By its name, without waiting for the leases; `_` and `%` are but letters."""
        await answer(mailbox, incoming("E0"))
        await come(mailbox, incoming("E1", 1))
        lost, held = await take(mailbox, "host_1-a"), await fetch(mailbox, "host_1-b")
        await mailbox.abandon("host%")
        await mailbox.abandon("hostx")
        assert await mailbox.claim("w2", LEASE) is None
        await mailbox.abandon("host_")
        assert (await take(mailbox, "w2")).attempts == 2
        assert (await fetch(mailbox, "p2")).attempts == 2
        with pytest.raises(ClaimLost):
            await mailbox.reply(lost, [])
        with pytest.raises(ClaimLost):
            await mailbox.delivered(held, "n0", "9.0")

    async def test_claimers_never_get_the_same_event_R_C3(
        self, mailbox: Mailbox
    ) -> None:
        """Eight at once, forty events, each handed out once."""
        for number in range(40):
            event = incoming(f"E{number}", number, place=place(f"C{number}"))
            await come(mailbox, event)
        handed: list[str] = []

        async def work(name: str) -> None:
            while claimed := await mailbox.claim(name, LEASE):
                handed.append(claimed.incoming.event)

        async with asyncio.TaskGroup() as group:
            for number in range(8):
                group.create_task(work(f"w{number}"))
        # A claimer that sees only rows in other hands goes home, and asks again later.
        await work("last")
        assert sorted(handed) == sorted(f"E{number}" for number in range(40))

    async def test_answers_are_counted_by_person_and_channel_R_C5(
        self, mailbox: Mailbox, clock: FixedClock
    ) -> None:
        """Outcomes count, from a moment on; notices and other channels do not."""
        clock.moment += timedelta(seconds=10)
        await answer(mailbox, incoming("E1", 1))
        await answer(mailbox, incoming("E2", 2, place=place("C2")))
        await answer(mailbox, incoming("E3", 3), asker=OTHER)
        await say(mailbox, incoming("E4", 4))
        await come(mailbox, incoming("E5", 5))
        claimed = await take(mailbox)
        recent = await mailbox.recent(claimed, START)
        assert (recent.person, recent.channel) == (2, 2)
        recent = await mailbox.recent(claimed, START + timedelta(seconds=2))
        assert (recent.person, recent.channel) == (1, 1)

    async def test_who_asks_at_once_is_within_the_limits_R_C5(
        self, mailbox: Mailbox, clock: FixedClock
    ) -> None:
        """Eight questions in work, of which none has come to an outcome yet."""
        clock.moment += timedelta(seconds=10)
        for number in range(8):
            event = incoming(f"E{number}", number, place=place(f"C{number}"))
            await come(mailbox, event)
        claims = [await take(mailbox, f"w{number}") for number in range(8)]
        most = Most(person=3, channel=60)
        found = await asyncio.gather(*(mailbox.admit(c, START, most) for c in claims))
        let = [claim for claim, limit in zip(claims, found, strict=True) if not limit]
        assert len(let) == 3
        assert {*found} == {None, Limit.PERSON}
        assert await mailbox.admit(let[0], START, most) is None  # a second attempt
        other = next(claim for claim in claims if claim not in let)
        assert await mailbox.admit(other, START, most) is Limit.PERSON
        await mailbox.settle(let[0], refused(), rendering(part()))
        assert await mailbox.admit(other, START, most) is Limit.PERSON
        await mailbox.reply(let[1], [part()])  # it came to nothing
        assert await mailbox.admit(other, START, most) is None

    async def test_a_channel_that_asks_at_once_is_within_its_limit_R_C5(
        self, mailbox: Mailbox, clock: FixedClock
    ) -> None:
        """Whoever asks there; another channel has a limit of its own."""
        clock.moment += timedelta(seconds=10)
        for number in range(5):
            await come(mailbox, incoming(f"E{number}", number), f"asker-{number}")
        await come(mailbox, incoming("E9", 9, place=place("C2")))
        claims = [await take(mailbox, f"w{number}") for number in range(6)]
        most = Most(person=9, channel=2)
        found = await asyncio.gather(*(mailbox.admit(c, START, most) for c in claims))
        assert sorted(map(str, found[:5])) == ["None"] * 2 + ["channel"] * 3
        assert found[5] is None

    async def test_what_a_person_does_besides_is_counted_R_C5(
        self, mailbox: Mailbox, clock: FixedClock
    ) -> None:
        """What came to no outcome; not what waits, nor what a full inbox declined."""
        clock.moment += timedelta(seconds=10)
        await answer(mailbox, incoming("E1", 1))
        await say(mailbox, incoming("E2", 2, action=Action.WHY))
        await say(mailbox, incoming("E3", 3))
        await come(mailbox, incoming("E4", 4))
        assert await mailbox.accept(incoming("E5", 5), ASKER, 1) is Accepted.FULL
        claimed = await take(mailbox)
        assert (await mailbox.recent(claimed, START)).others == 2
        later = START + timedelta(seconds=3)
        assert (await mailbox.recent(claimed, later)).others == 1

    async def test_too_much_is_said_once_R_C5(
        self, mailbox: Mailbox, clock: FixedClock
    ) -> None:
        """To a person in a channel or to all of it, and again for the same event."""
        clock.moment += timedelta(seconds=10)
        for number, asker in enumerate((ASKER, ASKER, OTHER)):
            await come(mailbox, incoming(f"E{number}", number), asker)
        first = await take(mailbox)
        theirs = await take(mailbox)
        assert await mailbox.warn(first, START)
        assert await mailbox.warn(first, START)
        assert not await mailbox.warn(theirs, START, whole_channel=True)
        assert await mailbox.warn(theirs, START)
        await mailbox.reply(first, [])
        again = await take(mailbox)
        assert not await mailbox.warn(again, START)
        assert await mailbox.warn(again, START + timedelta(seconds=1))

    async def test_an_answer_to_what_was_deleted_is_not_shown_R_U4(
        self, mailbox: Mailbox
    ) -> None:
        """It is on record; no reply comes of it, and no thread."""
        await come(mailbox, incoming("edit", action=Action.EDITED))
        edit = await take(mailbox)
        await come(mailbox, incoming("gone", 1, action=Action.DELETED), OTHER)
        assert await mailbox.hold_back(place(), "1.0") == 0
        assert await mailbox.hold_back(place(), "1.0", deleted=True) == 1
        assert not await mailbox.taken_away(place(message="2.0"))
        assert not await mailbox.taken_away(place("C2"))
        assert await mailbox.taken_away(place())
        note = ThreadNote(place=place(), previous="May I?")
        settled = await mailbox.settle(edit, refused(), rendering(part()), note)
        assert settled.audit_id is not None
        assert await mailbox.hold_back(place(), "1.0", deleted=True) == 0
        assert await mailbox.outgoing(Platform.SLACK, "p1", LEASE) is None
        assert await mailbox.thread(place()) is None

    async def test_a_deletion_may_come_before_its_question_R_U4(
        self, mailbox: Mailbox, clock: FixedClock
    ) -> None:
        """For a day it is known; an answer that is written meanwhile is not shown."""
        await come(mailbox, incoming("gone"))
        asked = await take(mailbox)
        for _ in range(2):  # the platform repeats itself
            await mailbox.miss(place(), "1.0")
        assert await mailbox.taken_away(place())
        for other in (place("C2"), place(message="2.0"), place(message=None)):
            assert not await mailbox.taken_away(other)
        settled = await mailbox.settle(asked, refused(), rendering(part()))
        assert settled.audit_id is not None
        assert await mailbox.outgoing(Platform.SLACK, "p1", LEASE) is None
        clock.moment += timedelta(hours=24)
        await mailbox.sweep(clock.now())
        assert await mailbox.taken_away(place())
        clock.moment += timedelta(seconds=1)
        await mailbox.sweep(clock.now())
        assert not await mailbox.taken_away(place())

    async def test_so_many_early_deletions_are_known_and_no_more_R_U4(
        self, mailbox: Mailbox, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The oldest go."""
        monkeypatch.setattr("adapters.ledger.mail_inbox.MOST_GONE", 3)
        for number in range(5):
            clock.moment += timedelta(seconds=1)
            await mailbox.miss(place(), f"{number}.0")
        known = [await mailbox.taken_away(place(message=f"{n}.0")) for n in range(5)]
        assert known == [False, False, True, True, True]

    async def test_hostile_text_comes_back_as_it_came_R_C3(
        self, mailbox: Mailbox
    ) -> None:
        """NUL, half characters and a megabyte, in events and in replies."""
        event = incoming(text=HOSTILE, reason=HOSTILE, callback={"url": "\0"})
        await come(mailbox, event)
        claimed = await take(mailbox)
        assert claimed.incoming == event
        sent = part(text=HOSTILE)
        await mailbox.reply(claimed, [sent])
        assert (await fetch(mailbox)).parts == (sent,)

    async def test_ids_of_any_length_are_keys_R_C3(self, mailbox: Mailbox) -> None:
        """Longer than an index holds, they are still told apart."""
        long = "\0E" * 5_000
        where = place(long, message=long, thread=long)
        event = incoming(long, subject=long, place=where)
        await come(mailbox, event, long)
        assert await mailbox.accept(event, long, MANY) is Accepted.REPEAT
        claimed = await take(mailbox, long)
        await mailbox.settle(claimed, refused(), rendering(part()))
        await post(mailbox, long)
        await come(mailbox, incoming(long + "E", place=where), long)
        assert len(await mailbox.posts_of(where, long)) == 1
