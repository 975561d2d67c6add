"""The fields that we read of what Slack sends; everything else in it is ignored.

The shapes are those of docs.slack.dev/reference/events and
/reference/interaction-payloads.
"""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from adapters.mail import File, Payload, read_number
from adapters.slack.names import FEEDBACK
from engine.model.frozen import Frozen

Id = Annotated[str, Field(min_length=1, max_length=255)]
Address = Annotated[str, Field(max_length=1_000)]


class Shape(BaseModel):
    """An object of Slack's: these fields as documented, others as they like."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class Named(Shape):
    id: Id


# --- events -----------------------------------------------------------------------


class Attachment(Shape):
    """A part below a message; a forwarded message where `is_share` says so."""

    is_share: bool | None = None
    text: str | None = None


class Shared(Shape):
    """A file that Slack keeps."""

    name: Annotated[str, Field(max_length=500)]
    size: int
    url_private: Address


class Message(Shape):
    user: Id | None = None
    bot_id: Id | None = None
    subtype: str | None = None
    text: str | None = None
    ts: Id | None = None
    thread_ts: Id | None = None
    edited: dict[str, JsonValue] | None = None
    files: list[JsonValue] | None = None
    attachments: list[Attachment] | None = None

    @property
    def forwarded(self) -> str:
        """The text of the messages that it forwards."""
        shared = (a.text for a in self.attachments or () if a.is_share)
        return "\n".join(filter(None, shared))

    @property
    def attached(self) -> tuple[File, ...]:
        """The files that Slack keeps; what it only links to has another shape."""
        return tuple(filter(None, map(_read_file, self.files or ())))

    def is_by_bot(self, bot_user: str) -> bool:
        """Tell whether a bot wrote it, or the author is not named."""
        return bool(self.bot_id) or self.user in (None, bot_user)


def _read_file(node: JsonValue) -> File | None:
    try:
        shared = Shared.model_validate(node)
    except ValidationError:
        return None
    return File(name=shared.name, size=shared.size, url=shared.url_private)


class Event(Message):
    type: Literal["app_mention", "message"]
    channel: Id
    message: Message | None = None
    previous_message: Message | None = None


class Stop(Shape):
    """Somebody pressed the stop button of an agent's session."""

    type: Literal["agent_session_stopped"]
    channel: Id
    thread_ts: Id
    user: Id


class Callback(Shape):
    """The outer form of an event."""

    type: Literal["event_callback"]
    team_id: Id
    event_id: Id
    event: Event | Stop


# --- commands and interactions ----------------------------------------------------


class Command(Shape):
    command: str
    text: str = ""
    team_id: Id
    channel_id: Id
    user_id: Id
    trigger_id: Id | None = None
    response_url: Address | None = None


class Interaction(Shape):
    """The fields of every press, shortcut and submission."""

    team: Named | None = None
    enterprise: Named | None = None
    user: Named
    trigger_id: Id | None = None

    @property
    def tenant(self) -> str | None:
        """The workspace, or the organisation where the app is installed there."""
        where = self.team or self.enterprise
        return where.id if where else None


class Container(Shape):
    message_ts: Id | None = None
    thread_ts: Id | None = None
    is_ephemeral: bool = False


class Option(Shape):
    value: str


class Pressed(Shape):
    action_id: str
    value: Annotated[str, Field(max_length=3_000)] | None = None


class Press(Interaction):
    """A button; `channel` is absent in the App Home."""

    type: Literal["block_actions"]
    channel: Named | None = None
    container: Container
    message: Message | None = None
    response_url: Address | None = None
    actions: Annotated[list[Pressed], Field(min_length=1)]

    @property
    def thread(self) -> str | None:
        """The thread of the message with the button."""
        inside = self.message.thread_ts if self.message else None
        return self.container.thread_ts or inside

    @property
    def asked(self) -> str:
        """The name of the button's action."""
        button = self.actions[0]
        if button.action_id == FEEDBACK:
            return (button.value or "").partition(":")[0]
        return read_number(button.action_id)[0]

    @property
    def choice(self) -> int | None:
        """The number of the button's choice."""
        return read_number(self.actions[0].action_id)[1]

    @property
    def audit_id(self) -> str | None:
        """The outcome that the button belongs to."""
        value = self.actions[0].value or ""
        if self.actions[0].action_id == FEEDBACK:
            value = value.partition(":")[2]
        return value or None


class Shortcut(Interaction):
    """A shortcut in the menu of a message."""

    type: Literal["message_action"]
    callback_id: str
    channel: Named
    message: Message
    response_url: Address | None = None


class Entered(Shape):
    value: Annotated[str, Field(max_length=3_000)] | None = None
    selected_option: Option | None = None

    @property
    def said(self) -> str:
        """What was written or chosen; empty when nothing was."""
        chosen = self.selected_option.value if self.selected_option else None
        return self.value or chosen or ""


class State(Shape):
    values: dict[str, dict[str, Entered]]


class View(Shape):
    callback_id: str
    private_metadata: str
    state: State

    def read_input(self, action_id: str) -> str:
        """Return the content of the input with this action id;

        empty when there is none.
        """
        for block in self.state.values.values():
            if action_id in block:
                return block[action_id].said
        return ""


class Submission(Interaction):
    """A modal that was sent off."""

    type: Literal["view_submission"]
    view: View


Read = Callback | Command | Press | Shortcut | Submission

_TYPES: dict[str, type[Read]] = {
    "event_callback": Callback,
    "block_actions": Press,
    "message_action": Shortcut,
    "view_submission": Submission,
}


def read(body: Payload) -> Read | None:
    """Parse a body; None for kinds and shapes that are none of ours."""
    shape = Command if "command" in body else _TYPES.get(str(body.get("type")))
    if shape is None:
        return None
    try:
        return shape.model_validate(body)
    except ValidationError:
        return None


def is_readable(body: Payload) -> bool:
    """Tell whether it has the outer shape that bolt expects, whatever it is."""
    event, actions = body.get("event", {}), body.get("actions", [{}])
    of_view = str(body.get("type")).startswith("view_")
    return (
        isinstance(event, dict)
        and (isinstance(body.get("view"), dict) or not of_view)
        and isinstance(actions, list)
        and bool(actions)
        and all(isinstance(action, dict) for action in actions)
    )


# --- what a modal remembers -------------------------------------------------------


class Kept(Frozen):
    """Where a modal came from, kept in its `private_metadata` until it is sent off.

    `root` is the message that a public answer to a selection is below; `thread` that of
    the message; `alone` whether only the person sees it; `reply` the response URL of
    what was pressed, good until `reply_by`.
    """

    channel: Id
    message: str
    alone: bool = False
    thread: str | None = None
    root: str | None = None
    audit_id: str | None = None
    reply: str | None = None
    reply_by: datetime | None = None
