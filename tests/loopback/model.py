"""A provider of language models on the loopback, in the formats of real ones.

OpenAI's chat completions (and whatever is compatible), Anthropic's messages, Gemini's
generateContent. It says what a test tells it to, or fails the way providers fail.
"""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from aiohttp import web

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Said:
    """One answer: its text, or a failure of the provider."""

    text: str = ""
    status: int = 200
    after_s: float = 0.0
    headers: Mapping[str, str] = field(default_factory=dict)
    finish: str = "stop"
    tokens: int | None = None  # of the answer, as the provider counts them
    body: str | None = None  # instead of the provider's format
    endless: int = 0  # bytes that are sent of a body without an end, at most


Script = Callable[[Json], Said | Awaitable[Said]]


@dataclass
class Provider:
    """The running server: `script` answers, `asked` holds every request's body.

    Its address holds a name of its own: a port is given again to the next server, and
    what was kept of one provider would be another's answer.
    """

    script: Script
    url: str = ""
    name: str = field(default_factory=lambda: uuid4().hex)
    asked: list[Json] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    heads: list[dict[str, str]] = field(default_factory=list)
    at_once: int = 0
    most_at_once: int = 0
    poured: int = 0  # bytes of endless bodies that somebody took

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """One request, as a provider handles it."""
        body = json.loads(await request.read())
        self.asked.append(body)
        bearer = request.headers.get("Authorization", "").removeprefix("Bearer ")
        headers = request.headers
        key = headers.get("x-api-key") or headers.get("x-goog-api-key") or bearer
        self.keys.append(key)
        self.paths.append(request.path_qs.removeprefix(f"/{self.name}"))
        self.heads.append(dict(headers))
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            said = self.script(body)
            if not isinstance(said, Said):
                said = await said
            await asyncio.sleep(said.after_s)
        finally:
            self.at_once -= 1
        if said.endless:
            return await self._pour(request, said.endless)
        if said.body is not None:
            return web.Response(text=said.body, content_type="application/json")
        if said.status != 200:
            error = {"error": {"message": "scripted", "type": "scripted"}}
            return web.json_response(
                error, status=said.status, headers=dict(said.headers)
            )
        return web.json_response(_shape(request.path, body, said))

    async def _pour(self, request: web.Request, most: int) -> web.StreamResponse:
        """White space before an answer that never comes, until nobody reads."""
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        await response.prepare(request)
        piece = b" " * 65_536
        with suppress(ConnectionError):
            while self.poured < most:
                await response.write(piece)
                self.poured += len(piece)
        return response


def prompt_of(body: Json) -> str:
    """Everything that a request says, whichever provider's format it has."""
    return json.dumps(body, ensure_ascii=False)


def _shape(path: str, body: Json, said: Said) -> Json:
    sent = len(prompt_of(body)) // 4
    answered = len(said.text) // 4 if said.tokens is None else said.tokens
    if path.endswith("/messages"):
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": [{"type": "text", "text": said.text}],
            "stop_reason": "end_turn" if said.finish == "stop" else "max_tokens",
            "stop_sequence": None,
            "usage": {"input_tokens": sent, "output_tokens": answered},
        }
    if ":generateContent" in path:
        return {
            "candidates": [
                {
                    "content": {"role": "model", "parts": [{"text": said.text}]},
                    "finishReason": "STOP" if said.finish == "stop" else "MAX_TOKENS",
                    "index": 0,
                }
            ],
            "usageMetadata": {
                "promptTokenCount": sent,
                "candidatesTokenCount": answered,
                "totalTokenCount": sent + answered,
            },
        }
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": body["model"],
        "choices": [
            {
                "index": 0,
                "finish_reason": said.finish,
                "message": {"role": "assistant", "content": said.text},
            }
        ],
        "usage": {
            "prompt_tokens": sent,
            "completion_tokens": answered,
            "total_tokens": sent + answered,
        },
    }


@asynccontextmanager
async def provider(script: Script) -> AsyncIterator[Provider]:
    """Serve on a free port of the loopback; `Provider.url` ends with /v1."""
    running = Provider(script)
    app = web.Application(client_max_size=10**7)
    app.router.add_post("/{rest:.*}", running.answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    server = site._server
    assert isinstance(server, asyncio.Server)
    port = server.sockets[0].getsockname()[1]
    running.url = f"http://127.0.0.1:{port}/{running.name}/v1"
    try:
        yield running
    finally:
        await runner.cleanup()


@contextmanager
def provider_aside(script: Script) -> Iterator[Provider]:
    """The same on a thread of its own, for what runs an event loop itself."""
    ready, done = threading.Event(), asyncio.Event()
    running: list[Provider] = []
    loop = asyncio.new_event_loop()

    async def serve() -> None:
        async with provider(script) as served:
            running.append(served)
            ready.set()
            await done.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    ready.wait()
    try:
        yield running[0]
    finally:
        loop.call_soon_threadsafe(done.set)
        thread.join()
        loop.close()
