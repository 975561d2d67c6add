"""Each part visible once, a private one to one person, whatever goes wrong (R-C3)."""

import asyncio

import pytest

from adapters.discord.app import DiscordApp
from adapters.discord.poster import CLOSED
from adapters.discord.writer import DISCORD as post
from adapters.mail import Method, Outgoing, PostFailed
from tests.adapters.discord.doors import Door, ringing
from tests.adapters.discord.letters import OLD, PAST, incoming, outgoing, said, there
from tests.loopback.discord import DiscordServer
from tests.loopback.discord_rates import EDIT, EDIT_ORIGINAL, SEND, limited
from tests.loopback.discord_records import COMPONENTS_V2, EPHEMERAL, Interaction
from tests.loopback.discord_world import Timing as Times
from tests.loopback.faults import Fault, answered, dropped, failed_after, garbled


async def shown(app: DiscordApp, reply: Outgoing) -> list[str]:
    """Post every part, as the outbox does."""
    return [await app.poster.post(reply, part) for part in reply.parts]


async def asked(
    server: DiscordServer, door: Door, *, private: bool = False
) -> Interaction:
    """A command whose answer was deferred."""
    command = server.people.slash("ask", {"question": "why?", "private": private})
    await server.responded(len(server.world.responses) + 1)
    return command


# --- in a channel -----------------------------------------------------------------


async def test_a_long_answer_replies_once_and_goes_on_R_C4(
    server: DiscordServer, app: DiscordApp
) -> None:
    """Each part with its own nonce; the first one says what it answers."""
    question = server.people.mention("why?")
    place = there(server.world.general, question)
    ids = await shown(app, outgoing(server, said(place, "one", "two"), place))
    first, second = server.posts
    assert ids == [first.id, second.id]
    assert (first.reference, second.reference) == (question, None)
    assert (first.flags, first.mentions, first.nonce != second.nonce) == (
        COMPONENTS_V2,
        [],
        True,
    )


async def test_an_answer_goes_into_its_thread_R_C2(
    server: DiscordServer, app: DiscordApp
) -> None:
    """Not into the channel that the thread belongs to."""
    world = server.world
    thread = world.thread(world.general, "about it", world.alice)
    question = server.people.mention("why?", channel=thread)
    place = there(thread, question)
    await shown(app, outgoing(server, said(place, "because"), place))
    assert [p.channel for p in server.posts] == [thread]


@pytest.mark.parametrize(
    "fault",
    [dropped(), dropped(done=False), failed_after(), garbled(done=True), limited()],
    ids=["lost", "never sent", "500", "bad JSON", "429"],
)
async def test_a_lost_answer_is_sent_again_and_seen_once_R_C3(
    server: DiscordServer, app: DiscordApp, fault: Fault
) -> None:
    """Discord took it and we never heard of it, or never took it."""
    place = there(server.world.general, server.people.mention("why?"))
    server.fail(SEND, fault)
    [shown_as] = await shown(app, outgoing(server, said(place, "because"), place))
    assert [p.id for p in server.posts] == [shown_as]
    assert server.rest.counts[SEND] == 2


async def test_a_crash_after_sending_is_seen_once_R_C3(
    server: DiscordServer, app: DiscordApp
) -> None:
    """Another process delivers the same part again: the nonce is the same."""
    place = there(server.world.general, server.people.mention("why?"))
    reply = outgoing(server, said(place, "because"), place)
    first = await shown(app, reply)
    async with ringing(server, Door()) as second:
        again = reply.model_copy(update={"attempts": 2})
        assert await shown(second, again) == first
    assert len(server.posts) == 1


async def test_a_crash_long_ago_is_seen_once_R_C3(door: Door) -> None:
    """Discord has forgotten the nonce: the channel is read back."""
    times = Times(nonce_window=0)
    async with DiscordServer(times) as server, ringing(server, door) as app:
        place = there(server.world.general, server.people.mention("why?"))
        parts = said(place, "because", "and so on")
        reply = outgoing(server, parts, place)
        first = await app.poster.post(reply, parts[0])
        for message in server.posts:
            message.nonce = None  # who reads back is not shown it
        again = reply.model_copy(update={"attempts": 2})
        assert (await shown(app, again))[0] == first
        assert len(server.posts) == 2


async def test_the_same_words_to_another_are_another_message_R_C3(
    server: DiscordServer, app: DiscordApp
) -> None:
    """Reading back tells the reply to one question from that to the next."""
    for number in range(2):
        question = server.people.mention("why?")
        place = there(server.world.general, question)
        [part] = said(place, "Nothing found.")
        part = part.model_copy(update={"nonce": f"n{number}"})
        await shown(app, outgoing(server, [part], place, attempts=2))
    assert len(server.posts) == 2


