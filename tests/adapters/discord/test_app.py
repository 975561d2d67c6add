"""Every way into the bot on Discord: committed first, then acknowledged."""

import logging

import pytest

from adapters.discord.app import DiscordApp, Setting
from adapters.discord.commands import NO_TEXT
from adapters.discord.listener import COMMIT_S, LATE, UNKNOWN
from adapters.discord.writer import DISCORD
from adapters.mail import Action
from adapters.tokens import TokenRefused
from engine.conclude.fallback import AUDIT_FAILED_TEXT
from engine.model.errors import EnvironmentFailed, UsageError
from tests.adapters.discord.doors import BUSY, PACKS, Door, ringing
from tests.adapters.discord.letters import answers, incoming, outgoing, there
from tests.loopback.discord import DiscordServer
from tests.loopback.discord_rates import CALLBACK, ME, limited
from tests.loopback.discord_records import COMPONENTS_V2, EPHEMERAL, Interaction, Json
from tests.loopback.faults import Fault, answered, dropped, failed_after
from tests.platforms.discord_limits import check_modal
from tests.platforms.discord_reach import pings

DEFERRED, MODAL = 5, 9


def row(custom_id: str) -> Json:
    """A row with one of our buttons."""
    button = {"type": 2, "style": 2, "label": "x", "custom_id": custom_id}
    return {"type": 1, "components": [button]}


async def pressed(server: DiscordServer, custom_id: str, flags: int = 0) -> Interaction:
    """Alice presses a button of a message of ours."""
    scribe, world = server.people.scribe, server.world
    card = {"content": "an answer", "components": [row(custom_id)], "flags": flags}
    message = scribe.write(card, world.general, "callback")
    return server.people.press(message, custom_id)


# --- messages ---------------------------------------------------------------------


async def test_a_mention_is_a_question_R_C2(
    server: DiscordServer, door: Door, app: DiscordApp
) -> None:
    """Its text without the mention, where it stands, and who asks with which roles."""
    world = server.world
    staff, bob = world.role(world.home, "staff"), world.user("bob")
    world.home.join(bob, staff)
    async with ringing(server, other := Door()):
        asked = server.people.mention("What is torque?", author=bob)
        [came] = await other.has(1)
    assert (came.action, came.event) == (Action.ASK, asked.id)
    assert (came.text, came.person) == ("What is torque?", bob.id)
    assert came.roles == (staff.id,)
    place = came.place
    assert (place.tenant, place.channel) == (world.home.id, world.general.id)
    assert (place.thread, place.message, place.private) == (None, asked.id, False)
    assert (came.callback, came.admin) == ({}, False)


async def test_a_reply_names_what_it_follows_R_C2(
    server: DiscordServer, door: Door, app: DiscordApp
) -> None:
    """A reply to the bot is a question about that message."""
    ours = server.people.scribe.write(
        {"content": "an answer"}, server.world.general, "create"
    )
    server.people.say("And in water?", reply_to=ours)
    [came] = await door.has(1)
    assert (came.text, came.about) == ("And in water?", ours.id)


async def test_a_direct_message_is_private_R_C2(
    server: DiscordServer, door: Door, app: DiscordApp
) -> None:
    """It needs no mention, and nobody else sees its answer."""
    asked = server.people.whisper("What is torque?")
    [came] = await door.has(1)
    place = came.place
    assert (place.tenant, place.channel) == ("dm", asked.channel.id)
    assert (place.message, place.private) == (asked.id, True)


async def test_a_thread_belongs_to_its_channel_R_C2(
    server: DiscordServer, door: Door, app: DiscordApp
) -> None:
    """What a pack is bound to is the channel; the reply goes into the thread."""
    world = server.world
    begun = server.people.say("begin")
    thread = world.thread(world.general, "about it", world.alice, begun)
    server.gateway.dispatch("THREAD_CREATE", thread.json())
    server.people.mention("more", channel=thread)
    server.people.slash("ask", {"question": "why?"}, channel=thread)
    for came in await door.has(2):
        assert (came.place.channel, came.place.thread) == (world.general.id, thread.id)


