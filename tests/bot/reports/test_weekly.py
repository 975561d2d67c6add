"""A week of a pack: a plain count, a page that fetches nothing, a post (R-O3)."""

from datetime import date, timedelta
from html import unescape
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from adapters.ledger.gaps import Board
from adapters.ledger.gaps import Place as GapPlace
from adapters.ledger.mail_records import NONE_OF_THESE, Verdict
from adapters.mail import Platform
from bot.reports.page import render_page, write_post
from bot.reports.posting import make_letter, parse_channel
from bot.reports.weekly import Weekly, count_week
from engine.model.errors import UsageError
from tests.adapters.ledger.samples import answered, document, refused
from tests.bot.chat import Chat
from tests.fakes import FixedClock
from tests.platforms.judging import refused as refused_by

CANARY = "heron-4711"
TODAY = date(2026, 11, 22)  # of the clock


@pytest.fixture
async def week(chat: Chat) -> Weekly:
    """Five answers and three refusals in a week, one refusal of the week before."""
    ledger, clock = chat.application.ledger, chat.clock
    assert isinstance(clock, FixedClock)
    now = clock.moment
    seen, hidden = document(), document("Secret text.", "secret", tags=("board",))
    for each in (seen, hidden, document("Never cited.", "other")):
        await ledger.store_document("small", each)
    clock.moment = now - timedelta(days=9)
    await ledger.record(refused(id="old", pack="small"))
    audit_ids = []
    for number in range(1, 6):
        clock.moment = now - timedelta(days=number)
        said: dict[str, Any] = {"id": f"a{number}", "pack": "small", "text": CANARY}
        audit_ids.append(await ledger.record(answered(seen, **said)))
    for number in range(1, 4):
        clock.moment = now - timedelta(days=number)
        await ledger.record(refused(id=f"r{number}", pack="small"))
    await ledger.record(refused(id="elsewhere", pack="other"))
    for verdict in (
        Verdict(audit_id=audit_ids[0], asker="a", helpful=True),
        Verdict(audit_id=audit_ids[1], asker="a", helpful=False, reason=CANARY),
        Verdict(audit_id=audit_ids[2], asker="a", helpful=False, reason=NONE_OF_THESE),
    ):
        await chat.mailbox.feedback(verdict)
    board = Board(ledger)
    [new, *_] = await board.uncollected("small")
    here = GapPlace(pack="small", tenant="shared", tags=())
    await board.put(here, [(new, np.ones(4, np.float32))])
    clock.moment = now
    pack = chat.application.pack("small")
    return await count_week(chat.application, pack, TODAY)


def test_every_figure_is_a_plain_count_R_O3(week: Weekly) -> None:
    """Of the week and the pack alone; refusals with their denominator (R-O4)."""
    assert (week.since, week.until) == (date(2026, 11, 15), date(2026, 11, 21))
    assert (week.questions, week.quality.last_24h.answered) == (8, 5)
    assert dict(week.quality.last_24h.refused) == {"LOW_SCORE": 3}
    assert week.refused_share["LOW_SCORE"] == pytest.approx(3 / 8)
    assert dict(week.feedback) == {"helpful": 1, "not helpful": 1, NONE_OF_THESE: 1}
    assert (week.gaps_opened, week.gaps_closed, week.gaps_open) == (1, 0, 1)
    assert [(n.document, n.number) for n in week.most_cited] == [("rest", 5)]
    assert [n.document for n in week.never_cited] == ["other"]
    counted = {day.day: day.questions for day in week.trend}
    assert len(counted) == 28
    assert counted[date(2026, 11, 21)] == 2
    assert counted[date(2026, 11, 13)] == 1
    assert sum(counted.values()) == 9


def test_nothing_that_was_asked_or_is_hidden_is_told_R_C5(week: Weekly) -> None:
    """Neither a question, nor a reason, nor a document with access tags."""
    told = render_page(week) + write_post(week) + week.model_dump_json()
    assert CANARY not in told
    assert "secret" not in told.casefold()


def test_the_page_fetches_nothing_and_labels_its_axes_R_O3(week: Weekly) -> None:
    drawn = render_page(week)
    assert "default-src 'none'" in unescape(drawn)
    assert "<script" not in drawn
    assert "http" not in drawn.replace("http-equiv", "")
    week_drawn, month = (
        ElementTree.fromstring(svg) for svg in _drawings(drawn)[::2][:2]
    )
    labels = {text.text for text in week_drawn.iter("text")}
    assert {"0", "Sun 15", "Sat 21"} <= labels
    labels = {text.text for text in month.iter("text")}
    assert {"questions", "day", "2026-10-25", "2026-11-21", "0"} <= labels


def _drawings(drawn: str) -> list[str]:
    return [f"<svg{part.partition('</svg>')[0]}</svg>" for part in drawn.split("<svg")][
        1:
    ]


async def test_the_post_goes_out_once_R_O3(chat: Chat, week: Weekly) -> None:
    place = parse_channel("slack:T1:C77")
    await chat.mailbox.send(
        make_letter(chat.application, place, write_post(week), "report:1")
    )
    await chat.works()
    [(outgoing, part)] = chat.wall.shown
    assert outgoing.place == place
    assert "8 questions, 5 answered" in str(part.payload)
    assert "nothing close enough 3 (38 %)" in str(part.payload)
    for named in (place, parse_channel("discord:7:8")):
        made = make_letter(chat.application, named, write_post(week), "report:2")
        assert refused_by(named.platform, made.letter.parts) == []


def test_a_channel_that_is_none_is_named() -> None:
    assert parse_channel("discord:7:8").platform is Platform.DISCORD
    with pytest.raises(UsageError, match="--post general"):
        parse_channel("general")


async def test_a_day_before_all_reports_is_refused_R_O3(chat: Chat) -> None:
    """On the command line and in the address of a page."""
    pack = chat.application.pack("small")
    with pytest.raises(UsageError, match="no report is of a time so long ago"):
        await count_week(chat.application, pack, date(1, 1, 1))
