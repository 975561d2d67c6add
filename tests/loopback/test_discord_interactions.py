"""Interactions on the loopback Discord, with the client of production."""

import discord
import pytest

from tests.loopback.discord import DiscordServer
from tests.loopback.discord_probe import Probe, general, running
from tests.loopback.discord_rates import EDIT_ORIGINAL, FOLLOWUP
from tests.loopback.discord_records import COMPONENTS_V2, EPHEMERAL
from tests.loopback.faults import failed_after


async def test_a_command_is_deferred_edited_and_followed_up(
    server: DiscordServer, probe: Probe
) -> None:
    """One public answer of Components V2, and a word for the asker alone."""
    server.people.slash("ask", {"question": "why?"})
    answer, word = await server.posted(2)
    assert answer.text == "Answer to why?"
    assert (answer.flags, word.flags) == (COMPONENTS_V2, EPHEMERAL)
    assert [edit["content"] for edit in answer.edits] == ["a part", None]
    [response] = server.world.responses
    assert response.kind == 5
    assert response.latency > 0


async def test_a_private_deferral_stays_private(
    server: DiscordServer, probe: Probe
) -> None:
    """The first follow-up takes the place of the loading message, with its flag."""
    asked = server.people.slash("private")
    [answer] = await server.posted()
    assert answer is asked.original
    assert (answer.text, answer.flags) == ("in private", EPHEMERAL)


async def test_what_the_client_repeats_after_a_500_that_was_done(
    server: DiscordServer, probe: Probe
) -> None:
    """An edit shows once; follow-ups know no nonce, so they are seen twice."""
    server.fail(EDIT_ORIGINAL, failed_after())
    server.fail(FOLLOWUP, failed_after())
    server.people.slash("ask", {"question": "why?"})
    answer, *words = await server.posted(3)
    assert len(answer.edits) == 3
    assert [word.text for word in words] == ["only for you"] * 2


async def test_a_chosen_message_can_be_read(
    server: DiscordServer, probe: Probe
) -> None:
    """The context menu brings the text, though the bot could not read it before."""
    chosen = server.people.say("a text of alice")
    server.people.menu("Ask about this", chosen)
    [answer] = await server.posted()
    assert answer.text == "about: a text of alice"


async def test_a_form_is_sent_back(server: DiscordServer, probe: Probe) -> None:
    """What was typed arrives; what the form would not take never leaves it."""
    asked = server.people.slash("why")
    await server.responded()
    with pytest.raises(LookupError):
        server.people.submit(asked, {"Reason": "x" * 21})
    server.people.submit(asked, {"Reason": "wrong source"})
    [answer] = await server.posted()
    assert answer.text == "noted: wrong source"


async def test_a_button_survives_a_reconnect_and_a_restart(
    server: DiscordServer, probe: Probe
) -> None:
    """A dynamic item answers on a resumed session and in another process."""
    server.people.slash("ask", {"question": "why?"})
    card = (await server.posted(2))[0]
    server.gateway.cut()
    await server.until(lambda: server.gateway.resumes)
    server.people.press(card, "helpful:7")
    await server.posted(3)
    await probe.close()
    async with running(server, Probe()):
        server.people.press(card, "helpful:7")
        posts = await server.posted(4)
    assert [post.text for post in posts[2:]] == ["thanks for 7"] * 2


async def test_nobody_presses_what_is_not_there(
    server: DiscordServer, probe: Probe
) -> None:
    """A button that the message does not show cannot be pressed."""
    post = await general(probe, server).send("no button")
    with pytest.raises(LookupError):
        server.people.press(server.world.messages[str(post.id)], "helpful:7")


async def test_a_member_comes_with_roles(server: DiscordServer, probe: Probe) -> None:
    """Packs are scoped by role: each act says which roles its person has there."""
    world = server.world
    staff, other = world.role(world.home, "staff"), world.guild("other")
    bob = world.user("bob")
    world.home.join(bob, staff)
    other.join(bob)
    places = (world.general, other.channels[0])
    seen: list[list[int]] = []

    @probe.event
    async def on_interaction(interaction: discord.Interaction) -> None:
        assert isinstance(interaction.user, discord.Member)
        seen.append(list(interaction.user._roles))

    for place in places:
        server.people.slash("private", author=bob, channel=place)
    await server.posted(2)
    assert seen == [[int(staff.id)], []]


async def test_a_subcommand_brings_what_its_options_name(
    server: DiscordServer, probe: Probe
) -> None:
    """A channel comes as an id and in full."""
    place = server.world.general
    server.people.slash("pack bind", {"pack": "textbook", "channel": place.id})
    [answer] = await server.posted()
    assert answer.text == "textbook in general by alice"


async def test_a_command_in_private_comes_from_a_user(
    server: DiscordServer, probe: Probe
) -> None:
    """Without guild, member or roles."""
    alone = server.world.dm(server.world.alice)
    server.people.slash("ask", {"question": "why?"}, channel=alone)
    posts = await server.posted(2)
    assert {post.channel for post in posts} == {alone}


async def test_a_command_that_is_not_registered_cannot_be_typed(
    server: DiscordServer, probe: Probe
) -> None:
    """Nor one without its option, or with one that it does not have."""
    assert {command.name for command in probe.synced} == {
        "Ask about this",
        "ask",
        "pack",
        "private",
        "why",
    }
    for name, options in (
        ("sources", {}),
        ("ask", {}),
        ("ask", {"question": 7}),
        ("ask", {"answer": "x"}),
    ):
        with pytest.raises(LookupError):
            server.people.slash(name, options)
