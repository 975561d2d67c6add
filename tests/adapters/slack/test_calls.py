"""What a call's failure says, and what the libraries may log."""

import logging
from collections.abc import AsyncIterator

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.calls import CallFailed, call, make_logger
from adapters.slack.workspaces import make_client
from tests.loopback.faults import Fault, answered, dropped, garbled, hung
from tests.loopback.slack import SlackServer

TEXT = Fault("answer", status=200, body="hi", content_type="text/plain")


@pytest.fixture
async def client(slack: SlackServer) -> AsyncIterator[AsyncWebClient]:
    """A client of the one workspace."""
    async with aiohttp.ClientSession() as session:
        yield make_client(slack.base_url, session, slack.bot_token)


@pytest.mark.parametrize(
    ("fault", "error", "again", "unsure"),
    [
        (answered(500), "http_500", True, True),
        (answered(502, "<html>", {}), "http_502", True, True),
        (answered(408), "http_408", True, False),
        (answered(403), "http_403", False, False),
        (answered(200, "{}"), "http_200", True, True),
        (answered(200, '{"ok": false, "error": "x"}'), "x", False, False),
        (answered(200, '{"ok": false, "error": "fatal_error"}'), "fatal", True, True),
        (TEXT, "no_json", True, True),
        (garbled(), "http_200", True, True),
        (dropped(), "unreachable", True, True),
        (hung(), "unreachable", True, True),
    ],
)
async def test_a_failure_says_whether_there_is_a_point_in_another_attempt(
    slack: SlackServer,
    client: AsyncWebClient,
    fault: Fault,
    error: str,
    again: bool,
    unsure: bool,
) -> None:
    """And whether the call may have taken effect."""
    slack.fail("auth.test", fault)
    with pytest.raises(CallFailed) as caught:
        await call(client.auth_test(), within=0.2 if fault == hung() else 60)
    failed = caught.value
    assert error in failed.error
    assert (failed.again, failed.unsure) == (again, unsure)


async def test_a_call_is_made_once(slack: SlackServer, client: AsyncWebClient) -> None:
    """The SDK would repeat a lost one, and post twice."""
    slack.fail("chat.postMessage", dropped())
    with pytest.raises(CallFailed):
        await call(client.chat_postMessage(channel="C1", text="hi"))
    assert len(slack.calls("chat.postMessage")) == 1


def test_libraries_log_where_and_what_kind_only(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Whatever they quote."""
    logger = make_logger()
    try:
        raise ValueError("xoxb-secret")
    except ValueError:
        logger.exception("failed with %s", "xoxb-secret")
    logger.warning("xoxb-secret")
    assert "xoxb-secret" not in caplog.text
    assert caplog.messages == [
        "test_calls.test_libraries_log_where_and_what_kind_only met ValueError"
    ]
    assert logging.getLogger("groundrule.slack.library") is logger
