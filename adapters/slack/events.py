"""What Slack sends, as `Incoming`: pure, and None for all that is none of our business.

Slack tells of one message twice where it names the bot, as a mention and as a message;
both have the same `subject`. Of an edit it tells as a mention too; there only
`message_changed` is read, which holds the text before.
"""

import hashlib
import json
from datetime import datetime

from adapters.mail import (
    Action,
    Incoming,
    Payload,
    Place,
    Platform,
    with_forwarded,
)
from adapters.slack import presses
from adapters.slack.names import direct
from adapters.slack.payloads import Callback, Message, read
from adapters.slack.text import mentions, plain

_WRITTEN = frozenset({None, "file_share", "thread_broadcast", "me_message"})


def incoming(body: Payload, received: datetime, bot_user: str) -> Incoming | None:
    """Read the body of an event, a slash command or an interaction.

    Args:
        body: as Slack sends it: the outer form of an event, the fields of a slash
            command, or the payload of an interaction.
        received: now, with its time zone.
        bot_user: our own user id in that workspace, whose mention is taken out of the
            text and whose messages are nobody's question.

    Returns:
        None where there is nothing to keep: messages of bots, joins, edits that change
        no text, talk that does not name the bot, presses that only open a modal
        (`views.opened_by`), shapes that Slack does not document. `addressed` is False
        for what was said in a thread of a channel without naming the bot; `admin`
        always, since Slack does not say it here.
    """
    known = read(body)
    if known is None:
        return None
    if isinstance(known, Callback):
        return _Told(known, received, bot_user).incoming()
    event = known.trigger_id or _digest(body)
    return presses.incoming(known, presses.Arrival(event, received))


def _digest(body: Payload) -> str:
    """A name for an interaction that opens nothing and so has no trigger."""
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


class _Told:
    """One event of a message: written, changed or deleted."""

    def __init__(self, told: Callback, received: datetime, bot_user: str) -> None:
        self._told = told
        self._event = told.event
        self._received = received
        self._bot_user = bot_user

    def incoming(self) -> Incoming | None:
        """The event as somebody's question, edit or deletion."""
        event = self._event
        if event.type == "app_mention":
            return None if event.edited else self._asked()
        match event.subtype:
            case "message_changed":
                return self._changed()
            case "message_deleted":
                return self._deleted()
            case subtype:
                return self._asked() if subtype in _WRITTEN else None

    def _asked(self) -> Incoming | None:
        made = self._about(Action.ASK, self._event)
        if made is None or not (made.addressed or made.text):
            return None
        told, place = self._told, made.place
        subject = f"slack:{told.team_id}:{place.channel}:{place.message}"
        return made.model_copy(update={"subject": subject, "about": None})

    def _changed(self) -> Incoming | None:
        message, before = self._event.message, self._event.previous_message
        if message is None:
            return None
        if message.subtype == "tombstone":  # deleted, but for its replies
            return self._deleted()
        edited = message.text != before.text if before else message.edited
        if not edited or message.subtype not in _WRITTEN:
            return None  # a preview was added, or the first reply
        return self._about(Action.EDITED, message, before)

    def _deleted(self) -> Incoming | None:
        before = self._event.previous_message
        return self._about(Action.DELETED, before) if before else None

    def _about(
        self, action: Action, message: Message, before: Message | None = None
    ) -> Incoming | None:
        """A message of a person that may be for us, now or `before`; else None."""
        channel, ts, person = self._event.channel, message.ts, message.user
        if message.by_bot(self._bot_user) or ts is None or person is None:
            return None
        thread = None if message.thread_ts == ts else message.thread_ts
        private = direct(channel)
        said = (message.text or "", (before and before.text) or "")
        addressed = private or any(mentions(text, self._bot_user) for text in said)
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
            about=ts,
            addressed=addressed,
            received=self._received,
        )
