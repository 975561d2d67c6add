"""HTTP mode: requests signed as Slack signs them, sent as Slack sends them."""

import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

import aiohttp

from tests.loopback.slack_delivery import Attempt, Courier, Delivery
from tests.loopback.slack_state import Json, Workspace

REDIRECTS = 2
_FORM = "application/x-www-form-urlencoded"


def sign(body: bytes, secret: str, timestamp: int | str) -> str:
    """Slack's signature of a request: HMAC-SHA256 over version, time and body."""
    base = b"v0:" + str(timestamp).encode() + b":" + body
    return "v0=" + hmac.new(secret.encode(), base, hashlib.sha256).hexdigest()


def signed_headers(
    body: bytes, secret: str, content_type: str, timestamp: int | None = None
) -> dict[str, str]:
    """The headers of a signed request; now, unless another time is given."""
    at = int(time.time()) if timestamp is None else timestamp
    return {
        "Content-Type": content_type,
        "X-Slack-Request-Timestamp": str(at),
        "X-Slack-Signature": sign(body, secret, at),
        "User-Agent": "Slackbot 1.0 (+https://api.slack.com/robots)",
    }


@dataclass
class HttpRoad:
    """The road to a bot that listens at a URL."""

    workspace: Workspace
    url: str
    secret: str

    async def carry(self, delivery: Delivery, attempt: Attempt) -> None:
        """POST once; any 2xx in time is the acknowledgement, its body the answer."""
        body, content_type = _body(delivery)
        headers = signed_headers(body, self.secret, content_type)
        if attempt.number:
            headers["X-Slack-Retry-Num"] = str(attempt.number)
            headers["X-Slack-Retry-Reason"] = attempt.reason
        again = delivery.kind == "events_api"
        attempt.road = self.url
        try:
            async with self.workspace.patience(again=again):
                await self._post(body, headers, attempt)
        except TimeoutError:
            attempt.failed = "http_timeout"
        except aiohttp.TooManyRedirects:
            attempt.failed = "too_many_redirects"
        except aiohttp.ClientError:
            attempt.failed = "connection_failed"

    async def _post(
        self, body: bytes, headers: Mapping[str, str], attempt: Attempt
    ) -> None:
        async with (
            aiohttp.ClientSession() as session,
            session.post(
                self.url, data=body, headers=headers, max_redirects=REDIRECTS
            ) as response,
        ):
            text = await response.text()
            if response.ok:
                attempt.acknowledged = self.workspace.now()
                attempt.answer = _answer(text)
            elif response.headers.get("X-Slack-No-Retry") == "1":
                attempt.failed = "no_retry"
            else:
                attempt.failed = "http_error"


async def post_event(
    url: str, secret: str, payload: Json, workspace: Workspace
) -> Delivery:
    """Bring one event to a URL as Slack does, with its repetitions, to the end."""
    courier = Courier(workspace, lambda delivery, answer: None)
    courier.road = HttpRoad(workspace, url, secret)
    delivery = courier.send("events_api", payload)
    try:
        await delivery.finished()
    finally:
        await courier.close()
    return delivery


def _body(delivery: Delivery) -> tuple[bytes, str]:
    """An event as JSON, a command as a form, the rest as JSON inside a form."""
    if delivery.kind == "events_api":
        return json.dumps(delivery.payload).encode(), "application/json"
    if delivery.kind == "slash_commands":
        return urlencode(delivery.payload).encode(), _FORM
    return urlencode({"payload": json.dumps(delivery.payload)}).encode(), _FORM


def _answer(text: str) -> Json | None:
    """What came with a 2xx: JSON, plain text, or nothing."""
    if not text.strip():
        return None
    try:
        answer = json.loads(text)
    except json.JSONDecodeError:
        return {"text": text}
    return answer if isinstance(answer, dict) else {"text": text}
