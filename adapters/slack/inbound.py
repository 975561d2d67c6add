"""Read what Slack sends as `Incoming`; None for all that is none of our business.

Slack tells of one message twice where it names the bot, as a mention and as a message;
both have the same `subject`. Of an edit it tells as a mention too; there only
`message_changed` is read, which holds the text before.
"""

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime

import re2
from pydantic import ValidationError

from adapters.mail import (
    PRESSED_QUESTIONS,
    Action,
    Incoming,
    Payload,
    Place,
    Platform,
    with_forwarded,
)
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
    is_direct,
)
from adapters.slack.payloads import (
    Callback,
    Command,
    Event,
    Kept,
    Message,
    Press,
    Shortcut,
    Stop,
    Submission,
    read,
)
from adapters.slack.text import names_user, plain

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
_WRITTEN = frozenset({None, "file_share", "thread_broadcast", "me_message"})


def read_incoming(body: Payload, received: datetime, bot_user: str) -> Incoming | None:
    """Read the body of an event, a slash command or an interaction.

    Args:
        body: as Slack sends it: the outer form of an event, the fields of a slash
            command, or the payload of an interaction.
        received: now, with its time zone.
        bot_user: our own user id in that workspace, whose mention is taken out of the
            text and whose messages are no questions.

    Returns:
        None where there is nothing to keep: messages of bots, joins, edits that change
        no text, talk that does not name the bot, presses that only open a modal
        (`views.make_modal`), shapes that Slack does not document. `addressed` is False
        for what was said in a thread of a channel without naming the bot; `admin`
        always, since Slack does not say it here.
    """
    known = read(body)
    if known is None:
        return None
    if isinstance(known, Callback):
        if isinstance(known.event, Stop):
            return _read_stop(known, known.event, received)
        return _MessageEvent(known, known.event, received, bot_user).read()
    event = known.trigger_id or _hash_body(body)
    return _read_interaction(known, _Arrival(event, received))


def _hash_body(body: Payload) -> str:
    """Hash an interaction that opens nothing and so has no trigger, as its name."""
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def _read_stop(told: Callback, stop: Stop, received: datetime) -> Incoming:
    """Read that what is asked in a thread is not wanted any more."""
    place = Place(
        platform=Platform.SLACK,
        tenant=told.team_id,
        channel=stop.channel,
        thread=stop.thread_ts,
        private=is_direct(stop.channel),
    )
    return Incoming(
        event=told.event_id,
        platform=Platform.SLACK,
        action=Action.STOP,
        place=place,
        person=stop.user,
        received=received,
    )


class _MessageEvent:
    """One event of a message: written, changed or deleted."""

    def __init__(
        self, told: Callback, event: Event, received: datetime, bot_user: str
    ) -> None:
        self._told = told
        self._event = event
        self._received = received
        self._bot_user = bot_user

    def read(self) -> Incoming | None:
        """Read the event as somebody's question, edit or deletion."""
        event = self._event
        if event.type == "app_mention":
            return None if event.edited else self._read_question()
        match event.subtype:
            case "message_changed":
                return self._read_edit()
            case "message_deleted":
                return self._read_deletion()
            case subtype:
                return self._read_question() if subtype in _WRITTEN else None

    def _read_question(self) -> Incoming | None:
        made = self._read_message(Action.ASK, self._event)
        if made is None or not (made.addressed or made.text):
            return None
        told, place = self._told, made.place
        subject = f"slack:{told.team_id}:{place.channel}:{place.message}"
        return made.model_copy(update={"subject": subject, "about": None})

    def _read_edit(self) -> Incoming | None:
        message, before = self._event.message, self._event.previous_message
        if message is None:
            return None
        if message.subtype == "tombstone":  # deleted, but for its replies
            return self._read_deletion()
        edited = message.text != before.text if before else message.edited
        if not edited or message.subtype not in _WRITTEN:
            return None  # a preview was added, or the first reply
        return self._read_message(Action.EDITED, message, before)

    def _read_deletion(self) -> Incoming | None:
        before = self._event.previous_message
        return self._read_message(Action.DELETED, before) if before else None

    def _read_message(
        self, action: Action, message: Message, before: Message | None = None
    ) -> Incoming | None:
        """Read a message of a person that may be for us, now or `before`; else None."""
        channel, ts, person = self._event.channel, message.ts, message.user
        if message.is_by_bot(self._bot_user) or ts is None or person is None:
            return None
        thread = None if message.thread_ts == ts else message.thread_ts
        private = is_direct(channel)
        said = (message.text or "", (before and before.text) or "")
        addressed = private or any(names_user(text, self._bot_user) for text in said)
        if not (addressed or thread):
            return None
        own = "" if action is Action.DELETED else plain(said[0], self._bot_user)
        text, selection = with_forwarded(own, plain(message.forwarded).strip())
        return Incoming(
            event=self._told.event_id,
            platform=Platform.SLACK,
            action=action,
            place=Place(
                platform=Platform.SLACK,
                tenant=self._told.team_id,
                channel=channel,
                thread=thread or (None if private else ts),
                message=ts,
                private=private,
            ),
            person=person,
            text=text,
            selection=selection,
            files=bool(message.files),
            attached=message.attached,
            about=ts,
            addressed=addressed,
            received=self._received,
        )


