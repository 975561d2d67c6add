"""HTTP mode: what Slack did not sign is refused, unread and unlogged (R-S1)."""

import asyncio
import gzip
import json
import logging
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from io import BytesIO

import aiohttp
import pytest
from hypothesis import given
from hypothesis import strategies as st
from slack_sdk.signature import Clock

from adapters.slack.app import SlackApp
from adapters.slack.site import LARGEST, SIGNATURE, TIMESTAMP, Signatures
from engine.model.errors import EnvironmentFailed
from tests.adapters.slack.rig import SECRET, Inbox, http, over_http, running
from tests.loopback.slack import SlackServer
from tests.loopback.slack_events import app_mention, callback
from tests.loopback.slack_http import sign, signed_headers

SECRET_WORD = "swordfish"
BODY = json.dumps({"type": "event_callback", "event": {"text": SECRET_WORD}}).encode()
NOW = 1_795_340_000


@pytest.fixture
async def app(slack: SlackServer, inbox: Inbox) -> AsyncIterator[SlackApp]:
    """The bot on HTTP."""
    async with over_http(slack, inbox) as opened:
        yield opened


async def sent(
    app: SlackApp, body: bytes, headers: dict[str, str], path: str = "/slack/events"
) -> int:
    """The status that a request meets."""
    async with (
        aiohttp.ClientSession() as session,
        session.post(
            f"http://127.0.0.1:{app.port}{path}", data=BytesIO(body), headers=headers
        ) as response,
    ):
        return response.status


def signed(body: bytes = BODY, **changes: str) -> dict[str, str]:
    """Headers of a good request, with some changed; "" takes one away."""
    headers = signed_headers(body, SECRET, "application/json")
    headers |= {name.replace("_", "-"): value for name, value in changes.items()}
    return {name: value for name, value in headers.items() if value}


FORGED = {
    "no signature": signed(X_Slack_Signature=""),
    "no time": signed(X_Slack_Request_Timestamp=""),
    "neither": signed(X_Slack_Signature="", X_Slack_Request_Timestamp=""),
    "another secret": signed_headers(BODY, "guess", "application/json"),
    "another body": signed_headers(b"{}", SECRET, "application/json"),
    "no number": signed(X_Slack_Request_Timestamp="soon"),
    "a huge number": signed(X_Slack_Request_Timestamp="9" * 5_000),
    "a negative number": signed(X_Slack_Request_Timestamp="-1"),
    "other digits": signed(X_Slack_Request_Timestamp="١٢٣٤"),
    "no ASCII": signed(X_Slack_Signature="v0=ü"),
    "too old": signed_headers(BODY, SECRET, "application/json", int(time.time()) - 301),
    "too early": signed_headers(
        BODY, SECRET, "application/json", int(time.time()) + 900
    ),
    **{
        f"encoded as {name}": signed(Content_Encoding=name)
        for name in ("gzip", "deflate", "br", "zstd", "identity", "foo")
    },
}


@pytest.mark.parametrize("kind", FORGED)
async def test_a_forged_request_is_refused_and_not_logged_R_S1(
    app: SlackApp, inbox: Inbox, caplog: pytest.LogCaptureFixture, kind: str
) -> None:
    """401 whatever is wrong with it, and not a byte of its body in any log."""
    caplog.set_level(logging.DEBUG)
    assert await sent(app, BODY, FORGED[kind]) == 401
    ours = [r.getMessage() for r in caplog.records if r.name.startswith("adapters.")]
    assert SECRET_WORD not in caplog.text
    assert ours == ["a request without Slack's signature was refused"]
    assert inbox.arrivals == 0


async def test_a_body_that_is_no_text_is_refused_R_S1(app: SlackApp) -> None:
    """Also where the signature over its bytes is right."""
    body = b"\xff\xfe" + SECRET_WORD.encode()
    assert await sent(app, body, signed_headers(body, SECRET, "text/plain")) == 401


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"[]",
        b"payload=%7B",
        b'{"team": 7}',
        b'"x"',
        b'{"event":5}',
        b'{"type": "event_callback", "team_id": "T1", "event": null}',
        b'{"type": "block_actions", "team": {"id": "T1"}, "actions": []}',
        b'{"type": "block_actions", "team": {"id": "T1"}, "actions": [5]}',
        b'{"type": "view_submission", "view": 5}',
    ],
)
async def test_a_signed_body_of_no_known_shape_is_no_error_of_ours_R_S1(
    app: SlackApp, inbox: Inbox, body: bytes
) -> None:
    """It is refused, or nothing comes of it; never 500."""
    headers = signed_headers(body, SECRET, "application/json")
    assert await sent(app, body, headers) in (200, 400)
    assert inbox.arrivals == 0


