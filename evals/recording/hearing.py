"""Whether the model of a run was heard: a provider that failed says nothing of it."""

from engine.prompts import Failure
from evals.forms import Row


def heard(row: Row) -> bool:
    """Whether every call that a row's question took brought what the model said.

    A draft that cannot be read is the model's own. After any other failure the answer
    is made without it, so that it is no answer of this model or of its program.
    """
    prompts = row.record.get("prompts", ()) if row.record is not None else ()
    failures = {prompt["failure"] for prompt in prompts} - {None}
    return not failures - {Failure.UNREADABLE.value}
