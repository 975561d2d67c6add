"""`forget`: delete what a person asked and said, everywhere."""

import asyncio
from typing import Annotated
from uuid import uuid4

import typer

from adapters.ledger.mail_records import Claimed
from adapters.ledger.mailbox import Farewell
from adapters.ledger.transactions import ScrubPending
from adapters.mail import Action, Incoming, Place, Platform
from adapters.reply import many
from bot.console import say, tell
from bot.messages import wording
from bot.messages.standing import MOST_TAKEN, make_deletions
from bot.options import Options, group
from bot.privacy.events import clean_events
from bot.privacy.people import find_pseudonym
from bot.wiring import Application, read_settings
from engine.model.errors import UsageError

HELP = """Delete what a person asked and said: records, gap board, mailbox, events.

\b
  groundrule forget slack:T0123:U0456          # says what would go
  groundrule forget slack:T0123:U0456 --yes
  groundrule forget discord:789 --yes
  groundrule forget terminal --yes             # what was asked at terminals

What others' follow-up questions repeat of it goes, too. The audit chain still verifies,
and says that something was forgotten. The bot's replies to the person are taken away by
`serve`. A backup that was made before keeps all of it.
"""

app = group()


@app.command(help=HELP)
def forget(
    ctx: typer.Context,
    person: Annotated[str, typer.Argument(metavar="PERSON", show_default=False)],
    yes: Annotated[bool, typer.Option("--yes", help="Really delete it.")] = False,
) -> None:
    asyncio.run(_forget(ctx.obj, person, yes=yes))


async def _forget(options: Options, person: str, *, yes: bool) -> None:
    async with Application(read_settings(options.data)) as application:
        asker = find_pseudonym(person, application.pseudonyms)
        if not yes:
            tell(wording.my_data(await application.mailbox.data_of(asker)))
            raise UsageError("nothing was deleted: add --yes")
        try:
            erased = await application.mailbox.forget(
                asker, _make_farewell(asker, application)
            )
        except ScrubPending as error:
            say(f"deleted, but old bytes are still in the database's log: {error}")
            erased = 0
        events = await clean_events(application)
    tell(f"forgotten: {many(erased, 'outcome')}, {many(events, 'event')}")


def _make_farewell(asker: str, application: Application) -> Farewell:
    """Make the notice that takes the visible replies away; no event asks for it."""
    incoming = Incoming(
        event=f"forget:{uuid4().hex}",
        platform=Platform.SLACK,
        action=Action.FORGET,
        place=Place(platform=Platform.SLACK, tenant="", channel=""),
        person="",
        received=application.clock.now(),
    )
    claimed = Claimed(incoming=incoming, asker=asker, worker="", attempts=1)
    return Farewell(claimed, lambda posted: make_deletions(claimed, posted), MOST_TAKEN)
