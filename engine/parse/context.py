"""The text that the next question of a conversation may depend on."""

from engine.model.codes import RefusalReason
from engine.model.outcome import Outcome, Refusal
from engine.text.talk import QUESTION, UNDONE

CHOSE = "\n\N{RIGHT-POINTING DOUBLE ANGLE QUOTATION MARK} "  # precedes a choice

# What a refused message may be for the next one to depend on it: work that is never
# done ("write my lab report", then "which chapter is it in?") names its subject.
_LEADING = frozenset({"", QUESTION, *UNDONE})


def find_context(outcome: Outcome) -> str | None:
    """Return the context of the next question; None where this question gives none.

    A question that was refused as a follow-up or as out of scope gives none, nor do
    talk, a figure alone, an emergency or a call for support without an answer. A
    request for missing facts is answered by the next message.
    """
    intent, result = outcome.intent, outcome.result
    if isinstance(result, Refusal) and not intent.missing_facts:
        outside = result.shown_reason is RefusalReason.OUT_OF_SCOPE
        if outside or intent.follow_up or intent.kind not in _LEADING:
            return None
    question = outcome.question
    chosen = question.chosen_from is not None
    named = intent.follow_up or (intent.page and not intent.missing_facts)
    understood = intent.text if named else question.text
    return join_context(understood, question.previous if chosen else None)


def find_title(outcome: Outcome) -> str:
    """Return the title of the document that answered a question, the first cited.

    Empty for a refusal, which does not colour the next question whatever it offered,
    and for an answer from a selected text, which has no title of its own.
    """
    result = outcome.result
    if isinstance(result, Refusal) or outcome.question.selection is not None:
        return ""
    return result.citations[0].title if result.citations else ""


def join_context(understood: str, asked: str | None) -> str:
    """Join a chosen question with the question before it; alone without one."""
    return f"{asked}{CHOSE}{understood}" if asked else understood


def parts(previous: str | None) -> tuple[str, ...]:
    """Split a context into its questions, the last one first."""
    return tuple(part for part in reversed((previous or "").split(CHOSE)) if part)
