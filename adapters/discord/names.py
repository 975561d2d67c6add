"""The names of our commands, buttons, forms and fields on Discord."""

from datetime import timedelta

from adapters.mail import Action

# keys of `Incoming.callback`; the first three lead to the answer of an interaction
APPLICATION, TOKEN, INTERACTION = "application", "token", "interaction"
PRIVATE = "private"  # whether the deferred answer is seen by the person alone
YES, NO = "yes", "no"
# Discord takes the answer for 15 minutes; the last one is left for clocks that differ.
ANSWER_TIME = timedelta(minutes=14)

ASK_ABOUT = "ask_about"  # custom id of the form that the menu of a message opens
# These open a form first; that of ASK is a follow-up to the answer above it.
OPENING = frozenset({Action.NOT_HELPFUL, Action.ASK_PERSON, Action.ASK})
BUTTONS = frozenset(
    {Action.MORE, Action.SOURCES, Action.WHY, Action.ASK_AGAIN, Action.HELPFUL}
    | {Action.CHOOSE, Action.NONE_OF_THESE, Action.TELL_ME}
    | OPENING
)

# custom ids of the fields in forms
QUESTION, SELECTION, REASON = "question", "selection", "reason"

LONGEST_QUESTION = 2_000
LONGEST_SELECTION = 4_000
LONGEST_REASON = 1_000
