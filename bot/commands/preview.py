"""`preview`: how replies look on Slack and Discord, as one HTML page."""

import asyncio
import sys
from pathlib import Path
from typing import Annotated

import typer

from bot.assistant import Asked, Assistant
from bot.console import say
from bot.options import Options, PackName, group, plain
from bot.preview.boards import PACK, board_scenes
from bot.preview.page import Exchange, exchange, page, samples, scenes
from bot.wiring import Application, read_settings
from engine.errors import EnvironmentFailed, UsageError

HELP = """Draw how replies look on Slack and Discord, side by side, on an HTML page.

\b
  python -m bot preview --out preview.html
  python -m bot preview --out preview.html --pack textbook "What is tf2?"

Without a question it draws stored replies: an answer, a long one, a refusal, an
emergency, and the gap board. With questions it asks the pack and draws each reply with
its sources and its "Why?". No token and no network is needed, and the page fetches
nothing.
"""

app = group()


@app.command(help=HELP)
def preview(
    ctx: typer.Context,
    questions: Annotated[
        list[str] | None, typer.Argument(metavar="[QUESTION]…", show_default=False)
    ] = None,
    pack: PackName = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE.html", help="The page; else standard output."),
    ] = None,
) -> None:
    asked = [plain(question) for question in questions or ()]
    if not all(question.strip() for question in asked):
        raise UsageError('a question is empty: preview "…" --pack PACK')
    shown = scenes(_asked(ctx.obj, pack, asked) if asked else _stored(pack))
    boards = () if asked or pack not in (None, PACK) else board_scenes()
    drawn = page((*shown, *boards))
    if out is None:
        sys.stdout.write(drawn)
        return
    try:
        out.write_text(drawn, encoding="utf-8")
    except OSError as error:
        raise EnvironmentFailed(f"cannot write {out} ({error.strerror})") from error
    say(f"Open {out} in a browser.")


def _stored(pack: str | None) -> list[Exchange]:
    """The stored replies, or those of one pack."""
    stored = samples()
    chosen = [each for each in stored if pack in (None, each.pack)]
    if not chosen:
        named = ", ".join(sorted({each.pack for each in stored}))
        raise UsageError(
            f"no replies of the pack {pack!r} are stored (there are of {named}): "
            'give a question, as in preview "…" --pack PACK'
        )
    return chosen


def _asked(options: Options, pack: str | None, texts: list[str]) -> list[Exchange]:
    return asyncio.run(_ask(options, pack, texts))


async def _ask(options: Options, name: str | None, texts: list[str]) -> list[Exchange]:
    async with Application(read_settings(options.data)) as application:
        assistant = Assistant(application, frozenset())
        pack = await assistant.pack(application.chosen(name))
        made = []
        for number, text in enumerate(texts, 1):
            outcome = await assistant.ask(pack, Asked(text=text))
            reply = assistant.word(pack, outcome)
            made.append(exchange(f"question-{number}", pack, text, reply))
        return made
