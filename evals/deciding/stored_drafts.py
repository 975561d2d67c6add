"""Whether every stored draft is judged as it is stored: a check of every verdict.

The drafts are those of `evals/replay.py`. Validators are the same for all packs, so a
draft of any pack that is judged otherwise keeps every pack back.
"""

from collections.abc import Iterator

from adapters.inert import many
from evals import replay
from evals.deciding.verdict import Check, Status

CHECK = "stored drafts"
MOST = 5  # faults that are told


def stored_drafts() -> Check:
    """Replay all of them.

    Raises:
        UsageError: the file of stored drafts is wrong.
    """
    stored = replay.load()
    wrong = [fault for one in stored for fault in _faults(one)]
    if not wrong:
        why = f"All {len(stored)} stored drafts are judged as they are stored."
        return Check(check=CHECK, result=Status.PASS, why=why)
    more = f"; and {len(wrong) - MOST} more" if len(wrong) > MOST else ""
    why = f"{many(len(wrong), 'fault')} in {len(stored)} stored drafts: "
    why += "; ".join(wrong[:MOST]) + f"{more}."
    return Check(check=CHECK, result=Status.FAIL, why=why)


def _faults(one: replay.StoredDraft) -> Iterator[str]:
    """What is wrong with a draft; one that makes no answer at all is wrong, too."""
    try:
        yield from replay.faults([one])
    except (LookupError, ValueError) as error:
        yield f"{one.id}: makes no answer ({error!r})"
