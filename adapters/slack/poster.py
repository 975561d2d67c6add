"""The Post port on Slack: a part becomes visible once, or it is said why not.

Slack has no idempotency key, so every post carries its nonce as metadata, and a second
attempt reads the thread back before it posts; a first one reads nothing. A reply to a
message that is gone lands in the channel: Slack's answer says so, and it is deleted at
once. What only one person may see leaves no trace to read back: after an unknown result
it is shown again rather than never. It is put into a thread only where somebody has
replied: in any other Slack does not show it.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any

from adapters.mail import FORM_REFUSED, Method, Outgoing, Part, PostFailed
from adapters.retrying import Pauses
from adapters.slack.calls import CallFailed, call, respond
from adapters.slack.names import NOTED, RESPONSE_URL, is_direct
from adapters.slack.sessions import Sessions
from adapters.slack.workspaces import Bot, Clients
from adapters.slack.writer import METADATA
from engine.model.ports import Clock

PATIENCE = 30.0  # seconds for a part with everything that is read before it
PAUSES = Pauses(2.0, 60.0, asked="wait")
PAGE = 200  # messages, as Slack recommends
PAGES = 5  # read back at most: our post is soon after the question

_GONE = "thread_not_found"
_NO_MESSAGE = "message_not_found"
_NOT_THERE = frozenset({"not_in_channel", "channel_not_found"})
_SHOWN = ("text", "blocks", "parse", "link_names")  # what every way of showing takes
_SILENT: dict[str, Any] = {"unfurl_links": False, "unfurl_media": False}

Way = Callable[[], Awaitable[str]]


class SlackPoster:
    """Posts for every workspace that has the app.

    Args:
        clients: of the workspaces.
        sessions: of their threads; a reply ends that the bot is looking.
        clock: tells when a response URL ends.
    """

    def __init__(self, clients: Clients, sessions: Sessions, clock: Clock) -> None:
        self._clients = clients
        self._sessions = sessions
        self._clock = clock

    async def post(self, outgoing: Outgoing, part: Part) -> str:
        """See `Post`; the id is the part's nonce where Slack names no message."""
        try:
            async with asyncio.timeout(PATIENCE):
                bot = await self._clients.bot(outgoing.place.tenant)
                delivery = _Delivery(self._clients, bot, outgoing, part, self._clock)
                message = await delivery.run()
        except CallFailed as failed:
            pause = PAUSES.choose(failed, outgoing.attempts)
            after = pause if failed.again else None
            raise PostFailed(f"{part.method}: {failed.error}", after) from failed
        except TimeoutError as error:
            after = PAUSES.choose(error, outgoing.attempts)
            raise PostFailed(f"{part.method}: too slow", after) from error
        await self._end_status(outgoing, part, bot)
        return message

    async def _end_status(self, outgoing: Outgoing, part: Part, bot: Bot) -> None:
        """Say in the thread of a question that the bot is looking no more.

        A post into it takes the text of before away by itself.
        """
        place = outgoing.place
        last = part.nonce == outgoing.parts[-1].nonce
        if last and place.message is not None and place.thread is not None:
            seen = part.method is not Method.WHISPER
            await self._sessions.end(bot, place.channel, place.thread, seen=seen)


