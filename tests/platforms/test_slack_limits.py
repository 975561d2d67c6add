"""Slack's limits one by one, at the last value that is taken and the first that is not.

The reach of a message (pings and links) is tested in the same way: each form that
disturbs or leads somewhere is found, and the quiet form beside it is not.
"""

from collections.abc import Callable
from typing import Any

import pytest
from slack_sdk.models import blocks as sdk
from slack_sdk.models.views import View

from tests.platforms.slack_limits import (
    BLOCKS_TOTAL,
    DIVIDER,
    check_blocks,
    check_message,
    check_view,
)

Json = dict[str, Any]


def plain(text: str = "a") -> Json:
    return {"type": "plain_text", "text": text}


def mrkdwn(text: str = "a", **more: Any) -> Json:
    return {"type": "mrkdwn", "text": text, **more}


def section(text: str = "a", **more: Any) -> Json:
    return {"type": "section", "text": mrkdwn(text), **more}


def button(number: int = 0, **more: Any) -> Json:
    return {"type": "button", "text": plain(), "action_id": f"a{number}", **more}


def actions(*elements: Json) -> Json:
    return {"type": "actions", "elements": list(elements)}


def option(number: int = 0, **more: Any) -> Json:
    return {"text": plain(), "value": f"v{number}", **more}


def radio(**more: Any) -> Json:
    return {"type": "radio_buttons", "options": [option()], **more}


def rich(*elements: Json) -> Json:
    return {"type": "rich_text", "elements": list(elements)}


def line(*elements: Json) -> Json:
    return {"type": "rich_text_section", "elements": list(elements)}


def run(text: str = "a", **more: Any) -> Json:
    return {"type": "text", "text": text, **more}


def item_list(**more: Any) -> Json:
    return {
        "type": "rich_text_list",
        "style": "bullet",
        "elements": [line(run())],
        **more,
    }


def feedback(**more: Any) -> Json:
    side = {"text": plain(), "value": "up"}
    return {
        "type": "context_actions",
        "elements": [
            {
                "type": "feedback_buttons",
                "positive_button": side | more,
                "negative_button": side,
            }
        ],
    }


def entry(**more: Any) -> Json:
    element = {"type": "plain_text_input", **more}
    return {"type": "input", "label": plain(), "element": element}


def confirm(**more: Any) -> Json:
    asked = {"title": plain(), "text": mrkdwn(), "confirm": plain(), "deny": plain()}
    return actions(button(confirm=asked | more))


def message(*blocks: Json, **more: Any) -> Json:
    return {"channel": "C1", "text": "fallback", "blocks": list(blocks), **more}


def modal(*blocks: Json, **more: Any) -> Json:
    shown = list(blocks or [section()])
    return {
        "type": "modal",
        "title": plain(),
        "submit": plain(),
        "blocks": shown,
    } | more


BLOCK_LIMITS: dict[str, tuple[Callable[[int], Json], int]] = {
    "section text": (lambda n: section("x" * n), 3_000),
    "section fields": (lambda n: {"type": "section", "fields": [mrkdwn()] * n}, 10),
    "field text": (lambda n: section(fields=[mrkdwn("x" * n)]), 2_000),
    "header": (lambda n: {"type": "header", "text": plain("x" * n)}, 150),
    "context elements": (lambda n: {"type": "context", "elements": [mrkdwn()] * n}, 10),
    "context text": (
        lambda n: {"type": "context", "elements": [plain("x" * n)]},
        3_000,
    ),
    "actions elements": (lambda n: actions(*map(button, range(n))), 25),
    "button text": (lambda n: actions(button(text=plain("x" * n))), 75),
    "button value": (lambda n: actions(button(value="x" * n)), 2_000),
    "button url": (lambda n: actions(button(url="https://a/".ljust(n, "x"))), 3_000),
    "button label": (lambda n: actions(button(accessibility_label="x" * n)), 75),
    "action id": (lambda n: actions(button(action_id="x" * n)), 255),
    "block id": (lambda n: section(block_id="x" * n), 255),
    "option text": (
        lambda n: actions(radio(options=[option(text=plain("x" * n))])),
        75,
    ),
    "option value": (lambda n: actions(radio(options=[option(value="x" * n)])), 150),
    "option description": (
        lambda n: actions(radio(options=[option(description=plain("x" * n))])),
        75,
    ),
    "placeholder": (lambda n: entry(placeholder=plain("x" * n)), 150),
    "radio buttons": (
        lambda n: actions(
            {"type": "radio_buttons", "options": [*map(option, range(n))]}
        ),
        10,
    ),
    "confirm title": (lambda n: confirm(title=plain("x" * n)), 100),
    "confirm text": (lambda n: confirm(text=mrkdwn("x" * n)), 300),
    "confirm button": (lambda n: confirm(confirm=plain("x" * n)), 30),
    "deny button": (lambda n: confirm(deny=plain("x" * n)), 30),
    "feedback text": (lambda n: feedback(text=plain("x" * n)), 75),
    "feedback value": (lambda n: feedback(value="x" * n), 2_000),
    "list indent": (lambda n: rich(item_list(indent=n)), 8),
    "rich link": (
        lambda n: rich(line({"type": "link", "url": "https://a/".ljust(n, "x")})),
        3_000,
    ),
    "markdown": (lambda n: {"type": "markdown", "text": "x" * n}, 12_000),
    "input label": (lambda n: entry() | {"label": plain("x" * n)}, 2_000),
    "input hint": (lambda n: entry() | {"hint": plain("x" * n)}, 2_000),
    "input longest": (lambda n: entry(max_length=n), 3_000),
}


