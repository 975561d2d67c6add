"""The forms that pop up, each of which works whichever process sent it.

The subject of a form is in its custom id (`action:audit_id`) or in a field of it, so
nothing is remembered between opening and sending it off.
"""

import discord
from discord import ui

from adapters.discord.names import (
    ASK_ABOUT,
    LONGEST_QUESTION,
    LONGEST_REASON,
    LONGEST_SELECTION,
    QUESTION,
    REASON,
    SELECTION,
)
from adapters.mail import Action

OPEN_S = 900.0  # as long as Discord lets a form be sent off

_TITLES = {
    Action.ASK: "Ask a follow-up",
    Action.NOT_HELPFUL: "What was wrong?",
    Action.ASK_PERSON: "Ask a person",
}
_LABELS = {
    Action.ASK: "Your question",
    Action.NOT_HELPFUL: "Why did it not help?",
    Action.ASK_PERSON: "Anything that they should know?",
}
_TOLD = {
    Action.ASK_PERSON: (
        "The people of this channel will see your name, the question and my answer."
    )
}


def make_question_form(selection: str) -> ui.Modal:
    """Make a form for a question on a chosen message, whose text can be shortened."""
    form = ui.Modal(title="Ask about this", timeout=OPEN_S, custom_id=ASK_ABOUT)
    form.add_item(_make_field("Your question", QUESTION, longest=LONGEST_QUESTION))
    chosen = _make_field(
        "The text it is about",
        SELECTION,
        longest=LONGEST_SELECTION,
        value=selection[:LONGEST_SELECTION],
    )
    return form.add_item(chosen)


def make_button_form(action: Action, audit_id: str) -> ui.Modal:
    """Make the form behind a button of an answer.

    A follow-up, or what a person may add to "Not helpful" and "Ask a person".
    """
    name = f"{action}:{audit_id}"
    form = ui.Modal(title=_TITLES[action], timeout=OPEN_S, custom_id=name)
    if action is Action.ASK:
        return form.add_item(
            _make_field(_LABELS[action], QUESTION, longest=LONGEST_QUESTION)
        )
    field = _make_field(_LABELS[action], REASON, longest=LONGEST_REASON, required=False)
    field.description = _TOLD.get(action)
    return form.add_item(field)


def _make_field(
    label: str,
    name: str,
    *,
    longest: int,
    value: str | None = None,
    required: bool = True,
) -> ui.Label[ui.Modal]:
    typed: ui.TextInput[ui.Modal] = ui.TextInput(
        custom_id=name,
        style=discord.TextStyle.paragraph,
        max_length=longest,
        default=value,
        required=required,
    )
    return ui.Label(text=label, component=typed)