async def test_what_nobody_said_to_the_bot_is_let_go_R_C2(
    server: DiscordServer, door: Door, app: DiscordApp
) -> None:
    """Other people, other bots, its own posts, replies that do not ping."""
    people, world = server.people, server.world
    robot = world.user("robot", bot=True)
    ours = people.scribe.write({"content": "ours"}, world.general, "create")
    people.say("to the others")
    people.say("not to you", reply_to=ours, ping=False)
    people.mention("I am a bot", author=robot)
    people.whisper("the end")
    assert [came.text for came in await door.has(1)] == ["the end"]


async def test_a_webhook_is_nobody(
    server: DiscordServer, door: Door, app: DiscordApp
) -> None:
    """What a webhook posts is no question, whatever it says."""
    said = server.people.mention("said before")
    await door.has(1)
    event = said.json() | {"id": server.world.snowflake(), "webhook_id": "77"}
    event["guild_id"] = server.world.home.id
    server.gateway.dispatch("MESSAGE_CREATE", event, 1 << 9)
    server.people.whisper("the end")
    assert [came.text for came in await door.has(2)][1:] == ["the end"]


# --- edits and deletions ----------------------------------------------------------


async def test_an_edited_question_comes_again_R_U4(
    server: DiscordServer, door: Door, app: DiscordApp
) -> None:
    """With its new text, about the same message; a repeat of the event is known."""
    asked = server.people.mention("first")
    server.people.edit(asked, f"{server.world.bot.mention} second")
    first, came = await door.has(2)
    assert (came.action, came.text) == (Action.EDITED, "second")
    assert came.about == came.place.message == asked.id
    assert came.event not in (first.event, asked.id)
    server.gateway.tell("MESSAGE_UPDATE", asked)  # as for a preview or a pin
    server.people.whisper("the end")
    assert (await door.has(3))[2].text == "the end"


async def test_what_an_edit_makes_a_question_is_asked_R_U4(
    server: DiscordServer, door: Door, app: DiscordApp
) -> None:
    """Somebody adds the mention that was forgotten."""
    said = server.people.say("What is torque?")
    said.mentions.append(server.world.bot)
    server.people.edit(said, f"{server.world.bot.mention} What is torque?")
    [came] = await door.has(1)
    assert (came.action, came.event) == (Action.ASK, said.id)


async def test_a_deleted_question_comes_as_such_R_U4(
    server: DiscordServer, door: Door, app: DiscordApp
) -> None:
    """One by one or many at once; what was no question is let go."""
    people, world = server.people, server.world
    asked, chat = people.mention("first"), people.say("chat")
    people.delete(chat)
    people.delete(asked)
    bulk = {
        "ids": ["5", "6"],
        "channel_id": world.general.id,
        "guild_id": world.home.id,
    }
    server.gateway.dispatch("MESSAGE_DELETE_BULK", bulk, 1 << 9)
    _, *gone = await door.has(4)
    assert [came.action for came in gone] == [Action.DELETED] * 3
    assert [came.about for came in gone] == [asked.id, "5", "6"]
    assert gone[0].place.channel == world.general.id


# --- commands ---------------------------------------------------------------------


async def test_a_command_is_committed_before_it_is_deferred_R_C3(
    server: DiscordServer, door: Door, app: DiscordApp
) -> None:
    """Nothing is said to Discord while the inbox has not taken it."""
    door.open.clear()
    asked = server.people.slash("ask", {"question": "why?", "private": True})
    await door.was_asked(1)
    assert server.world.responses == []
    door.open.set()
    [response] = await server.responded()
    assert (response.kind, response.data) == (DEFERRED, {"flags": EPHEMERAL})
    [came] = door.came
    assert (came.event, came.text) == (asked.id, "why?")
    assert came.callback == {
        "application": server.world.bot.id,
        "interaction": asked.id,
        "token": asked.token,
        "private": "yes",
    }
    assert came.respond_by and came.respond_by > came.received


