"""The few pieces of Block Kit that we use; in none of them does Slack parse a text.

Texts are rich text or plain text, so a mention, a link or markup of a person, a model
or a document stays letters. A link is made only where one is asked for.
"""

from collections.abc import Mapping
from typing import Any

from adapters.layout import clipped
from engine.policy.links import address

Block = dict[str, Any]

LABEL = 75  # characters of a button's label
HEADER = 150
CONTEXT = 2_000
SECTION = 3_000
URL = 3_000


def plain_text(text: str) -> Block:
    """Make a text object without emoji; the text may not be empty."""
    return {"type": "plain_text", "text": text, "emoji": False}


# --- inside a line of rich text ---------------------------------------------------


def run(text: str, *, bold: bool = False, italic: bool = False) -> Block:
    """Make some text, which may not be empty."""
    style = {"bold": bold, "italic": italic}
    asked = {name: True for name, set_ in style.items() if set_}
    return {"type": "text", "text": text} | ({"style": asked} if asked else {})


def emoji(name: str) -> Block:
    """Make one of Slack's own emoji."""
    return {"type": "emoji", "name": name}


def person(user: str) -> Block:
    """Make a mention that notifies this person where they can see the message."""
    return {"type": "user", "user_id": user}


def link(url: str | None, text: str) -> Block:
    """Make the text a link; text alone where there is no web address."""
    if url is None or len(url) > URL or address(url) is None:
        return run(text)
    return run(text) | {"type": "link", "url": url}


def marks(numbers: tuple[int, ...], addresses: Mapping[int, str | None]) -> list[Block]:
    """Make citation marks, each leading to its source."""
    made = []
    for number in numbers:
        made += [run(" "), link(addresses.get(number), f"[{number}]")]
    return made


# --- what a block of rich text consists of ----------------------------------------


def rich(*elements: Block) -> Block:
    """Make a block of rich text."""
    return {"type": "rich_text", "elements": list(elements)}


def line(*runs: Block) -> Block:
    """Make a paragraph."""
    return {"type": "rich_text_section", "elements": list(runs)}


def quote(*runs: Block) -> Block:
    """Make a quotation, with a bar beside it."""
    return {"type": "rich_text_quote", "elements": list(runs)}


def code(text: str) -> Block:
    """Make code of a quotation: every blank kept, with the same bar beside it."""
    return {"type": "rich_text_preformatted", "elements": [run(text)], "border": 1}


# --- other blocks -----------------------------------------------------------------


def header(text: str) -> Block:
    """Make a heading."""
    return {"type": "header", "text": plain_text(clipped(text, HEADER))}


def section(text: str) -> Block:
    """Make a paragraph of its own; Slack takes it everywhere and parses none of it."""
    return {"type": "section", "text": plain_text(text)}


def context(*texts: str) -> Block:
    """Make small print: up to ten texts beside each other."""
    elements = [plain_text(clipped(text, CONTEXT)) for text in texts]
    return {"type": "context", "elements": elements}


def button(action: str, label: str, **more: Any) -> Block:
    """Make a button; its `value`, if given, comes back when it is pressed."""
    text = plain_text(clipped(label, LABEL))
    return {"type": "button", "action_id": action, "text": text, **more}


def actions(*buttons: Block) -> Block:
    """Make a row of buttons."""
    return {"type": "actions", "elements": list(buttons)}


def thumbs(action: str, helpful: str, not_helpful: str) -> Block:
    """Make two small buttons; the value of the one that is pressed comes back."""
    buttons = {
        "type": "feedback_buttons",
        "action_id": action,
        "positive_button": {"text": plain_text("Helpful"), "value": helpful},
        "negative_button": {"text": plain_text("Not helpful"), "value": not_helpful},
    }
    return {"type": "context_actions", "elements": [buttons]}