@pytest.mark.parametrize("name", BLOCK_LIMITS)
def test_a_block_at_its_limit_is_taken_and_one_more_is_not_R_C4(name: str) -> None:
    """Each documented limit of a block or element, on both sides."""
    build, limit = BLOCK_LIMITS[name]
    assert check_message(message(build(limit))) == []
    assert check_message(message(build(limit + 1)))


MESSAGE_LIMITS: dict[str, tuple[Callable[[int], Json], int]] = {
    "blocks": (lambda n: message(*[section()] * n), 50),
    "text alone": (lambda n: {"channel": "C1", "text": "x" * n}, 4_000),
    "text over blocks": (lambda n: message(section(), text="x" * n), 40_000),
    "markdown text": (lambda n: {"channel": "C1", "markdown_text": "x" * n}, 12_000),
    "markdown in all": (
        lambda n: message(
            {"type": "markdown", "text": "x" * 6_000},
            {"type": "markdown", "text": "x" * (n - 6_000)},
        ),
        12_000,
    ),
    "characters in all": (
        lambda n: message(
            *[section("x" * 3_000)] * 4, section("x" * (n - 12_000 - DIVIDER)),
            {"type": "divider"},
        ),
        BLOCKS_TOTAL,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MESSAGE_LIMITS)
def test_a_message_at_its_limit_is_taken_and_one_more_is_not_R_C4(name: str) -> None:
    """Each limit of a message as a whole, on both sides."""
    build, limit = MESSAGE_LIMITS[name]
    assert check_message(build(limit)) == []
    assert check_message(build(limit + 1))


VIEW_LIMITS: dict[str, tuple[Callable[[int], Json], int]] = {
    "title": (lambda n: modal(title=plain("x" * n)), 24),
    "submit": (lambda n: modal(submit=plain("x" * n)), 24),
    "close": (lambda n: modal(close=plain("x" * n)), 24),
    "blocks": (lambda n: modal(*[section()] * n), 100),
    "home blocks": (lambda n: {"type": "home", "blocks": [section()] * n}, 100),
    "callback id": (lambda n: modal(callback_id="x" * n), 255),
    "metadata": (lambda n: modal(private_metadata="x" * n), 3_000),
}


@pytest.mark.parametrize("name", VIEW_LIMITS)
def test_a_view_at_its_limit_is_taken_and_one_more_is_not(name: str) -> None:
    """Each limit of a modal and of an App Home, on both sides."""
    build, limit = VIEW_LIMITS[name]
    assert check_view(build(limit)) == []
    assert check_view(build(limit + 1))


# The figures that Slack's own library knows.
SDK = {
    "section text": sdk.SectionBlock.text_max_length,
    "section fields": sdk.SectionBlock.fields_max_length,
    "header": sdk.HeaderBlock.text_max_length,
    "context elements": sdk.ContextBlock.elements_max_length,
    "actions elements": sdk.ActionsBlock.elements_max_length,
    "input label": sdk.InputBlock.label_max_length,
    "input hint": sdk.InputBlock.hint_max_length,
    "block id": sdk.Block.block_id_max_length,
    "button text": sdk.ButtonElement.text_max_length,
    "button value": sdk.ButtonElement.value_max_length,
    "button url": sdk.ButtonElement.url_max_length,
    "action id": sdk.ButtonElement.action_id_max_length,
    "placeholder": sdk.PlainTextInputElement.placeholder_max_length,
    "option text": sdk.Option.label_max_length,
    "option value": sdk.Option.value_max_length,
    "confirm title": sdk.ConfirmObject.title_max_length,
    "confirm text": sdk.ConfirmObject.text_max_length,
    "confirm button": sdk.ConfirmObject.confirm_max_length,
    "deny button": sdk.ConfirmObject.deny_max_length,
    "feedback text": sdk.FeedbackButtonObject.text_max_length,
    "feedback value": sdk.FeedbackButtonObject.value_max_length,
}
SDK_VIEW = {
    "title": View.title_max_length,
    "submit": View.submit_max_length,
    "close": View.close_max_length,
    "blocks": View.blocks_max_length,
    "callback id": View.callback_id_max_length,
    "metadata": View.private_metadata_max_length,
}


def test_the_table_says_what_slacks_own_library_says_R_C4() -> None:
    """Where both know a figure it is the same: the table was copied by hand."""
    assert {name: BLOCK_LIMITS[name][1] for name in SDK} == SDK
    assert {name: VIEW_LIMITS[name][1] for name in SDK_VIEW} == SDK_VIEW


TAKEN = [
    {"type": "divider"},
    actions(button(), radio()),
    rich(line(run(style={"bold": True}), {"type": "link", "url": "https://a"})),
    rich({"type": "rich_text_quote", "elements": [run()]}),
    rich({"type": "rich_text_preformatted", "elements": [run()], "border": 1}),
    rich(item_list(style="ordered", offset=2)),
    entry(multiline=True),
    {"type": "input", "label": plain(), "element": radio()},
]


@pytest.mark.parametrize("block", TAKEN, ids=lambda b: str(b)[:60])
def test_every_block_we_use_is_taken_on_both_surfaces(block: Json) -> None:
    """One of each shape passes in a message and in a view."""
    assert check_blocks([block], "message") == []
    assert check_blocks([block], "view") == []


REFUSED = [
    {"type": "image", "image_url": "https://a", "alt_text": "a"},
    {"type": "context", "elements": [{"type": "image", "image_url": "https://a"}]},
    {"type": "carousel", "elements": []},
    {"text": mrkdwn()},
    section(""),
    section(colour="red"),
    {"type": "section"},
    {"type": "section", "text": None},
    {"type": "section", "text": "a"},
    {"type": "section", "text": {"type": "markdown", "text": "a"}},
    {"type": "header", "text": mrkdwn()},
    {"type": "context", "elements": []},
    actions(),
    actions(button(text=mrkdwn())),
    actions(button(url="javascript:alert(1)")),
    actions(button(style="default")),
    actions(button(1), button(1)),
    actions({"type": "radio_buttons"}),
    actions({"type": "static_select", "options": [option()]}),
    actions({"type": "overflow", "options": [option()]}),
    actions(radio(initial_option=option(7))),
    actions({"type": "plain_text_input"}),
    confirm(title=mrkdwn()),
    rich(),
    rich(run()),
    rich(line(run(""))),
    rich(line(run(style={"blink": True}))),
    rich(item_list(style="dash")),
    rich(item_list(elements=[run()])),
    rich({"type": "rich_text_preformatted", "elements": [{"type": "user"}]}),
    {"type": "input", "label": mrkdwn(), "element": {"type": "plain_text_input"}},
]


@pytest.mark.parametrize("block", REFUSED, ids=lambda b: str(b)[:60])
def test_a_malformed_block_is_refused(block: Json) -> None:
    """Unknown types, unknown and missing fields, wrong kinds of text, repeated ids."""
    assert check_blocks([block], "message")


@pytest.mark.parametrize("block", [feedback(), {"type": "markdown", "text": "a"}])
def test_some_blocks_stand_in_messages_only(block: Json) -> None:
    """A view refuses what a message takes."""
    assert check_blocks([block], "message") == []
    assert check_blocks([block], "view")


def test_a_problem_names_its_place() -> None:
    """The path leads to the field."""
    (problem,) = check_message(message(section(), section("x" * 3_001)))
    assert problem.startswith("blocks.1.text.text: ")


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"text": ""},
        {"text": "a", "markdown_text": "b"},
        {"text": "a", "attachments": [{"text": "b"}]},
        {"text": "a", "colour": "red"},
        {"text": "a", "blocks": {"type": "section"}},
        {"text": "a", "metadata": {"event_type": "a b", "event_payload": {}}},
        {"text": "a", "metadata": {"event_type": "a"}},
        {"text": {1}},
        message(section(block_id="b"), section(block_id="b")),
        message(section(), text=""),
    ],
)
def test_a_message_that_slack_would_refuse_or_show_badly(payload: Json) -> None:
    """No text, two texts, unknown arguments, half metadata, repeated block ids."""
    assert check_message(payload)


@pytest.mark.parametrize(
    "view",
    [
        {"type": "modal", "blocks": []},
        {"type": "home", "blocks": [], "title": plain()},
        {"type": "tab", "blocks": []},
        modal(title=mrkdwn()),
        {"type": "modal", "title": plain(), "blocks": [entry()]},
        modal(*[section("x" * 3_000)] * 90),
    ],
)
def test_a_view_that_slack_would_refuse(view: Json) -> None:
    """No title, a title where none belongs, input without submit, 250 kB."""
    assert check_view(view)
