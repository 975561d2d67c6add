"""What the next question of a conversation may lean on."""

from engine.model.codes import RefusalReason
from engine.model.outcome import Outcome, Refusal
from engine.text.talk import QUESTION

CHOSE = "\n\N{RIGHT-POINTING DOUBLE ANGLE QUOTATION MARK} "  # before what was chosen


def context(outcome: Outcome) -> str | None:
    """Return what the next question may lean on; None where this one leads nowhere.

    Nothing does that was refused as a follow-up or as outside of the sources, nor talk,
    a figure alone, an emergency or a call for support that they did not answer. What
    was asked back for is answered next.
    """
    intent, result = outcome.intent, outcome.result
    if isinstance(result, Refusal) and not intent.missing_facts:
        outside = result.shown_reason is RefusalReason.OUT_OF_SCOPE
        if outside or intent.follow_up or intent.kind not in ("", QUESTION):
            return None
    question = outcome.question
    chosen = question.chosen_from is not None
    understood = intent.text if intent.follow_up else question.text
    return led_to(understood, question.previous if chosen else None)


def led_to(understood: str, asked: str | None) -> str:
    """Return what was understood; of what a refusal offered, with the question before
    that.
    """
    return f"{asked}{CHOSE}{understood}" if asked else understood


def parts(previous: str | None) -> tuple[str, ...]:
    """Return what a question may lean on, each by itself: what was said last, then
    before.
    """
    return tuple(part for part in reversed((previous or "").split(CHOSE)) if part)
