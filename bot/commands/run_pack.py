"""`run-pack`: a question pack against a repository, with exit codes for CI (R-P1)."""

import asyncio
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from adapters import plugins
from adapters.preflight.commands import AllowList, allow_list
from adapters.preflight.gathering import RepositoryPreflights
from adapters.preflight.repository import Repository
from adapters.question_packs import Loaded, load
from bot.console import say, tell
from bot.inspection import reports
from bot.inspection.run_folder import RunFolder, opened, summary_of
from bot.inspection.run_log import RunLog
from bot.inspection.runner import Plan, Ran, Runner
from bot.inspection.stored import lay_out
from bot.inspection.summary import Run, changes, headline
from bot.models import LanguageModels
from bot.options import group, names
from bot.wiring import Application, read_settings
from engine.errors import UsageError
from engine.inspection.places import quoted
from engine.inspection.records import Result, Status
from engine.ports import Inspector

HELP = """Ask a question pack of a repository or an index; answers cite lines.

\b
  python -m bot run-pack config/question_packs/python_package.yaml --repo ../httpx
  python -m bot run-pack PACK.yaml --repo . --out runs/ --strict-evidence
  python -m bot run-pack PACK.yaml --index code_audit
  python -m bot run-pack PACK.yaml --repo . --answer-mode llm --jobs 4
  python -m bot run-pack PACK.yaml --repo . --compare runs/python_package-20261123T…

Evidence is gathered before any model is asked, and most packs need none. A folder
below --out gets evidence, drafts, answers, RUN_LOG.txt, summary.json, summary.md,
report.html, results.sarif and junit.xml.

Exit codes: 0 all met, 1 a question failed, the strict gate ended the run or a compared
question got worse, 2 usage or a wrong pack, 3 inconclusive, 4 no model answered or
nothing could be written.
"""

app = group()
MOST_TOLD = 10  # places of one question


class AnswerMode(StrEnum):
    DETERMINISTIC = "deterministic"
    LLM = "llm"


class Bypass(StrEnum):
    AUTO = "auto"
    ON = "on"
    OFF = "off"


@app.command(help=HELP)
def run_pack(  # noqa: PLR0913 each argument is an option
    ctx: typer.Context,
    pack: Annotated[Path, typer.Argument(metavar="PACK.yaml", show_default=False)],
    repo: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="The repository, by default this folder; nothing of it is run.",
        ),
    ] = None,
    index: Annotated[
        str | None,
        typer.Option(
            metavar="PACK",
            help="Instead: the documents of a policy pack that everybody may see.",
        ),
    ] = None,
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Where the folder of the run is made.")
    ] = Path("runs"),
    answer_mode: Annotated[
        AnswerMode | None, typer.Option(help="For every question, whatever it says.")
    ] = None,
    quote_bypass: Annotated[
        Bypass,
        typer.Option(
            help="Whether a model may only analyse what was found (on; auto: where "
            "something was), or may say NOT FOUND (off)."
        ),
    ] = Bypass.AUTO,
    strict_evidence: Annotated[
        bool, typer.Option("--strict-evidence", help="No evidence ends the run.")
    ] = False,
    only: Annotated[
        str, typer.Option(metavar="A,B", help="Only the questions with these ids.")
    ] = "",
    jobs: Annotated[
        int, typer.Option(min=1, max=64, help="Answers of a model at once.")
    ] = 1,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume",
            help="Go on with the newest run of this pack below --out: what a model "
            "answered over the same evidence is kept.",
        ),
    ] = False,
    compare: Annotated[
        Path | None,
        typer.Option(metavar="RUN", help="An earlier run's folder: what got worse?"),
    ] = None,
    commands: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.yaml", help="The commands that preflights may run; else none."
        ),
    ] = None,
) -> None:
    loaded = load(pack)
    plan = Plan(
        mode=answer_mode.value if answer_mode else None,
        bypass=quote_bypass.value,
        strict=strict_evidence,
        only=_known(names(only), loaded),
        jobs=jobs,
    )
    plugins.check(plan.questions(loaded.pack))
    before = summary_of(compare) if compare else None
    if repo is not None and index is not None:
        raise UsageError("--repo and --index do not go together")
    allowed = allow_list(commands) if commands else AllowList()
    with TemporaryDirectory() as empty:
        root = repo or Path()
        if index is not None:
            root = Path(empty)
            asyncio.run(_lay_out(ctx.obj.data, index, root))
        repository = Repository(root, loaded.pack.include, loaded.pack.exclude)
        preflight = RepositoryPreflights(repository, allowed)
        folder = opened(out, loaded.pack.id, datetime.now(UTC), resume=resume)
        models = _Models(ctx.obj.data)
        log = RunLog(folder.path)
        left_out = ", ".join(map(quoted, repository.left_out))
        told = {"pack": loaded.pack.id, "files": len(repository.files)}
        log.write("run.start", {**told, "left_out": left_out})
        runner = Runner(loaded.pack, preflight, models.inspector, folder, log)
        ran = asyncio.run(models.asked(runner, plan))
    run = Run(
        loaded=loaded,
        ran=ran,
        model=models.name,
        compared=str(compare) if compare else None,
        changes=changes(before, ran.results) if before is not None else (),
    )
    reports.write(folder, run)
    _told(run, folder)
    raise typer.Exit(run.exit_code)


async def _lay_out(data: Path | None, name: str, root: Path) -> None:
    """Lay out the documents of a pack, and say which are not among them."""
    async with Application(read_settings(data)) as application:
        done = await lay_out(application.corpus(application.pack(name)), root)
    if done.withheld:
        say(f"left out, because not everybody may see them: {done.withheld} documents")


class _Models:
    """The model that the settings name, opened when a question first needs it."""

    def __init__(self, data: Path | None) -> None:
        self._data = data
        self._models: LanguageModels | None = None
        self._inspector: Inspector | None = None

    @property
    def name(self) -> str | None:
        """The model's; None where none was needed."""
        return self._inspector.name if self._inspector else None

    def inspector(self) -> Inspector:
        """The model; see `LanguageModels.writer` for what is raised."""
        if self._inspector is None:
            self._models = LanguageModels(read_settings(self._data))
            self._inspector = self._models.inspector()
        return self._inspector

    async def asked(self, runner: Runner, plan: Plan) -> Ran:
        """Run the plan, and close what was opened for it."""
        try:
            return await runner.run(plan, _progress)
        finally:
            if self._models is not None:
                await self._models.close()


def _progress(result: Result) -> None:
    """A line on standard error for each question that ended."""
    say(f"{result.status.value:<12} {result.question}: {result.verdict}")


def _known(only: tuple[str, ...], loaded: Loaded) -> tuple[str, ...]:
    """The ids of `--only`, all of them in the pack."""
    known = {each.id for each in loaded.pack.questions}
    unknown = sorted(set(only) - known)
    if unknown:
        raise UsageError(
            f"--only {unknown[0]}: the pack has no such question: it has "
            f"{', '.join(sorted(known))}"
        )
    return only


def _told(run: Run, folder: RunFolder) -> None:
    """What a run came to, what is not met and why, and where all of it stands."""
    for result in run.ran.results:
        if result.status is not Status.MET:
            tell(f"{result.status.value}: {result.question}: {result.why}")
            for place in result.citations[:MOST_TOLD]:
                tell(f"  {place}")
    for change in run.changes:
        mark = "worse: " if change.worse else ""
        tell(f"{mark}{change.question}: {change.before}, now {change.now}")
    tell(f"{headline(run)} (exit code {run.exit_code})")
    tell(f"report: {folder.path / reports.REPORT}")
