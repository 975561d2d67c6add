"""Record a run: every case of the suites asked of what is shipped, on a fixed day.

Questions go through `bot.wiring.Application` as from any other entry path, but for the
day, the data folder and the observer. A case that cannot be asked is a row with an
error: a record has a row for every case, or there is none.
"""

import platform
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from pathlib import Path

from adapters import packs
from bot.documents.embedders import open_embedder
from config.settings import Settings
from engine.model.errors import UsageError
from engine.policy.pack import Pack
from evals import store
from evals.cases import adversarial, counterfactual, messages, suites
from evals.cases.counterfactual import Texts
from evals.cases.messages import MESSAGES
from evals.cases.suites import Library
from evals.forms import Case, Json, Row, Source, Suite
from evals.record import manifest
from evals.record.answers import ANSWERS, AnswerCache
from evals.record.asking import Budget, CaseAsker, Site, estimate, sum_timings
from evals.record.cassettes import SharedModels
from evals.record.corpora import CORPORA, Corpora
from evals.record.runner import (
    Answered,
    Item,
    make_failed,
    repeat_cases,
    run,
    work_through,
)

# Asked on this day unless a suite names another; the demo texts are a few weeks old.
TODAY = date(2026, 7, 1)
BUILD = manifest.ROOT / "build" / "evals"
CACHE = BUILD / "cache"
FORM = 1  # of a manifest
SITES = 3  # corpora that are open at the same time


