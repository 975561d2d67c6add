"""The loopback Discord, held against the client that production uses (R-C2, R-C3)."""

import asyncio
from datetime import UTC, datetime

import discord
import pytest
from aiohttp import ClientError
from discord.gateway import DiscordWebSocket
from discord.http import Route

from adapters.discord.inbound import read_question
from tests.loopback.discord import DiscordServer
from tests.loopback.discord_probe import Probe, general, running
from tests.loopback.discord_rates import SEND, Limit, limited
from tests.loopback.discord_world import MESSAGE_CONTENT, Timing
from tests.loopback.faults import Fault, dropped, failed_after, garbled, hung

PICTURE = {
    "id": "1",
    "filename": "rash.png",
    "size": 10,
    "url": "https://cdn.example.org/rash.png",
    "proxy_url": "https://cdn.example.org/rash.png",
}

# -- messages


async def test_a_mention_is_replied_to_once(
    server: DiscordServer, probe: Probe
) -> None:
    """The reply names its question, carries its nonce and notifies nobody."""
    asked = server.people.mention("hello")
    [reply] = await server.posted()
    assert reply.text == "you said @Groundrule hello"
    assert (reply.reference, reply.nonce) == (asked, asked.id)
    assert (reply.mentions, reply.roles, reply.everyone) == ([], [], False)
    assert probe.user and server.gateway.identifies[0]["intents"]


async def test_only_what_names_the_bot_can_be_read(
    server: DiscordServer, probe: Probe
) -> None:
    """Without the message content intent a text is empty, but not a direct one."""
    post = await general(probe, server).send("mine")
    people, mine = server.people, server.world.messages[str(post.id)]
    people.say("unread")
    people.say("to you", reply_to=mine)
    people.say("not to you", reply_to=mine, ping=False)
    people.whisper("in private")
    assert await probe.has_heard(4) == ["", "to you", "", "in private"]
    replied = probe.heard[1].reference
    assert replied and isinstance(replied.resolved, discord.Message)
    assert replied.resolved.content == "mine"


async def test_a_forwarded_message_is_read_R_U10(
    server: DiscordServer, probe: Probe
) -> None:
    """By the real client: alone, below words of one's own, and as a picture."""
    people, alone = server.people, server.world.dm(server.world.alice)
    rinse = people.say("Rinse with salt water.", author=server.world.user("bob"))
    people.forward(rinse, channel=alone)
    people.forward(rinse, channel=alone, text="Is this enough?")
    picture = people.say("look", author=server.world.user("bob"))
    picture.content, picture.files = "", [PICTURE]
    people.forward(picture, channel=alone)
    await probe.has_heard(5)
    assert probe.user is not None
    now = datetime.now(UTC)
    heard = [
        read_question(m, probe.user.id, now) for m in probe.heard if m.message_snapshots
    ]
    found = [(one.text, one.selection, one.files) for one in heard if one is not None]
    assert found == [
        ("Rinse with salt water.", None, False),
        ("Is this enough?", "Rinse with salt water.", False),
        ("", None, True),
    ]


async def test_a_file_is_named_where_discord_keeps_it_R_A6(
    server: DiscordServer, probe: Probe
) -> None:
    """By the real client, with its size."""
    question = server.people.whisper("Where?")
    question.files = [PICTURE]
    server.people.edit(question, "Where is it?")
    await probe.changes.until(lambda: probe.edited, "an edit")
    heard = read_question(probe.edited[0], 1, datetime.now(UTC))
    assert heard is not None
    [file] = heard.attached
    told = (file.name, file.size, file.url)
    assert told == tuple(PICTURE[name] for name in ("filename", "size", "url"))


async def test_the_granted_intent_reads_all() -> None:
    """With the message content intent nothing is withheld."""
    intents = discord.Intents.default()
    intents.message_content = True
    async with (
        DiscordServer(privileged=MESSAGE_CONTENT) as server,
        running(server, Probe(intents)) as probe,
    ):
        server.people.say("read")
        assert await probe.has_heard(1) == ["read"]


async def test_an_intent_that_was_not_granted_is_refused(
    server: DiscordServer,
) -> None:
    """The gateway closes with 4014, which ends the client."""
    intents = discord.Intents.all()
    with pytest.raises(discord.PrivilegedIntentsRequired):
        async with running(server, Probe(intents)):
            pass


async def test_edits_and_deletions_arrive(server: DiscordServer, probe: Probe) -> None:
    """A changed question and one that was taken back are heard of (R-U4)."""
    asked = server.people.mention("first")
    await server.posted()
    server.people.edit(asked, f"{server.world.bot.mention} second")
    server.people.delete(asked)
    await probe.changes.until(lambda: probe.deleted, "a deletion")
    assert probe.edited[0].content.endswith("second")
    assert probe.deleted == [int(asked.id)]


