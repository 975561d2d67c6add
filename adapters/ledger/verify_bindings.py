"""Verification of channels: each is bound as an administrator last bound it."""

from adapters.ledger import mail_bindings
from adapters.ledger.report import Fault
from adapters.ledger.walk import Walk


def check(walk: Walk) -> None:
    """Compare what the chain says with what the table holds, both ways."""
    held = mail_bindings.held(walk.connection)
    for key in held.keys() | walk.bound.keys():
        sequence, known = walk.bound.get(key, (None, None))
        if held.get(key) != known:
            detail = f"bindings {' '.join(map(str, key))}"
            walk.findings.add(_fault(held.get(key), known), detail, sequence)


def _fault(found: str | None, known: str | None) -> Fault:
    if found is None:
        return Fault.ROW_MISSING
    return Fault.ROW_UNKNOWN if known is None else Fault.ROW_CHANGED