@pytest.mark.parametrize("private", [True, False])
async def test_an_answer_is_public_or_private_R_C2(
    server: DiscordServer, door: Door, app: DiscordApp, private: bool
) -> None:
    """As the option says; public where nothing is said."""
    options = {"private": True} if private else {}
    server.people.slash("ask", {"question": "why?", **options})
    [response] = await server.responded()
    assert response.data.get("flags", 0) == EPHEMERAL * private
    assert door.came[0].place.private is private


@pytest.mark.parametrize(
    ("name", "action"),
    [
        ("sources", Action.SOURCES),
        ("why", Action.WHY),
        ("mydata", Action.MY_DATA),
        ("forget", Action.FORGET),
    ],
)
async def test_what_is_ones_own_is_private_R_C2(
    server: DiscordServer, door: Door, app: DiscordApp, name: str, action: Action
) -> None:
    """Sources, why and one's data are shown to who asks alone."""
    server.people.slash(name)
    [response] = await server.responded()
    assert response.data == {"flags": EPHEMERAL}
    assert (door.came[0].action, door.came[0].place.private) == (action, True)


async def test_administrators_bind_and_pause_R_U5(
    server: DiscordServer, door: Door, app: DiscordApp
) -> None:
    """The order stands in words; Discord says whether they may, and we hand it on."""
    world = server.world
    role = world.role(world.home, "staff")
    options = {
        "pack": "textbook",
        "private": True,
        "people": f"<@{world.alice.id}>, <@!77>@ann",
        "tags": "exam, staff",
        "role": role.id,
        "role_tags": "keys",
        "everywhere": True,
    }
    for name, given in (
        ("bind", options),
        ("bind", {"pack": "none"}),
        ("pause", {}),
        ("resume", {"pack": True}),
    ):
        server.people.slash(f"pack {name}", given)
        await door.has(len(door.came) + 1)
    assert [came.reason for came in door.came] == [
        f"textbook private people=<@{world.alice.id}>,<@77>,@ann tags=exam,staff "
        f"role.{role.id}=keys everywhere",
        "none",
        None,
        "pack",
    ]
    assert all(came.admin for came in door.came)
    [known] = [c for c in world.commands[None].values() if c["name"] == "pack"]
    assert int(known["default_member_permissions"]) == 1 << 4  # MANAGE_CHANNELS
    bind = known["options"][0]
    choices = [choice["value"] for choice in bind["options"][0]["choices"]]
    assert choices == [*PACKS, "none"]


async def test_the_commands_are_registered_once(
    server: DiscordServer, door: Door, app: DiscordApp
) -> None:
    """Also where the connection ends and begins anew."""
    server.gateway.invalidate()
    await server.until(lambda: len(server.gateway.identifies) == 2)
    put = "PUT /applications/{application}/commands"
    assert server.rest.counts[put] == 1
    kinds = {(c["name"], c["type"]) for c in server.world.commands[None].values()}
    assert kinds == {
        ("ask", 1),
        ("sources", 1),
        ("why", 1),
        ("mydata", 1),
        ("forget", 1),
        ("pack", 1),
        ("Ask about this", 3),
    }


async def test_no_intent_is_privileged_R_C2(
    server: DiscordServer, door: Door, app: DiscordApp
) -> None:
    """Guilds, their messages, direct messages: nothing that needs a review."""
    assert server.gateway.identifies[0]["intents"] == 1 << 0 | 1 << 9 | 1 << 12


# --- forms and buttons ------------------------------------------------------------


