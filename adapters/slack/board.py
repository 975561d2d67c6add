"""The gap board in Slack: in the App Home, as a message, and its modal (R-D6)."""

from collections.abc import Iterator
from datetime import datetime

from adapters.gap_board import (
    ATTACH,
    CONFIRM,
    IN_OWN_WORDS,
    NO_GAP,
    NO_PASSAGE,
    NOT_OURS,
    OWN_WORDS_HINT,
    TITLE,
    BoardPanel,
    GapLine,
)
from adapters.layout import Rank, Unit
from adapters.mail import Action, Payload
from adapters.slack import blocks
from adapters.slack.blocks import Block, plain_text
from adapters.slack.names import LONGEST_QUESTION, QUESTION, RESPONSE_TIME
from adapters.slack.pages import Said
from adapters.slack.payloads import Kept, Press

_CONFIRM = {
    "title": plain_text(NOT_OURS),
    "text": plain_text(CONFIRM),
    "confirm": plain_text(NOT_OURS),
    "deny": plain_text("Cancel"),
}


def board(panel: BoardPanel) -> Iterator[Unit[Said]]:
    """The newest gaps, each with what an owner can do; for the App Home, too."""
    yield Unit(Rank.FIXED, Said(TITLE, (blocks.header(TITLE),)))
    for line in panel.gaps:
        yield _gap(line)
    if not panel.gaps:
        yield _line(blocks.run(NO_GAP))
    if panel.more:
        yield _line(blocks.run(f"… and {panel.more} more."))
    for rest in panel.rest:
        yield _line(blocks.link(rest.url, rest.text))


def _gap(line: GapLine) -> Unit[Said]:
    near, attach = blocks.run(NO_PASSAGE), []
    if line.near is not None:
        near = blocks.link(line.near.url, line.near.title)
        named = f"{line.gap}:{line.near.name}"
        attach = [blocks.button(Action.GAP_ATTACH, ATTACH, value=named)]
    dismiss = blocks.button(
        Action.GAP_DISMISS, NOT_OURS, value=line.gap, confirm=_CONFIRM
    )
    runs = (blocks.run(f"{line.text}\n", bold=True), near)
    shown = (
        blocks.rich(blocks.line(*runs)),
        blocks.context(line.counted),
        blocks.actions(*attach, dismiss),
    )
    said = "\n".join((line.text, near["text"], line.counted))
    return Unit(Rank.FIXED, Said(said, shown))


def _line(run: Block) -> Unit[Said]:
    return Unit(Rank.FIXED, Said(run["text"], (blocks.rich(blocks.line(run)),)))


def opened_by(press: Press, received: datetime) -> Payload | None:
    """The modal that a press on the board opens; None where it opens none."""
    gap, _, passage = press.chosen.partition(":")
    if not gap or not passage:
        return None
    kept = Kept(
        channel=press.channel.id if press.channel else press.user.id,
        message=press.container.message_ts or "",
        alone=press.container.is_ephemeral,
        gap=gap,
        passage=passage,
        reply=press.response_url if press.container.is_ephemeral else None,
        reply_by=received + RESPONSE_TIME,
    )
    entry: Block = {
        "type": "plain_text_input",
        "action_id": QUESTION,
        "multiline": True,
        "min_length": 3,
        "max_length": LONGEST_QUESTION,
        "focus_on_load": True,
    }
    asked: Block = {
        "type": "input",
        "label": plain_text(IN_OWN_WORDS),
        "element": entry,
        "hint": plain_text(OWN_WORDS_HINT),
    }
    return {
        "type": "modal",
        "callback_id": Action.GAP_ATTACH,
        "title": plain_text("Attach a question"),
        "submit": plain_text("Attach"),
        "close": plain_text("Cancel"),
        "private_metadata": kept.model_dump_json(exclude_none=True),
        "blocks": [asked],
    }