@dataclass(frozen=True, slots=True)
class Progress:
    """Callbacks of a run: what it may cost, how many come, what is done."""

    remark: Callable[[str], None] = lambda text: None
    expect: Callable[[int], None] = lambda cases: None
    done: Callable[[Answered], None] = lambda answered: None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The plan of a run.

    Attributes:
        pack: its id.
        out: the folder of the run.
        repeats: how often each case is asked.
        concurrency: how many are asked at the same time.
        only: names of suites; none: all of them.
        messages: ask messages as people type them, in place of suites.
        generated: make cases from what was answered.
        fresh: ask what the cache holds too.
        max_usd: what models may cost.
        cache: the folder where answers and corpora are kept.
    """

    pack: str
    out: Path
    repeats: int = 1
    concurrency: int = 4
    only: tuple[str, ...] = ()
    messages: bool = False
    generated: bool = True
    fresh: bool = False
    max_usd: float | None = None
    cache: Path = CACHE


@dataclass(frozen=True, slots=True)
class Tools:
    """The tools of a run; `models` replace those of the settings."""

    progress: Progress = field(default_factory=Progress)
    models: SharedModels | None = None


@dataclass(frozen=True, slots=True)
class Summary:
    """The counts of a run, and what it took."""

    cases: int
    rows: int
    errors: int
    took: Json


READER = "small"  # the reader unless the settings name another: every checkout has it


async def record(
    plan: Plan, settings: Settings, library: Library, tools: Tools
) -> Summary:
    """Ask every case of a pack's suites and write the record of the run.

    Raises:
        UsageError: a suite, the pack or the plan is wrong.
        EnvironmentFailed: corpora or models cannot be opened.
        StoreFailed: a file cannot be written.
    """
    if plan.repeats < 1:
        raise UsageError(f"--repeats {plan.repeats}: ask every case once at least")
    load = messages.load if plan.messages else suites.load
    chosen = _choose_suites(load(plan.pack, library), plan)
    reader = settings.reader or READER
    settings = settings.model_copy(update={"packs": library.packs, "reader": reader})
    pack = packs.load(library.packs / plan.pack)
    embedder = open_embedder(settings)
    models = tools.models or SharedModels(settings)
    try:
        with Corpora(settings, pack, embedder, models, plan.cache / CORPORA) as corpora:
            recorder = _Recorder(plan, pack, corpora, library, tools.progress)
            await recorder.ask(chosen)
            if plan.generated and not plan.messages:
                await recorder.ask(recorder.generate())
            return recorder.write(embedder.name)
    finally:
        await models.end()


class _Recorder:
    """One run.

    Args:
        plan: what is recorded.
        pack: that is asked.
        corpora: of the pack.
        library: the folders of suites and their documents.
        progress: called as the run goes on.
    """

    def __init__(
        self,
        plan: Plan,
        pack: Pack,
        corpora: Corpora,
        library: Library,
        progress: Progress,
    ) -> None:
        self._plan = plan
        self._pack = pack
        self._corpora = corpora
        self._library = library
        self._progress = progress
        self._cache = AnswerCache(plan.cache / ANSWERS)
        self._cache.forget()
        self._budget = Budget(plan.max_usd)
        self._suites: list[Suite] = []
        self._answered: list[Answered] = []
        self._request = {
            "code": manifest.hash_requesting(),
            "pack": [pack.id, pack.hash],
            "model": corpora.models.describe(pack),
        }

    async def ask(self, chosen: Sequence[Suite]) -> None:
        """Ask the cases of some suites, those of one site together."""
        self._suites += chosen
        suites.index_cases(self._suites)
        sites: dict[Site, list[Case]] = {}
        for suite in chosen:
            documents = self._library.corpus(suite)
            for case in suite.cases:
                site = Site(documents, case.changes, suite.today or TODAY)
                sites.setdefault(site, []).append(case)
        count = sum(len(cases) for cases in sites.values()) * self._plan.repeats
        self._progress.expect(count)
        if self._request["model"] is not None:
            self._progress.remark(str(estimate(self._pack, count)))

        async def here(place: tuple[Site, list[Case]]) -> None:
            site, cases = place
            items = [
                self._add_key(i, site) for i in repeat_cases(cases, self._plan.repeats)
            ]
            await self._ask_here(site, items)

        await work_through(sites.items(), here, min(SITES, self._plan.concurrency))

    def generate(self) -> Sequence[Suite]:
        """Make the cases that follow from what was answered."""
        rows = {a.row.case: a.row for a in self._answered if not a.row.repeat}
        sources = self._collect_sources()
        together: dict[tuple[str, date | None], Suite] = {}
        for suite in self._suites:
            place = (suite.corpus, suite.today)
            earlier = together.get(place, replace(suite, cases=()))
            cases = (*earlier.cases, *suite.cases)
            together[place] = replace(suite, cases=cases)
        made: list[Suite] = []
        for suite in together.values():
            texts = Texts(self._library.corpus(suite))
            for make in (counterfactual.make, adversarial.make):
                found = make(suite, rows, sources, texts)
                made += [found] if found.cases else []
        return made

    def write(self, embedder: str) -> Summary:
        """Write the files of the run, the manifest last.

        Raises:
            StoreFailed: one cannot be written.
        """
        out, answered = self._plan.out, self._answered
        cases = [case for suite in self._suites for case in suite.cases]
        rows = [each.row for each in answered]
        timings = [_make_timing(each) for each in answered]
        store.write_cases(out, cases)
        store.write_rows(out, rows)
        store.write_sources(out, self._collect_sources().values())
        store.write_timings(out, timings)
        store.write_manifest(out, self._make_manifest(rows, embedder))
        errors = sum(row.error is not None for row in rows)
        return Summary(len(cases), len(rows), errors, sum_timings(timings))

    # --- asking -------------------------------------------------------------------

    def _add_key(self, item: Item, site: Site) -> Item:
        case = item.case
        request = {
            **self._request,
            "corpus": self._corpora.key(site.documents),
            "changes": [asdict(change) for change in site.changes],
            "today": site.today,
            "question": [case.question, case.previous, case.selection, case.chooses],
            "message": case.suite == MESSAGES,
            "as_of": case.as_of,
            "tags": sorted(case.tags),
            "repeat": item.repeat,
        }
        return replace(item, key=manifest.hash_content(request))

    async def _ask_here(self, site: Site, items: Sequence[Item]) -> None:
        """Ask the cases of one site; the cached ones without opening it."""
        left = []
        for item in items:
            known = self._find_known(item)
            if known is None:
                left.append(item)
            else:
                self._take(known)
        if not left:
            return
        async with AsyncExitStack() as stack:
            try:
                opened = await stack.enter_async_context(
                    self._corpora.opened(site.documents, site.changes, site.today)
                )
            except UsageError as error:
                if not site.changes:
                    raise
                for item in left:  # a change that cannot be made is its cases' error
                    self._take(make_failed(item, f"{type(error).__name__}: {error}"))
                return
            asker = CaseAsker(self._pack, opened, site, self._budget)
            at_once = self._plan.concurrency
            await run(left, asker.ask, concurrency=at_once, done=self._take_new)

    def _find_known(self, item: Item) -> Answered | None:
        """Look an item up in the cache, unless a cassette is played or all is asked
        again."""
        passed = self._plan.fresh or self._corpora.models.taped
        return None if passed else self._cache.get(item)

    def _take_new(self, answered: Answered) -> None:
        self._cache.put(answered)
        self._take(answered)

    def _take(self, answered: Answered) -> None:
        self._answered.append(answered)
        self._progress.done(answered)

    # --- files --------------------------------------------------------------------

    def _collect_sources(self) -> Mapping[str, Source]:
        """Collect the documents of all rows by version; of equal ones the first by
        id."""
        every = (source for each in self._answered for source in each.sources)
        ordered = sorted(every, key=lambda s: (s.document, s.path), reverse=True)
        return {source.version: source for source in ordered}

    def _make_manifest(self, rows: Sequence[Row], embedder: str) -> Json:
        pack, corpora = self._pack, {}
        for suite in self._suites:
            corpora[suite.corpus] = self._corpora.key(self._library.corpus(suite))
        records = [row.record for row in rows if row.record is not None]
        return {
            "form": FORM,
            "pack": pack.id,
            "policy": {"version": pack.version, "hash": pack.hash},
            "code": manifest.hash_shipped(),
            "recording": self._request["code"],
            "corpora": corpora,
            "suites": {
                s.name: manifest.hash_content(_describe_suite(s)) for s in self._suites
            },
            "embedder": embedder,
            "model": self._request["model"],
            "programs": sorted({str(r["prompt_version"]) for r in records} - {"None"}),
            "repeats": self._plan.repeats,
            "python": platform.python_version(),
            "git": manifest.describe_git(),
            "rows": len(rows),
            "errors": sum(row.error is not None for row in rows),
        }


def _choose_suites(every: Sequence[Suite], plan: Plan) -> Sequence[Suite]:
    """Return the suites that a plan names, or all.

    Raises:
        UsageError: there is no suite of a name.
    """
    names = [suite.name for suite in every]
    for name in plan.only:
        if name not in names:
            raise UsageError(f"--suite {name}: there are {', '.join(names)}")
    return [suite for suite in every if not plan.only or suite.name in plan.only]


def _describe_suite(suite: Suite) -> Json:
    """Describe a suite as it is asked, wherever its file and lines are."""
    cases = [asdict(replace(c, file="", line=0)) for c in suite.cases]
    return asdict(replace(suite, cases=())) | {"cases": cases}


def _make_timing(answered: Answered) -> Json:
    row = answered.row
    return {"cached": False, **answered.took, "case": row.case, "repeat": row.repeat}
