"""Compile a pack's prompt programs, and keep one only where it is no step back (R-E8).

Half of the documents of the suites are for training. The other half is asked twice
over the shipped engine, with the present program and with the new one, and judged as a
release is. What could not be compared is not kept.
"""

import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from pydantic import ValidationError

from adapters import packs, programs
from bot.documents.embedders import open_embedder
from config.settings import Settings
from engine.errors import UsageError
from engine.policy.pack import Pack
from engine.policy.programs import Origin, Program
from evals import record as recording
from evals.cases import suites
from evals.cases.suites import Library
from evals.deciding.finished import Finished, finished
from evals.deciding.verdict import Decision
from evals.forms import Suite
from evals.metrics import catalogue
from evals.optimising.given import given, named, present
from evals.optimising.plan import Plan
from evals.optimising.practice import Handing, Lesson, Practice, practice
from evals.optimising.split import Split, split
from evals.optimising.student import Compiled, Course, compiled, starting
from evals.optimising.weigh import Judgement, heard, weigh
from evals.record import Progress, Tools
from evals.recording.corpora import CORPORA, Corpora
from evals.recording.costs import Purse
from evals.recording.models import SharedModels
from evals.recording.runner import Answered
from evals.scoring import score_run


@dataclass(frozen=True, slots=True)
class Means:
    """What compiling works with; `models` opens those that draft, once a phase."""

    models: Callable[[], SharedModels]
    progress: Progress = field(default_factory=Progress)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one signature; `file` is where its program was written."""

    signature: str
    judgement: Judgement
    file: Path | None = None


async def optimise(
    plan: Plan, settings: Settings, library: Library, means: Means
) -> Sequence[Outcome]:
    """Compile programs, compare each with the present one, and write those to be kept.

    A plan that names a program's file has that one compared, and none compiled.

    Raises:
        UsageError: the pack, a suite or the plan is wrong.
        BudgetExceeded: the money was spent before anything could be compared.
        EnvironmentFailed: corpora or models cannot be opened, or a file not written.
    """
    pack = _allowed(plan, library)
    loaded = suites.load(plan.pack, library)
    sides = split(loaded, plan.seed)
    means.progress.remark(str(sides))
    purse = Purse(plan.max_usd)
    made: Mapping[str, Program | Judgement]
    if plan.program is not None:
        made = given(plan.program, pack, loaded, sides, await _drafter(means))
    else:
        trainer = Trainer(plan, settings, library, means, purse)
        made = await trainer.compiled(pack, loaded, sides)
    examiner = _Examiner(plan, settings, library, means, purse)
    found: list[Outcome] = []
    for name, new in made.items():
        if isinstance(new, Judgement):
            found.append(Outcome(name, new))
        else:
            found.append(await examiner.outcome(new, pack.id, sides))
    return found


async def _drafter(means: Means) -> str:
    """The name of the model that drafts."""
    models = means.models()
    try:
        return models.writer.name
    finally:
        await models.end()


def _allowed(plan: Plan, library: Library) -> Pack:
    """The pack, where a program can be compiled for it.

    Raises:
        UsageError: it forbids models, is locked, or names no such signature.
    """
    pack = packs.load(library.packs / plan.pack)
    if pack.answer.mode != "llm":
        raise UsageError(
            f"{pack.id}: answer.mode: is {pack.answer.mode}: no model asked"
        )
    if pack.status == "LOCKED":
        raise UsageError(
            f"{pack.id} {pack.version} is LOCKED, and a program is a part of it: give "
            "the pack a new version, `status: active` and a changelog entry first"
        )
    for name in plan.signatures:
        named(pack, name, f"--signature {name}")
    return pack


# --- training ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Trainer:
    """Compiles signatures on the training cases."""

    plan: Plan
    settings: Settings
    library: Library
    means: Means
    purse: Purse

    async def compiled(
        self, pack: Pack, loaded: Sequence[Suite], sides: Split
    ) -> Mapping[str, Program | Judgement]:
        """A program for each signature, or why there is none."""
        plan, models = self.plan, self.means.models()
        settings = self.settings.model_copy(update={"packs": self.library.packs})
        embedder = open_embedder(settings, pack.profile)
        cache, handing = plan.cache / CORPORA, Handing(settings)
        learnt = _only(loaded, sides.training)
        placed = [(self.library.corpus(suite), suite) for suite in learnt]
        try:
            with Corpora(settings, pack, embedder, handing, cache) as corpora:
                async with practice(corpora, pack, placed, self._seen) as place:
                    lessons = await place.lessons(plan.concurrency)
                    self._reached(place, lessons)
                    names = plan.signatures or sorted({_of(each) for each in lessons})
                    return {
                        name: await self._one(
                            name,
                            pack,
                            models,
                            place,
                            [e for e in lessons if _of(e) == name],
                        )
                        for name in names
                    }
        finally:
            await models.end()

    def _seen(self, answered: Answered) -> None:
        """Nobody knows how often an optimiser will ask: the bar grows as it does."""
        self.means.progress.expect(1)
        self.means.progress.done(answered)

    def _reached(self, place: Practice, lessons: Sequence[Lesson]) -> None:
        """Say how many cases there are to learn from.

        Raises:
            UsageError: there is none.
        """
        self.means.progress.remark(
            f"{len(lessons)} of {place.size} training cases reach a model"
        )
        if not lessons and not self.plan.signatures:
            raise UsageError("no training case reaches a model: try another --seed")

    async def _one(
        self,
        name: str,
        pack: Pack,
        models: SharedModels,
        place: Practice,
        lessons: Sequence[Lesson],
    ) -> Program | Judgement:
        if not lessons:
            return _undecided(f"No training case reaches {name}.")
        plan, progress = self.plan, self.means.progress
        progress.remark(f"{name}: {plan.optimiser} on {len(lessons)} cases")
        own = pack.programs.get(name)
        start = starting(name, own)
        course = Course(
            signature=name,
            lessons=lessons,
            practice=place,
            model=models.writer,
            budget=pack.budget,
            purse=self.purse,
        )
        new = await compiled(course, start, plan.optimiser, plan.seed, plan.concurrency)
        if new == start:
            why = f"{plan.optimiser} found nothing other than the present program."
            return Judgement(Decision.REGRESSION, (why,))
        try:
            return _drafted(new, course, plan, present(pack, name))
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(map(str, first["loc"]))
            why = f"What was compiled is no program: {where}: {first['msg']}."
            return Judgement(Decision.REGRESSION, (why,))


def _drafted(new: Compiled, course: Course, plan: Plan, against: str) -> Program:
    """A program that nobody has read yet, and that was compared with nothing yet."""
    origin = Origin(
        optimiser=plan.optimiser,
        model=course.model.name,
        training=tuple(lesson.case.id for lesson in course.lessons),
        compared=(),
        against=against,
        figures={},
    )
    return Program(
        signature=course.signature,
        instructions=new.lines,
        demonstrations=new.demonstrations,
        reviewed=None,
        by=plan.by,
        origin=origin,
    )


def _of(lesson: Lesson) -> str:
    return lesson.order.signature


def _only(loaded: Sequence[Suite], ids: frozenset[str]) -> Iterator[Suite]:
    for suite in loaded:
        cases = tuple(case for case in suite.cases if case.id in ids)
        if cases:
            yield replace(suite, cases=cases)


def _undecided(why: str) -> Judgement:
    return Judgement(Decision.INCONCLUSIVE, (why,))


# --- comparison -------------------------------------------------------------------


class _Examiner:
    """Asks the comparison cases with the present programs and with a new one.

    A program that is kept is a present one for the next signature.
    """

    def __init__(
        self,
        plan: Plan,
        settings: Settings,
        library: Library,
        means: Means,
        purse: Purse,
    ) -> None:
        self._plan = plan
        self._settings = settings
        self._library = library
        self._means = means
        self._purse = purse
        self._kept: dict[str, Program] = {}
        self._present: Finished | None = None

    async def outcome(self, new: Program, pack: str, sides: Split) -> Outcome:
        """Compare a program with the present one; write it where it is kept.

        Args:
            new: the program.
            pack: the id of the pack, which is not always the name of its folder.
            sides: which cases it is compared on.
        """
        name, before = new.signature, self._present
        if before is None:
            before = await self._asked("present", self._kept, sides)
        # A pack takes no program without a comparison: this one is about to be run.
        tried = new.compared_on(pack, sides.comparison, {})
        asked = await self._asked(f"new-{name}", {**self._kept, name: tried}, sides)
        judgement = heard(asked, before) or weigh(
            asked.scored,
            before.scored,
            catalogue.weights(),
            gain=self._plan.program is None,
        )
        if not judgement.kept:
            self._present = before
            return Outcome(name, judgement)
        whole = new.compared_on(pack, sides.comparison, judgement.figures)
        self._kept[name], self._present = whole, asked
        own = self._library.packs / self._plan.pack / programs.FOLDER
        file = programs.write(whole, self._plan.out or own)
        # Said at once: the next signature may end all of it, as where money does.
        self._means.progress.remark(f"{name}: written to {file}")
        return Outcome(name, judgement, file)

    async def _asked(
        self, run: str, with_these: Mapping[str, Program], sides: Split
    ) -> Finished:
        """The comparison cases asked and scored as those of a release."""
        plan = self._plan
        self._means.progress.remark(f"{run}: {len(sides.comparison)} cases")
        out = plan.work / run
        with _installed(self._library, plan.pack, with_these) as library:
            wanted = recording.Plan(
                pack=plan.pack,
                out=out,
                repeats=plan.repeats,
                concurrency=plan.concurrency,
                cases=sides.comparison,
                max_usd=self._left(),
                cache=plan.cache,
            )
            tools = Tools(self._means.progress, self._means.models())
            summary = await recording.record(wanted, self._settings, library, tools)
        self._purse.pay(summary.took["cost"])
        score_run(out)
        return finished(out)

    def _left(self) -> float | None:
        """What may still be spent.

        Raises:
            BudgetExceeded: nothing, or nobody knows.
        """
        self._purse.check()
        most = self._plan.max_usd
        return None if most is None else max(most - self._purse.spent, 0.0)


@contextmanager
def _installed(
    library: Library, pack: str, with_these: Mapping[str, Program]
) -> Iterator[Library]:
    """The library with a copy of the pack that has these programs, read from disk."""
    if not with_these:
        yield library
        return
    with tempfile.TemporaryDirectory(prefix="groundrule-programs-") as name:
        copy = Path(name) / pack
        shutil.copytree(library.packs / pack, copy)
        for each in with_these.values():
            programs.write(each, copy / programs.FOLDER)
        yield replace(library, packs=copy.parent)
