"""Forgetting from the terminal: record, board, mailbox and events alike (R-S5)."""

import asyncio
import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from adapters import event_files
from adapters.ledger.database import sqlite_url
from adapters.ledger.store import SqlLedger
from adapters.mail import Platform
from bot.messages.pseudonym import open_pseudonyms
from bot.privacy.events import clean_events
from bot.privacy.people import find_pseudonym
from engine.model.errors import UsageError
from tests.adapters.ledger.samples import refused
from tests.bot.chat import BEN, Chat
from tests.bot.command import Command, command
from tests.fakes import FixedClock

CANARY = "heron-4711"
OLD = datetime(2020, 1, 1, tzinfo=UTC)


def line(session: str, text: str) -> str:
    event = {"event": "evidence_gate_blocked", "sessionId": session, "query": text}
    return json.dumps(event) + "\n"


def put(data: Path, *askers: str, moment: datetime | None = None) -> None:
    """Somebody asked at a terminal, on record and in the events."""

    async def record() -> None:
        clock = FixedClock(moment) if moment else None
        ledger = SqlLedger(
            sqlite_url(data / "ledger.db"),
            anchor=data / "ledger.head.json",
            clock=clock,
        )
        for asker in askers:
            said = {"id": asker, "asker": asker, "session": f"session of {asker}"}
            await ledger.record(refused(**said))
        await ledger.close()

    asyncio.run(record())
    with (data / event_files.NAME).open("a", encoding="utf-8") as file:
        for asker in askers:
            file.write(line(f"session of {asker}", f"{CANARY} of {asker}"))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture
def bot(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    return command(data, monkeypatch, capsys)


def events(data: Path) -> str:
    return "".join(f.read_text(encoding="utf-8") for f in event_files.list_files(data))


def test_forget_wants_a_yes_and_then_leaves_nothing_R_S5(
    bot: Command, data: Path
) -> None:
    """Others stay; the chain verifies."""
    ben = "b" * 32
    put(data, "terminal", ben)
    assert "Stored of you" in bot("mydata", "terminal").out
    asked = bot("forget", "terminal")
    assert asked.code == 2
    assert "add --yes" in asked.err
    assert f"{CANARY} of terminal" in events(data)
    gone = bot("forget", "terminal", "--yes")
    assert gone.code == 0
    assert gone.out == "forgotten: 1 outcome, 1 event\n"
    assert "of terminal" not in events(data)
    assert f"{CANARY} of {ben}" in events(data)
    assert bot("mydata", "terminal").out == "Nothing of yours is stored.\n"
    assert "Stored of you" in bot("mydata", ben).out
    assert bot("verify", "--all").code == 0


def test_expire_takes_old_events_with_old_outcomes_R_S5(
    bot: Command, data: Path
) -> None:
    """Also those in older files beside the newest."""
    put(data, "terminal", moment=OLD)
    os.replace(data / "events.jsonl", data / "events.jsonl.1")
    put(data, "c" * 32)
    result = bot("expire", "--days", 30)
    assert result.out == "expired: 1 outcome, 1 event\n"
    assert "of terminal" not in events(data)
    assert CANARY in events(data)
    assert bot("expire", "--days", 30).out == "expired: 0 outcomes, 0 events\n"


def test_who_is_nobody_is_named_R_S5(bot: Command, data: Path) -> None:
    for typed in ("anna", "slack:T1", "discord:anna", "slack::", "b" * 31):
        result = bot("forget", typed, "--yes")
        assert result.code == 2
        assert "is nobody: write slack:TEAM:USER" in result.err


def test_platform_ids_lead_to_their_pseudonyms_R_S5(data: Path) -> None:
    known = open_pseudonyms(data)
    slack = known.of_person(Platform.SLACK, "T1", "U1")
    assert find_pseudonym("slack:T1:U1", known) == slack
    discord = known.of_person(Platform.DISCORD, "7", "9")
    assert find_pseudonym("discord:9", known) == discord
    with pytest.raises(UsageError):
        find_pseudonym("slack:T1:U1:x", known)


def test_what_is_written_meanwhile_is_kept_R_S5(data: Path) -> None:
    """A process that holds the file open goes on writing behind what is blanked."""
    file = data / event_files.NAME
    with file.open("a", encoding="utf-8") as held:
        held.write(line("a", CANARY) + line("b", "kept") + "torn")
        held.flush()
        assert event_files.read_sessions(data) == {"a", "b"}
        assert event_files.blank_events(data, {"a"}) == 1
        held.write(" line\n" + line("c", "later"))
    assert CANARY not in events(data)
    lines = events(data).splitlines()
    assert json.loads(lines[0]) == {}
    assert [json.loads(each)["sessionId"] for each in (lines[1], lines[3])] == [
        "b",
        "c",
    ]
    assert event_files.blank_events(data, {"a"}) == 0


async def test_forget_me_in_chat_reaches_the_events_R_S5(
    chat: Chat, tmp_path: Path
) -> None:
    """With the next sweep of `serve`; what others asked stays."""
    await chat.says(f"What is {CANARY}?")
    await chat.says("What is a stork?", person=BEN)
    data = chat.application.data
    assert CANARY in events(data)
    anna = chat.application.pseudonyms.of_person(Platform.SLACK, "T1", "U1")
    await chat.mailbox.forget(anna)
    assert await clean_events(chat.application) >= 1
    assert CANARY not in events(data)
    assert "stork" in events(data)
