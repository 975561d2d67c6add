"""What every mailbox must do with what goes out."""

import asyncio
from datetime import timedelta

import pytest

from adapters.ledger.mail_records import ClaimLost, Letter
from adapters.ledger.mailbox import Mailbox
from adapters.ledger.store import SqlLedger
from adapters.mail import Method, Platform
from tests.adapters.ledger.mail_samples import (
    ASKER,
    LEASE,
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


class OutboxContract:
    """Inherit it and give fixtures `mailbox`, `dated` (its ledger) and `clock`."""

    async def test_a_reply_goes_out_once_with_its_parts_R_C3(
        self, mailbox: Mailbox
    ) -> None:
        """Place, parts, person and callback are those of the event."""
        ends = START + timedelta(minutes=15)
        event = incoming(callback={"token": "secret"}, respond_by=ends)
        parts = (part("n0"), part("n1", method=Method.WHISPER))
        await answer(mailbox, event, *parts)
        assert await mailbox.outgoing(Platform.DISCORD, "p1", LEASE) is None
        outgoing = await fetch(mailbox)
        assert (outgoing.place, outgoing.parts) == (event.place, parts)
        assert (outgoing.person, outgoing.attempts) == ("U1", 1)
        assert (outgoing.callback, outgoing.respond_by) == (event.callback, ends)
        assert outgoing.posted == {}
        assert await mailbox.outgoing(Platform.SLACK, "p2", LEASE) is None
        await mailbox.sent(outgoing)
        assert await mailbox.outgoing(Platform.SLACK, "p1", LEASE) is None

    async def test_the_last_part_ends_a_reply_R_C3(
        self, mailbox: Mailbox, clock: FixedClock
    ) -> None:
        """In one commit; what is visible is found as after `sent`."""
        await answer(mailbox, incoming(), part("n0"), part("n1"))
        outgoing = await fetch(mailbox)
        await mailbox.delivered(outgoing, "n0", "9.0")
        await mailbox.delivered(outgoing, "n1", "9.1", last=True)
        clock.moment += timedelta(seconds=LEASE)
        assert await mailbox.outgoing(Platform.SLACK, "p2", LEASE) is None
        posted = await mailbox.posts_of(place(), "1.0")
        assert [one.message for one in posted] == ["9.0", "9.1"]
        with pytest.raises(ClaimLost):
            await mailbox.delivered(outgoing, "n1", "9.2", last=True)

    async def test_replies_to_a_thread_go_out_in_order_R_C3(
        self, mailbox: Mailbox
    ) -> None:
        """One at a time; another channel need not wait."""
        for number in range(3):
            await answer(mailbox, incoming(f"E{number}", number), part(f"n{number}"))
        await answer(mailbox, incoming("other", 9, place=place("C2")), part("other"))
        first = await fetch(mailbox)
        assert (await fetch(mailbox)).parts[0].nonce == "other"
        assert await mailbox.outgoing(Platform.SLACK, "p1", LEASE) is None
        await mailbox.sent(first)
        assert (await post(mailbox)).parts[0].nonce == "n1"
        assert (await post(mailbox)).parts[0].nonce == "n2"

    async def test_a_reply_that_failed_waits_and_holds_its_place_R_C3(
        self, mailbox: Mailbox, clock: FixedClock
    ) -> None:
        """What was visible already is told in the next attempt; buried, it is gone."""
        await answer(mailbox, incoming("E1"), part("n0"), part("n1"))
        await answer(mailbox, incoming("E2", 1), part("n2"))
        outgoing = await fetch(mailbox)
        await mailbox.delivered(outgoing, "n0", "9.0")
        await mailbox.retry(outgoing, after_s=30)
        assert await mailbox.outgoing(Platform.SLACK, "p1", LEASE) is None
        clock.moment += timedelta(seconds=30)
        again = await fetch(mailbox)
        assert (again.id, again.attempts) == (outgoing.id, 2)
        assert again.posted == {"n0": "9.0"}
        await mailbox.bury(again, "the channel is gone")
        assert (await fetch(mailbox)).parts[0].nonce == "n2"

    async def test_a_reply_that_failed_holds_up_nobody_elses_R_C3(
        self, mailbox: Mailbox
    ) -> None:
        """Other threads of the channel; other people, where it has no threads."""
        flat = place(thread=None)
        thread = place(thread="2.0")
        await answer(mailbox, incoming("E1"), part("stuck"))
        await answer(mailbox, incoming("E2", 1), part("behind"), asker=OTHER)
        await answer(mailbox, incoming("E3", 2, place=thread), part("beside"))
        await answer(mailbox, incoming("E4", 3, place=flat), part("flat"))
        await answer(mailbox, incoming("E5", 4, place=flat), part("flat behind"))
        event = incoming("E6", 5, place=flat)
        await answer(mailbox, event, part("flat beside"), asker=OTHER)
        handed = []
        while out := await mailbox.outgoing(Platform.SLACK, "p1", LEASE):
            handed.append(out.parts[0].nonce)
            await mailbox.retry(out, after_s=30)
        assert handed == ["stuck", "beside", "flat", "flat beside"]

    async def test_a_poster_that_died_is_followed_by_another_R_C3(
        self, mailbox: Mailbox, clock: FixedClock
    ) -> None:
        """When the lease ends; the first one changes nothing any more."""
        await answer(mailbox, incoming())
        lost = await fetch(mailbox)
        clock.moment += timedelta(seconds=LEASE)
        held = await fetch(mailbox, "p2")
        with pytest.raises(ClaimLost):
            await mailbox.delivered(lost, "n0", "9.0")
        await mailbox.sent(lost)
        await mailbox.retry(lost, 0)
        await mailbox.bury(lost, "late")
        assert await mailbox.outgoing(Platform.SLACK, "p3", LEASE) is None
        await mailbox.delivered(held, "n0", "9.0")

    async def test_posters_never_get_the_same_reply_R_C3(
        self, mailbox: Mailbox
    ) -> None:
        """Eight at once, twenty channels, each channel in order."""
        for number in range(40):
            where = place(f"C{number % 20}")
            event = incoming(f"E{number:02}", number, place=where)
            await answer(mailbox, event, part(f"n{number:02}"))
        handed: list[tuple[str, str]] = []

        async def work(name: str) -> None:
            while out := await mailbox.outgoing(Platform.SLACK, name, LEASE):
                handed.append((out.place.channel, out.parts[0].nonce))
                await mailbox.sent(out)

        async with asyncio.TaskGroup() as group:
            for number in range(8):
                group.create_task(work(f"p{number}"))
        await work("last")
        assert len(set(handed)) == len(handed) == 40
        for channel in range(20):
            of_it = [nonce for name, nonce in handed if name == f"C{channel}"]
            assert of_it == sorted(of_it)

    async def test_letters_go_to_other_places_R_C1(self, mailbox: Mailbox) -> None:
        """To whom they are for, without the callback of the event."""
        event = incoming(callback={"token": "secret"})
        letter = Letter(place=place("D7"), parts=(part("n7"),), person="U7")
        await say(mailbox, event, letter)
        first, second = await fetch(mailbox), await fetch(mailbox)
        assert (first.place, first.person) == (event.place, "U1")
        assert (second.place, second.person) == (letter.place, "U7")
        assert (first.callback, second.callback) == ({"token": "secret"}, {})

    async def test_no_parts_are_no_reply(
        self, mailbox: Mailbox, dated: SqlLedger
    ) -> None:
        """An event can end without one; a question's outcome is on record anyway."""
        await come(mailbox, incoming("E1"))
        await mailbox.reply(await take(mailbox), [])
        await come(mailbox, incoming("E2", 1))
        silent = await mailbox.settle(await take(mailbox), refused(), rendering())
        assert await mailbox.outgoing(Platform.SLACK, "p1", LEASE) is None
        assert silent.audit_id is not None
        assert (await dated.read(silent.audit_id)).audit_id == silent.audit_id

    async def test_what_is_visible_can_be_found_R_U4(self, mailbox: Mailbox) -> None:
        """By its own id, and by the message that it answers."""
        outcome = await answer(mailbox, incoming(), part("n0"), part("n1"))
        await post(mailbox, "9.")
        found = await mailbox.post_of(Platform.SLACK, "T1", "C1", "9.1")
        assert found is not None
        assert (found.audit_id, found.pack) == (outcome.audit_id, "oncology")
        assert (found.question, found.question_id) == ("1.0", "q-E1")
        assert (found.part, found.thread, found.asker) == (1, "1.0", ASKER)
        posted = await mailbox.posts_of(place(), "1.0")
        assert [one.message for one in posted] == ["9.", "9.1"]
        assert await mailbox.post_of(Platform.SLACK, "T1", "C2", "9.1") is None
        assert await mailbox.posts_of(place("C2"), "1.0") == ()

    async def test_a_part_that_was_given_up_is_no_message_R_C3(
        self, mailbox: Mailbox
    ) -> None:
        """Nor is what was said instead; neither is tried again."""
        await answer(mailbox, incoming(), part("n0"), part("n1"))
        outgoing = await fetch(mailbox)
        await mailbox.delivered(outgoing, "instead", "9.0")
        await mailbox.delivered(outgoing, "n0", "")
        await mailbox.retry(outgoing, 0)
        again = await fetch(mailbox)
        assert again.posted == {"instead": "9.0", "n0": ""}
        assert await mailbox.posts_of(place(), "1.0") == ()

    async def test_an_update_changes_what_a_message_is_R_U4(
        self, mailbox: Mailbox
    ) -> None:
        """An edit's reply stands in place of the first; a deletion leaves nothing."""
        await answer(mailbox, incoming("E1"))
        await post(mailbox, "9.0")
        changed = part("n1", method=Method.UPDATE, message="9.0")
        edited = await answer(mailbox, incoming("E2", 1), changed)
        await post(mailbox, "9.0")
        [posted] = await mailbox.posts_of(place(), "1.0")
        assert posted.audit_id == edited.audit_id
        gone = part("n2", method=Method.DELETE, message="9.0")
        await come(mailbox, incoming("E3", 2))
        await mailbox.reply(await take(mailbox), [gone])
        await post(mailbox, "9.0")
        assert await mailbox.posts_of(place(), "1.0") == ()

    async def test_a_private_reply_is_found_by_its_asker_alone_R_C5(
        self, mailbox: Mailbox
    ) -> None:
        """A public one in its own thread alone; the last one where none is named."""
        public = await answer(mailbox, incoming("E1"))
        private = place(private=True, message=None, thread=None)
        hidden = await answer(mailbox, incoming("E2", 1, place=private))
        await post(mailbox, "9.0")
        await post(mailbox, "9.1")
        room = place(thread=None)
        names = (public.audit_id, hidden.audit_id, None)
        mine = [await mailbox.reply_in(room, ASKER, name) for name in names]
        assert [one and one.message for one in mine] == [None, "9.1", "9.1"]
        inside = [await mailbox.reply_in(place(), ASKER, name) for name in names]
        assert [one and one.message for one in inside] == ["9.0", "9.1", "9.0"]
        others = [await mailbox.reply_in(place(), OTHER, name) for name in names]
        assert [one and one.message for one in others] == ["9.0", None, "9.0"]
        assert await mailbox.reply_in(room, OTHER) is None
        assert await mailbox.reply_in(place("C2"), ASKER, public.audit_id) is None
        last = await mailbox.reply_in(place(), ASKER)
        assert last is not None
        assert last.message == "9.0"

    async def test_a_message_that_nobody_sent_us_is_not_known_R_U4(
        self, mailbox: Mailbox, clock: FixedClock
    ) -> None:
        """What came in is, and what was answered, long after."""
        await answer(mailbox, incoming())
        assert await mailbox.knows(place(), "1.0")
        assert not await mailbox.knows(place(), "2.0")
        assert not await mailbox.knows(place("C2"), "1.0")
        await post(mailbox)
        clock.moment += timedelta(days=30)
        await mailbox.sweep(clock.now())
        assert await mailbox.knows(place(), "1.0")

    async def test_a_reply_that_nobody_saw_is_held_back_R_U4(
        self, mailbox: Mailbox, clock: FixedClock
    ) -> None:
        """One that may be visible has to be waited for, and one that is written."""
        await answer(mailbox, incoming("E1"))
        assert await mailbox.hold_back(place("C2"), "1.0") == 0
        assert await mailbox.hold_back(place(), "2.0") == 0
        assert await mailbox.hold_back(place(), "1.0") == 0
        assert await mailbox.outgoing(Platform.SLACK, "p1", LEASE) is None
        await come(mailbox, incoming("E2", 1))
        assert await mailbox.hold_back(place(), "1.0") == 1
        await mailbox.settle(await take(mailbox), refused(), rendering(part()))
        outgoing = await fetch(mailbox)
        assert await mailbox.hold_back(place(), "1.0") == 1
        await mailbox.retry(outgoing, 5)
        assert await mailbox.hold_back(place(), "1.0") == 1
        clock.moment += timedelta(seconds=5)
        await post(mailbox)
        assert await mailbox.hold_back(place(), "1.0") == 0
