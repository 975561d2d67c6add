"""Installing in many workspaces: from the page to a bot that answers there (R-C1)."""

import logging
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

import aiohttp
import pytest

from adapters.ledger.installations import Installations
from adapters.ledger.store import SqlLedger
from adapters.mail import Incoming, Outgoing, Place, Platform, PostFailed
from adapters.slack.app import Inside, SlackApp, SlackSettings, open_slack
from adapters.slack.install import STATE, OAuthSecrets, SignedStates
from adapters.slack.writer import SLACK as post
from engine.model.errors import UsageError
from tests.adapters.slack.rig import BRISK, SECRET, WORDS, Inbox, Shelf, running
from tests.loopback.faults import answered
from tests.loopback.slack import SlackServer

# slack_sdk 3.47 still exchanges a code with what aiohttp has a successor for.
pytestmark = pytest.mark.filterwarnings("ignore:BasicAuth is deprecated")


@pytest.fixture
async def installations(ledger: SqlLedger) -> Installations:
    """None yet."""
    return Installations(ledger.transactions)


@pytest.fixture
def settings(slack: SlackServer) -> SlackSettings:
    """Settings of an app that anybody may install, over HTTP."""
    client, secret = slack.workspace.client
    return SlackSettings(
        signing_secret=SECRET,
        oauth=OAuthSecrets(client, secret),
        api=slack.base_url,
        port=0,
        pace=BRISK,
    )


@pytest.fixture
async def app(
    slack: SlackServer,
    settings: SlackSettings,
    inbox: Inbox,
    installations: Installations,
) -> AsyncIterator[SlackApp]:
    """The bot, installed nowhere."""
    slack.team("T2", "xoxb-2")
    slack.person("U9", team="T2")
    slack.channel("C9", {"U9"}, team="T2")
    async with running(settings, inbox, installations) as opened:
        url = f"http://127.0.0.1:{opened.port}/slack/events"
        slack.over_http(url, SECRET)
        yield opened


class Browser:
    """Somebody's browser, with its cookies."""

    def __init__(self, app: SlackApp, session: aiohttp.ClientSession) -> None:
        self._site = f"http://127.0.0.1:{app.port}"
        self._session = session
        self._cookie = ""

    async def visit(self) -> str:
        """Open the install page; the state that it sends along to Slack."""
        async with self._session.get(f"{self._site}/slack/install") as page:
            self._cookie = page.headers["Set-Cookie"].partition(";")[0]
            text = (await page.text()).replace("&amp;", "&")
        link = text.partition('href="https://')[2].partition('"')[0]
        query = parse_qs(urlsplit(f"https://{link}").query)
        assert "chat:write" in query["scope"][0]
        return query["state"][0]

    async def come_back(self, code: str, state: str, cookie: bool = True) -> int:
        """Return from Slack with a code; the status of the page."""
        headers = {"Cookie": self._cookie} if cookie else {}
        async with self._session.get(
            f"{self._site}/slack/oauth_redirect",
            params={"code": code, "state": state},
            headers=headers,
        ) as page:
            return page.status


@pytest.fixture
async def browser(app: SlackApp) -> AsyncIterator[Browser]:
    """A browser that keeps the cookies itself: they are for https only."""
    async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session:
        yield Browser(app, session)


async def installed(slack: SlackServer, browser: Browser, team: str) -> None:
    """Somebody installs the app."""
    state = await browser.visit()
    assert await browser.come_back(slack.grant(team), state) == 200


def to(team: str, channel: str, person: str) -> Outgoing:
    """A notice to a channel."""
    place = Place(platform=Platform.SLACK, tenant=team, channel=channel)
    question = {"event": "E1", "platform": Platform.SLACK, "action": "ask"}
    asked = Incoming.model_validate(
        question | {"place": place, "person": person, "received": datetime.now(UTC)}
    )
    return Outgoing(
        id=1, place=place, parts=post.notice("Hello.", asked), person=person, attempts=1
    )


async def test_two_workspaces_install_and_are_kept_apart_R_C1(
    slack: SlackServer, app: SlackApp, inbox: Inbox, browser: Browser
) -> None:
    """Each is heard and answered with its own token."""
    for team in ("T1", "T2"):
        await installed(slack, browser, team)
    await slack.people.mention("C1", "U1", "from one").acknowledged()
    await slack.people.mention("C9", "U9", "from two").acknowledged()
    assert [(i.place.tenant, i.text) for i in inbox.kept] == [
        ("T1", "from one"),
        ("T2", "from two"),
    ]
    for letter in (to("T1", "C1", "U1"), to("T2", "C9", "U9")):
        await app.poster.post(letter, letter.parts[0])
    assert [(message.team, message.user) for message in slack.posts] == [
        ("T1", "UBOT1"),
        ("T2", "UBOT2"),
    ]


