"""`optimise`: prompt programs compiled, and kept only where they are no step back."""

import asyncio
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

import typer

from bot.console import say, tell
from bot.options import group
from bot.wiring import read_settings
from engine.errors import EnvironmentFailed, UsageError
from evals.cases.suites import Library
from evals.commands.record import shown
from evals.deciding.verdict import EXIT_CODES, Decision
from evals.optimising.plan import Optimiser, Plan
from evals.options import Cached, Played, Taped
from evals.record import BUILD, CACHE
from evals.recording.cassettes import CassetteMiss
from evals.recording.models import SharedModels
from evals.recording.tape import Tape
from evals.store import StoreFailed

HELP = """Compile a pack's prompt programs, and keep those that are no step back.

\b
  python -m evals optimise --pack oncology --signature treatment --max-usd 5
  python -m evals optimise --pack oncology --with gepa --seed 3 --out build/programs
  python -m evals optimise --pack oncology --program changed/treatment.json
  python -m evals optimise --pack oncology --play tapes/oncology.jsonl

\b
--with   bootstrap      examples from drafts that pass every gate metric
         random-search  several sets of such examples, the best one
         copro          new instructions, proposed by the model and tried
         gepa           new instructions, after reading why drafts failed
These four run with the DSPy that `make model` installs, and nothing more.

Half of the documents train; the cases of the others are asked with the present
program and with the new one, and decided as a release is. Exit codes: 0 written, 1
refused (it breaks a rule, weakens a gate metric or betters none; one of --program need
not better any), 2 usage, 3 it cannot be decided (and so nothing is written), 4 the
environment.
"""
WORK = BUILD / "optimise"

_Pack = Annotated[str, typer.Option(metavar="PACK", help="The policy pack.")]
_Signatures = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        help="Only these signatures.",
        show_default="all that training cases reach",
    ),
]
_Program = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Compile nothing: compare this program, which somebody wrote.",
    ),
]
_Optimiser = Annotated[Optimiser, typer.Option("--with", help="What compiles.")]
_Out = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Where programs are written.",
        show_default="the pack's programs/",
    ),
]
_Dollars = Annotated[
    float | None, typer.Option(help="What models may cost, all together.")
]
_Seed = Annotated[int, typer.Option(help="Of the split and the optimiser.")]
_Repeats = Annotated[
    int, typer.Option(min=1, help="How often each comparison case is asked.")
]
_Concurrency = Annotated[int, typer.Option(min=1, help="Cases asked at once.")]
_By = Annotated[
    str, typer.Option(metavar="NAME", help="Who answers for what is compiled.")
]
_Work = Annotated[
    Path,
    typer.Option(
        metavar="DIR",
        help="The runs that are compared.",
        show_default="build/evals/optimise",
    ),
]

app = group()


@app.command(help=HELP)
def optimise(  # noqa: PLR0913 (each argument is an option of the command line)
    pack: _Pack,
    signature: _Signatures = None,
    program: _Program = None,
    optimiser: _Optimiser = "bootstrap",
    out: _Out = None,
    max_usd: _Dollars = None,
    seed: _Seed = 0,
    repeats: _Repeats = 1,
    concurrency: _Concurrency = 4,
    by: _By = "python -m evals optimise",
    cache: Cached = CACHE,
    work: _Work = WORK,
    play: Played = None,
    tape: Taped = None,
) -> None:
    asked = Tape.of(play, tape)
    if program is not None and signature:
        raise UsageError("--program and --signature: give one of them")
    plan = Plan(
        pack=pack,
        work=work / pack,
        cache=cache,
        out=out,
        signatures=tuple(signature or ()),
        program=program,
        optimiser=optimiser,
        seed=seed,
        repeats=repeats,
        concurrency=concurrency,
        max_usd=max_usd,
        by=by,
    )
    raise typer.Exit(_show(asyncio.run(_optimise(plan, asked)), plan))


async def _optimise(plan: Plan, tape: Tape) -> Sequence[Any]:
    settings = read_settings()
    if settings.model is None and tape.file is None:
        raise UsageError("no model is configured: set GROUNDRULE_MODEL, or give --play")

    def models() -> SharedModels:
        return tape.models(settings) or SharedModels(settings)

    optimising = _compiling()
    try:
        with shown(f"programs of {plan.pack}") as progress:
            means = optimising.Means(models, progress)
            library = Library(packs=settings.packs)
            found: Sequence[Any] = await optimising.optimise(
                plan, settings, library, means
            )
            return found
    except StoreFailed as error:
        raise EnvironmentFailed(str(error)) from error
    except CassetteMiss as error:  # while it is compiled; later it is a case's error
        raise UsageError(str(error)) from error


def _compiling() -> ModuleType:
    """What compiles: it needs DSPy, which takes seconds to import.

    Raises:
        EnvironmentFailed: it is not installed.
    """
    try:
        return import_module("evals.optimise")
    except ModuleNotFoundError as error:
        raise EnvironmentFailed(
            f"the package {error.name} is not installed: run `make model`"
        ) from error


def _show(found: Sequence[Any], plan: Plan) -> int:
    """Say what came of each signature; the exit code of the worst."""
    decisions = set()
    for each in found:
        decisions.add(each.judgement.decision)
        written = f"written to {each.file}" if each.file else "not written"
        tell(f"{plan.pack}: {each.signature}: {written}")
        for why in each.judgement.reasons:
            tell(f"  {why}")
    if any(each.file for each in found):
        say(_NEXT.format(pack=plan.pack, work=plan.work))
    worst = (Decision.REGRESSION, Decision.INCONCLUSIVE)
    decision = next((d for d in worst if d in decisions), Decision.RELEASE)
    return EXIT_CODES[decision if found else Decision.INCONCLUSIVE]


_NEXT = """\
Nobody has read these programs yet. What to do now:
  1. Read instructions and demonstrations. Take out what should not be taught in a
     copy outside of the pack, and compare that: --program FILE. A pack refuses a
     program that was changed after its comparison.
  2. Set `reviewed` of the program and of each demonstration to the day of reading.
  3. Give the pack a new version with a changelog entry: its hash has changed.
  4. make evals, then python -m evals baseline renew build/evals/{pack} --reason WHY
The answers of both: {work}"""
