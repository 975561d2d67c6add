"""Slack over HTTP: events, installation and health, as one aiohttp application.

No request is read by bolt, and nothing of it is logged, before its signature is proven.
Slack compresses nothing that it sends, so a body that claims to be is not even read.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial

import aiohttp
from aiohttp import hdrs, web
from pydantic import JsonValue
from slack_bolt.adapter.aiohttp import to_aiohttp_response
from slack_bolt.oauth.async_oauth_flow import AsyncOAuthFlow
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse
from slack_sdk.signature import Clock, SignatureVerifier

from adapters.slack.calls import make_logger
from engine.model.errors import EnvironmentFailed, LedgerFailed

EVENTS, HEALTH = "/slack/events", "/health"
LARGEST = 1 << 20  # bytes of a body; Slack's own stay far below
READING = 3.0  # seconds for a body to arrive: later, Slack has given up
INSTALLING = 20.0  # seconds for a page of the installation
STOPPING = 3.0  # seconds for requests under way at the end
TIMESTAMP = "X-Slack-Request-Timestamp"
SIGNATURE = "X-Slack-Signature"
LONGEST_TIMESTAMP = 12  # digits; today's have ten
# What bolt breaks on where a body has not the shape that Slack documents.
MALFORMED = (AttributeError, KeyError, TypeError, ValueError)

Dispatch = Callable[[AsyncBoltRequest], Awaitable[BoltResponse]]
Health = Callable[[], Mapping[str, JsonValue]]

_log = logging.getLogger(__name__)


class Signatures:
    """Signatures with one signing secret, at most five minutes old or early.

    Args:
        secret: the app's signing secret.
        clock: tells the time in seconds since 1970.
    """

    def __init__(self, secret: str, clock: Clock | None = None) -> None:
        self._verifier = SignatureVerifier(secret, clock or Clock())

    def verify(self, body: bytes, headers: Mapping[str, str]) -> str | None:
        """Return the text of a request that Slack signed; None for any other.

        Args:
            body: as it came.
            headers: their names in any case, as a CIMultiDict looks them up.
        """
        timestamp, signature = headers.get(TIMESTAMP, ""), headers.get(SIGNATURE, "")
        if not (timestamp.isascii() and timestamp.isdigit() and signature.isascii()):
            return None
        if len(timestamp) > LONGEST_TIMESTAMP:
            return None
        try:
            text = body.decode("utf-8")
        except UnicodeDecodeError:
            return None
        valid = self._verifier.is_valid(body, timestamp, signature)
        return text if valid else None


class Site:
    """The web application.

    Args:
        dispatch: takes a request that is Slack's.
        signatures: proves that it is; without them events are not served.
        flow: of installation; without it installation is not served.
        health: what is told to whoever asks; its "ok" decides between 200 and 503.
    """

    def __init__(
        self,
        dispatch: Dispatch,
        signatures: Signatures | None,
        flow: AsyncOAuthFlow | None,
        health: Health,
    ) -> None:
        self._dispatch = dispatch
        self._signatures = signatures
        self._flow = flow
        self._health = health
        self.port = 0
        self.up = asyncio.Event()

    def application(self) -> web.Application:
        """Build the application that a server serves."""
        application = web.Application(client_max_size=LARGEST)
        routes = [web.get(HEALTH, self._show_health)]
        if self._signatures is not None:
            events = partial(self._handle_event, self._signatures)
            routes.append(web.post(EVENTS, events))
        if (flow := self._flow) is not None:
            install = partial(_show_page, flow.handle_installation)
            finish = partial(_show_page, flow.handle_callback)
            routes.append(web.get(flow.install_path, install))
            routes.append(web.get(flow.redirect_uri_path, finish))
        application.add_routes(routes)
        return application

    async def run(self, host: str, port: int) -> None:
        """Serve until cancelled; `self.port` is the port once `self.up` is set.

        Raises:
            EnvironmentFailed: the port is not to be had.
        """
        runner = web.AppRunner(
            self.application(),
            access_log=None,  # a redirect's query holds a code
            auto_decompress=False,
            logger=make_logger(),  # quotes what is no HTTP
            shutdown_timeout=STOPPING,
        )
        await runner.setup()
        try:
            await web.TCPSite(runner, host, port).start()
            self.port = runner.addresses[0][1]
            self.up.set()
            await asyncio.Event().wait()
        except OSError as error:
            raise EnvironmentFailed(
                f"Slack: cannot listen at {host}:{port} ({error.strerror})"
            ) from error
        finally:
            await runner.cleanup()

    async def _handle_event(
        self, signatures: Signatures, request: web.Request
    ) -> web.Response:
        text = await _read_verified(signatures, request)
        if text is None:
            _log.warning("a request without Slack's signature was refused")
            return web.Response(status=401)
        try:
            asked = _make_request(request, text)
        except MALFORMED as error:
            _log.warning("a signed request is not readable: %s", type(error).__name__)
            return web.Response(status=400)
        return await to_aiohttp_response(await self._dispatch(asked))

    async def _show_health(self, request: web.Request) -> web.Response:
        told = dict(self._health())
        return web.json_response(told, status=200 if told.get("ok") else 503)


async def _read_verified(signatures: Signatures, request: web.Request) -> str | None:
    """Read the text of a request that is Slack's; None for any other."""
    if hdrs.CONTENT_ENCODING in request.headers:
        return None
    try:
        async with asyncio.timeout(READING):
            body = await request.read()
    except TimeoutError as error:
        raise web.HTTPRequestTimeout from error
    return signatures.verify(body, request.headers)


async def _show_page(handle: Dispatch, request: web.Request) -> web.Response:
    """Show a page of the installation."""
    try:
        async with asyncio.timeout(INSTALLING):
            response = await handle(_make_request(request))
    except (aiohttp.ClientError, OSError, LedgerFailed) as error:
        _log.error("an installation failed: %s", type(error).__name__)
        return web.Response(status=503, text="This does not work now. Try it later.")
    if response.status >= 400:
        _log.warning("an installation was refused with status %s", response.status)
    return await to_aiohttp_response(response)


def _make_request(request: web.Request, body: str = "") -> AsyncBoltRequest:
    headers: dict[str, str | Sequence[str]] = dict(request.headers)
    return AsyncBoltRequest(body=body, query=request.query_string, headers=headers)
