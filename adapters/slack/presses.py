"""Slash commands, buttons and modals that were sent off, as `Incoming`."""

from dataclasses import dataclass
from datetime import datetime

import re2
from pydantic import ValidationError

from adapters.mail import PRESSED_QUESTIONS, Action, Incoming, Place, Platform
from adapters.reply import inert
from adapters.slack.names import (
    ADMIN_COMMAND,
    ASK_ABOUT,
    COMMAND,
    EVERYBODY,
    NOTED,
    OPENING,
    QUESTION,
    REASON,
    RESPONSE_TIME,
    RESPONSE_URL,
    SELECTION,
    SHOWN_TO,
    direct,
)
from adapters.slack.payloads import Command, Kept, Press, Shortcut, Submission
from adapters.slack.text import plain

_AUDIENCE = re2.compile(r"(?is)^(public|private)\s*:\s*(.*)$")
_COLON_LEFT_OUT = re2.compile(r"(?i)^public\s")
_PERSON = re2.compile(r"<@([A-Z0-9]+)(?:\|[^<>]*)?>")
_ORDERS = {"bind": Action.BIND, "pause": Action.PAUSE, "resume": Action.RESUME}
_REQUESTS = {
    "my data": Action.MY_DATA,
    "forget me": Action.FORGET,
}
_BUTTONS = frozenset(
    {
        Action.MORE,
        Action.SOURCES,
        Action.WHY,
        Action.ASK_AGAIN,
        Action.CHOOSE,
        Action.NONE_OF_THESE,
        Action.TELL_ME,
        Action.HELPFUL,
        Action.MY_DATA,
        Action.FORGET,
    }
)


@dataclass(frozen=True, slots=True)
class Arrival:
    """What every interaction is kept under."""

    event: str
    received: datetime


def incoming(
    known: Command | Press | Shortcut | Submission, arrival: Arrival
) -> Incoming | None:
    """What somebody typed, pressed or sent off; None for what only opens a modal."""
    match known:
        case Command():
            return _command(known, arrival)
        case Press():
            return _press(known, arrival)
        case Submission():
            return _submission(known, arrival)
        case Shortcut():
            return None


def is_colon_missing(asked: Incoming) -> bool:
    """Whether "public" may be meant as an order; it may as well begin the question."""
    typed = asked.action is Action.ASK and asked.place.message is None
    return typed and bool(_COLON_LEFT_OUT.match(asked.text))


def _callback(url: str | None) -> dict[str, str]:
    return {RESPONSE_URL: url} if url else {}


def _command(typed: Command, arrival: Arrival) -> Incoming | None:
    said = typed.text.strip()
    action, text, reason, private = Action.ASK, plain(said), None, True
    if typed.command == ADMIN_COMMAND:
        text, order = "", _order(said)
        action, reason = order.action, order.argument
    elif typed.command != COMMAND:
        return None
    elif audience := _AUDIENCE.match(text):
        text = audience.group(2)
        private = audience.group(1).lower() == "private"
    place = Place(
        platform=Platform.SLACK,
        tenant=typed.team_id,
        channel=typed.channel_id,
        private=private,
    )
    asked = Incoming(
        event=arrival.event,
        platform=Platform.SLACK,
        action=action,
        place=place,
        person=typed.user_id,
        text=text,
        reason=reason,
        callback=_callback(typed.response_url),
        respond_by=arrival.received + RESPONSE_TIME,
        received=arrival.received,
    )
    if not text or is_colon_missing(asked):
        return asked
    noted = {**asked.callback, NOTED: "yes"}
    return asked.model_copy(update={"callback": noted})


@dataclass(frozen=True, slots=True)
class _Order:
    action: Action
    argument: str | None = None


def _order(said: str) -> _Order:
    """What the admin command asks for; anything else is a pack that is not named."""
    request = _REQUESTS.get(" ".join(said.lower().split()))
    if request is not None:
        return _Order(request)
    verb, _, argument = said.partition(" ")
    action = _ORDERS.get(verb.lower())
    if action is None:
        return _Order(Action.BIND)
    return _Order(action, _argument(argument) or None)


def _argument(typed: str) -> str:
    """What is ordered; only people that Slack made of a name stand as mentions."""
    letters = typed.replace("&lt;", "").replace("&gt;", "")
    return plain(_PERSON.sub(r"&lt;@\1&gt;", letters), ids=True)


def _press(press: Press, arrival: Arrival) -> Incoming | None:
    tenant = press.tenant
    if tenant is None or press.asked not in _BUTTONS:
        return None
    action = Action(press.asked)
    channel = press.channel.id if press.channel else press.user.id  # the App Home
    asks = action in PRESSED_QUESTIONS
    public = asks and not press.container.is_ephemeral and not direct(channel)
    place = Place(
        platform=Platform.SLACK,
        tenant=tenant,
        channel=channel,
        thread=press.thread or (press.container.message_ts if public else None),
        private=not public,
    )
    # The second answer is to stay beside the first one, so it becomes a message.
    stays = asks and not press.container.is_ephemeral
    callback = {} if stays else _callback(press.response_url)
    return Incoming(
        event=arrival.event,
        platform=Platform.SLACK,
        action=action,
        place=place,
        person=press.user.id,
        about=press.container.message_ts,
        audit_id=press.audit_id,
        choice=press.choice,
        callback=callback,
        respond_by=arrival.received + RESPONSE_TIME if callback else None,
        received=arrival.received,
    )


def _submission(sent: Submission, arrival: Arrival) -> Incoming | None:
    tenant, view = sent.tenant, sent.view
    kept = _kept(view.private_metadata)
    asks = view.callback_id == ASK_ABOUT
    if tenant is None or kept is None or not (asks or view.callback_id in OPENING):
        return None
    public = asks and view.entered(SHOWN_TO) == EVERYBODY and not direct(kept.channel)
    place = Place(
        platform=Platform.SLACK,
        tenant=tenant,
        channel=kept.channel,
        thread=kept.root if public else kept.thread,
        private=not public,
    )
    return Incoming(
        event=arrival.event,
        platform=Platform.SLACK,
        action=Action.ASK if asks else Action(view.callback_id),
        place=place,
        person=sent.user.id,
        text=inert(view.entered(QUESTION)).strip(),
        selection=inert(view.entered(SELECTION)).strip() if asks else None,
        about=None if kept.alone else kept.message,
        audit_id=kept.audit_id,
        reason=inert(view.entered(REASON)).strip() or None,
        callback=_callback(kept.reply),
        respond_by=kept.reply_by,
        received=arrival.received,
    )


def _kept(metadata: str) -> Kept | None:
    try:
        return Kept.model_validate_json(metadata)
    except ValidationError:
        return None
