"""A rerank server on the loopback, as Cohere, Jina, vLLM and Infinity answer.

The packaged small reader stands behind it; a test may replace what it answers.
"""

import asyncio
import json
import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from adapters.reader import PackagedReader, make_small_reader
from engine.model.ports import Readable

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Failure:
    """What is answered instead: a status, a body, or nothing for a while."""

    status: int = 200
    body: str = ""
    after_s: float = 0.0
    retry_after: str = ""


@dataclass
class RerankLoopback:
    """The running server. `failures` are used up first, one a request."""

    reader: PackagedReader
    url: str = ""
    failures: list[Failure] = field(default_factory=list)
    asked: list[Json] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """One request in either dialect."""
        body = json.loads(await request.read())
        self.asked.append(body)
        self.keys.append(request.headers.get("Authorization", ""))
        if self.failures:
            failure = self.failures.pop(0)
            await asyncio.sleep(failure.after_s)
            asked = {"Retry-After": failure.retry_after} if failure.retry_after else {}
            return web.Response(status=failure.status, text=failure.body, headers=asked)
        texts = body.get("documents", body.get("texts"))
        read = await self.reader.read(body["query"], [Readable("", t) for t in texts])
        scores = [1 / (1 + math.exp(-one.log_odds)) for one in read]
        ranked = sorted(enumerate(scores), key=lambda one: -one[1])
        if "texts" in body:
            return web.json_response([{"index": i, "score": s} for i, s in ranked])
        rows = [{"index": i, "relevance_score": s} for i, s in ranked]
        return web.json_response({"model": body["model"], "results": rows})


@contextmanager
def rerank_server() -> Iterator[RerankLoopback]:
    """A server in a thread of its own, until the block ends."""
    server = RerankLoopback(make_small_reader())
    loop = asyncio.new_event_loop()
    app = web.Application(client_max_size=16 * 1024 * 1024)
    app.router.add_post("/{path:.*}", server.answer)
    runner = web.AppRunner(app)

    async def start() -> None:
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        host, port = runner.addresses[0][:2]
        server.url = f"http://{host}:{port}/v1/rerank"

    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    asyncio.run_coroutine_threadsafe(start(), loop).result()
    try:
        yield server
    finally:
        asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