async def test_a_chosen_message_is_asked_about_in_a_form_R_C2(
    server: DiscordServer, door: Door, app: DiscordApp
) -> None:
    """Its text stands in the form, can be cut, and comes back as the selection."""
    chosen = server.people.say("Torque turns. Force pushes.")
    asked = server.people.menu("Ask about this", chosen)
    [opened] = await server.responded()
    assert (opened.kind, check_modal(opened.data)) == (MODAL, [])
    assert door.asked == 0
    typed = {"question": "What turns?", "selection": "Torque turns."}
    server.people.submit(asked, typed)
    [came] = await door.has(1)
    assert (came.action, came.text) == (Action.ASK, "What turns?")
    assert (came.selection, came.place.private) == ("Torque turns.", True)
    assert (await server.responded(2))[1].data == {"flags": EPHEMERAL}


async def test_a_message_of_ours_is_read_as_it_is_shown(
    server: DiscordServer, door: Door, app: DiscordApp
) -> None:
    """Without the backslashes and marks that only set it."""
    box = {"type": 10, "content": r"> a\_b turns `[1]`" + "\n-# small"}
    payload = {"components": [{"type": 17, "components": [box]}], "flags": 1 << 15}
    ours = server.people.scribe.write(payload, server.world.general, "create")
    asked = server.people.menu("Ask about this", ours)
    await server.responded()
    server.people.submit(asked, {"question": "why?"})
    [came] = await door.has(1)
    assert came.selection == "a_b turns `[1]`\nsmall"


async def test_a_message_without_text_is_said_to_have_none(
    server: DiscordServer, door: Door, app: DiscordApp
) -> None:
    """To the person alone."""
    payload = {"components": [row("helpful:a1")]}
    chosen = server.people.scribe.write(payload, server.world.general, "create")
    server.people.menu("Ask about this", chosen)
    [_, post] = await server.posted(2)
    assert (post.text, post.ephemeral) == (NO_TEXT, True)


@pytest.mark.parametrize(
    "action", ["more", "sources", "why", "helpful", "none_of_these"]
)
async def test_a_button_carries_what_it_is_about_R_C2(
    server: DiscordServer, door: Door, app: DiscordApp, action: str
) -> None:
    """The outcome in its id, the message it stands on; the reply is private."""
    asked = await pressed(server, f"{action}:abc123")
    [response] = await server.responded()
    assert (response.kind, response.data) == (DEFERRED, {"flags": EPHEMERAL})
    [came] = door.came
    assert (came.action, came.audit_id) == (Action(action), "abc123")
    assert asked.message and came.about == asked.message.id


@pytest.mark.parametrize("flags", [0, EPHEMERAL])
async def test_asking_again_is_as_public_as_its_button_R_A13(
    server: DiscordServer, door: Door, app: DiscordApp, flags: int
) -> None:
    """A second answer stays private where the first one was."""
    await pressed(server, "ask_again:abc123", flags)
    [response] = await server.responded()
    assert response.data.get("flags", 0) == flags
    assert door.came[0].place.private is bool(flags)


@pytest.mark.parametrize("flags", [0, EPHEMERAL])
async def test_a_choice_is_as_public_as_its_button_R_Q5(
    server: DiscordServer, door: Door, app: DiscordApp, flags: int
) -> None:
    """It comes with its number and the refusal that offers it."""
    await pressed(server, "choose.2:abc123", flags)
    [response] = await server.responded()
    assert response.data.get("flags", 0) == flags
    [came] = door.came
    assert (came.action, came.audit_id, came.choice) == (Action.CHOOSE, "abc123", 2)
    assert came.place.private is bool(flags)


@pytest.mark.parametrize("action", [Action.NOT_HELPFUL, Action.ASK_PERSON])
async def test_a_reason_is_asked_in_a_form_R_C2(
    server: DiscordServer, door: Door, app: DiscordApp, action: Action
) -> None:
    """It comes with the outcome that the button was about."""
    asked = await pressed(server, f"{action}:abc123")
    [opened] = await server.responded()
    assert (opened.kind, check_modal(opened.data)) == (MODAL, [])
    server.people.submit(asked, {"reason": "the wrong chapter"})
    [came] = await door.has(1)
    assert (came.action, came.audit_id) == (action, "abc123")
    assert came.reason == "the wrong chapter"
    assert asked.message and came.about == asked.message.id


