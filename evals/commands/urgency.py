"""`urgency`: fit the classifier of emergencies, or measure it."""

import json
from pathlib import Path
from typing import Annotated, Literal

import typer

from adapters import packs
from adapters.clock import SystemClock
from bot.calibrations import load_urgency
from bot.documents.embedders import open_embedder
from bot.options import group
from bot.wiring import read_settings
from config.settings import CALIBRATIONS, PACKS
from engine.parse.dates import today_in
from engine.parse.urgency import Listener, Urgency
from evals.urgency.fit import Measure, fit, make_question, name_kind
from evals.urgency.labels import (
    EARLIER,
    HELD,
    KINDS,
    KINDS_HELD,
    MISSING,
    MORE,
    TOLD,
    TUNE,
    TYPED,
    Message,
    load,
    share,
    tally,
)

HELP = """Fit the classifier of emergencies, or measure it on messages held back.

\b
  python -m evals urgency fit
  python -m evals urgency measure
"""
CUES = Path(__file__).resolve().parent.parent / "urgency" / "cues.json"

app = group()


@app.command(help=HELP)
def command(
    what: Annotated[Literal["fit", "measure"], typer.Argument(show_default=False)],
    pack: Annotated[str, typer.Option(help="Whose patterns are used.")] = "oncology",
    misses: Annotated[
        bool, typer.Option("--misses", help="List them: the set is used up then.")
    ] = False,
) -> None:
    chosen = packs.load(PACKS / pack)
    settings = read_settings(None)
    embedder = open_embedder(settings)
    if what == "fit":
        cues = json.loads(CUES.read_text(encoding="utf-8"))
        today = today_in("UTC", SystemClock().now())
        measure = Measure(embedder, chosen, cues)
        made, weights = fit(measure, [load(p) for p in TUNE], load(KINDS, MORE), today)
        path = CALIBRATIONS / f"{settings.embedder}-urgency.json"
        path.write_text(_format(made), encoding="utf-8")
        path.with_suffix(".npz").write_bytes(weights)
        typer.echo(f"{path.name}: {dict(made.provenance)}")
        return
    listener = Listener(embedder, load_urgency(embedder))
    for path in (EARLIER, HELD, KINDS_HELD, TYPED, TOLD, MISSING):
        messages = load(path)
        ears = [listener.hear(make_question(m.text, chosen), chosen) for m in messages]
        typer.echo(f"{path.name}:")
        _print_tallies(messages, [heard.urgent for heard in ears], each=misses)
        _print_kinds(messages, [heard.kind for heard in ears])


def _format(made: Urgency) -> str:
    """Write one line a field: there are too many weights for one each."""
    fields = made.model_dump(mode="json")
    lines = [f" {json.dumps(n)}: {json.dumps(v)}" for n, v in fields.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _print_kinds(messages: tuple[Message, ...], told: list[str]) -> None:
    """Print how often a kind or sort was told rightly, of those meant and of those
    told."""
    meant = [name_kind(message) for message in messages]
    for kind in sorted(set(meant)):
        right = sum(m == t == kind for m, t in zip(meant, told, strict=True))
        typer.echo(f"{kind}: {right} of {meant.count(kind)}, told {told.count(kind)}")


def _print_tallies(
    messages: tuple[Message, ...], raised: list[bool], *, each: bool
) -> None:
    tallies = tally(messages, raised)
    for line in tallies:
        label = "found" if line.urgent else "false alarms"
        typer.echo(f"{line.kind}: {line.raised} of {line.messages} {label}")
    typer.echo(
        f"found {share(tallies, urgent=True):.1%}, "
        f"false alarms {share(tallies, urgent=False):.1%}"
    )
    for message, rang in zip(messages, raised, strict=True):
        if each and rang is not message.urgent:
            said = "missed" if message.urgent else "false alarm"
            typer.echo(f"{said} ({message.kind}): {message.text}")
