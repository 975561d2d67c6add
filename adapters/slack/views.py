"""Slack's views as plain payloads: modals, the App Home, prompts to begin with."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from adapters.inert import Line, inert, one_line
from adapters.layout import clipped
from adapters.mail import Action, Payload
from adapters.slack import blocks
from adapters.slack.blocks import Block, plain_text
from adapters.slack.names import (
    ASK_ABOUT,
    COMMAND,
    EVERYBODY,
    ONLY_ME,
    OPENING,
    QUESTION,
    REASON,
    RESPONSE_TIME,
    SELECTION,
    SHOWN_TO,
)
from adapters.slack.payloads import Kept, Press, Shortcut, read
from adapters.slack.text import plain
from adapters.slack.writer import split_words
from engine.model.frozen import Frozen

ENTRY = 3_000  # characters that an input takes
NOTE = 1_000  # characters of a reason or a note
PACKS = 20  # listed in the App Home
PROMPTS = 4
PROMPT = 75  # characters of a prompt's title

_HOW = (
    "Mention me in a channel, or write to me here: I answer only what my sources say, "
    "and show where.",
    "In a thread that I answered in, ask on without a mention.",
    f"{COMMAND} answers you alone; {COMMAND} public: … answers everybody.",
    "In the menu of a message, choose “Ask about this” for a question on its text.",
)
_ASKED = {
    Action.NOT_HELPFUL: ("Not helpful", "What was missing or wrong?"),
    Action.ASK_PERSON: (
        "Ask a person",
        "The people of this channel will see your name, the question and my answer. "
        "What should they know?",
    ),
}


class PackHere(Frozen):
    """A pack and the channel that it answers in."""

    channel: Line
    title: Line
    version: Line
    paused: bool = False


class Home(Frozen):
    """The content of the App Home: packs here, health, what is stored of the person."""

    packs: tuple[PackHere, ...]
    health: str
    data: str


# --- modals -----------------------------------------------------------------------


def make_modal(body: Payload, received: datetime) -> Payload | None:
    """Make the modal that a payload opens with its `trigger_id`; None for others.

    The message shortcut asks for a question, "Not helpful" for a reason, "Ask a person"
    for a note. `inbound.read_incoming` returns None for these payloads, and the
    question, reason or note when the modal is sent off.
    """
    match read(body):
        case Shortcut(callback_id=callback_id) as chosen if callback_id == ASK_ABOUT:
            return _make_ask_about(chosen, received)
        case Press() as press if press.asked in OPENING and press.audit_id:
            return _make_reason(Action(press.asked), press, received)
        case _:
            return None


def _make_ask_about(chosen: Shortcut, received: datetime) -> Payload:
    message = chosen.message
    kept = Kept(
        channel=chosen.channel.id,
        message=message.ts or "",
        thread=message.thread_ts,
        root=message.thread_ts or message.ts,
        reply=chosen.response_url,
        reply_by=received + RESPONSE_TIME,
    )
    selection = plain(message.text or "")[:ENTRY]
    given = {"initial_value": selection} if selection else {}
    text = _make_entry(SELECTION, "The text", **given)
    text["hint"] = plain_text("Shorten it to the part that you mean.")
    shown = [
        _make_entry(QUESTION, "Your question", focus_on_load=True),
        text,
        _make_audience(),
    ]
    return _assemble(ASK_ABOUT, "Ask about this", "Ask", kept, shown)


def _make_audience() -> Block:
    options = [
        {"text": plain_text("Only to me"), "value": ONLY_ME},
        {"text": plain_text("To everybody, in the thread"), "value": EVERYBODY},
    ]
    element = {
        "type": "radio_buttons",
        "action_id": SHOWN_TO,
        "options": options,
        "initial_option": options[0],
    }
    return _make_input("Show the answer", element)


def _make_reason(action: Action, press: Press, received: datetime) -> Payload:
    title, label = _ASKED[action]
    kept = Kept(
        channel=press.channel.id if press.channel else press.user.id,
        message=press.container.message_ts or "",
        alone=press.container.is_ephemeral,
        thread=press.thread,
        audit_id=press.audit_id,
        reply=press.response_url,
        reply_by=received + RESPONSE_TIME,
    )
    entry = _make_entry(REASON, label, max_length=NOTE) | {"optional": True}
    return _assemble(action, title, "Send", kept, [entry])


def _make_entry(action_id: str, label: str, **more: object) -> Block:
    element = {
        "type": "plain_text_input",
        "action_id": action_id,
        "multiline": True,
        "max_length": ENTRY,
    }
    return _make_input(label, element | more)


def _make_input(label: str, element: Block) -> Block:
    return {"type": "input", "label": plain_text(label), "element": element}


def _assemble(
    callback_id: str, title: str, submit: str, kept: Kept, shown: Sequence[Block]
) -> Payload:
    return {
        "type": "modal",
        "callback_id": callback_id,
        "title": plain_text(title),
        "submit": plain_text(submit),
        "close": plain_text("Cancel"),
        "private_metadata": kept.model_dump_json(exclude_none=True),
        "blocks": list(shown),
    }


# --- the App Home -----------------------------------------------------------------


def make_home(shown: Home) -> Payload:
    """Make the App Home, for views.publish."""
    return {"type": "home", "blocks": [*_make_home_blocks(shown)]}


def _make_home_blocks(shown: Home) -> Iterator[Block]:
    yield blocks.header("How to ask")
    yield _make_bullets(_HOW)
    yield blocks.header("Packs here")
    packs = [_describe_pack(pack) for pack in shown.packs[:PACKS]]
    if len(shown.packs) > PACKS:
        packs.append(f"… and {len(shown.packs) - PACKS} more.")
    yield _make_bullets(packs or ["None here: ask me in a channel that has one."])
    yield blocks.header("Health")
    yield _make_paragraph(shown.health)
    yield blocks.header("What is stored of you")
    yield _make_paragraph(shown.data)
    forget = blocks.button(Action.FORGET, "Forget me", style="danger", confirm=_CONFIRM)
    yield blocks.actions(blocks.button(Action.MY_DATA, "My data"), forget)


_CONFIRM = {
    "title": plain_text("Forget me?"),
    "text": plain_text("Your questions and feedback are deleted for good."),
    "confirm": plain_text("Forget me"),
    "deny": plain_text("Cancel"),
}


def _describe_pack(pack: PackHere) -> str:
    state = ", paused" if pack.paused else ""
    return f"{pack.title} {pack.version} in {pack.channel}{state}"


def _make_paragraph(text: str) -> Block:
    piece, *_ = split_words(inert(text)) or ["Nothing."]
    return blocks.rich(blocks.line(blocks.run(piece)))


def _make_bullets(texts: Iterable[str]) -> Block:
    lines = [blocks.line(blocks.run(clipped(text, 500))) for text in texts]
    listed = {"type": "rich_text_list", "style": "bullet", "elements": lines}
    return blocks.rich(listed)


# --- prompts ----------------------------------------------------------------------


def make_prompts(questions: Sequence[str]) -> list[dict[str, str]]:
    """Make up to four questions for assistant.threads.setSuggestedPrompts."""
    asked = [one_line(question) for question in questions]
    return [
        {"title": clipped(question, PROMPT), "message": question}
        for question in asked[:PROMPTS]
        if question
    ]
