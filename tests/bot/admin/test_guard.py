"""Who sees the administrators' pages, and what may be sent to them (R-O1, R-S5)."""

import base64
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from pydantic import ValidationError
from sqlalchemy import Connection, select

from adapters.ledger.entries import AdministeredEntry, read
from adapters.ledger.gaps import Board, GapState
from adapters.ledger.schema import audit_chain
from bot.admin.acts import VERBS
from bot.admin.guard import EVERY, LOCAL, build_guard
from config.settings import Settings
from engine.model.errors import UsageError
from tests.bot.admin.boards import fill
from tests.bot.admin.visiting import Visitor, visiting
from tests.bot.chat import Chat
from tests.bot.command import command

TOKEN = "a-long-token-of-this-test"
LOGIN = "X-Login"
OTHERS = "0.0.0.0"


@pytest.fixture
async def visitor(chat: Chat) -> AsyncIterator[Visitor]:
    """Somebody on this machine, and a board with one gap."""
    await fill(chat.application, ["How is it treated?"])
    async with visiting(chat.application) as opened:
        yield opened


async def page_of(chat: Chat) -> str:
    """The page of the one gap."""
    [gap] = await Board(chat.application.ledger).gaps("small")
    return f"/packs/small/gaps/{gap.id}"


async def states(chat: Chat) -> list[GapState]:
    return [gap.state for gap in await Board(chat.application.ledger).gaps("small")]


async def acts(chat: Chat) -> list[AdministeredEntry]:
    """What stands in the chain of what administrators did."""

    def look(connection: Connection) -> list[str]:
        row = audit_chain.c
        query = select(row.entry).where(row.kind == "administered")
        return list(connection.scalars(query))

    found = await chat.application.ledger.transactions.read(look)
    entries = [read(text) for text in found]
    return [entry for entry in entries if isinstance(entry, AdministeredEntry)]


def basic(name: str, password: str) -> str:
    pair = base64.b64encode(f"{name}:{password}".encode()).decode()
    return f"Basic {pair}"


# --- who ------------------------------------------------------------------------


@pytest.mark.parametrize("host", [OTHERS, "192.0.2.1", "::", "example.org", "127.evil"])
def test_others_reach_it_only_where_they_are_asked_who_they_are(host: str) -> None:
    """Every address that is not surely the loopback counts as one of others."""
    with pytest.raises(UsageError, match="GROUNDRULE_ADMIN_TOKEN"):
        build_guard(Settings(), host, 9470)
    build_guard(Settings.model_validate({"admin_token": TOKEN}), host, 9470)
    build_guard(owned(small={"ada"}), host, 9470)


def owned(**packs: set[str]) -> Settings:
    """Pages behind a proxy, and the logins that own packs."""
    return Settings.model_validate({"admin_login": LOGIN, "admin_owners": packs})


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.8.8.8", "::1", "[::1]", "localhost"]
)
def test_this_machine_is_asked_nothing_by_default(host: str) -> None:
    build_guard(Settings(), host, 9470)


def test_both_commands_refuse_an_open_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bot = command(tmp_path, monkeypatch, capsys)
    monkeypatch.setenv("GROUNDRULE_DISCORD_TOKEN", "t")
    for verb in (("admin",), ("serve", "--admin")):
        refused = bot(*verb, f"{OTHERS}:9470")
        assert refused.code == 2
        assert "GROUNDRULE_ADMIN_TOKEN" in refused.err
    monkeypatch.setenv("GROUNDRULE_ADMIN_TOKEN", "short")
    assert "GROUNDRULE_ADMIN_TOKEN" in bot("admin", "9470").err