async def test_what_a_moderator_took_away_stays_away_R_C3(
    server: DiscordServer, app: DiscordApp
) -> None:
    """A resend finds the nonce used and the message gone: it was delivered."""
    place = there(server.world.general, server.people.mention("why?"))
    reply = outgoing(server, said(place, "because"), place)
    await shown(app, reply)
    server.people.delete(server.posts[0])
    assert await shown(app, reply) == [""]
    assert server.posts == []


async def test_a_question_that_is_gone_is_answered_all_the_same(
    server: DiscordServer, app: DiscordApp
) -> None:
    """Its deletion comes as an event of its own."""
    question = server.people.mention("why?")
    server.people.delete(question)
    place = there(server.world.general, question)
    await shown(app, outgoing(server, said(place, "because"), place))
    assert server.posts[0].reference is None


@pytest.mark.parametrize("gone", [True, False])
async def test_who_cannot_write_writes_to_the_person_R_C3(
    server: DiscordServer, app: DiscordApp, gone: bool
) -> None:
    """Never silent: the asker gets it in a direct message."""
    place = there(server.world.general, server.people.mention("why?"))
    server.world.general.writable = False
    if gone:
        del server.world.channels[place.channel]
    [shown_as] = await shown(app, outgoing(server, said(place, "because"), place))
    [message] = server.posts
    assert message.channel.recipient is server.world.alice
    assert shown_as == f"{message.channel.id}/{message.id}"


# --- failures ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "after"),
    [
        (limited(45), 45.0),
        (limited(via=False), 60.0),
        (answered(400, '{"code": 50035, "message": "Invalid Form Body"}'), None),
        (answered(401, '{"code": 0, "message": "401: Unauthorized"}'), 60.0),
        (answered(503, "{}"), 2.0),
    ],
    ids=["429", "ban", "refused", "token", "503"],
)
async def test_a_failure_says_when_to_try_again_R_C3(
    server: DiscordServer, app: DiscordApp, fault: Fault, after: float | None
) -> None:
    """Never, or after as long as Discord says."""
    place = there(server.world.general, server.people.mention("why?"))
    server.fail(SEND, fault)
    with pytest.raises(PostFailed) as failed:
        await shown(app, outgoing(server, said(place, "because"), place))
    assert failed.value.after == after
    assert server.posts == []


async def test_a_dead_line_is_tried_three_times(
    server: DiscordServer, app: DiscordApp
) -> None:
    """Then the outbox tries again later."""
    place = there(server.world.general, server.people.mention("why?"))
    server.fail(SEND, dropped(done=False), times=3)
    with pytest.raises(PostFailed) as failed:
        await shown(app, outgoing(server, said(place, "because"), place))
    assert failed.value.after == 1.0


async def test_giving_up_does_not_hold_others_up_R_C3(
    server: DiscordServer, app: DiscordApp
) -> None:
    """A caller that runs out of time during a global limit leaves it to end."""
    place = there(server.world.general, server.people.mention("why?"))
    reply = outgoing(server, said(place, "because"), place)
    server.fail(SEND, limited(0.3, everywhere=True))
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.1):
            await shown(app, reply)
    await shown(app, reply)
    assert len(server.posts) == 1


# --- changes ----------------------------------------------------------------------


async def test_an_answer_is_changed_in_place_R_U4(
    server: DiscordServer, app: DiscordApp
) -> None:
    """The first message says the new text, the second one is gone."""
    place = there(server.world.general, server.people.mention("why?"))
    ids = await shown(app, outgoing(server, said(place, "one", "two"), place))
    came = incoming(place, event="e-2")
    [new] = post.notice("three", came)
    update = {"method": Method.UPDATE, "message": ids[0]}
    parts = [new.model_copy(update=update), *post.deleted(came, ids[1:], 1)]
    assert await shown(app, outgoing(server, parts, place)) == ids
    assert [p.text for p in server.posts] == ["three"]
    again = outgoing(server, parts, place, attempts=2)
    server.fail(EDIT, failed_after())
    assert await shown(app, again) == ids


async def test_what_stands_outside_the_place_is_changed_there_R_U4(
    server: DiscordServer, app: DiscordApp
) -> None:
    """An answer that went to the person is taken away from there."""
    place = there(server.world.general, server.people.mention("why?"))
    server.world.general.writable = False
    ids = await shown(app, outgoing(server, said(place, "because"), place))
    gone = post.deleted(incoming(place), ids)
    await shown(app, outgoing(server, gone, place))
    assert server.posts == []


