"""What the loopback Discord refuses, with the codes of the real one."""

import json
import sys
import time
from asyncio import timeout
from asyncio.subprocess import PIPE, create_subprocess_exec
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.conftest import ROOT
from tests.loopback.discord import DiscordServer
from tests.loopback.discord_probe import Probe, running
from tests.loopback.discord_records import Interaction, Json
from tests.loopback.discord_world import TOKEN, Timing
from tests.loopback.waiting import PATIENCE

FINE = {"content": "fine", "allowed_mentions": {"parse": []}}


class Caller:
    """Calls the API as any program might."""

    def __init__(self, session: aiohttp.ClientSession, server: DiscordServer) -> None:
        self.session = session
        self.server = server
        self.here = f"channels/{server.world.general.id}/messages"

    async def __call__(
        self, method: str, path: str, payload: object = None, token: str = TOKEN
    ) -> tuple[int, Any]:
        """The status and the body of the answer."""
        headers = {"Authorization": f"Bot {token}"} if token else {}
        url = f"{self.server.api()}/{path}"
        async with self.session.request(
            method, url, json=payload, headers=headers
        ) as response:
            text = await response.read()
            return response.status, json.loads(text) if text else None

    async def refused(self, method: str, path: str, payload: object = None) -> Any:
        """The status and Discord's code of a refusal."""
        status, body = await self(method, path, payload)
        return status, body["code"]

    async def respond(self, asked: Interaction, kind: int, data: Json) -> Any:
        """The answer to a response to an interaction."""
        path = f"interactions/{asked.id}/{asked.token}/callback"
        return await self("POST", path, {"type": kind, "data": data}, token="")

    def hook(self, asked: Interaction, path: str = "") -> str:
        """Where the messages of an interaction are."""
        return f"webhooks/{self.server.world.bot.id}/{asked.token}{path}"


@pytest.fixture
async def call(server: DiscordServer) -> AsyncIterator[Caller]:
    """Somebody who calls the server."""
    async with aiohttp.ClientSession() as session:
        yield Caller(session, server)


def register(server: DiscordServer, name: str = "ask") -> None:
    """A command without options, as if the bot had registered it."""
    command = {"id": "1", "name": name, "type": 1, "options": []}
    server.world.commands[None] = {"1": command}


async def test_a_call_without_the_token_is_refused(call: Caller) -> None:
    """401, whatever is asked for."""
    for token in ("", "wrong"):
        status, body = await call("GET", "users/@me", token=token)
        assert (status, body["code"]) == (401, 0)
    assert call.server.rest.invalid == 2


async def test_a_limit_is_told_with_its_place(call: Caller) -> None:
    """50035 and the path to the field, as clients print it."""
    status, body = await call("POST", call.here, {"content": "x" * 2_001})
    assert (status, body["code"]) == (400, 50035)
    [error] = body["errors"]["content"]["_errors"]
    assert error["code"] == "BASE_TYPE_MAX_LENGTH"
    rows = [{"type": 1, "components": [{"type": 2, "style": 1, "label": ""}]}]
    _, body = await call("POST", call.here, {"content": "x", "components": rows})
    row = body["errors"]["components"]["0"]
    assert row["components"]["0"]["label"]["_errors"]
    assert call.server.posts == []


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        ({}, 50006),
        ({"content": " \n"}, 50006),
        ({"content": "x", "poll": {}}, 50035),
        ({"content": "x", "message_reference": {"message_id": "1"}}, 50035),
        ([], 50109),
    ],
    ids=["empty", "blank", "unknown field", "unknown reference", "no object"],
)
async def test_a_bad_message_is_refused(
    call: Caller, payload: object, code: int
) -> None:
    """Each with its code, and nothing is posted."""
    assert await call.refused("POST", call.here, payload) == (400, code)
    assert call.server.posts == []


async def test_a_reference_may_be_gone_if_the_call_says_so(call: Caller) -> None:
    """Without `fail_if_not_exists` the reply stands alone."""
    gone = {"message_id": "1", "fail_if_not_exists": False}
    status, _ = await call("POST", call.here, {**FINE, "message_reference": gone})
    assert status == 200
    assert call.server.posts[0].reference is None


