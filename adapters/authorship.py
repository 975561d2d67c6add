"""Who selected an answer, in words: a model, and what became of its drafts.

Never a word that a model wrote: what the validators took out is named by the check that
objected, so that it cannot reach a reader this way either.
"""

from collections import Counter
from collections.abc import Iterator

from engine.model.answer import Answer
from engine.model.outcome import Outcome

VERBATIM = "shown word for word from the sources"


def selected_by(outcome: Outcome) -> str | None:
    """The line that says so below an answer; None where no model chose."""
    result = outcome.result
    if not isinstance(result, Answer) or result.mode != "llm":
        return None
    return f"Sentences chosen by {outcome.model or 'a language model'}, {VERBATIM}."


def drafting(outcome: Outcome) -> Iterator[tuple[str, str]]:
    """What "why" says of the model: who chose, and what happened on the way."""
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
        yield "model calls that failed", _listed(failures)
    objected = Counter(f.validator for f in outcome.findings if f.severity != "note")
    if objected:
        yield "objections to its drafts", _listed(objected)


def _listed(counted: Counter[str]) -> str:
    return ", ".join(f"{name} {many}" for name, many in sorted(counted.items()))
