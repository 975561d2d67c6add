"""`mydata`: how much of a person is stored."""

import asyncio
from typing import Annotated

import typer

from bot.console import tell
from bot.messages import wording
from bot.options import Options, group
from bot.privacy.people import find_pseudonym
from bot.wiring import Application, read_settings

HELP = """Say how much of a person is stored, and nothing of what it is.

\b
  groundrule mydata slack:T0123:U0456
  groundrule mydata discord:789
  groundrule mydata terminal
"""

app = group()


@app.command(help=HELP)
def mydata(
    ctx: typer.Context,
    person: Annotated[str, typer.Argument(metavar="PERSON", show_default=False)],
) -> None:
    asyncio.run(_mydata(ctx.obj, person))


async def _mydata(options: Options, person: str) -> None:
    async with Application(read_settings(options.data)) as application:
        asker = find_pseudonym(person, application.pseudonyms)
        tell(wording.my_data(await application.mailbox.data_of(asker)))
