"""Whether the model of a run was heard: a provider that failed says nothing of it."""

from engine.model.prompt import Failure
from engine.pipeline.drafting import LATE
from evals.forms import Row


def heard(row: Row) -> bool:
    """Whether every call that a row's question took brought what the model said.

    A draft that cannot be read is the model's own. After any other failure, or where no
    time was left to ask, the answer is made without it, so that it is no answer of this
    model or of its program.
    """
    record = {} if row.record is None else row.record
    failures = {prompt["failure"] for prompt in record.get("prompts", ())} - {None}
    late = any(found["code"] == LATE for found in record.get("findings", ()))
    return not late and not failures - {Failure.UNREADABLE.value}