async def test_a_wrong_password_sees_nothing(chat: Chat) -> None:
    """As Basic and as Bearer; also where the pages are local."""
    settings = Settings.model_validate({"admin_token": TOKEN})
    async with visiting(chat.application, settings=settings) as visitor:
        for wrong in (
            "",
            "Bearer",
            "Bearer wrong",
            f"Bearer {TOKEN}x",
            f"Bearer {TOKEN[:-1]}",
            basic("ada", "wrong"),
            "Basic ???",
            f"Digest {TOKEN}",
        ):
            got = await visitor.get("/", Authorization=wrong)
            assert got.status == 401, wrong
            assert got.headers["WWW-Authenticate"].startswith("Basic")
            assert "small" not in got.text
        for right in (f"Bearer {TOKEN}", basic("ada", TOKEN)):
            assert (await visitor.get("/", Authorization=right)).status == 200


async def test_the_proxys_login_acts_under_a_pseudonym_R_S5(chat: Chat) -> None:
    """Missing, empty or said twice, it is nobody's."""
    await fill(chat.application, ["How is it treated?"])
    page = await page_of(chat)
    settings = owned(small={"ada@example.org", "ben@example.org"})
    async with visiting(chat.application, settings=settings) as visitor:
        assert (await visitor.get("/")).status == 401
        assert (await visitor.get("/", X_Login=" ")).status == 401
        ada = {"X_Login": "ada@example.org"}
        proof = (await visitor.get(page, **ada)).proof
        form = {"csrf": proof, "why": "not here"}
        ben = await visitor.post(f"{page}/dismiss", form, X_Login="ben@example.org")
        assert ben.status == 403, "another's form"
        assert (await visitor.post(f"{page}/dismiss", form, **ada)).status == 200
    [entry] = await acts(chat)
    known = chat.application.pseudonyms
    assert entry.who == known.of_login("ada@example.org")
    assert "ada" not in entry.model_dump_json()


async def test_only_owners_of_a_pack_see_it_and_act_on_its_gaps(chat: Chat) -> None:
    """Whoever else logs in learns nothing of it, on no page, and moves nothing."""
    await fill(chat.application, ["How is it treated?"])
    page = await page_of(chat)
    gap = page.rpartition("/")[2]
    settings = owned(other={"ben"}, small={"ada"}, **{EVERY: {"eve"}})
    places = ["gaps", f"gaps/{gap}", "outcomes", "sources", "reports"]
    async with visiting(chat.application, settings=settings) as visitor:
        for who in ("ben", "Ada", "nobody", LOCAL, EVERY):
            home = await visitor.get("/", X_Login=who)
            assert home.status == 200
            assert ">small" not in home.text, who
            assert ("/packs/other/gaps" in home.text) is (who == "ben")
            for place in places:
                closed = await visitor.get(f"/packs/small/{place}", X_Login=who)
                assert closed.status == 404, (who, place)
                assert "treated" not in closed.text
            proof = visitor.proof_of(who)
            for verb in VERBS:
                form = {"csrf": proof, "why": "not mine"}
                acted = await visitor.post(f"{page}/{verb}", form, X_Login=who)
                assert acted.status == 404, (who, verb)
        assert await states(chat) == [GapState.OPEN]
        assert await acts(chat) == []
        for who in ("ada", "eve"):
            assert ">small" in (await visitor.get("/", X_Login=who)).text
            for place in places:
                seen = await visitor.get(f"/packs/small/{place}", X_Login=who)
                assert seen.status == 200, (who, place)
        form = {"csrf": visitor.proof_of("ada"), "why": "another clinic"}
        assert (
            await visitor.post(f"{page}/dismiss", form, X_Login="ada")
        ).status == 200
    assert await states(chat) == [GapState.DISMISSED]


def test_logins_without_owners_are_refused_at_the_start() -> None:
    """It is said which variable is missing, and how it is written."""
    with pytest.raises(UsageError, match=r"GROUNDRULE_ADMIN_OWNERS.*oncology="):
        build_guard(Settings(admin_login=LOGIN), "127.0.0.1", 9470)
    with pytest.raises(ValidationError, match="oncology="):
        Settings.model_validate({"admin_owners": "oncology"})
    read = Settings.model_validate({"admin_owners": "a=ada@example.org|ben, *=eve"})
    assert read.admin_owners == {"a": {"ada@example.org", "ben"}, EVERY: {"eve"}}