class _Delivery:
    """One part on its way to one place."""

    def __init__(
        self, clients: Clients, bot: Bot, outgoing: Outgoing, part: Part, clock: Clock
    ) -> None:
        self._session = clients.session
        self._client = clients.of(bot)
        self._bot = bot
        self._outgoing = outgoing
        self._part = part
        self._clock = clock
        self._place = outgoing.place
        self._payload: dict[str, Any] = dict(part.payload)

    async def run(self) -> str:
        match self._part.method:
            case Method.POST:
                return await self._post()
            case Method.WHISPER:
                return await self._take_first(
                    self._post_ephemeral, self._post_reply, self._post_direct
                )
            case Method.RESPOND:
                return await self._take_first(
                    self._post_reply, self._post_ephemeral, self._post_direct
                )
            case Method.UPDATE:
                return await self._update()
            case Method.DELETE:
                return await self._delete()

    # --- for everybody ----------------------------------------------------------------

    async def _post(self) -> str:
        try:
            found = await self._find() if self._outgoing.attempts > 1 else None
            message = found or await self._post_now()
        except CallFailed as failed:
            # A command works where the bot is no member: only its URL leads there.
            if failed.error in _NOT_THERE and RESPONSE_URL in self._outgoing.callback:
                message = await self._post_reply("in_channel")
            else:
                raise
        await self._end_notice()
        return message

    async def _post_now(self) -> str:
        try:
            answer = await call(
                self._client.chat_postMessage(
                    channel=self._place.channel,
                    thread_ts=self._place.thread,
                    **self._payload,
                )
            )
        except CallFailed as failed:
            found = await self._find() if failed.unsure else None
            if found is None:
                raise
            return found
        message = str(answer["ts"])
        if self._place.thread is not None and _is_astray(answer):
            await self._remove(message)
            raise CallFailed(_GONE, again=False)
        return message

    async def _find(self) -> str | None:
        """Find the id of this part if it is visible; in its thread, after the question.

        A part in the channel because the thread is gone is deleted.

        Raises:
            CallFailed: the thread is gone, or the place cannot be read now.
        """
        thread = self._place.thread
        try:
            return await self._look_for(thread)
        except CallFailed as failed:
            if thread is None or failed.error != _GONE:
                raise
            astray = await self._look_for(None)
            if astray is not None:
                await self._remove(astray)
            raise

    async def _look_for(self, thread: str | None) -> str | None:
        gone = False
        async for messages in self._read_pages(thread):
            for message in messages:
                if self._is_ours(message):
                    return str(message["ts"])
                gone = gone or self._is_gone(message, thread)
        if gone:
            raise CallFailed(_GONE, again=False)
        return None

    async def _read_pages(
        self, thread: str | None
    ) -> AsyncIterator[list[dict[str, Any]]]:
        where: dict[str, Any] = {
            "channel": await self._open_channel(),
            "oldest": self._place.message,
            "limit": PAGE,
            "include_all_metadata": True,
        }
        cursor = None
        for _ in range(PAGES):
            reading = (
                self._client.conversations_history(**where, cursor=cursor)
                if thread is None
                else self._client.conversations_replies(
                    **where, ts=thread, cursor=cursor
                )
            )
            answer = await call(reading)
            yield answer.get("messages") or []
            cursor = (answer.get("response_metadata") or {}).get("next_cursor")
            if not cursor:
                return

    async def _open_channel(self) -> str:
        """Return the channel's own id, also where it is named by a person's."""
        named = self._place.channel
        if not is_direct(named) or named.startswith("D"):
            return named
        opened = await call(self._client.conversations_open(users=named))
        return str(opened["channel"]["id"])

    def _is_gone(self, message: Mapping[str, Any], thread: str | None) -> bool:
        """Tell whether it is what is left of the question that a thread began with."""
        asked = self._place.message in (None, thread)
        tombstone = message.get("subtype") == "tombstone"
        return asked and tombstone and message.get("ts") == thread

    def _is_ours(self, message: Mapping[str, Any]) -> bool:
        metadata = message.get("metadata") or {}
        payload = metadata.get("event_payload") or {}
        return (
            message.get("bot_id") == self._bot.id
            and metadata.get("event_type") == METADATA
            and payload.get("nonce") == self._part.nonce
        )

    # --- for one person ---------------------------------------------------------------

    async def _take_first(self, *ways: Way) -> str:
        """Take the first way that is open; one that is only busy is waited for."""
        closed: CallFailed | None = None
        for way in ways:
            try:
                return await way()
            except CallFailed as failed:
                if failed.again or FORM_REFUSED.search(failed.error):
                    raise  # another way would not take its form either
                closed = closed or failed
        raise closed or CallFailed("no_way", again=False)

    async def _post_ephemeral(self) -> str:
        place = self._place
        active = place.thread != place.message
        answer = await call(
            self._client.chat_postEphemeral(
                channel=place.channel,
                user=self._outgoing.person,
                thread_ts=place.thread if active else None,
                **self._strip_payload(),
            )
        )
        return str(answer["message_ts"])

    async def _post_reply(self, seen_by: str = "ephemeral") -> str:
        """Use the response URL, which names no message."""
        body = self._strip_payload() | {
            "response_type": seen_by,
            "replace_original": seen_by == "ephemeral" and self._follows_notice(),
        }
        if self._place.thread is not None:
            body["thread_ts"] = self._place.thread
        await respond(self._take_url(), body | _SILENT, self._session)
        return self._part.nonce

    def _take_url(self) -> str:
        url, end = self._outgoing.callback.get(RESPONSE_URL), self._outgoing.respond_by
        if url is None or (end is not None and end <= self._clock.now()):
            raise CallFailed("no_response_url", again=False)
        return url

    def _follows_notice(self) -> bool:
        """Tell whether this part comes after "I am looking", which it replaces."""
        first = self._outgoing.parts[0].nonce == self._part.nonce
        return first and NOTED in self._outgoing.callback

    async def _end_notice(self) -> None:
        """Delete "I am looking", which only a private reply takes the place of."""
        if self._follows_notice():
            with suppress(CallFailed):
                taken = {"delete_original": True}
                await respond(self._take_url(), taken, self._session)

    async def _post_direct(self) -> str:
        answer = await call(
            self._client.chat_postMessage(
                channel=self._outgoing.person, **self._strip_payload(), **_SILENT
            )
        )
        return str(answer["ts"])

    def _strip_payload(self) -> dict[str, Any]:
        payload = self._payload
        return {name: payload[name] for name in _SHOWN if name in payload}

    # --- visible messages -------------------------------------------------------------

    async def _update(self) -> str:
        """Change a message; post one where it is gone, or was never for everybody."""
        message = self._require_message()
        channel = self._place.channel
        try:
            await call(
                self._client.chat_update(channel=channel, ts=message, **self._payload)
            )
        except CallFailed as failed:
            if failed.error != _NO_MESSAGE:
                raise
            self._payload |= _SILENT
            return await self._post()
        return message

    async def _delete(self) -> str:
        message = self._require_message()
        await self._remove(message)
        return message

    async def _remove(self, message: str) -> None:
        channel = await self._open_channel()
        try:
            await call(self._client.chat_delete(channel=channel, ts=message))
        except CallFailed as failed:
            if failed.error != _NO_MESSAGE:
                raise

    def _require_message(self) -> str:
        if self._part.message is None:
            raise CallFailed("no_message_named", again=False)
        return self._part.message


def _is_astray(answer: Mapping[str, Any]) -> bool:
    """Tell whether Slack says that a reply is outside its thread.

    It names the thread where there is one, and posts into the channel without an error
    where there is none any more (slack-go/slack#1571).
    """
    message = answer.get("message")
    return isinstance(message, Mapping) and "thread_ts" not in message
