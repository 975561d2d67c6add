"""The part of a model in an answer, in words: its selection, and its failed drafts.

No word of a model is repeated: a rejected draft is described by the check that
objected, so that its text cannot reach a reader.
"""

from collections import Counter
from collections.abc import Iterator

from engine.model.answer import Answer
from engine.model.outcome import Outcome

VERBATIM = "shown word for word from the sources"


def selected_by(outcome: Outcome) -> str | None:
    """Return the line below an answer that names its model, or None."""
    result = outcome.result
    if not isinstance(result, Answer) or result.mode != "llm":
        return None
    return f"Sentences chosen by {outcome.model or 'a language model'}, {VERBATIM}."


def list_drafting(outcome: Outcome) -> Iterator[tuple[str, str]]:
    """List the facts of "why" about the model: who chose, failures, objections."""
    if not outcome.prompts:
        return
    said = selected_by(outcome)
    if said is not None:
        yield "chosen", said.rstrip(".")
    for finding in outcome.findings:
        if finding.validator == "model" and finding.severity == "note":
            yield "model", finding.message
    failures = Counter(p.failure.value for p in outcome.prompts if p.failure)
    if failures:
        yield "model calls that failed", _join_counts(failures)
    objected = Counter(f.validator for f in outcome.findings if f.severity != "note")
    if objected:
        yield "objections to its drafts", _join_counts(objected)


def _join_counts(counted: Counter[str]) -> str:
    return ", ".join(f"{name} {many}" for name, many in sorted(counted.items()))
