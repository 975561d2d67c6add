"""A section that is held for other days than the one that was asked for (R-A16)."""

from datetime import date

import pytest

from engine.conclude.settle import _format_days
from engine.model.codes import Reason
from engine.model.evidence import Evidence
from engine.model.gate import Closed
from engine.model.question import Intent
from engine.pipeline.partial import find_days
from engine.policy.things import ThingRule
from tests.engine.small_pack import chunk, evidence, small_pack

RULE = ThingRule(kind="section", unheld="Not for {date}, but {days}.")
PACK = small_pack().model_copy(update={"things": (RULE,)})
CLOSED = Closed(reason=Reason.INSUFFICIENT_CONTEXT, explanation="", numbers={})
ASKED = Intent(query_type="x", name="X", text="s. 25", sensitive=False)
FIRST, LAST = date(2023, 6, 22), date(2025, 1, 31)


def about(*, unknown: tuple[str, ...] = (), last: date | None = None) -> Evidence:
    update = {"in_force_from": FIRST, "in_force_to": last}
    held = chunk(0.9).model_copy(update=update)
    named = () if unknown else (held.document,)
    return evidence([held], trace={"unknown_names": unknown, "named": named})


@pytest.mark.parametrize("last", [None, LAST])
async def test_the_days_of_another_version_are_found_R_A16(last: date | None) -> None:
    async def look(intent: Intent) -> Evidence:
        assert intent.as_of is None  # of any day
        return about(last=last)

    mine = about(unknown=("s. 25",))
    assert await find_days(CLOSED, mine, ASKED, PACK, look) == (FIRST, last)
    assert await find_days(CLOSED, about(), ASKED, PACK, look) is None
    assert await find_days(CLOSED, mine, ASKED, small_pack(), look) is None


def test_the_days_are_told_in_words_R_A16() -> None:
    assert _format_days(FIRST, None) == "from 2023-06-22 on"
    assert _format_days(FIRST, LAST) == "from 2023-06-22 until 2025-01-31"
    assert _format_days(None, LAST) == "until 2025-01-31"
