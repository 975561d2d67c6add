"""What Discord accepts in a message and in a modal, field by field.

Limits as in Discord's API documentation (Message, Components, Interactions); a
character is a code point, as Discord's own servers count. Narrower than the platform
by policy, so that a reply can carry no foreign content: no files, no media, no embed
images, no polls, no stickers, no forwarding, no reading aloud.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

LONGEST_CONTENT = 2_000
LONGEST_NONCE = 25
LINK_STYLE = 5

Id = Annotated[int, Field(ge=0, lt=2**31)]
Colour = Annotated[int, Field(ge=0, le=0xFFFFFF)]
CustomId = Annotated[str, StringConstraints(min_length=1, max_length=100)]
Snowflake = (
    Annotated[str, StringConstraints(pattern=r"^\d{1,20}$")]
    | Annotated[int, Field(ge=0, lt=2**64)]
)
Url = Annotated[str, StringConstraints(pattern=r"^(https?|discord)://\S+$")]


class Shape(BaseModel):
    """Types as they are and no other fields."""

    model_config = ConfigDict(strict=True, extra="forbid")


class Emoji(Shape):
    """The picture on a button."""

    id: Snowflake | None = None
    name: Annotated[str, StringConstraints(max_length=32)] | None = None
    animated: bool = False


class Button(Shape):
    """Something to press: styles 1 to 4 by its custom id, style 5 by its url."""

    type: Literal[2]
    id: Id | None = None
    style: Literal[1, 2, 3, 4, 5]
    label: Annotated[str, StringConstraints(min_length=1, max_length=80)] | None = None
    emoji: Emoji | None = None
    custom_id: CustomId | None = None
    url: Annotated[Url, StringConstraints(max_length=512)] | None = None
    disabled: bool = False

    @model_validator(mode="after")
    def _style_names_its_field(self) -> "Button":
        link = self.style == LINK_STYLE
        if link and (self.url is None or self.custom_id is not None):
            raise ValueError("a link button has a url and no custom_id")
        if not link and (self.custom_id is None or self.url is not None):
            raise ValueError("a button of style 1 to 4 has a custom_id and no url")
        if self.label is None and self.emoji is None:
            raise ValueError("a button has a label or an emoji")
        return self


Label100 = Annotated[str, StringConstraints(min_length=1, max_length=100)]


class SelectOption(Shape):
    """One of what a menu offers."""

    label: Label100
    value: Label100
    description: Label100 | None = None
    emoji: Emoji | None = None
    default: bool = False


class StringSelect(Shape):
    """A menu of texts."""

    type: Literal[3]
    id: Id | None = None
    custom_id: CustomId
    options: Annotated[list[SelectOption], Field(min_length=1, max_length=25)]
    placeholder: Annotated[str, StringConstraints(max_length=150)] | None = None
    min_values: Annotated[int, Field(ge=0, le=25)] = 1
    max_values: Annotated[int, Field(ge=1, le=25)] = 1
    disabled: bool = False

    @model_validator(mode="after")
    def _values_differ(self) -> "StringSelect":
        if len({option.value for option in self.options}) < len(self.options):
            raise ValueError("two options have the same value")
        return self


class ActionRow(Shape):
    """Buttons beside one another, or one menu."""

    type: Literal[1]
    id: Id | None = None
    components: Annotated[
        list[Annotated[Button | StringSelect, Field(discriminator="type")]],
        Field(min_length=1, max_length=5),
    ]

    @model_validator(mode="after")
    def _a_menu_stands_alone(self) -> "ActionRow":
        menus = [part for part in self.components if isinstance(part, StringSelect)]
        if menus and len(self.components) > 1:
            raise ValueError("a menu has a row of its own")
        return self


class TextDisplay(Shape):
    """Markdown text."""

    type: Literal[10]
    id: Id | None = None
    content: Annotated[str, StringConstraints(min_length=1, max_length=4_000)]


class Section(Shape):
    """Texts with a button beside them."""

    type: Literal[9]
    id: Id | None = None
    components: Annotated[list[TextDisplay], Field(min_length=1, max_length=3)]
    accessory: Button


class Separator(Shape):
    """Space, with or without a line."""

    type: Literal[14]
    id: Id | None = None
    divider: bool = True
    spacing: Literal[1, 2] = 1


Inner = Annotated[
    ActionRow | Section | TextDisplay | Separator, Field(discriminator="type")
]


class Container(Shape):
    """A box around other components."""

    type: Literal[17]
    id: Id | None = None
    accent_color: Colour | None = None
    spoiler: bool = False
    components: Annotated[list[Inner], Field(min_length=1, max_length=40)]


Outer = Annotated[
    ActionRow | Section | TextDisplay | Separator | Container,
    Field(discriminator="type"),
]
# The components of a message: classic, and with the flag IS_COMPONENTS_V2.
Rows = Annotated[list[ActionRow], Field(max_length=5)]
Layout = Annotated[list[Outer], Field(min_length=1, max_length=40)]


class Footer(Shape):
    """The last line of an embed."""

    text: Annotated[str, StringConstraints(min_length=1, max_length=2_048)]


class Author(Shape):
    """The first line of an embed."""

    name: Annotated[str, StringConstraints(min_length=1, max_length=256)]
    url: Url | None = None


class EmbedField(Shape):
    """A titled paragraph of an embed."""

    name: Annotated[str, StringConstraints(min_length=1, max_length=256)]
    value: Annotated[str, StringConstraints(min_length=1, max_length=1_024)]
    inline: bool = False


class Embed(Shape):
    """A card under the message; without pictures, which the platform would fetch."""

    type: Literal["rich"] = "rich"
    flags: Literal[0] = 0
    title: Annotated[str, StringConstraints(max_length=256)] | None = None
    description: Annotated[str, StringConstraints(max_length=4_096)] | None = None
    url: Url | None = None
    timestamp: str | None = None
    color: Colour | None = None
    footer: Footer | None = None
    author: Author | None = None
    fields: Annotated[list[EmbedField], Field(max_length=25)] = []


class AllowedMentions(Shape):
    """Whom the message may ping."""

    parse: list[Literal["users", "roles", "everyone"]] = []
    users: Annotated[list[Snowflake], Field(max_length=100)] | None = None
    roles: Annotated[list[Snowflake], Field(max_length=100)] | None = None
    replied_user: bool = False

    @model_validator(mode="after")
    def _named_or_parsed(self) -> "AllowedMentions":
        if ("users" in self.parse and self.users) or (
            "roles" in self.parse and self.roles
        ):
            raise ValueError("a kind of mention is either parsed or listed, not both")
        return self


class Reference(Shape):
    """The message that this one replies to."""

    type: Literal[0] = 0
    message_id: Snowflake
    channel_id: Snowflake | None = None
    guild_id: Snowflake | None = None
    fail_if_not_exists: bool = True


class Message(Shape):
    """What every call that carries a message may say; `components` are read apart."""

    content: Annotated[str, StringConstraints(max_length=LONGEST_CONTENT)] | None = None
    embeds: Annotated[list[Embed], Field(max_length=10)] | None = None
    components: list[object] | None = None
    allowed_mentions: AllowedMentions | None = None
    attachments: Annotated[list[object], Field(max_length=0)] = []
    flags: Annotated[int, Field(ge=0)] | None = None
    tts: Literal[False] = False


class CreatedMessage(Message):
    """A new message in a channel."""

    nonce: (
        Annotated[str, StringConstraints(max_length=LONGEST_NONCE)]
        | Annotated[int, Field(ge=-(2**63), lt=2**64)]
        | None
    ) = None
    enforce_nonce: bool = False
    message_reference: Reference | None = None


class Deferral(Shape):
    """An acknowledgement whose message comes later."""

    flags: Annotated[int, Field(ge=0)] | None = None


class Input(Shape):
    """A field to type into."""

    type: Literal[4]
    id: Id | None = None
    custom_id: CustomId
    style: Literal[1, 2]
    min_length: Annotated[int, Field(ge=0, le=4_000)] | None = None
    max_length: Annotated[int, Field(ge=1, le=4_000)] | None = None
    required: bool = True
    value: Annotated[str, StringConstraints(max_length=4_000)] | None = None
    placeholder: Annotated[str, StringConstraints(max_length=100)] | None = None

    @model_validator(mode="after")
    def _lengths_in_order(self) -> "Input":
        if (self.min_length or 0) > (self.max_length or 4_000):
            raise ValueError("min_length is above max_length")
        return self


class TextInput(Input):
    """Under a label component."""

    label: None = None


class LabelledInput(Input):
    """In an action row, with its own label."""

    label: Annotated[str, StringConstraints(min_length=1, max_length=45)]


class InputRow(Shape):
    """A row of a modal: one field."""

    type: Literal[1]
    id: Id | None = None
    components: Annotated[list[LabelledInput], Field(min_length=1, max_length=1)]


class Label(Shape):
    """A label with its field."""

    type: Literal[18]
    id: Id | None = None
    label: Annotated[str, StringConstraints(min_length=1, max_length=45)]
    description: Annotated[str, StringConstraints(max_length=100)] | None = None
    component: TextInput


class Modal(Shape):
    """A form that pops up."""

    custom_id: CustomId
    title: Annotated[str, StringConstraints(min_length=1, max_length=45)]
    components: Annotated[
        list[Annotated[InputRow | Label | TextDisplay, Field(discriminator="type")]],
        Field(min_length=1, max_length=5),
    ]
