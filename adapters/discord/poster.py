"""Discord's side of the outbox: each part visible once, a private one to one person.

POST is a message in the place, a reply to `place.message`; where the bot may not write
it goes to the person. RESPOND fills the deferred answer of an interaction; where that
cannot be done any more it is a POST, or a WHISPER if the answer was private. WHISPER is
the private answer of an interaction, else a direct message to `Outgoing.person`.

An answer may be ready before its deferral has reached Discord, which then knows of no
answer yet: for as long as the deferral may be on its way, that is tried again.

What is created carries its nonce, which Discord knows for some minutes; from the second
attempt on the channel is read back as well. An edit of an answer can be repeated.
"""

from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import discord
from discord.http import Route

from adapters.discord import components
from adapters.discord.calls import (
    CLOSED_TO_US,
    NO_ACCESS,
    NO_ANSWER,
    UNKNOWN_MESSAGE,
    CallFailed,
    Calls,
)
from adapters.discord.names import (
    ANSWER_TIME,
    APPLICATION,
    INTERACTION,
    PRIVATE,
    TOKEN,
    YES,
)
from adapters.mail import Method, Outgoing, Part, Payload, PostFailed

LOADING = 1 << 7  # the flag of an answer that is still to come
UNCLEAR_S = 2.0
# An interaction younger than the first is acknowledged soon; that is seen by trying
# again after the second.
YOUNG = timedelta(seconds=10)
TOO_EARLY_S = 0.5
READ_BACK = "100"  # messages, as many as Discord gives at once
CLOSED = (
    "Answers here are for you alone, and you take no direct messages from me. "
    "Ask with /ask and the option private."
)


class Poster:
    """Delivers parts through a client that is logged in."""

    def __init__(self, client: discord.Client) -> None:
        self._calls = Calls(client)

    async def post(self, outgoing: Outgoing, part: Part) -> str:
        """Make a part visible exactly once, and return the id of the message.

        The id of a message outside the place is "channel/message". It is empty where
        the message was deleted meanwhile, which counts as delivered.

        Raises:
            PostFailed: it was not taken; when to try again.
        """
        try:
            return await _Delivery(self._calls, outgoing, part).run()
        except CallFailed as failed:
            raise PostFailed(f"{part.method}: {failed}", failed.after) from failed


