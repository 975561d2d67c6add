"""Verification of the gap board: each gap is where its questions were asked (R-D3).

Who may see a gap goes by its pack, tenant and tags. They stand in the chain with every
question of it, so that nobody opens a gap to others by editing its row.
"""

import json

from sqlalchemy import select

from adapters.ledger.chain import audit_id
from adapters.ledger.operations_schema import gap_questions, gaps
from adapters.ledger.report import Fault
from adapters.ledger.walk import Walk


def check(walk: Walk) -> None:
    """Check every question of every gap against the chain."""
    gap, held = gaps.c, gap_questions.c
    query = select(
        *(gap.id, gap.pack, gap.tenant, gap.tags, held.sequence, held.audit_id)
    ).join(gap_questions, held.gap == gap.id)
    for row in walk.connection.execute(query).mappings():
        asked = walk.asked.get(row["sequence"])
        if asked is None or audit_id(asked.hash) != row["audit_id"]:
            detail = f"gap {row['id']}: {row['audit_id']} is no question of the chain"
            walk.findings.add(Fault.ROW_CHANGED, detail)
            continue
        known = {"pack": asked.pack, "tenant": asked.tenant, "tags": asked.tags}
        said = {**row, "tags": _tags(row["tags"])}
        for name, value in known.items():
            if said[name] != value:
                detail = f"gaps.{name} of {row['id']} differs from its question"
                walk.findings.add(Fault.ROW_CHANGED, detail, row["sequence"])


def _tags(stored: object) -> tuple[str, ...] | None:
    try:
        return tuple(json.loads(str(stored)))
    except (ValueError, TypeError):
        return None
