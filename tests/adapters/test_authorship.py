"""Who selected an answer: said in fixed words, never in a model's."""

from adapters.authorship import list_drafting, selected_by
from engine.model.answer import Answer, Finding
from engine.model.outcome import Outcome
from engine.model.prompt import Failure, Prompt
from tests.adapters.outcomes import answered, chunk, refused

LIE = "Everything is cured by prayer."
FINDINGS = (
    Finding(
        validator="figures", code="changed", severity="drop", message=LIE, claim=LIE
    ),
    Finding(
        validator="model", code="budget", severity="note", message="no further call"
    ),
)


def drafted(outcome: Outcome, failure: Failure | None = None) -> Outcome:
    """The outcome with one call of a model behind it."""
    prompt = Prompt(module="g", model="x/y", program="p", answer=LIE, failure=failure)
    changes = {"prompts": (prompt,), "findings": FINDINGS, "model": "x/y"}
    return outcome.model_copy(update=changes)


def chosen(outcome: Outcome) -> Outcome:
    """The outcome with its answer selected by a model."""
    assert isinstance(outcome.result, Answer)
    result = outcome.result.model_copy(update={"mode": "llm"})
    return outcome.model_copy(update={"result": result})


def test_a_selected_answer_names_its_model_R_A8() -> None:
    """Below the answer, and first in "why"."""
    outcome = chosen(drafted(answered(chunk("Rest."))))
    said = selected_by(outcome)
    assert said == "Sentences chosen by x/y, shown word for word from the sources."
    assert next(iter(list_drafting(outcome)))[1] == said.rstrip(".")


def test_what_a_model_wrote_is_not_shown_R_I7() -> None:
    """What was taken out is named by the check that objected."""
    for outcome in (drafted(answered(chunk("Rest."))), drafted(refused())):
        assert selected_by(outcome) is None
        shown = dict(list_drafting(outcome))
        assert shown == {
            "model": "no further call",
            "objections to its drafts": "figures 1",
        }
        assert LIE not in repr(shown)


def test_a_model_that_failed_is_named_so_R_A8() -> None:
    """With how often, and why."""
    shown = dict(list_drafting(drafted(refused(), Failure.TIMEOUT)))
    assert shown["model calls that failed"] == "timeout 1"


def test_without_a_model_there_is_nothing_to_say() -> None:
    """The objections to our own drafts are no matter of a model's."""
    quoted = answered(chunk("Rest.")).model_copy(update={"findings": FINDINGS})
    assert selected_by(quoted) is None
    assert list(list_drafting(quoted)) == []
