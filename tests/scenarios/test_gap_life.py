"""The life of a gap: refused, seen by its owner, attached, closed, told once (R-D6)."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from adapters.discord.app import DiscordApp, Setting
from adapters.gap_board import NO_GAP, TITLE
from adapters.ledger.board import Board
from adapters.ledger.gaps import GapState, Wish
from adapters.ledger.mail_records import Binding
from adapters.mail import Action, Door, Platform
from bot.gaps.closing import Closing
from bot.messages import wording
from bot.serving.platforms import openings
from evals.platforms import discord_limits, slack_limits
from tests.adapters.discord.doors import BUSY, PACKS, QUICK
from tests.demo import Demo
from tests.loopback.discord import DiscordServer
from tests.loopback.discord_records import Message as Shown
from tests.loopback.discord_records import User
from tests.loopback.slack import SlackServer
from tests.loopback.slack_state import Json, Message
from tests.scenarios.live import DemoApplication, living

OVERSHOOTS = "my robot overshoots, what now?"
SAME = "my robot overshoots!! What now? Write to heron@example.org"
CANARY = "heron@example.org"
NEVER = "Who won the football match yesterday?"
LOOKED_FOR = "How do you tune a PID controller?"
ASKER, OWNER, OTHER = "U1", "U2", "U3"


class Board_:
    """What the database says of gaps."""


async def states(application: DemoApplication) -> list[GapState]:
    """Of every gap, in the order in which they came."""
    return [gap.state for gap in await Board(application.ledger).gaps("textbook")]


async def check_again(application: DemoApplication) -> None:
    """As after an ingestion."""
    pack = application.pack("textbook")
    await Closing(application, pack).check_all()