async def test_places_that_are_not_there_or_closed(call: Caller) -> None:
    """404 for what does not exist, 403 for what the bot may not do."""
    channel = call.server.world.general
    assert await call.refused("POST", "channels/1/messages", FINE) == (404, 10003)
    assert await call.refused("PATCH", f"{call.here}/1", FINE) == (404, 10008)
    assert await call.refused("GET", "users/1") == (404, 10013)
    assert await call.refused("GET", "nowhere") == (404, 0)
    alices = call.server.people.say("hers")
    path = f"{call.here}/{alices.id}"
    assert await call.refused("PATCH", path, FINE) == (403, 50005)
    assert await call.refused("DELETE", path) == (403, 50013)
    channel.writable = False
    assert await call.refused("POST", call.here, FINE) == (403, 50013)
    channel.readable = False
    assert await call.refused("POST", call.here, FINE) == (403, 50001)
    call.server.rest.calls.clear()


async def test_an_edit_keeps_what_it_does_not_name(call: Caller) -> None:
    """And Components V2 needs the old content out of the way, and never goes back."""
    _, made = await call("POST", call.here, FINE)
    path = f"{call.here}/{made['id']}"
    _, body = await call("PATCH", path, {"flags": 4})
    assert (body["content"], body["flags"]) == ("fine", 4)
    text = [{"type": 10, "content": "laid out"}]
    layout = {"flags": 1 << 15, "components": text}
    assert await call.refused("PATCH", path, layout) == (400, 50035)
    _, body = await call("PATCH", path, {**layout, "content": None})
    assert (body["content"], body["flags"]) == ("", 1 << 15)
    assert await call.refused("PATCH", path, {"content": "back"}) == (400, 50035)
    _, body = await call("PATCH", path, {"components": text, "flags": 0})
    assert body["flags"] == 1 << 15


async def test_history_is_served_newest_first(call: Caller) -> None:
    """What was posted can be read back, by its nonce if need be."""
    for number in range(5):
        await call("POST", call.here, {**FINE, "nonce": number})
    _, page = await call("GET", f"{call.here}?limit=2")
    assert [message["nonce"] for message in page] == [4, 3]
    _, after = await call("GET", f"{call.here}?limit=2&after={page[1]['id']}")
    assert [message["nonce"] for message in after] == [4]
    assert await call.refused("GET", f"{call.here}?limit=101") == (400, 50035)


# -- interactions


async def test_an_interaction_is_answered_once(call: Caller) -> None:
    """A second response is refused; the message of the first is the original."""
    register(call.server)
    asked = call.server.people.slash("ask")
    assert await call.respond(asked, 4, FINE) == (204, None)
    status, body = await call.respond(asked, 4, FINE)
    assert (status, body["code"]) == (400, 40060)
    _, original = await call("GET", call.hook(asked, "/messages/@original"))
    assert original["id"] == call.server.posts[0].id


async def test_a_late_first_response_is_refused(call: Caller) -> None:
    """After three seconds nobody knows the interaction any more."""
    register(call.server)
    asked = call.server.people.slash("ask")
    asked.born -= call.server.world.timing.first_response + 0.01
    status, body = await call.respond(asked, 5, {})
    assert (status, body["code"]) == (404, 10062)
    assert call.server.world.responses == []


async def test_a_token_lives_for_a_quarter_of_an_hour(call: Caller) -> None:
    """After that, and with a wrong one, every call fails."""
    register(call.server)
    asked = call.server.people.slash("ask")
    hook = call.hook(asked)
    assert await call.refused("POST", hook, FINE) == (404, 10015)
    await call.respond(asked, 5, {})
    asked.born = time.monotonic() - Timing().token_life - 1
    edit = call.hook(asked, "/messages/@original")
    assert await call.refused("PATCH", edit, FINE) == (401, 50027)
    assert await call.refused("POST", f"{hook}x", FINE) == (401, 50027)


async def test_a_deleted_answer_cannot_be_edited(call: Caller) -> None:
    """The original is gone."""
    register(call.server)
    asked = call.server.people.slash("ask")
    await call.respond(asked, 4, FINE)
    edit = call.hook(asked, "/messages/@original")
    assert await call("DELETE", edit) == (204, None)
    assert await call.refused("PATCH", edit, FINE) == (404, 10008)


