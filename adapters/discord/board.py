"""The gap board on Discord: one message with buttons, and its form (R-D6)."""

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
    IN_OWN_WORDS,
    NO_PASSAGE,
    NOT_OURS,
    OWN_WORDS_HINT,
    TITLE,
    BoardPanel,
    GapLine,
)
from adapters.layout import clipped
from adapters.mail import Action, Payload

OPEN_S = 900.0  # as long as Discord lets a form be sent off
LINE = 200  # characters of a question or title, before markup


def payload(panel: BoardPanel) -> Payload:
    """The board as one message: as many gaps as it has room for."""
    for number in range(len(panel.gaps), -1, -1):
        shown = list(_shown(panel, panel.gaps[:number]))
        if sum(map(len, components.texts(shown))) <= components.TEXT:
            break
    return components.message(shown)


def form(gap: str, passage: str) -> ui.Modal:
    """What asks for the words under which a gap is attached to a passage."""
    typed: ui.TextInput[ui.Modal] = ui.TextInput(
        custom_id=QUESTION,
        style=discord.TextStyle.paragraph,
        min_length=SHORTEST_ATTACHED,
        max_length=LONGEST_ATTACHED,
    )
    name = f"{Action.GAP_ATTACH}:{gap}:{passage}"
    made = ui.Modal(title="Attach a question", timeout=OPEN_S, custom_id=name)
    label = ui.Label(text=IN_OWN_WORDS, description=OWN_WORDS_HINT, component=typed)
    return made.add_item(label)


def _shown(panel: BoardPanel, gaps: Sequence[GapLine]) -> Iterator[Component]:
    yield components.text(f"### {markdown.plain(TITLE)}")
    for line in gaps:
        yield components.text("\n".join(_lines(line)))
        yield from components.rows(list(_buttons(line)))
    more = panel.more + len(panel.gaps) - len(gaps)
    last = [markdown.plain(f"… and {more} more.")] if more else []
    last += [markdown.link(rest.text, rest.url) for rest in panel.rest]
    if last:
        yield components.text("\n".join(last))


def _lines(line: GapLine) -> Iterator[str]:
    yield markdown.strong(markdown.plain(clipped(line.text, LINE)))
    if line.near is None:
        yield markdown.plain(NO_PASSAGE)
    else:
        yield markdown.link(clipped(line.near.title, LINE), line.near.url)
    yield markdown.small(markdown.plain(clipped(line.counted, LINE)))


def _buttons(line: GapLine) -> Iterator[Component]:
    if line.near is not None:
        name = f"{Action.GAP_ATTACH}:{line.gap}:{line.near.name}"
        yield components.button(name, ATTACH)
    yield components.button(f"{Action.GAP_DISMISS}:{line.gap}", NOT_OURS)
