"""The rows of the gap board, on SQLite and PostgreSQL (R-D6)."""

import numpy as np
import pytest
from sqlalchemy import Connection, update

from adapters.ledger.gaps import Board, Gap, GapState, Place
from adapters.ledger.mail_records import NONE_OF_THESE, Verdict
from adapters.ledger.mailbox import Mailbox
from adapters.ledger.report import Fault
from adapters.ledger.schema import document_versions, gaps
from adapters.ledger.store import SqlLedger
from adapters.ledger.verify import verify
from engine.model.codes import Reason
from engine.model.ports import Floats
from tests.adapters.ledger.samples import answered, document, refused

HERE = Place(pack="oncology", tenant="shared", tags=())


def vector(*values: float) -> Floats:
    made = np.asarray(values, np.float32)
    return made / np.linalg.norm(made)


@pytest.fixture
def board(dated: SqlLedger) -> Board:
    return Board(dated)


async def gathered(board: Board, *vectors: Floats) -> list[Gap]:
    """Put what waits into gaps, each with its vector, in order."""
    new = await board.uncollected("oncology")
    await board.put(HERE, list(zip(new, vectors, strict=True)))
    return list(await board.gaps("oncology"))


async def test_refusals_and_verdicts_come_together_R_D6(
    board: Board, dated: SqlLedger, mailbox: Mailbox
) -> None:
    """Not what was answered well, nor what failed for a fault of ours."""
    source = document()
    await dated.store_document("oncology", source)
    first = await dated.record(refused(id="q-1"))
    good = await dated.record(answered(source, id="q-2"))
    poor = await dated.record(answered(source, id="q-3"))
    broken = refused(id="q-4")
    fault = broken.result.model_copy(update={"reason": Reason.PROVIDER_FAILED})
    await dated.record(broken.model_copy(update={"result": fault}))
    await mailbox.feedback(Verdict(audit_id=good, asker="a", helpful=True))
    await mailbox.feedback(
        Verdict(audit_id=poor, asker="a", helpful=False, reason="too old")
    )
    waiting = await board.uncollected("oncology")
    assert [new.audit_id for new in waiting] == [first, poor]
    [gap] = await gathered(board, vector(1, 0), vector(1, 0.1))
    assert not await board.uncollected("oncology")
    newest, oldest = (await board.members([gap]))[gap.id]
    assert (newest.audit_id, newest.unhelpful, newest.reason) == (poor, True, "too old")
    assert (oldest.audit_id, oldest.refused) == (first, "LOW_SCORE")


async def test_what_means_the_same_is_one_gap_of_one_place_R_D6(
    board: Board, dated: SqlLedger
) -> None:
    """Another meaning, another tenant and other tags are gaps of their own."""
    for number in range(3):
        await dated.record(refused(id=f"q-{number}"))
    gaps = await gathered(board, vector(1, 0), vector(0.99, 0.1), vector(0, 1))
    sizes = {gap: len(m) for gap, m in (await board.members(gaps)).items()}
    assert sorted(sizes.values()) == [1, 2]
    await dated.record(refused(id="q-9"))
    new = await board.uncollected("oncology")
    other = Place(pack="oncology", tenant="slack:T1", tags=("board",))
    await board.put(other, [(new[0], vector(1, 0))])
    assert len(await board.gaps("oncology")) == 3
    assert {gap.tenant for gap in await board.gaps()} == {"shared", "slack:T1"}


async def test_a_gap_is_closed_once_R_D6(board: Board, dated: SqlLedger) -> None:
    """And what comes after that opens another; a dismissed one takes it in."""
    await dated.record(refused(id="q-1"))
    [gap] = await gathered(board, vector(1, 0))
    assert await board.close(gap.id, "open", [], lambda posts: None) == 0
    assert await board.close(gap.id, "open", [], lambda posts: None) is None
    assert not await board.dismiss(gap.id, "not ours")
    await dated.record(refused(id="q-2"))
    _, second = await gathered(board, vector(1, 0))
    assert await board.dismiss(second.id, "not ours")
    await dated.record(refused(id="q-3"))
    _, second = await gathered(board, vector(1, 0))
    assert (second.state, second.why) == (GapState.DISMISSED, "not ours")
    assert len((await board.members([second]))[second.id]) == 2
    assert await board.reopen(second.id)


async def test_forgetting_leaves_the_count_and_no_words_R_S5(
    board: Board, dated: SqlLedger, mailbox: Mailbox
) -> None:
    """Neither text, nor reason, nor the vector that it was grouped by."""
    audit_id = await dated.record(refused())
    said = Verdict(
        audit_id=audit_id, asker="asker-4711", helpful=False, reason=NONE_OF_THESE
    )
    await mailbox.feedback(said)
    [gap] = await gathered(board, vector(1, 0))
    await mailbox.forget("asker-4711")
    [member] = (await board.members([gap]))[gap.id]
    assert (member.unhelpful, member.reason) == (False, None)
    [stored] = await board.stored([audit_id])
    assert stored.record.question == ""
    await dated.record(refused(id="q-2"))
    assert len(await gathered(board, vector(1, 0))) == 2  # nothing to compare with


async def test_what_two_processes_collect_belongs_to_one_gap(
    board: Board, dated: SqlLedger
) -> None:
    await dated.record(refused())
    new = await board.uncollected("oncology")
    for _ in range(2):
        await board.put(HERE, [(new[0], vector(1, 0))])
    [gap] = await board.gaps()
    assert len((await board.members([gap]))[gap.id]) == 1


TAMPERED = {
    "pack": "robots",
    "tenant": "slack:T2",
    "tags": '["staff"]',
}


@pytest.mark.parametrize("name", TAMPERED)
async def test_a_gap_that_was_moved_to_others_is_named_R_D3(
    board: Board, dated: SqlLedger, vault: Connection, name: str
) -> None:
    """Who may see it goes by where its questions were asked, and that is chained."""
    await dated.record(refused(id="q-1", tags=frozenset({"board"})))
    new = await board.uncollected("oncology")
    place = Place(pack="oncology", tenant="shared", tags=("board",))
    await board.put(place, [(new[0], vector(1, 0))])
    (gap,) = await board.gaps("oncology")
    assert verify(vault, None).ok
    vault.execute(update(gaps).values({name: TAMPERED[name]}))
    vault.commit()
    (failure, *others) = verify(vault, None).failures
    assert {other.fault for other in others} == {Fault.ROW_UNKNOWN, Fault.ROW_MISSING}
    assert failure.fault is Fault.ROW_CHANGED
    assert failure.detail == f"gaps.{name} of {gap.id} differs from its question"


async def test_a_version_that_came_at_another_time_is_named_R_D3(
    ledger: SqlLedger, vault: Connection
) -> None:
    """When a version came stands in the chain with what was said of it."""
    await ledger.store_document("oncology", document())
    assert verify(vault, None).ok
    early = {"created": "2020-01-01T00:00:00.000000Z"}
    vault.execute(update(document_versions).values(early))
    vault.commit()
    (failure,) = verify(vault, None).failures
    assert failure.fault is Fault.VERSION_CHANGED
    assert failure.detail.endswith(": created")
