"""Responses to interactions and their messages, as a loopback Discord takes them."""

import asyncio
import time

from aiohttp import web

from tests.loopback.discord_errors import (
    Refused,
    answer,
    done,
    invalid,
    unknown,
    wrong,
)
from tests.loopback.discord_messages import KEPT_FLAGS, Scribe, check
from tests.loopback.discord_records import (
    MODAL_SUBMIT,
    Interaction,
    Json,
    Message,
    Response,
)
from tests.loopback.discord_rest import API, body
from tests.loopback.discord_world import World
from tests.platforms.discord_limits import modal_problems

MESSAGE, DEFERRED, DEFERRED_UPDATE, UPDATE, MODAL = 4, 5, 6, 7, 9


class Interactions:
    """Answers the calls that carry an interaction's token."""

    def __init__(self, world: World, scribe: Scribe) -> None:
        self.world = world
        self.scribe = scribe

    def routes(self) -> list[web.RouteDef]:
        """Its part of the API."""
        hook = f"{API}/webhooks/{{application}}/{{token}}"
        callback = f"{API}/interactions/{{interaction}}/{{token}}/callback"
        paths = (f"{hook}/messages/@original", f"{hook}/messages/{{message}}")
        changes = [
            route
            for path in paths
            for route in (
                web.get(path, self.read),
                web.patch(path, self.edit),
                web.delete(path, self.delete),
            )
        ]
        return [
            web.post(callback, self.respond),
            web.post(hook, self.follow_up),
            *changes,
        ]

    async def respond(self, request: web.Request) -> web.Response:
        """The first response: within the time, and only one."""
        await asyncio.sleep(self.world.timing.callback)
        asked = self.world.interactions.get(request.match_info["interaction"])
        if asked is None or asked.token != request.match_info["token"]:
            raise unknown("Interaction")
        latency = time.monotonic() - asked.born
        if asked.response:
            raise Refused(400, 40060, "Interaction has already been acknowledged.")
        if latency > self.world.timing.first_response:
            raise unknown("Interaction")
        said = await body(request)
        kind, data = said.get("type"), said.get("data") or {}
        if not isinstance(kind, int) or kind not in self._kinds(asked):
            text = f"type {kind!r} does not answer this interaction"
            raise wrong("type", "BASE_TYPE_CHOICES", text)
        asked.original = self._act(asked, kind, data)
        asked.response = Response(asked, kind, data, latency)
        self.world.responses.append(asked.response)
        self.world.record(
            "response", interaction=asked.id, type=kind, latency=latency, data=data
        )
        if request.query.get("with_response") in ("1", "true"):
            return answer(self._receipt(asked, kind))
        return done()

    def _kinds(self, asked: Interaction) -> tuple[int, ...]:
        """What may answer it: an update needs a message that the button was on."""
        kinds: tuple[int, ...] = (MESSAGE, DEFERRED)
        if asked.message:
            kinds += (DEFERRED_UPDATE, UPDATE)
        return kinds if asked.kind == MODAL_SUBMIT else (*kinds, MODAL)

    def _act(self, asked: Interaction, kind: int, data: Json) -> Message | None:
        if kind == MODAL:
            if problems := modal_problems(data):
                raise invalid(problems)
            return None
        if kind == MESSAGE:
            return self.scribe.write(data, asked.channel, "callback", answers=asked)
        if kind == DEFERRED:
            check(data, "defer")
            return self.scribe.wait(asked, data)
        assert asked.message
        if kind == UPDATE:
            self.scribe.change(asked.message, data, "webhook_edit")
        return asked.message

    def _receipt(self, asked: Interaction, kind: int) -> Json:
        about: Json = {"id": asked.id, "type": asked.kind}
        resource: Json = {"type": kind}
        if message := asked.original:
            about["response_message_id"] = message.id
            about["response_message_loading"] = message.loading
            about["response_message_ephemeral"] = message.ephemeral
            if kind in (MESSAGE, UPDATE):
                resource["message"] = message.json()
        return {"interaction": about, "resource": resource}

    async def follow_up(self, request: web.Request) -> web.Response:
        """One more message; the first after a deferral replaces the loading one."""
        asked = self._by_token(request)
        said = await body(request)
        original = asked.original
        if original and original.loading:
            check(said, "followup")
            changed = {k: v for k, v in said.items() if k != "flags"}
            changed["flags"] = (said.get("flags") or 0) & KEPT_FLAGS
            self.scribe.change(original, changed, "webhook_edit")
            return answer(original.json())
        message = self.scribe.write(said, asked.channel, "followup", answers=asked)
        asked.followups.append(message)
        return answer(message.json())

    async def read(self, request: web.Request) -> web.Response:
        """A message of this interaction."""
        return answer(self._message(request).json())

    async def edit(self, request: web.Request) -> web.Response:
        """Change a message of this interaction."""
        message = self._message(request)
        self.scribe.change(message, await body(request), "webhook_edit")
        return answer(message.json())

    async def delete(self, request: web.Request) -> web.Response:
        """Take a message of this interaction away."""
        self.scribe.delete(self._message(request))
        return done()

    def _by_token(self, request: web.Request) -> Interaction:
        asked = self.world.tokens.get(request.match_info["token"])
        if asked is None or request.match_info["application"] != self.world.bot.id:
            raise Refused(401, 50027, "Invalid Webhook Token")
        if time.monotonic() - asked.born > self.world.timing.token_life:
            raise Refused(401, 50027, "Invalid Webhook Token")
        if asked.response is None:
            raise unknown("Webhook")
        return asked

    def _message(self, request: web.Request) -> Message:
        asked = self._by_token(request)
        number = request.match_info.get("message")
        message = asked.original
        if number is not None:
            mine = [m for m in (asked.original, *asked.followups) if m]
            message = next((m for m in mine if m.id == number), None)
        if message is None or message.deleted:
            raise unknown("Message")
        return message
