"""Long gap boards, put together without asking each question."""

from collections.abc import Sequence

import numpy as np
from sqlalchemy import Connection

from adapters.ledger import gaps
from adapters.ledger.chain import make_audit_id
from adapters.ledger.gaps import New, Place
from adapters.ledger.messages import record
from bot.wiring import Application
from tests.adapters.ledger.samples import refused

VECTOR = np.ones(4, np.float32)


async def fill(application: Application, texts: Sequence[str], **asked: object) -> None:
    """One gap for each text, in few transactions."""
    clock = application.clock

    def some(connection: Connection, first: int, part: Sequence[str]) -> None:
        for number, text in enumerate(part, first):
            said = {"id": f"q{number}", "pack": "small", "text": text, **asked}
            head = record(connection, refused(**said), clock.now())
            new = New(audit_id=make_audit_id(head.hash), sequence=head.sequence)
            place = Place(pack="small", tenant="shared", tags=())
            gap = gaps.open_gap(connection, place, clock.now())
            gaps.put_question(connection, gap, new, VECTOR, clock.now())

    for at in range(0, len(texts), 500):
        part = texts[at : at + 500]
        await application.ledger.transactions.append(
            lambda c, at=at, part=part: some(c, at, part)  # type: ignore[misc]
        )