class _Delivery:
    """One part on its way to one place."""

    def __init__(self, calls: Calls, outgoing: Outgoing, part: Part) -> None:
        self._calls = calls
        self._outgoing = outgoing
        self._part = part
        self._place = outgoing.place
        self._here = outgoing.place.thread or outgoing.place.channel
        self._answer = outgoing.callback

    async def run(self) -> str:
        match self._part.method:
            case Method.POST:
                return await self._post()
            case Method.RESPOND:
                return await self._respond()
            case Method.WHISPER:
                return await self._whisper()
            case Method.UPDATE:
                return await self._change("PATCH", self._part.payload)
            case Method.DELETE:
                return await self._change("DELETE", None)

    # --- for everybody in the place ---------------------------------------------------

    async def _post(self) -> str:
        try:
            return await self._create(self._here)
        except CallFailed as failed:
            if failed.code in NO_ACCESS:
                return await self._post_direct()
            raise

    async def _change(self, method: str, payload: Payload | None) -> str:
        """Edit or delete a message of ours, which may be outside the place."""
        known = self._part.message or ""
        channel, _, message = known.rpartition("/")
        route = Route(
            method,
            "/channels/{channel_id}/messages/{message_id}",
            channel_id=channel or self._here,
            message_id=message,
        )
        await self._call_unless_gone(route, payload)
        return known

    # --- answers to interactions ------------------------------------------------------

    async def _respond(self) -> str:
        alone = self._answer.get(PRIVATE) == YES
        other_way = self._post_direct if alone else self._post
        if not (self._is_first(Method.RESPOND, Method.WHISPER) and self._in_time()):
            return await other_way()
        try:
            return await self._fill(self._part.payload)
        except CallFailed as failed:
            if failed.code not in NO_ANSWER:
                raise
        sent = await other_way()
        await self._end_waiting()
        return sent

    async def _whisper(self) -> str:
        if self._answer.get(PRIVATE) == YES:
            return await self._respond()
        try:
            sent = await self._post_direct()
        except CallFailed as failed:
            if failed.code == CLOSED_TO_US and self._in_time():
                shown = [components.text(CLOSED)]
                return await self._fill(components.message(shown))
            raise
        await self._withdraw()
        return sent

    def _in_time(self) -> bool:
        ends = self._outgoing.respond_by
        return bool(self._answer) and (ends is None or datetime.now(UTC) < ends)

    async def _fill(self, payload: Payload) -> str:
        """Put a message where the answer was deferred."""
        return _read_id(await self._call_original("PATCH", payload))

    async def _withdraw(self) -> None:
        """Delete what was deferred for everybody to see."""
        if not self._in_time():
            return
        try:
            await self._call_original("DELETE")
        except CallFailed as failed:
            if failed.after is not None:
                raise  # the message itself is found again by its nonce

    async def _end_waiting(self) -> None:
        """Delete "thinking…" where it came after all, and its answer is visible."""
        with suppress(CallFailed):
            original = await self._call_original("GET")
            if original and original.get("flags", 0) & LOADING:
                await self._call_original("DELETE")

    async def _call_original(self, method: str, payload: Payload | None = None) -> Any:
        """Make a call on what was deferred; None where that was deleted meanwhile.

        Raises:
            CallFailed: with a code of NO_ANSWER only where none can come any more.
        """
        route = Route(
            method,
            "/webhooks/{webhook_id}/{webhook_token}/messages/@original",
            webhook_id=self._answer[APPLICATION],
            webhook_token=self._answer[TOKEN],
        )
        try:
            return await self._call_unless_gone(route, payload)
        except CallFailed as failed:
            if failed.code in NO_ANSWER and self._is_young():
                raise CallFailed("not deferred yet", after=TOO_EARLY_S) from failed
            raise

    def _is_young(self) -> bool:
        """Tell whether the deferral may still be on its way."""
        ends = self._outgoing.respond_by
        return ends is not None and datetime.now(UTC) < ends - ANSWER_TIME + YOUNG

    # --- messages ---------------------------------------------------------------------

    async def _post_direct(self) -> str:
        """Send a direct message to the person."""
        person = {"recipient_id": self._outgoing.person}
        opened = await self._calls.make(Route("POST", "/users/@me/channels"), person)
        channel = _read_id(opened)
        message = await self._create(channel)
        outside = message and channel != self._here
        return f"{channel}/{message}" if outside else message

    async def _create(self, channel: str) -> str:
        if self._outgoing.attempts > 1:
            found = await self._find(channel)
            if found:
                return found
        payload = dict(self._part.payload)
        payload |= {"nonce": self._part.nonce, "enforce_nonce": True}
        if self._replies(channel):
            payload["message_reference"] = {
                "message_id": self._place.message,
                "fail_if_not_exists": False,
            }
        route = Route("POST", "/channels/{channel_id}/messages", channel_id=channel)
        return _read_id(await self._call_unless_gone(route, payload))

    async def _call_unless_gone(self, route: Route, payload: Payload | None) -> Any:
        """Make a call; None where the message was deleted meanwhile."""
        try:
            return await self._calls.make(route, payload)
        except CallFailed as failed:
            if failed.code == UNKNOWN_MESSAGE:
                return None
            raise

    def _replies(self, channel: str) -> bool:
        asked = self._place.message is not None and channel == self._here
        return asked and self._is_first(Method.POST, Method.WHISPER)

    def _is_first(self, *methods: Method) -> bool:
        """Tell whether this is the first part delivered in one of these ways."""
        alike = (p.nonce for p in self._outgoing.parts if p.method in methods)
        return next(alike, None) == self._part.nonce

    # --- what is visible already ------------------------------------------------------

    async def _find(self, channel: str) -> str | None:
        """Find this part among what came after the question; None where it is missing.

        Nothing is found where the bot may not read back, or no moment to begin at is
        known.
        """
        begin = self._place.message or self._answer.get(INTERACTION)
        if begin is None:
            return None
        route = Route("GET", "/channels/{channel_id}/messages", channel_id=channel)
        try:
            params = {"after": begin, "limit": READ_BACK}
            messages = await self._calls.make(route, params=params)
            if len(messages) >= int(READ_BACK):  # what was asked is long ago
                newest = {"limit": READ_BACK}
                messages += await self._calls.make(route, params=newest)
        except CallFailed as failed:
            if failed.code in NO_ACCESS:
                return None
            raise
        taken = {known.rpartition("/")[2] for known in self._outgoing.posted.values()}
        ours = (m for m in messages if _read_id(m) not in taken and self._is_ours(m))
        return next(map(_read_id, ours), None)

    def _is_ours(self, message: Mapping[str, Any]) -> bool:
        """Tell whether it is this part; Discord shows nonces to their sender alone."""
        if message["author"]["id"] != self._calls.me:
            return False
        answered = message.get("interaction_metadata") or {}
        if answered and answered.get("id") == self._answer.get(INTERACTION):
            return not message.get("flags", 0) & LOADING
        replied = (message.get("message_reference") or {}).get("message_id")
        if self._replies(str(message["channel_id"])) and replied != self._place.message:
            return False
        ours = list(components.texts(self._part.payload))
        return list(components.texts(message)) == ours


def _read_id(message: Any) -> str:
    if message is None:
        return ""
    if not isinstance(message, Mapping) or "id" not in message:
        raise CallFailed("an answer without an id", after=UNCLEAR_S)
    return str(message["id"])
