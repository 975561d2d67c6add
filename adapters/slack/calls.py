"""One call to Slack under a deadline: its answer, or why there is none."""

import asyncio
import logging
from collections.abc import Awaitable, Mapping
from typing import Any

import aiohttp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_slack_response import AsyncSlackResponse
from slack_sdk.webhook.async_client import AsyncWebhookClient

from adapters.mail import FORM_REFUSED
from adapters.retrying import PASSING, read_retry_after

DEADLINE = 10.0  # seconds for one call

# Slack's words for what another attempt may get past; any other is final.
_PASSING = frozenset(
    {
        "ratelimited",
        "rate_limited",
        "internal_error",
        "fatal_error",
        "service_unavailable",
        "request_timeout",
    }
)
# … and of these, those after which the call may have taken effect all the same.
_UNSURE = frozenset({"internal_error", "fatal_error", "request_timeout"})


class _Terse(logging.Filter):
    """Leaves of a record its origin and the kind of its exception."""

    def filter(self, record: logging.LogRecord) -> bool:
        kind = record.exc_info[0] if record.exc_info else None
        told = kind.__name__ if kind else "an error"
        record.msg = f"{record.module}.{record.funcName} met {told}"
        record.args = record.exc_info = record.exc_text = record.stack_info = None
        return True


def make_logger() -> logging.Logger:
    """Make a logger for libraries: what they log quotes tokens, codes and messages."""
    logger = logging.getLogger("groundrule.slack.library")
    logger.setLevel(logging.ERROR)
    if not logger.filters:
        logger.addFilter(_Terse())
    return logger


class CallFailed(Exception):
    """Slack did not do it, or did not say that it did.

    Attributes:
        error: Slack's word for it, or ours ("unreachable", "http_502").
        again: whether another attempt may go better.
        wait: seconds that Slack asks to wait before it; None where it does not say.
        unsure: whether it may have taken effect.
    """

    def __init__(
        self,
        error: str,
        *,
        again: bool,
        wait: float | None = None,
        unsure: bool = False,
    ) -> None:
        super().__init__(error)
        self.error = error
        self.again = again
        self.wait = wait
        self.unsure = unsure


async def call(
    answering: Awaitable[AsyncSlackResponse], within: float = DEADLINE
) -> Mapping[str, Any]:
    """Make a call of the Web API, and return its answer.

    Args:
        answering: the call of a client that repeats nothing by itself.
        within: seconds.

    Raises:
        CallFailed: it was refused, or no answer came.
    """
    try:
        async with asyncio.timeout(within):
            response = await answering
    except SlackApiError as error:
        raise _translate(error) from None  # its text quotes the answer
    except (aiohttp.ClientError, OSError) as error:
        raise CallFailed("unreachable", again=True, unsure=True) from error
    except (
        AttributeError,
        UnicodeDecodeError,
    ) as error:  # how the SDK meets plain text
        raise CallFailed("no_json", again=True, unsure=True) from error
    if not isinstance(response.data, dict):
        raise CallFailed("no_json", again=True, unsure=True)
    return response.data


async def respond(
    url: str, body: Mapping[str, Any], session: aiohttp.ClientSession
) -> None:
    """Answer an interaction through its response URL.

    Raises:
        CallFailed: it was refused (the URL is used up or too old), or no answer came.
    """
    hook = AsyncWebhookClient(
        url, session=session, retry_handlers=[], logger=make_logger()
    )
    try:
        async with asyncio.timeout(DEADLINE):
            response = await hook.send_dict(dict(body))
    except (aiohttp.ClientError, OSError) as error:
        raise CallFailed("unreachable", again=True, unsure=True) from error
    if response.status_code != 200:
        if form := FORM_REFUSED.search(response.body or ""):
            raise CallFailed(form.group(), again=False)
        raise _translate_status(response.status_code, response.headers)


def _translate(error: SlackApiError) -> CallFailed:
    response: object = error.response
    if isinstance(response, aiohttp.ClientResponse):  # its body is no JSON
        return _translate_status(response.status, response.headers)
    if not isinstance(response, AsyncSlackResponse):
        return CallFailed("no_answer", again=True, unsure=True)
    data = response.data if isinstance(response.data, dict) else {}
    word = data.get("error")
    if response.status_code != 200 or not isinstance(word, str):
        return _translate_status(response.status_code, response.headers)
    return CallFailed(
        word,
        again=word in _PASSING,
        wait=read_retry_after(response.headers),
        unsure=word in _UNSURE,
    )


def _translate_status(status: int, headers: Mapping[str, str]) -> CallFailed:
    """Translate a bare HTTP status; 200 without an answer says nothing."""
    broken = status == 200 or status >= 500
    again = broken or status in PASSING
    wait = read_retry_after(headers)
    return CallFailed(f"http_{status}", again=again, wait=wait, unsure=broken)