@pytest.mark.parametrize("flags", [0, EPHEMERAL])
async def test_a_follow_up_is_asked_in_a_form_R_A11(
    server: DiscordServer, door: Door, app: DiscordApp, flags: int
) -> None:
    """It leans on the answer under which it is asked, and stays as private as that."""
    asked = await pressed(server, "ask:abc123", flags)
    [opened] = await server.responded()
    assert (opened.kind, check_modal(opened.data)) == (MODAL, [])
    server.people.submit(asked, {"question": "And for children?"})
    [came] = await door.has(1)
    assert (came.action, came.text) == (Action.ASK, "And for children?")
    assert asked.message and came.about == asked.message.id
    assert came.place.private is bool(flags)


async def test_an_unknown_button_is_answered(
    server: DiscordServer, door: Door, app: DiscordApp
) -> None:
    """Nobody is left with "this interaction failed"."""
    await pressed(server, "nonsense")
    assert (await server.posted(2))[1].text == UNKNOWN
    assert door.asked == 0


# --- what the inbox does not take -------------------------------------------------


async def test_a_question_that_cannot_be_kept_is_not_taken_R_I10(
    server: DiscordServer, door: Door, app: DiscordApp
) -> None:
    """The fixed text instead of an acknowledgement, and nothing of the question."""
    door.broken = True
    server.people.slash("ask", {"question": "why?"})
    [post] = await server.posted()
    assert (post.text, post.flags) == (AUDIT_FAILED_TEXT, COMPONENTS_V2 | EPHEMERAL)
    assert pings(post.sent) == []
    asked = server.people.mention("and here?")
    public = (await server.posted(2))[1]
    assert (public.text, public.reference) == (AUDIT_FAILED_TEXT, asked)


@pytest.mark.parametrize("private", [True, False])
async def test_a_commit_that_takes_too_long_goes_on_R_C3(
    server: DiscordServer, door: Door, app: DiscordApp, private: bool
) -> None:
    """The person hears within three seconds; the answer takes the text's place."""
    door.open.clear()
    command = server.people.slash("ask", {"question": "why?", "private": private})
    [post] = await server.posted()
    assert (post.text, post.ephemeral) == (LATE, private)
    assert COMMIT_S < 3
    door.open.set()
    assert [event.text for event in await door.has(1)] == ["why?"]
    came = incoming(
        there(server.world.general, private=private), callback=answers(private)
    )
    parts = DISCORD.notice("because", came)
    reply = outgoing(server, parts, came.place, asked=command)
    await app.poster.post(reply, parts[0])
    assert [post.text for post in server.posts] == ["because"]


@pytest.mark.parametrize("fault", ["broken", "full"])
async def test_a_late_commit_that_fails_says_so_R_I10_R_C3(
    server: DiscordServer, door: Door, app: DiscordApp, fault: str
) -> None:
    """In the place of what was to be expected."""
    door.open.clear()
    server.people.slash("ask", {"question": "why?"})
    assert [post.text for post in await server.posted()] == [LATE]
    setattr(door, fault, True)
    door.open.set()
    said = {"broken": AUDIT_FAILED_TEXT, "full": BUSY}[fault]
    await server.until(lambda: [post.text for post in server.posts] == [said])


async def test_a_full_inbox_says_so_R_C3(
    server: DiscordServer, door: Door, app: DiscordApp
) -> None:
    """At once, to a command privately, to a message in reply."""
    door.full = True
    server.people.slash("ask", {"question": "why?"})
    server.people.mention("and here?")
    posts = await server.posted(2)
    assert [post.text for post in posts] == [BUSY, BUSY]
    assert sorted(post.ephemeral for post in posts) == [False, True]