# --- answers to interactions ------------------------------------------------------


@pytest.mark.parametrize("private", [True, False])
async def test_an_answer_takes_the_place_of_its_deferral_R_C2(
    server: DiscordServer, app: DiscordApp, door: Door, private: bool
) -> None:
    """As public as it was deferred, and once however often it is sent."""
    command = await asked(server, door, private=private)
    place = there(server.world.general, private=private)
    callback = door.came[0].callback
    parts = said(place, "because", callback=callback)
    reply = outgoing(server, parts, place, asked=command)
    server.fail(EDIT_ORIGINAL, dropped())
    [shown_as] = await shown(app, reply)
    assert [p.id for p in server.posts] == [shown_as]
    assert (server.posts[0].text, server.posts[0].ephemeral) == ("because", private)


@pytest.mark.parametrize("private", [True, False])
@pytest.mark.parametrize("told", [True, False], ids=["by the clock", "by Discord"])
async def test_after_the_token_ended_it_goes_another_way_R_C3(
    door: Door, private: bool, told: bool
) -> None:
    """A public answer as a message, a private one to the person alone."""
    times = Times() if told else Times(token_life=0)
    async with DiscordServer(times) as server, ringing(server, door) as app:
        command = await asked(server, door, private=private)
        place = there(server.world.general, private=private)
        parts = said(place, "because", callback=door.came[0].callback)
        reply = outgoing(server, parts, place, asked=command, respond_by=OLD)
        if told:
            reply = reply.model_copy(update={"respond_by": PAST})
        for _ in range(2):
            await shown(app, reply)
        [message] = server.posts
        assert bool(message.channel.recipient) is private
        assert message.text == "because"


async def test_an_interaction_that_was_never_acknowledged_is_answered_R_C3(
    door: Door,
) -> None:
    """The process died between the commit and the acknowledgement."""
    times = Times(first_response=0)
    async with DiscordServer(times) as server, ringing(server, door) as app:
        command = server.people.slash("ask", {"question": "why?"})
        await door.has(1)
        place = there(server.world.general)
        parts = said(place, "because", callback=door.came[0].callback)
        await shown(app, outgoing(server, parts, place, asked=command, respond_by=OLD))
        assert [p.text for p in server.posts] == ["because"]


@pytest.mark.parametrize("delay", [0.1, 0.3])
@pytest.mark.parametrize("private", [True, False])
async def test_an_answer_does_not_overtake_its_deferral_R_C2_R_C3(
    door: Door, delay: float, private: bool
) -> None:
    """It is ready before Discord heard of the deferral: it waits, and fills it."""
    async with (
        DiscordServer(Times(callback=delay)) as server,
        ringing(server, door) as app,
    ):
        options = {"question": "why?", "private": private}
        command = server.people.slash("ask", options)
        await door.has(1)
        place = there(server.world.general, private=private)
        parts = said(place, "because", callback=door.came[0].callback)
        reply = outgoing(server, parts, place, asked=command)
        with pytest.raises(PostFailed) as failed:
            await shown(app, reply)
        assert failed.value.after == 0.5
        await server.responded()
        await shown(app, reply.model_copy(update={"attempts": 2}))
        assert [(p.text, p.ephemeral) for p in server.posts] == [("because", private)]
        assert command.original and not command.original.loading


async def test_a_whisper_does_not_overtake_what_it_withdraws_R_C5(
    door: Door,
) -> None:
    """The person has it at once, and the deferral goes as soon as it came."""
    async with (
        DiscordServer(Times(callback=0.2)) as server,
        ringing(server, door) as app,
    ):
        command = server.people.slash("ask", {"question": "why?"})
        await door.has(1)
        place = there(server.world.general)
        alone = place.model_copy(update={"private": True})
        parts = said(alone, "for you", callback=door.came[0].callback)
        reply = outgoing(server, parts, place, asked=command)
        with pytest.raises(PostFailed):
            await shown(app, reply)
        await server.responded()
        await shown(app, reply.model_copy(update={"attempts": 2}))
        assert [p.channel.recipient for p in server.posts] == [server.world.alice]
        assert command.original and command.original.deleted


async def test_a_deferral_that_came_after_all_does_not_stay_R_C2(
    server: DiscordServer, app: DiscordApp, door: Door
) -> None:
    """Its answer went another way: "thinking…" would stand there for ever."""
    command = await asked(server, door)
    place = there(server.world.general)
    parts = said(place, "because", callback=door.came[0].callback)
    server.fail(EDIT_ORIGINAL, answered(404, '{"code": 10015, "message": "Unknown"}'))
    await shown(app, outgoing(server, parts, place, asked=command, respond_by=OLD))
    assert [p.text for p in server.posts] == ["because"]
    assert command.original and command.original.deleted


