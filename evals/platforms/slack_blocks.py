"""Block Kit's blocks, messages and views, as Slack documents them.

What stands where was read in docs.slack.dev/reference in 2026-11. Two blocks exist in
messages only: `markdown` and `context_actions`.
"""

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from evals.platforms.slack_elements import (
    FeedbackButtons,
    Id,
    InActions,
    InInput,
    InSection,
    Plain24,
    Plain150,
    Plain2000,
    Shape,
    Text,
    Text2000,
    refused,
)

# --- rich text --------------------------------------------------------------------


class TextStyle(Shape):
    bold: bool = False
    italic: bool = False
    strike: bool = False
    code: bool = False
    underline: bool = False


class Run(Shape):
    """What every piece of a line of rich text has."""

    style: TextStyle | None = None


class TextRun(Run):
    type: Literal["text"]
    text: str = Field(min_length=1)


class LinkRun(Run):
    type: Literal["link"]
    url: str = Field(min_length=1, max_length=3000)
    text: str = ""
    unsafe: bool = False


class EmojiRun(Run):
    type: Literal["emoji"]
    name: str = Field(min_length=1)
    unicode: str = ""
    skin_tone: int = 1


class UserRun(Run):
    type: Literal["user"]
    user_id: Id


class UsergroupRun(Run):
    type: Literal["usergroup"]
    usergroup_id: Id


class ChannelRun(Run):
    type: Literal["channel"]
    channel_id: Id


class BroadcastRun(Run):
    type: Literal["broadcast"]
    range: Literal["here", "channel", "everyone"]


class DateRun(Run):
    type: Literal["date"]
    timestamp: int
    format: str = Field(min_length=1)
    url: str = ""
    fallback: str = ""


InLine = Annotated[
    TextRun
    | LinkRun
    | EmojiRun
    | UserRun
    | UsergroupRun
    | ChannelRun
    | BroadcastRun
    | DateRun,
    Field(discriminator="type"),
]
InCode = Annotated[TextRun | LinkRun, Field(discriminator="type")]


class RichSection(Shape):
    type: Literal["rich_text_section"]
    elements: list[InLine] = Field(min_length=1)


class RichQuote(Shape):
    type: Literal["rich_text_quote"]
    elements: list[InLine] = Field(min_length=1)
    border: Literal[0, 1] = 0


class RichPreformatted(Shape):
    type: Literal["rich_text_preformatted"]
    elements: list[InCode] = Field(min_length=1)
    border: Literal[0, 1] = 0
    language: str = ""


class RichList(Shape):
    type: Literal["rich_text_list"]
    style: Literal["bullet", "ordered"]
    elements: list[RichSection] = Field(min_length=1)
    indent: int = Field(default=0, ge=0, le=8)
    offset: int = Field(default=0, ge=0)
    border: Literal[0, 1] = 0


InRichText = Annotated[
    RichSection | RichQuote | RichPreformatted | RichList, Field(discriminator="type")
]


# --- blocks -----------------------------------------------------------------------


class Block(Shape):
    """What every block has."""

    block_id: Id = ""


class Section(Block):
    type: Literal["section"]
    text: Text | None = None
    fields: list[Text2000] = Field(default=[], max_length=10)
    accessory: InSection | None = None
    expand: bool = False

    @model_validator(mode="after")
    def _says_something(self) -> "Section":
        if self.text is None and not self.fields:
            raise refused("either text or fields must say something")
        return self


class Header(Block):
    type: Literal["header"]
    text: Plain150


class Divider(Block):
    type: Literal["divider"]


class Context(Block):
    type: Literal["context"]
    elements: list[Text] = Field(min_length=1, max_length=10)


class Actions(Block):
    type: Literal["actions"]
    elements: list[InActions] = Field(min_length=1, max_length=25)


class ContextActions(Block):
    type: Literal["context_actions"]
    elements: list[FeedbackButtons] = Field(min_length=1, max_length=5)


class RichText(Block):
    type: Literal["rich_text"]
    elements: list[InRichText] = Field(min_length=1)


class Markdown(Block):
    type: Literal["markdown"]
    text: str = Field(min_length=1, max_length=12_000)


class Input(Block):
    type: Literal["input"]
    label: Plain2000
    element: InInput
    hint: Plain2000 | None = None
    optional: bool = False
    dispatch_action: bool = False


_Anywhere = Section | Header | Divider | Context | Actions | RichText | Input
InMessage = Annotated[
    _Anywhere | ContextActions | Markdown, Field(discriminator="type")
]
InView = Annotated[_Anywhere, Field(discriminator="type")]


class MessageBlocks(Shape):
    blocks: list[InMessage] = Field(max_length=50)


class ViewBlocks(Shape):
    blocks: list[InView] = Field(max_length=100)


# --- messages and views -----------------------------------------------------------


class Metadata(Shape):
    """What a message carries for programs; bots and members can read it."""

    event_type: str = Field(min_length=1, max_length=255, pattern=r"^\w+$")
    event_payload: dict[str, Any]


class NoMetadata(Shape):
    """An empty object, with which an edit takes the metadata away."""


class Message(MessageBlocks):
    """The arguments of every call that puts a message in front of somebody."""

    blocks: list[InMessage] = Field(default=[], max_length=50)
    text: str = Field(default="", max_length=40_000)
    markdown_text: str = Field(default="", max_length=12_000)
    metadata: Metadata | NoMetadata | None = None
    channel: Id = ""
    user: Id = ""
    ts: Id = ""
    thread_ts: Id = ""
    reply_broadcast: bool = False
    unfurl_links: bool = True
    unfurl_media: bool = True
    link_names: bool = False
    mrkdwn: bool = True
    parse: Literal["none", "full"] = "none"
    client_msg_id: Id = ""
    response_type: Literal["ephemeral", "in_channel"] = "ephemeral"
    replace_original: bool = False
    delete_original: bool = False

    @model_validator(mode="after")
    def _says_one_thing(self) -> "Message":
        if self.markdown_text and (self.text or self.blocks):
            raise refused("markdown_text stands alone, without text and blocks")
        if not (self.text or self.blocks or self.markdown_text or self.delete_original):
            raise refused("no text: neither text nor blocks nor markdown_text")
        return self


class View(ViewBlocks):
    callback_id: Id = ""
    external_id: Id = ""
    private_metadata: str = Field(default="", max_length=3000)


class Home(View):
    type: Literal["home"]


class Modal(View):
    type: Literal["modal"]
    title: Plain24
    submit: Plain24 | None = None
    close: Plain24 | None = None
    clear_on_close: bool = False
    notify_on_close: bool = False
    submit_disabled: bool = False

    @model_validator(mode="after")
    def _can_be_submitted(self) -> "Modal":
        if self.submit is None and any(isinstance(b, Input) for b in self.blocks):
            raise refused("submit is missing: the view has an input block")
        return self


AnyView = Annotated[Home | Modal, Field(discriminator="type")]
