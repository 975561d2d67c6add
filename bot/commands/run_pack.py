"""`run-pack`: ask a question pack of a repository, with exit codes for CI."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from adapters import plugins
from adapters.inert import many
from adapters.preflight.commands import AllowList, check_allowed, read_allow_list
from adapters.preflight.gathering import RepositoryPreflights
from adapters.preflight.repository import Repository
from adapters.preflight.retrieval import Retrieve, refuse_retrieval
from adapters.question_packs import Loaded, load
from bot.console import say, tell
from bot.inspection.page import render_page
from bot.inspection.results import make_junit, make_sarif
from bot.inspection.run_folder import (
    SUMMARY,
    RunFolder,
    RunLog,
    open_folder,
    read_summary,
)
from bot.inspection.runner import Plan, Ran, Runner
from bot.inspection.stored import Retriever, lay_out
from bot.inspection.summary import (
    Run,
    as_data,
    explain_unjudged,
    find_changes,
    render_markdown,
    summarize,
)
from bot.models import LanguageModels
from bot.options import group, split_names
from bot.wiring import Application, read_settings
from engine.inspection.ports import Inspector
from engine.inspection.records import Result
from engine.model.errors import UsageError
from engine.model.places import encode_path
from engine.parse.dates import today_in

HELP = """Ask a question pack of a repository or an index; answers cite lines.

\b
  groundrule run-pack config/question_packs/python_package.yaml --repo ../httpx
  groundrule run-pack PACK.yaml --repo . --out runs/ --strict-evidence
  groundrule run-pack PACK.yaml --index code_audit
  groundrule run-pack PACK.yaml --repo . --index code_audit
  groundrule run-pack PACK.yaml --repo . --answer-mode llm --jobs 4
  groundrule run-pack PACK.yaml --repo . --compare runs/python_package-20261123T…

Evidence is gathered before any model is asked, and most packs need none. A folder
below --out gets evidence, drafts, answers, RUN_LOG.txt, summary.json, summary.md,
report.html, results.sarif and junit.xml.

A question that says neither `expect` nor `must_find` is told and counted as unjudged.

