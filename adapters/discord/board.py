"""The gap board on Discord: messages with menus and buttons, and its forms (R-D6)."""

from collections.abc import Iterator, Sequence

import discord
from discord import ui

from adapters.discord import components, markdown
from adapters.discord.components import Component
from adapters.discord.names import (
    LONGEST_ATTACHED,
    QUESTION,
    SHORTEST_ATTACHED,
)
from adapters.gap_board import (
    ATTACH,
    CHOOSE_GAP,
    CHOOSE_PASSAGE,
    DOCUMENT,
    IN_OWN_WORDS,
    LOOK_FOR,
    LOOK_FOR_HINT,
    NO_PASSAGE,
    NOT_OURS,
    OWN_WORDS_HINT,
    TITLE,
    BoardPanel,
    GapLine,
    GapPanel,
    Panel,
    PassagePanel,
)
from adapters.layout import clipped
from adapters.mail import Action, Payload

OPEN_S = 900.0  # as long as Discord lets a form be sent off
NOTHING = "-"  # in the custom id of a menu that is about no one gap
TEXT, SMALL = 200, 150  # characters of a question, and of a line below it
_FORMS = {
    Action.GAP_SEARCH: (LOOK_FOR, LOOK_FOR_HINT),
    Action.GAP_ATTACH: (IN_OWN_WORDS, OWN_WORDS_HINT),
}


def payload(panel: Panel) -> Payload:
    """A panel as one message."""
    match panel:
        case BoardPanel():
            return components.message(_texts(_board(panel)), _menu_of(panel))
        case GapPanel():
            return components.message(_texts(_gap(panel)), _buttons(panel.line))
        case PassagePanel():
            return components.message(_texts(_passages(panel)), _found(panel))


def form(action: Action, gap: str, passage: str | None = None) -> ui.Modal:
    """The form behind a button or menu of the board."""
    name = ":".join(part for part in (action, gap, passage) if part)
    label, hint = _FORMS[action]
    typed: ui.TextInput[ui.Modal] = ui.TextInput(
        custom_id=QUESTION,
        style=discord.TextStyle.paragraph,
        min_length=SHORTEST_ATTACHED,
        max_length=LONGEST_ATTACHED,
    )
    made = ui.Modal(title=ATTACH, timeout=OPEN_S, custom_id=name)
    return made.add_item(ui.Label(text=label, description=hint, component=typed))


def _texts(lines: Iterator[str]) -> Sequence[Component]:
    return [components.text(clipped("\n".join(lines), components.TEXT))]


def _board(panel: BoardPanel) -> Iterator[str]:
    yield f"### {markdown.plain(TITLE)}"
    for number, line in enumerate(panel.gaps, 1):
        yield from _line(line, f"{number}\\. ")
    if panel.more:
        yield markdown.small(markdown.plain(f"… and {panel.more} more."))


def _line(line: GapLine, mark: str = "") -> Iterator[str]:
    yield f"{mark}{markdown.strong(markdown.plain(clipped(line.text, TEXT)))}"
    for text in (line.counted, line.why):
        if text:
            yield markdown.small(markdown.plain(clipped(text, SMALL)))


def _gap(panel: GapPanel) -> Iterator[str]:
    yield from _line(panel.line)
    for title, lines in (("Asked, too", panel.asked), ("Near", panel.near)):
        for text in lines:
            yield markdown.plain(f"{title}: {clipped(text, TEXT)}")


def _passages(panel: PassagePanel) -> Iterator[str]:
    yield markdown.plain(f"{CHOOSE_PASSAGE}: {clipped(panel.words, TEXT)}")
    if not panel.found:
        yield markdown.plain(NO_PASSAGE)
    for number, passage in enumerate(panel.found, 1):
        title = markdown.plain(clipped(passage.title, SMALL))
        yield f"{number}\\. {markdown.strong(title)}"
        yield markdown.plain(clipped(" ".join(passage.text.split()), TEXT))


def _menu_of(panel: BoardPanel) -> Sequence[Component]:
    options = [
        components.option(f"{number}. {line.text}", line.gap)
        for number, line in enumerate(panel.gaps, 1)
    ]
    name = f"{Action.GAP_SHOW}:{NOTHING}"
    return [components.menu(name, CHOOSE_GAP, options)] if options else []


def _buttons(line: GapLine) -> Sequence[Component]:
    made = [
        components.button(f"{action}:{line.gap}", label)
        for action, label in (
            (Action.GAP_DISMISS, NOT_OURS),
            (Action.GAP_SEARCH, ATTACH),
            (Action.GAP_DOCUMENT, DOCUMENT),
        )
    ]
    return list(components.rows(made))


def _found(panel: PassagePanel) -> Sequence[Component]:
    options = [
        components.option(f"{number}. {passage.title}", passage.passage)
        for number, passage in enumerate(panel.found, 1)
    ]
    name = f"{Action.GAP_ATTACH}:{panel.gap}"
    return [components.menu(name, CHOOSE_PASSAGE, options)] if options else []