async def test_a_workspace_is_not_reached_with_anothers_token(
    slack: SlackServer, app: SlackApp, browser: Browser
) -> None:
    """Not installed there is not installed there."""
    await installed(slack, browser, "T1")
    letter = to("T2", "C9", "U9")
    with pytest.raises(PostFailed, match="not_installed") as caught:
        await app.poster.post(letter, letter.parts[0])
    assert caught.value.after is None


async def test_an_installation_outlives_the_process(
    slack: SlackServer,
    settings: SlackSettings,
    browser: Browser,
    inbox: Inbox,
    installations: Installations,
) -> None:
    """The next process posts with the stored token."""
    await installed(slack, browser, "T1")
    inside = Inside(inbox, Shelf(), WORDS)
    letter = to("T1", "C1", "U1")
    async with open_slack(settings, inside, installations) as another:
        await another.poster.post(letter, letter.parts[0])
    assert len(slack.posts) == 1


async def test_events_of_a_workspace_without_the_app_are_nobodys(
    slack: SlackServer, app: SlackApp, inbox: Inbox
) -> None:
    """They are acknowledged, and nothing is kept."""
    await slack.people.mention("C9", "U9", "q").acknowledged()
    assert inbox.arrivals == 0


async def test_a_workspace_that_takes_the_app_out_is_forgotten(
    slack: SlackServer,
    app: SlackApp,
    browser: Browser,
    installations: Installations,
) -> None:
    """With its token."""
    await installed(slack, browser, "T1")
    assert await installations.find("T1") is not None
    gone = slack.people._event("C1", {"type": "app_uninstalled"}, None)
    await gone.acknowledged()
    assert await installations.find("T1") is None


async def test_a_forged_return_installs_nothing_R_S1(
    slack: SlackServer,
    browser: Browser,
    installations: Installations,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Another browser, a state of nobody's, a code of nobody's; no code is logged."""
    caplog.set_level(logging.DEBUG)
    state = await browser.visit()
    grant = slack.grant("T1")
    assert await browser.come_back(grant, state, cookie=False) == 400
    assert await browser.come_back(grant, "x" + state) == 400
    assert await browser.come_back("code-of-nobody", state) == 401
    assert await installations.find("T1") is None
    lines = [r.getMessage() for r in caplog.records if not r.name.startswith("aiohttp")]
    assert not [line for line in lines if grant in line or "code-of-nobody" in line]


async def test_a_slack_that_is_away_is_no_error_of_ours(
    slack: SlackServer, browser: Browser, installations: Installations
) -> None:
    """Somebody may try again."""
    state = await browser.visit()
    slack.fail("oauth.v2.access", answered(500))
    assert await browser.come_back(slack.grant("T1"), state) in (401, 503)
    await installed(slack, browser, "T1")


async def test_tokens_stand_in_no_log_and_no_text_R_S1(
    slack: SlackServer,
    browser: Browser,
    settings: SlackSettings,
    installations: Installations,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Neither when one is stored, nor when settings or a record are printed."""
    caplog.set_level(logging.DEBUG)
    await installed(slack, browser, "T1")
    found = await installations.find("T1")
    for text in (caplog.text, repr(found), repr(settings), str(found)):
        assert "xoxb-1" not in text and "client-secret" not in text


class At:
    """A clock that somebody sets."""

    def __init__(self) -> None:
        self.time = datetime(2026, 11, 22, tzinfo=UTC)

    def now(self) -> datetime:
        return self.time

    def monotonic(self) -> float:
        return 0.0


async def test_a_state_is_good_for_ten_minutes_and_once_R_S1() -> None:
    """And nobody else can make one."""
    clock = At()
    states = SignedStates("secret", clock)
    state = await states.async_issue()
    later = await states.async_issue()
    assert await states.async_consume(state)
    assert not await states.async_consume(state)
    for wrong in ("", ".", "1.2.3", f"9{state}", f"{state}0", state + "é", "x" * 999):
        assert not await states.async_consume(wrong)
    assert not await SignedStates("another", clock).async_consume(state)
    clock.time += timedelta(seconds=STATE + 1)
    assert not await states.async_consume(later)


@pytest.mark.parametrize(
    "wrong",
    [
        SlackSettings(bot_token="xoxb-1"),
        SlackSettings(app_token="xapp-1"),
        SlackSettings(
            bot_token="xoxb-1", app_token="xapp-1", oauth=OAuthSecrets("id", "secret")
        ),
    ],
)
async def test_settings_that_cannot_work_are_refused(
    wrong: SlackSettings, inbox: Inbox
) -> None:
    """Before anything is opened, with what to give instead."""
    with pytest.raises(UsageError, match="Slack: give"):
        async with open_slack(wrong, Inside(inbox, Shelf(), WORDS)):
            pass