# --- commands, buttons and modals ------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Arrival:
    """The id and the moment that an interaction is kept under."""

    event: str
    received: datetime


def _read_interaction(
    known: Command | Press | Shortcut | Submission, arrival: _Arrival
) -> Incoming | None:
    """Read what somebody typed, pressed or sent off; None if it only opens a modal."""
    match known:
        case Command():
            return _read_command(known, arrival)
        case Press():
            return _read_press(known, arrival)
        case Submission():
            return _read_submission(known, arrival)
        case Shortcut():
            return None


def is_colon_missing(asked: Incoming) -> bool:
    """Tell whether "public" may be meant as an order, or may begin the question."""
    typed = asked.action is Action.ASK and asked.place.message is None
    return typed and bool(_COLON_LEFT_OUT.match(asked.text))


def _make_callback(url: str | None) -> dict[str, str]:
    return {RESPONSE_URL: url} if url else {}


def _read_command(typed: Command, arrival: _Arrival) -> Incoming | None:
    said = typed.text.strip()
    action, text, reason, private = Action.ASK, plain(said), None, True
    if typed.command == ADMIN_COMMAND:
        text, order = "", _read_order(said)
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
        callback=_make_callback(typed.response_url),
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


def _read_order(said: str) -> _Order:
    """Read what the admin command asks for; anything else is a pack without a name."""
    request = _REQUESTS.get(" ".join(said.lower().split()))
    if request is not None:
        return _Order(request)
    verb, _, argument = said.partition(" ")
    action = _ORDERS.get(verb.lower())
    if action is None:
        return _Order(Action.BIND)
    return _Order(action, _read_argument(argument) or None)


def _read_argument(typed: str) -> str:
    """Read what is ordered; only people that Slack made of a name stay mentions."""
    letters = typed.replace("&lt;", "").replace("&gt;", "")
    return plain(_PERSON.sub(r"&lt;@\1&gt;", letters), ids=True)


def _read_press(press: Press, arrival: _Arrival) -> Incoming | None:
    tenant = press.tenant
    if tenant is None or press.asked not in _BUTTONS:
        return None
    action = Action(press.asked)
    channel = press.channel.id if press.channel else press.user.id  # the App Home
    asks = action in PRESSED_QUESTIONS
    public = asks and not press.container.is_ephemeral and not is_direct(channel)
    place = Place(
        platform=Platform.SLACK,
        tenant=tenant,
        channel=channel,
        thread=press.thread or (press.container.message_ts if public else None),
        private=not public,
    )
    # The second answer is to stay beside the first one, so it becomes a message.
    stays = asks and not press.container.is_ephemeral
    callback = {} if stays else _make_callback(press.response_url)
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


def _read_submission(sent: Submission, arrival: _Arrival) -> Incoming | None:
    tenant, view = sent.tenant, sent.view
    kept = _read_metadata(view.private_metadata)
    asks = view.callback_id == ASK_ABOUT
    if tenant is None or kept is None or not (asks or view.callback_id in OPENING):
        return None
    public = (
        asks and view.read_input(SHOWN_TO) == EVERYBODY and not is_direct(kept.channel)
    )
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
        text=inert(view.read_input(QUESTION)).strip(),
        selection=inert(view.read_input(SELECTION)).strip() if asks else None,
        about=None if kept.alone else kept.message,
        audit_id=kept.audit_id,
        reason=inert(view.read_input(REASON)).strip() or None,
        callback=_make_callback(kept.reply),
        respond_by=kept.reply_by,
        received=arrival.received,
    )


def _read_metadata(metadata: str) -> Kept | None:
    try:
        return Kept.model_validate_json(metadata)
    except ValidationError:
        return None