async def test_an_answer_that_stands_is_not_posted_beside_R_C3(
    server: DiscordServer, app: DiscordApp, door: Door
) -> None:
    """It was filled in, the process died, and the token has ended since."""
    command = await asked(server, door)
    place = there(server.world.general)
    parts = said(place, "because", callback=door.came[0].callback)
    reply = outgoing(server, parts, place, asked=command)
    first = await shown(app, reply)
    again = reply.model_copy(update={"attempts": 2, "respond_by": PAST})
    assert await shown(app, again) == first
    assert len(server.posts) == 1


async def test_what_the_person_dismissed_is_not_said_again_R_C3(
    server: DiscordServer, app: DiscordApp, door: Door
) -> None:
    """The deferred message is gone, by their own hand."""
    command = await asked(server, door, private=True)
    assert command.original
    command.original.deleted = True
    place = there(server.world.general, private=True)
    parts = said(place, "because", callback=door.came[0].callback)
    assert await shown(app, outgoing(server, parts, place, asked=command)) == [""]
    assert server.posts == []


async def test_a_second_part_of_an_answer_is_private_too_R_C5(
    server: DiscordServer, app: DiscordApp, door: Door
) -> None:
    """One interaction has one answer: the rest goes to the person."""
    command = await asked(server, door, private=True)
    place = there(server.world.general, private=True)
    parts = said(place, "one", "two", callback=door.came[0].callback)
    await shown(app, outgoing(server, parts, place, asked=command))
    first, second = server.posts
    assert first.flags == COMPONENTS_V2 | EPHEMERAL
    assert second.channel.recipient is server.world.alice


# --- whispers ---------------------------------------------------------------------


async def test_a_whisper_about_a_message_is_a_direct_message_R_C5(
    server: DiscordServer, app: DiscordApp
) -> None:
    """Nobody in the channel sees it."""
    place = there(server.world.general, server.people.mention("why?"), private=True)
    parts = post.whisper("for you", incoming(place))
    await shown(app, outgoing(server, parts, place))
    assert [p.channel.recipient for p in server.posts] == [server.world.alice]


async def test_a_whisper_after_a_public_deferral_withdraws_it_R_C5(
    server: DiscordServer, app: DiscordApp, door: Door
) -> None:
    """The channel's answers are private: what all would see is taken back."""
    command = await asked(server, door)
    callback = door.came[0].callback
    place = there(server.world.general)
    private = place.model_copy(update={"private": True})
    parts = said(private, "for you", callback=callback)
    assert [part.method for part in parts] == [Method.WHISPER]
    reply = outgoing(server, parts, place, asked=command)
    await shown(app, reply)
    assert [p.channel.recipient for p in server.posts] == [server.world.alice]
    assert command.original and command.original.deleted


async def test_who_takes_no_messages_is_told_so_R_C5(
    server: DiscordServer, app: DiscordApp, door: Door
) -> None:
    """In public, without a word of the answer."""
    server.world.alice.closed = True
    command = await asked(server, door)
    place = there(server.world.general)
    private = place.model_copy(update={"private": True})
    parts = said(private, "for you", callback=door.came[0].callback)
    await shown(app, outgoing(server, parts, place, asked=command))
    assert [p.text for p in server.posts] == [CLOSED]


async def test_a_private_answer_is_never_public_R_C5(
    server: DiscordServer, app: DiscordApp, door: Door
) -> None:
    """Where there is no way to the person, it is not shown at all."""
    server.world.alice.closed = True
    command = await asked(server, door, private=True)
    place = there(server.world.general, private=True)
    parts = said(place, "for you", callback=door.came[0].callback)
    reply = outgoing(server, parts, place, asked=command, respond_by=PAST)
    with pytest.raises(PostFailed) as failed:
        await shown(app, reply)
    assert failed.value.after is None
    assert server.posts == []


async def test_a_letter_to_a_person_reaches_that_person(
    server: DiscordServer, app: DiscordApp
) -> None:
    """A question that is passed on goes to whom it is for, not to who asked."""
    bob = server.world.user("bob")
    place = there(server.world.general, private=True)
    home = place.model_copy(update={"channel": bob.id})
    parts = post.whisper("please answer", incoming(place))
    await shown(app, outgoing(server, parts, home, person=bob.id))
    assert [p.channel.recipient for p in server.posts] == [bob]
