"""Slack messages as the paper that a reply is laid out on: how much fits on one."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby

from adapters.layout import Paper, Rank, Unit, clipped, paged, prose
from adapters.slack.blocks import Block, line, rich, run
from adapters.slack.text import escaped

PAGES = 3  # a response URL takes five posts
# Slack took 9,597 characters of text in 15,561 of JSON, and refused 11,341 in 17,694
# (slackapi/bolt-js#2867). We count the JSON, and stay below both.
PAGE = 12_000
BLOCKS = 45  # of 50
WORDS = 4_000  # characters of our own words in one unit
PREVIEW = 2_000  # characters of `text`, which notifications show


@dataclass(frozen=True, slots=True)
class Said:
    """What a unit shows; `text` says the same to a notification.

    A `listed` unit is one block of rich text, which neighbours of its kind share.
    """

    text: str
    blocks: tuple[Block, ...]
    listed: bool = False
    size: int = field(init=False)

    def __post_init__(self) -> None:
        length = sum(len(json.dumps(b, ensure_ascii=False)) for b in self.blocks)
        object.__setattr__(self, "size", length)


@dataclass(frozen=True, slots=True)
class Page:
    """One message; `text` is escaped."""

    text: str
    blocks: list[Block]


def pages(units: Sequence[Unit[Said]]) -> list[Page]:
    """The messages that show these units, or as many of them as fit."""
    return [_page(page) for page in paged(units, Paper(PAGES, _fit, _note))]


def words(text: str) -> list[str]:
    """Our own words in pieces that fit into a unit; none for white space."""
    text = clipped(text.strip(), PAGES * PAGE)
    return prose(text, lambda piece: len(piece) <= WORDS) if text else []


def _fit(units: Sequence[Unit[Said]]) -> bool:
    size = sum(unit.shown.size for unit in units)
    return size <= PAGE and len(_blocks(units)) <= BLOCKS


def _note(text: str) -> Said:
    return Said(text, (rich(line(run(text, italic=True))),))


def _blocks(units: Sequence[Unit[Said]]) -> list[Block]:
    made: list[Block] = []
    for listed, neighbours in groupby(units, lambda unit: unit.shown.listed):
        blocks = [block for unit in neighbours for block in unit.shown.blocks]
        if listed:
            blocks = [rich(*(part for block in blocks for part in block["elements"]))]
        made += blocks
    return made


def _page(units: Sequence[Unit[Said]]) -> Page:
    said: list[str] = []
    for unit in units:
        text = escaped(unit.shown.text)
        if len("\n".join([*said, text])) > PREVIEW:
            break
        said.append(text)
    return Page("\n".join(said) or _opening(units[0]), _blocks(units))


def _opening(unit: Unit[Said]) -> str:
    """A notification of a unit that is too long for one; no quotation is cut."""
    if unit.rank is Rank.EVIDENCE:
        return "…"
    return escaped(clipped(unit.shown.text, PREVIEW // len("&amp;")))
