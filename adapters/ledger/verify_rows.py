"""Verification of rows that the chain commits to: each stands, and no other does."""

from adapters.ledger import commitments
from adapters.ledger.report import Fault
from adapters.ledger.walk import Walk


def check(walk: Walk) -> None:
    """Compare what the chain says with what the tables hold, both ways.

    A row that was changed is one that nobody knows, and one that is gone.
    """
    for table in commitments.COMMITTED:
        standing = commitments.held(walk.connection, table)
        known = walk.committed.get(table.name, {})
        for commitment in standing.keys() - known.keys():
            detail = f"{table.name} {standing[commitment]}"
            walk.findings.add(Fault.ROW_UNKNOWN, detail)
        for commitment in known.keys() - standing.keys():
            detail = f"{table.name}: a row that was written is gone or changed"
            walk.findings.add(Fault.ROW_MISSING, detail, known[commitment])
