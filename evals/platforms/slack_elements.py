"""Block Kit's texts and interactive elements, as Slack documents them.

Each model is one page of the reference (docs.slack.dev/reference/block-kit, read in
2026-11); a limit stands beside its field. A type that the bot has no use for is not
modelled and therefore refused, images first of all: they would be fetched from outside.
"""

from collections.abc import Callable
from itertools import chain
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

Id = Annotated[str, Field(min_length=1, max_length=255)]
Url = Annotated[str, Field(max_length=3000, pattern=r"(?i)^(https?://|mailto:).")]
Value = Annotated[str, Field(max_length=2000)]
Style = Literal["primary", "danger"]


def refused(problem: str) -> PydanticCustomError:
    """The error of a rule that stands in words."""
    return PydanticCustomError("slack", "{problem}", {"problem": problem})


class Shape(BaseModel):
    """An object with these fields and no others; a field may be left out, not null."""

    model_config = ConfigDict(extra="forbid", strict=True)

    @model_validator(mode="before")
    @classmethod
    def _no_nulls(cls, data: Any) -> Any:
        if isinstance(data, dict):
            nulls = [str(name) for name, value in data.items() if value is None]
            if nulls:
                raise refused(f"null in {', '.join(nulls)}: leave the field out")
        return data


# --- text -------------------------------------------------------------------------


class Plain(Shape):
    type: Literal["plain_text"]
    text: str = Field(min_length=1, max_length=3000)
    emoji: bool = True


class Mrkdwn(Shape):
    type: Literal["mrkdwn"]
    text: str = Field(min_length=1, max_length=3000)
    verbatim: bool = False


Text = Annotated[Plain | Mrkdwn, Field(discriminator="type")]


def _at_most(limit: int) -> Callable[[Any], Any]:
    def check(value: Plain | Mrkdwn) -> Plain | Mrkdwn:
        if len(value.text) > limit:
            raise refused(f"text has {len(value.text)} characters, at most {limit}")
        return value

    return check


Plain24 = Annotated[Plain, AfterValidator(_at_most(24))]
Plain30 = Annotated[Plain, AfterValidator(_at_most(30))]
Plain75 = Annotated[Plain, AfterValidator(_at_most(75))]
Plain100 = Annotated[Plain, AfterValidator(_at_most(100))]
Plain150 = Annotated[Plain, AfterValidator(_at_most(150))]
Plain2000 = Annotated[Plain, AfterValidator(_at_most(2000))]
Text75 = Annotated[Text, AfterValidator(_at_most(75))]
Text300 = Annotated[Text, AfterValidator(_at_most(300))]
Text2000 = Annotated[Text, AfterValidator(_at_most(2000))]


class Confirm(Shape):
    """The dialog that asks before an action."""

    title: Plain100
    text: Text300
    confirm: Plain30
    deny: Plain30
    style: Style = "primary"


# --- what is pressed --------------------------------------------------------------


class Element(Shape):
    """What every interactive element has."""

    action_id: Id = ""


class Confirmed(Element):
    """What every element has that may ask before it acts."""

    confirm: Confirm | None = None


class Button(Confirmed):
    type: Literal["button"]
    text: Plain75
    value: Value = ""
    url: Url = ""
    style: Style = "primary"
    accessibility_label: str = Field(default="", max_length=75)


class FeedbackButton(Shape):
    text: Plain75
    value: Value
    accessibility_label: str = Field(default="", max_length=75)


class FeedbackButtons(Element):
    type: Literal["feedback_buttons"]
    positive_button: FeedbackButton
    negative_button: FeedbackButton


class Option(Shape):
    text: Plain75
    value: str = Field(min_length=1, max_length=150)
    description: Plain75 | None = None


class LinkOption(Option):
    """An option of an overflow menu, which alone may lead somewhere."""

    url: Url = ""


class MarkedOption(Shape):
    """An option of check boxes and radio buttons, which alone may be formatted."""

    text: Text75
    value: str = Field(min_length=1, max_length=150)
    description: Text75 | None = None


class Overflow(Confirmed):
    type: Literal["overflow"]
    options: list[LinkOption] = Field(min_length=1, max_length=5)


# --- what is chosen ---------------------------------------------------------------


class Group(Shape):
    label: Plain75
    options: list[Option] = Field(min_length=1, max_length=100)


class Menu(Confirmed):
    """What every select menu has."""

    placeholder: Plain150 | None = None
    focus_on_load: bool = False


class StaticSelect(Menu):
    type: Literal["static_select"]
    options: list[Option] = Field(default=[], max_length=100)
    option_groups: list[Group] = Field(default=[], max_length=100)
    initial_option: Option | None = None

    @model_validator(mode="after")
    def _offers_what_it_begins_with(self) -> "StaticSelect":
        if bool(self.options) == bool(self.option_groups):
            raise refused("either options or option_groups, one of them not empty")
        grouped = chain.from_iterable(group.options for group in self.option_groups)
        first = self.initial_option
        if first is not None and first not in [*self.options, *grouped]:
            raise refused("initial_option is none of the options")
        return self


class Filter(Shape):
    """Which conversations a menu lists."""

    include: list[Literal["im", "mpim", "private", "public"]] = Field(
        default=["public"], min_length=1
    )
    exclude_external_shared_channels: bool = False
    exclude_bot_users: bool = False


class ConversationsSelect(Menu):
    type: Literal["conversations_select"]
    initial_conversation: Id = ""
    default_to_current_conversation: bool = False
    response_url_enabled: bool = False
    filter: Filter | None = None


class ChannelsSelect(Menu):
    type: Literal["channels_select"]
    initial_channel: Id = ""
    response_url_enabled: bool = False


class UsersSelect(Menu):
    type: Literal["users_select"]
    initial_user: Id = ""


class MultiUsersSelect(Menu):
    type: Literal["multi_users_select"]
    initial_users: list[Id] = []
    max_selected_items: int = Field(default=1, ge=1)


class RadioButtons(Confirmed):
    type: Literal["radio_buttons"]
    options: list[MarkedOption] = Field(min_length=1, max_length=10)
    initial_option: MarkedOption | None = None
    focus_on_load: bool = False


class Checkboxes(Confirmed):
    type: Literal["checkboxes"]
    options: list[MarkedOption] = Field(min_length=1, max_length=10)
    initial_options: list[MarkedOption] = []
    focus_on_load: bool = False


# --- what is written --------------------------------------------------------------


class Dispatch(Shape):
    """When a text field tells of itself."""

    trigger_actions_on: list[Literal["on_enter_pressed", "on_character_entered"]] = (
        Field(min_length=1)
    )


class PlainTextInput(Element):
    type: Literal["plain_text_input"]
    initial_value: str = Field(default="", max_length=3000)
    multiline: bool = False
    min_length: int = Field(default=0, ge=0, le=3000)
    max_length: int = Field(default=3000, ge=1, le=3000)
    dispatch_action_config: Dispatch | None = None
    focus_on_load: bool = False
    placeholder: Plain150 | None = None


# --- where each may stand ---------------------------------------------------------

_Single = (
    StaticSelect
    | ConversationsSelect
    | ChannelsSelect
    | UsersSelect
    | RadioButtons
    | Checkboxes
)
InActions = Annotated[Button | Overflow | _Single, Field(discriminator="type")]
InSection = Annotated[
    Button | Overflow | MultiUsersSelect | _Single, Field(discriminator="type")
]
InInput = Annotated[
    PlainTextInput | MultiUsersSelect | _Single, Field(discriminator="type")
]