async def test_a_body_that_is_too_large_is_refused_R_S1(app: SlackApp) -> None:
    """Before its signature is computed."""
    body = b"x" * (LARGEST + 1)
    assert await sent(app, body, signed(body)) == 413


async def test_a_bomb_is_not_inflated_R_S1(app: SlackApp, inbox: Inbox) -> None:
    """What is small on the way and huge unpacked is refused as it came."""
    body = gzip.compress(b"\0" * 50_000_000)
    headers = signed(body, Content_Encoding="gzip")
    assert await sent(app, body, headers) == 401
    assert inbox.arrivals == 0


async def test_what_is_no_http_is_refused_and_not_logged_R_S1(
    app: SlackApp, caplog: pytest.LogCaptureFixture
) -> None:
    """A header line that breaks the server's parser."""
    caplog.set_level(logging.DEBUG)
    reader, writer = await asyncio.open_connection("127.0.0.1", app.port)
    writer.write(
        b"POST /slack/events HTTP/1.1\r\n" + SECRET_WORD.encode() + b"\r\n\r\n"
    )
    assert b"400" in await reader.readline()
    writer.close()
    assert SECRET_WORD not in caplog.text


async def test_slack_proves_the_address(app: SlackApp) -> None:
    """The handshake of the app's settings, which comes signed too."""
    body = json.dumps({"type": "url_verification", "challenge": "c7"}).encode()
    async with (
        aiohttp.ClientSession() as session,
        session.post(
            f"http://127.0.0.1:{app.port}/slack/events", data=body, headers=signed(body)
        ) as response,
    ):
        assert response.status == 200 and "c7" in await response.text()


async def test_a_replayed_request_is_kept_once_R_S1(
    app: SlackApp, slack: SlackServer, inbox: Inbox
) -> None:
    """Within five minutes a captured request is still signed: the inbox knows it."""
    message = slack.workspace.said("U1", "C1", "<@UBOT1> q")
    team = slack.workspace.teams["T1"]
    event = callback(slack.workspace, team, app_mention(message))
    body = json.dumps(event).encode()
    headers = signed_headers(body, SECRET, "application/json")
    for _ in range(3):
        assert await sent(app, body, headers) == 200
    assert len(inbox.kept) == 1


async def test_health_is_told_to_whoever_asks(
    app: SlackApp, slack: SlackServer, inbox: Inbox
) -> None:
    """200 while things can be kept and are answered, 503 when not (R-I10)."""
    address = f"http://127.0.0.1:{app.port}/health"
    async with aiohttp.ClientSession() as session:
        async with session.get(address) as response:
            assert response.status == 200
            said = {"ok": True, "keeping": True, "answering": True}
            assert await response.json() == said
        inbox.answering = False
        async with session.get(address) as response:
            assert response.status == 503
        inbox.answering = True
        inbox.failures = 1
        await slack.people.command("C1", "U1", "/ask q").acknowledged()
        async with session.get(address) as response:
            assert response.status == 503


async def test_a_port_that_is_taken_is_named(
    app: SlackApp, slack: SlackServer, inbox: Inbox
) -> None:
    """The bot does not start deaf."""
    taken = replace(http(slack), port=app.port)
    with pytest.raises(EnvironmentFailed, match=f"cannot listen at .*{app.port}"):
        async with running(taken, inbox):
            pass


# --- the check itself -------------------------------------------------------------


class At(Clock):
    """A clock that stands."""

    def now(self) -> float:
        return float(NOW)


@given(st.binary(max_size=200), st.text(max_size=40), st.text(max_size=40))
def test_no_headers_break_the_check_R_S1(body: bytes, at: str, signature: str) -> None:
    """Whatever they are, the answer is no."""
    proven = Signatures(SECRET, At()).verify(
        body, {TIMESTAMP: at, SIGNATURE: signature}
    )
    assert proven is None


@given(st.text(max_size=200), st.integers(-300, 300))
def test_what_slack_signs_is_proven_R_S1(text: str, skew: int) -> None:
    """For five minutes to either side."""
    body, at = text.encode("utf-8", "replace"), str(NOW + skew)
    headers = {TIMESTAMP: at, SIGNATURE: sign(body, SECRET, at)}
    assert Signatures(SECRET, At()).verify(body, headers) == body.decode()