async def test_an_error_is_answered_and_tells_nothing_R_I8(
    server: DiscordServer,
    caplog: pytest.LogCaptureFixture,
    app: DiscordApp,
    door: Door,
) -> None:
    """The person reads the fixed text; the log holds nothing of the question."""
    door.came.append(None)  # type: ignore[arg-type] # breaks the door
    with caplog.at_level(logging.DEBUG):
        server.people.slash("ask", {"question": "my secret"})
        [post] = await server.posted()
        await pressed(server, "why:abc")
        await server.posted(3)
        server.people.mention("my secret")
        posts = await server.posted(4)
    assert {post.text, posts[2].text, posts[3].text} == {AUDIT_FAILED_TEXT}
    assert "my secret" not in caplog.text


@pytest.mark.parametrize("fault", [dropped(), failed_after(), limited()])
async def test_an_acknowledgement_is_repeated_R_C3(
    server: DiscordServer, door: Door, app: DiscordApp, fault: object
) -> None:
    """Where the connection broke or Discord stumbled; once is enough."""
    server.fail(CALLBACK, fault)  # type: ignore[arg-type]
    server.people.slash("ask", {"question": "why?"})
    await server.until(lambda: server.rest.counts[CALLBACK] == 2)
    assert len(await server.responded()) == 1
    assert len(door.came) == 1


async def test_the_same_event_is_taken_once_R_C3(
    server: DiscordServer, door: Door, app: DiscordApp
) -> None:
    """Two processes hear it; the inbox knows it by its id."""
    async with ringing(server, door):
        server.people.mention("to both")
        await door.was_asked(2)
    [came] = door.came
    assert came.text == "to both"


async def test_a_question_comes_before_its_edit_and_its_end_R_U4(
    server: DiscordServer, door: Door, app: DiscordApp
) -> None:
    """Also where a resume brings them in one moment."""
    door.open.clear()
    asked = server.people.mention("first")
    server.people.edit(asked, f"{server.world.bot.mention} second")
    server.people.delete(asked)
    await door.was_asked(1)
    door.open.set()
    came = await door.has(3)
    actions = [incoming.action for incoming in came]
    assert actions == [Action.ASK, Action.EDITED, Action.DELETED]


async def test_what_was_heard_is_committed_before_the_end_R_C3(
    server: DiscordServer, door: Door
) -> None:
    """The process is told to stop while the inbox is at work."""
    door.open.clear()
    async with ringing(server, door):
        server.people.mention("just in time")
        await door.was_asked(1)
        door.open.set()
    assert [came.text for came in door.came] == ["just in time"]


async def test_a_wrong_token_is_said_plainly(server: DiscordServer) -> None:
    """With what to check, and without the token; it is configuration."""
    with server.redirected(), pytest.raises(TokenRefused) as failed:
        async with DiscordApp("wrong.to.ken", Door(), Setting(PACKS, BUSY)):
            pass
    assert isinstance(failed.value, UsageError)
    assert "GROUNDRULE_DISCORD_TOKEN" in str(failed.value)
    assert "wrong.to.ken" not in str(failed.value)


@pytest.mark.parametrize("fault", [dropped(done=False), answered(403, "{}")])
async def test_what_is_no_matter_of_the_token_does_not_name_it(
    server: DiscordServer, fault: Fault
) -> None:
    """Discord is out of reach, or answers something else: said in words."""
    server.fail(ME, fault, times=9)
    with server.redirected(), pytest.raises(EnvironmentFailed) as failed:
        async with DiscordApp(server.token, Door(), Setting(PACKS, BUSY)):
            pass
    said = str(failed.value)
    assert said.startswith("cannot log in to Discord: it ")
    assert "TOKEN" not in said and "Error" not in said
