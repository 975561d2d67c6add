"""The names of our commands, shortcut, modals, buttons and inputs at Slack."""

from datetime import timedelta

from adapters.mail import DIRECT_CHANNELS, Action

COMMAND = "/ask"
ADMIN_COMMAND = "/ask-admin"

ASK_ABOUT = "ask_about"  # callback_id of the message shortcut and of its modal
FEEDBACK = "feedback"  # action_id of the two thumbs, whose values begin with the action
OPENING = frozenset({Action.NOT_HELPFUL, Action.ASK_PERSON})  # these open a modal first

# action_id of the inputs in modals
QUESTION = "question"
SELECTION = "selection"
REASON = "reason"
SHOWN_TO = "shown_to"
EVERYBODY, ONLY_ME = "everybody", "only_me"  # values of SHOWN_TO

# Keys in `Incoming.callback`: the URL; and, where the acknowledgement of a command says
# that the bot is looking, that the reply is to take its place.
RESPONSE_URL, NOTED = "response_url", "noted"
RESPONSE_TIME = timedelta(minutes=30)  # how long Slack takes posts to a response URL


def is_direct(channel: str) -> bool:
    """Tell whether these are direct messages, named by their id or by the person's."""
    return channel.startswith(DIRECT_CHANNELS)