async def test_threads_hold_their_own_messages(
    server: DiscordServer, probe: Probe
) -> None:
    """A thread starts at a message once, and a mention in it is answered there."""
    asked = server.people.mention("begin")
    await server.posted()
    thread = await probe.heard[0].create_thread(name="about it")
    assert thread.id == int(asked.id)
    with pytest.raises(discord.HTTPException) as refused:
        await probe.heard[0].create_thread(name="again")
    assert refused.value.code == 160004
    server.people.mention("more", channel=server.world.channels[str(thread.id)])
    posts = await server.posted(2)
    assert posts[1].channel.parent is server.world.general


async def test_a_direct_conversation_is_opened_by_the_bot(
    server: DiscordServer, probe: Probe
) -> None:
    """The bot may write to a person first, unless that person takes no messages."""
    alice = await probe.fetch_user(int(server.world.alice.id))
    await alice.send("hello")
    assert server.posts[0].channel.recipient is server.world.alice
    server.world.alice.closed = True
    with pytest.raises(discord.Forbidden):
        await alice.send("again")


# -- lost, late and refused answers


async def test_a_lost_answer_and_a_resend_give_one_message_R_C3(
    server: DiscordServer, probe: Probe
) -> None:
    """The message was made and the bot never heard of it: the nonce finds it."""
    channel = general(probe, server)
    server.fail(SEND, dropped())
    with pytest.raises(ClientError):
        await channel.send("once", nonce="outbox-1")
    again = await channel.send("once", nonce="outbox-1")
    assert [post.id for post in server.posts] == [str(again.id)]
    assert server.rest.counts[SEND] == 2


async def test_without_a_nonce_a_resend_is_seen_twice(
    server: DiscordServer, probe: Probe
) -> None:
    """What the nonce is for."""
    channel = general(probe, server)
    server.fail(SEND, dropped())
    with pytest.raises(ClientError):
        await channel.send("twice")
    await channel.send("twice")
    assert len(server.posts) == 2


async def test_a_nonce_is_forgotten_after_a_while() -> None:
    """A resend that comes too late makes a second message."""
    async with (
        DiscordServer(Timing(nonce_window=0)) as server,
        running(server, Probe()) as probe,
    ):
        for _ in range(2):
            await general(probe, server).send("late", nonce="outbox-1")
        assert len(server.posts) == 2


async def test_a_deleted_message_is_not_made_again(
    server: DiscordServer, probe: Probe
) -> None:
    """A resend of what a moderator took away finds nothing."""
    channel = general(probe, server)
    post = await channel.send("once", nonce="outbox-1")
    await post.delete()
    with pytest.raises(discord.NotFound) as refused:
        await channel.send("once", nonce="outbox-1")
    assert refused.value.code == 10008


@pytest.mark.parametrize(
    "fault",
    [limited(), limited(everywhere=True), failed_after()],
    ids=["429", "429 everywhere", "500 though it was done"],
)
async def test_the_client_tries_again(
    server: DiscordServer, probe: Probe, fault: Fault
) -> None:
    """Its own retries are as dangerous as ours; the nonce covers both."""
    server.fail(SEND, fault)
    await general(probe, server).send("at last", nonce="outbox-1")
    assert [post.text for post in server.posts] == ["at last"]
    assert server.rest.counts[SEND] == 2


async def test_a_429_without_the_proxys_header_is_a_ban(
    server: DiscordServer, probe: Probe
) -> None:
    """The client gives up at once."""
    server.fail(SEND, limited(via=False))
    with pytest.raises(discord.HTTPException):
        await general(probe, server).send("no")
    assert server.posts == []


async def test_limited_routes_tell_the_client_to_wait(
    server: DiscordServer, probe: Probe
) -> None:
    """The client holds back by the headers, so that no call is refused."""
    server.rest.rates.routes[SEND] = Limit(calls=2, seconds=0.1)
    channel = general(probe, server)
    for number in range(5):
        await channel.send(str(number))
    assert [post.text for post in server.posts] == list("01234")
    assert server.rest.invalid <= 1


async def test_a_call_that_hangs_ends_by_its_callers_deadline(
    server: DiscordServer, probe: Probe
) -> None:
    """The effect may have happened, whatever the caller thinks."""
    server.fail(SEND, hung(done=True))
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.2):
            await general(probe, server).send("heard", nonce="outbox-1")
    assert len(await server.posted()) == 1


async def test_a_broken_body_is_an_error(server: DiscordServer, probe: Probe) -> None:
    """A body that ends in the middle is no success."""
    server.fail(SEND, garbled(done=True))
    with pytest.raises(ValueError, match=r"Expecting|unexpected end"):
        await general(probe, server).send("made")
    assert len(server.posts) == 1


async def test_the_client_goes_back_to_the_real_addresses(
    server: DiscordServer,
) -> None:
    """The redirection ends with its block."""
    before = Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY
    with server.redirected():
        assert server.api() == Route.BASE
    after = Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY
    assert after == before