# --- what -----------------------------------------------------------------------


async def test_a_rebound_name_sees_nothing(visitor: Visitor) -> None:
    """A name of somebody else that leads here is none of this site's."""
    for name in ("evil.example", f"evil.example:{visitor.port}", "127.0.0.1", ""):
        got = await visitor.get("/packs/small/gaps", Host=name)
        assert got.status in (400, 421), name
        assert "How is it treated" not in got.text
    named = await visitor.get("/", Host=f"localhost:{visitor.port}")
    assert named.status == 200


async def test_a_name_behind_a_proxy_is_a_setting(chat: Chat) -> None:
    settings = Settings.model_validate({"admin_hosts": "rules.example.org"})
    async with visiting(chat.application, settings=settings) as visitor:
        assert (await visitor.get("/", Host="Rules.example.org")).status == 200


async def test_a_forged_form_does_nothing(chat: Chat, visitor: Visitor) -> None:
    """No token, a wrong one, another origin, another site: refused, not on record."""
    page = await page_of(chat)
    proof = (await visitor.get(page)).proof
    good = {"csrf": proof, "why": "no"}
    ours = {"Origin": visitor.origin}
    for form, sent in (
        ({"why": "no"}, ours),
        ({"csrf": "", "why": "no"}, ours),
        ({"csrf": "0" * 64, "why": "no"}, ours),
        (good, {"Origin": "https://evil.example"}),
        (good, {"Origin": "null"}),
        (good, {**ours, "Sec_Fetch_Site": "cross-site"}),
        (good, {**ours, "Sec_Fetch_Site": "same-site"}),
    ):
        got = await visitor.post(f"{page}/dismiss", form, **sent)
        assert got.status == 403, (form, sent)
    assert (await visitor.get(f"{page}/dismiss")).status == 405
    assert await states(chat) == [GapState.OPEN]
    assert await acts(chat) == []


async def test_an_act_is_on_record_and_done_once(chat: Chat, visitor: Visitor) -> None:
    """Dismissed and opened again; the chain verifies."""
    page = await page_of(chat)
    gap = page.rpartition("/")[2]
    assert (await visitor.act(page, "dismiss", why=" ")).status == 409
    done = await visitor.act(page, "dismiss", why="another clinic")
    assert done.status == 200
    assert "another clinic" in done.text
    assert await states(chat) == [GapState.DISMISSED]
    assert "Dismiss" not in (await visitor.get(page)).text
    assert (await visitor.act(page, "reopen")).status == 200
    assert await states(chat) == [GapState.OPEN]
    said = [(e.who, e.action, e.pack, e.subject) for e in await acts(chat)]
    assert said[1:] == [
        ("local", "dismiss", "small", gap),
        ("local", "reopen", "small", gap),
    ]
    assert (await visitor.act(page, "explode")).status == 404
    assert (await chat.application.ledger.verify_all()).failures == ()


async def test_every_response_says_what_a_browser_may_do(visitor: Visitor) -> None:
    """No script, no frame, no copy kept, forms to this site alone; errors, too."""
    for path in ("/", "/packs/small/gaps", "/packs/none/gaps", "/nowhere"):
        got = await visitor.get(path)
        policy = got.headers["Content-Security-Policy"]
        for said in (
            "default-src 'none'",
            "script-src 'none'",
            "form-action 'self'",
            "frame-ancestors 'none'",
        ):
            assert said in policy, path
        assert "unsafe" not in policy
        assert got.headers["Cache-Control"] == "no-store"
        assert got.headers["X-Content-Type-Options"] == "nosniff"
        assert "<script" not in got.text
    refused = await visitor.get("/", Host="evil.example")
    assert "frame-ancestors 'none'" in refused.headers["Content-Security-Policy"]


async def test_a_form_has_a_bounded_size(chat: Chat, visitor: Visitor) -> None:
    page = await page_of(chat)
    large = await visitor.act(page, "dismiss", why="x" * 100_000)
    assert large.status == 413
    assert await states(chat) == [GapState.OPEN]
