"""The gap board in Slack: in the App Home, as messages, and its two modals (R-D6)."""

from collections.abc import Iterator
from datetime import datetime

from adapters.gap_board import (
    ATTACH,
    CHOOSE_PASSAGE,
    CONFIRM,
    DOCUMENT,
    IN_OWN_WORDS,
    LOOK_FOR,
    LOOK_FOR_HINT,
    NO_GAP,
    NO_PASSAGE,
    NOT_OURS,
    OWN_WORDS_HINT,
    TITLE,
    BoardPanel,
    GapLine,
    GapPanel,
    Panel,
    PassageLine,
    PassagePanel,
)
from adapters.layout import Rank, Unit, clipped
from adapters.mail import Action, Payload
from adapters.slack import blocks
from adapters.slack.blocks import Block, plain_text
from adapters.slack.names import LONGEST_QUESTION, QUESTION, RESPONSE_TIME
from adapters.slack.pages import Said
from adapters.slack.payloads import Kept, Press

OPTION = 75  # characters of an option's label and of its description
_CONFIRM = {
    "title": plain_text(NOT_OURS),
    "text": plain_text(CONFIRM),
    "confirm": plain_text(NOT_OURS),
    "deny": plain_text("Cancel"),
}


def shown(panel: Panel) -> Iterator[Unit[Said]]:
    """A panel as units of a message."""
    match panel:
        case BoardPanel():
            yield from board(panel)
        case GapPanel():
            yield _gap(panel.line)
            for title, lines in (("Asked, too", panel.asked), ("Near", panel.near)):
                for line in lines:
                    yield _words(f"{title}: {line}")
        case PassagePanel():
            yield from _passages(panel)


def board(panel: BoardPanel) -> Iterator[Unit[Said]]:
    """The newest gaps, each with what an owner can do; for the App Home, too."""
    yield Unit(Rank.FIXED, Said(TITLE, (blocks.header(TITLE),)))
    for line in panel.gaps:
        yield _gap(line)
    if not panel.gaps:
        yield _words(NO_GAP)
    if panel.more:
        yield _words(f"… and {panel.more} more.")


def _gap(line: GapLine) -> Unit[Said]:
    buttons = (
        blocks.button(Action.GAP_DISMISS, NOT_OURS, value=line.gap, confirm=_CONFIRM),
        blocks.button(Action.GAP_SEARCH, ATTACH, value=line.gap),
        blocks.button(Action.GAP_DOCUMENT, DOCUMENT, value=line.gap),
    )
    small = [text for text in (line.counted, line.why) if text]
    made = (
        blocks.rich(blocks.line(blocks.run(line.text, bold=True))),
        blocks.context(*small),
        blocks.actions(*buttons),
    )
    return Unit(Rank.FIXED, Said("\n".join((line.text, *small)), made))


def _passages(panel: PassagePanel) -> Iterator[Unit[Said]]:
    """What was found, by number; choosing one opens a modal."""
    yield _words(f"{CHOOSE_PASSAGE}: {panel.words}")
    if not panel.found:
        yield _words(NO_PASSAGE)
        return
    options = []
    for number, passage in enumerate(panel.found, 1):
        title = f"{number}. {passage.title}"
        told = f"{title}\n{passage.text}"
        runs = (blocks.run(f"{title}\n", bold=True), blocks.run(passage.text))
        yield Unit(Rank.FIXED, Said(told, (blocks.rich(blocks.line(*runs)),)))
        options.append(_option(number, passage, panel.gap))
    menu = {
        "type": "static_select",
        "action_id": Action.GAP_ATTACH,
        "placeholder": plain_text(CHOOSE_PASSAGE),
        "options": options,
    }
    yield Unit(Rank.FIXED, Said(CHOOSE_PASSAGE, (blocks.actions(menu),)))


def _option(number: int, passage: PassageLine, gap: str) -> Block:
    label = clipped(f"{number}. {passage.title}", OPTION)
    return {"text": plain_text(label), "value": f"{gap}:{passage.passage}"}


def _words(text: str) -> Unit[Said]:
    line = blocks.line(blocks.run(text))
    return Unit(Rank.FIXED, Said(text, (blocks.rich(line),)))


# --- modals -----------------------------------------------------------------------


def opened_by(press: Press, received: datetime) -> Payload | None:
    """The modal that a press on the board opens; None where it opens none."""
    gap, _, passage = press.chosen.partition(":")
    if press.asked not in (Action.GAP_SEARCH, Action.GAP_ATTACH) or not gap:
        return None
    kept = Kept(
        channel=press.channel.id if press.channel else press.user.id,
        message=press.container.message_ts or "",
        alone=press.container.is_ephemeral,
        gap=gap,
        passage=passage or None,
        reply=press.response_url if press.container.is_ephemeral else None,
        reply_by=received + RESPONSE_TIME,
    )
    if press.asked == Action.GAP_SEARCH:
        return _modal(Action.GAP_SEARCH, ("Search", LOOK_FOR, LOOK_FOR_HINT), kept)
    return _modal(Action.GAP_ATTACH, ("Attach", IN_OWN_WORDS, OWN_WORDS_HINT), kept)


def _modal(action: Action, words: tuple[str, str, str], kept: Kept) -> Payload:
    submit, label, hint = words
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
        "label": plain_text(label),
        "element": entry,
        "hint": plain_text(hint),
    }
    return {
        "type": "modal",
        "callback_id": action,
        "title": plain_text(ATTACH),
        "submit": plain_text(submit),
        "close": plain_text("Cancel"),
        "private_metadata": kept.model_dump_json(exclude_none=True),
        "blocks": [asked],
    }