Exit codes: 0 all met or unjudged, 1 a question failed, the strict gate ended the run
or a compared question got worse, 2 usage or a wrong pack, 3 inconclusive, 4 no model
answered or nothing could be written.
"""

app = group()
MOST_TOLD = 10  # places of one question
REPORT = "report.html"


class AnswerMode(StrEnum):
    DETERMINISTIC = "deterministic"
    LLM = "llm"


class Bypass(StrEnum):
    AUTO = "auto"
    ON = "on"
    OFF = "off"


PackFile = Annotated[Path, typer.Argument(metavar="PACK.yaml", show_default=False)]
RepositoryFolder = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="The repository, by default this folder; nothing of it is run.",
    ),
]
IndexName = Annotated[
    str | None,
    typer.Option(
        metavar="PACK",
        help="What a policy pack has taken in and everybody may see: instead of a "
        "folder, or beside --repo for preflights that retrieve from it.",
    ),
]
OutFolder = Annotated[
    Path, typer.Option(metavar="DIR", help="Where the folder of the run is made.")
]
ChosenMode = Annotated[
    AnswerMode | None, typer.Option(help="For every question, whatever it says.")
]
ChosenBypass = Annotated[
    Bypass,
    typer.Option(
        help="Whether a model may only analyse what was found (on; auto: where "
        "something was), or may say NOT FOUND (off)."
    ),
]
Strict = Annotated[
    bool, typer.Option("--strict-evidence", help="No evidence ends the run.")
]
QuestionIds = Annotated[
    str, typer.Option(metavar="A,B", help="Only the questions with these ids.")
]
Jobs = Annotated[int, typer.Option(min=1, max=64, help="Answers of a model at once.")]
Resume = Annotated[
    bool,
    typer.Option(
        "--resume",
        help="Go on with the newest run of this pack below --out: what a model "
        "answered over the same evidence is kept.",
    ),
]
EarlierRun = Annotated[
    Path | None,
    typer.Option(metavar="RUN", help="An earlier run's folder: what got worse?"),
]
AllowedCommands = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE.yaml", help="The commands that preflights may run; else none."
    ),
]


@app.command(help=HELP)
def run_pack(  # noqa: PLR0913 each argument is an option
    ctx: typer.Context,
    pack: PackFile,
    repo: RepositoryFolder = None,
    index: IndexName = None,
    out: OutFolder = Path("runs"),
    answer_mode: ChosenMode = None,
    quote_bypass: ChosenBypass = Bypass.AUTO,
    strict_evidence: Strict = False,
    only: QuestionIds = "",
    jobs: Jobs = 1,
    resume: Resume = False,
    compare: EarlierRun = None,
    commands: AllowedCommands = None,
) -> None:
    loaded = load(pack)
    plan = Plan(
        mode=answer_mode.value if answer_mode else None,
        bypass=quote_bypass.value,
        strict=strict_evidence,
        only=_check_ids(split_names(only), loaded),
        jobs=jobs,
    )
    plugins.check_plugins(plan.questions(loaded.pack))
    allowed = read_allow_list(commands) if commands else AllowList()
    check_allowed(plan.questions(loaded.pack), allowed, pack)
    before = read_summary(compare, loaded.pack.id) if compare else None
    models = _Models(ctx.obj.data)

    async def ask() -> tuple[RunFolder, Ran]:
        async with _open_root(ctx.obj.data, repo, index) as (root, retrieve):
            repository = Repository(root, loaded.pack.include, loaded.pack.exclude)
            preflight = RepositoryPreflights(repository, allowed, retrieve)
            folder = open_folder(out, loaded.pack.id, datetime.now(UTC), resume=resume)
            log = RunLog(folder.path)
            log.write("run.start", _describe_start(loaded, repository))
            runner = Runner(loaded.pack, preflight, models.inspector, folder, log)
            return folder, await models.run(runner, plan)

    folder, ran = asyncio.run(ask())
    run = Run(
        loaded=loaded,
        ran=ran,
        model=models.name,
        compared=str(compare) if compare else None,
        changes=find_changes(before, ran.results) if before is not None else (),
    )
    _write_reports(folder, run)
    _show(run, folder)
    raise typer.Exit(run.exit_code)


@asynccontextmanager
async def _open_root(
    data: Path | None, repo: Path | None, index: str | None
) -> AsyncIterator[tuple[Path, Retrieve]]:
    """Open a folder and what retrieves from an index; by default its documents."""
    if index is None:
        yield repo or Path(), refuse_retrieval
        return
    async with Application(read_settings(data)) as application:
        pack = application.pack(index)
        corpus = application.corpus(pack)
        retriever = Retriever(
            corpus,
            application.reading,
            today_in(pack.time_zone, application.clock.now()),
            asyncio.get_running_loop(),
        )
        if repo is not None:
            yield repo, retriever
            return
        with TemporaryDirectory() as empty:
            done = await lay_out(corpus, Path(empty))
            if done.withheld:
                left = many(done.withheld, "document")
                say(f"left out, because not everybody may see them: {left}")
            yield Path(empty), retriever


def _describe_start(loaded: Loaded, repository: Repository) -> dict[str, object]:
    """Describe the run for the first line of the log."""
    left_out = ", ".join(map(encode_path, repository.left_out))
    told: dict[str, object] = {"pack": loaded.pack.id, "files": len(repository.files)}
    return {**told, "left_out": left_out}


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
        """Return the model; see `LanguageModels.writer` for what is raised."""
        if self._inspector is None:
            self._models = LanguageModels(read_settings(self._data))
            self._inspector = self._models.inspector()
        return self._inspector

    async def run(self, runner: Runner, plan: Plan) -> Ran:
        """Run the plan, and close what was opened for it."""
        try:
            return await runner.run(plan, _show_progress)
        finally:
            if self._models is not None:
                await self._models.close()


def _show_progress(result: Result) -> None:
    """Write a line on standard error for each question that ended."""
    say(f"{result.status.value:<12} {result.question}: {result.verdict}")


def _check_ids(only: tuple[str, ...], loaded: Loaded) -> tuple[str, ...]:
    """Return the ids of `--only`, all of them in the pack."""
    known = {each.id for each in loaded.pack.questions}
    unknown = sorted(set(only) - known)
    if unknown:
        raise UsageError(
            f"--only {unknown[0]}: the pack has no such question: it has "
            f"{', '.join(sorted(known))}"
        )
    return only


def _write_reports(folder: RunFolder, run: Run) -> None:
    """Write every report; `summary.json` last, because it says that a run has ended."""
    folder.write("summary.md", render_markdown(run))
    folder.write(REPORT, render_page(run))
    folder.write("results.sarif", make_sarif(run))
    folder.write("junit.xml", make_junit(run))
    folder.write(SUMMARY, as_data(run))


def _show(run: Run, folder: RunFolder) -> None:
    """Say what a run came to, what is not met and why, and where the report is."""
    for result in run.ran.results:
        if not result.status.harmless:
            tell(f"{result.status.value}: {result.question}: {result.why}")
            for place in result.citations[:MOST_TOLD]:
                tell(f"  {place}")
    for change in run.changes:
        mark = "worse: " if change.worse else ""
        tell(f"{mark}{change.question}: {change.before}, now {change.now}")
    if nothing := explain_unjudged(run):
        say(nothing)
    tell(f"{summarize(run)} (exit code {run.exit_code})")
    tell(f"report: {folder.path / REPORT}")
