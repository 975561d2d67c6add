"""Payloads as the loopback Slack sends them, without a connection."""

from datetime import UTC, datetime

from adapters.mail import Incoming
from adapters.slack.inbound import read_incoming
from tests.loopback.slack import SlackServer
from tests.loopback.slack_delivery import Delivery, Kind
from tests.loopback.slack_people import People
from tests.loopback.slack_state import Json, Message

RECEIVED = datetime(2026, 11, 22, 9, 0, tzinfo=UTC)
BOT = "UBOT1"


class Recorder:
    """A courier that keeps what it should carry."""

    def __init__(self, slack: SlackServer) -> None:
        self._slack = slack

    def send(self, kind: Kind, payload: Json) -> Delivery:
        return Delivery(kind, payload, self._slack.workspace.changes)


class Room:
    """Workspace T1 with channel C1, people U1 and U2, and our bot."""

    def __init__(self) -> None:
        self.slack = SlackServer()
        self.workspace = self.slack.workspace
        self.people: People = self.slack.people
        self.people.courier = Recorder(self.slack)  # type: ignore[assignment]

    def said(self, user: str, text: str, channel: str = "C1", **more: str) -> Message:
        """Somebody writes; a message of ours is marked as the bot's."""
        message = self.workspace.said(user, channel, text, **more)
        if user == BOT:
            message.bot = "B1"
        return message


def heard(delivery: Delivery) -> Incoming | None:
    """What we make of it."""
    return read_incoming(delivery.payload, RECEIVED, BOT)