async def test_what_one_person_sees_is_hidden_from_the_channel(call: Caller) -> None:
    """An ephemeral message is reached by its token alone, and stays ephemeral."""
    register(call.server)
    asked = call.server.people.slash("ask")
    await call.respond(asked, 4, {**FINE, "flags": 64})
    [post] = call.server.posts
    assert await call.refused("GET", f"{call.here}/{post.id}") == (404, 10008)
    edit = call.hook(asked, "/messages/@original")
    _, body = await call("PATCH", edit, {**FINE, "flags": 0})
    assert body["flags"] == 64


@pytest.mark.parametrize(
    ("kind", "data"),
    [(6, {}), (7, FINE), (8, {}), (4, {}), (5, {"flags": 4}), (9, {"title": "x"})],
)
async def test_a_response_that_does_not_fit_is_refused(
    call: Caller, kind: int, data: Json
) -> None:
    """And the interaction can still be answered."""
    register(call.server)
    asked = call.server.people.slash("ask")
    status, _ = await call.respond(asked, kind, data)
    assert status == 400
    assert await call.respond(asked, 4, FINE) == (204, None)


async def test_a_button_may_change_its_message(call: Caller) -> None:
    """At once, or later: its message is the original then."""
    register(call.server)
    button = {"type": 2, "style": 1, "label": "More", "custom_id": "more"}
    card = {**FINE, "components": [{"type": 1, "components": [button]}]}
    await call("POST", call.here, card)
    [post] = call.server.posts
    asked = call.server.people.press(post, "more")
    await call.respond(asked, 7, {"content": "more of it"})
    later = call.server.people.press(post, "more")
    await call.respond(later, 6, {})
    edit = call.hook(later, "/messages/@original")
    await call("PATCH", edit, {"content": "all of it", "components": []})
    assert (post.text, post.buttons) == ("all of it", {})
    with pytest.raises(LookupError):
        call.server.people.press(post, "more")


# -- commands


@pytest.mark.parametrize(
    "command",
    [
        {"name": "Ask", "description": "upper case"},
        {"name": "x" * 33, "description": "long"},
        {"name": "ask", "description": ""},
        {"name": "ask", "description": "x" * 101},
        {"name": "About", "type": 3, "description": "has one"},
    ],
)
async def test_a_bad_command_is_not_registered(call: Caller, command: Json) -> None:
    """Names are lower case and short, descriptions of 1 to 100 characters."""
    path = f"applications/{call.server.world.bot.id}/commands"
    assert await call.refused("PUT", path, [command]) == (400, 50035)
    assert await call("GET", path) == (200, [])


# -- a process of its own


async def test_the_server_runs_as_a_process_of_its_own(tmp_path: Path) -> None:
    """It is driven over HTTP, and its log outlives whoever is killed."""
    log = tmp_path / "discord.jsonl"
    arguments = ("-W", "ignore", "-m", "tests.loopback.discord", "--log", str(log))
    child = await create_subprocess_exec(
        sys.executable, *arguments, stdout=PIPE, cwd=ROOT
    )
    assert child.stdout
    try:
        told = json.loads(await child.stdout.readline())
        desk = told["api"].removesuffix("/api/v10") + "/control"
        async with aiohttp.ClientSession() as session:
            bot = DiscordServer(port=int(told["api"].split(":")[2].split("/")[0]))
            bot.gateway.address = told["gateway"]
            async with running(bot, Probe()):
                await session.post(f"{desk}/do/mention", json={"text": "hello"})
                state: Json = {"posts": []}
                async with timeout(PATIENCE):
                    while not state["posts"]:
                        async with session.get(f"{desk}/state") as response:
                            state = await response.json()
            unknown = await session.post(f"{desk}/do/dance", json={})
            assert (unknown.status, state["connected"]) == (404, 1)
    finally:
        child.terminate()
        await child.wait()
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    said = [line["text"] for line in lines if line["kind"] == "message"]
    assert said[-1] == "you said @Groundrule hello"
    assert child.returncode == 0
