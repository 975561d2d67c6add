"""DSPy's optimisers at work on one signature: a program that does better in practice.

They see a module whose calls go through `engine.answer.modules.Call` and whose marks
come from the corridor. Only an intent's own lines and its examples are theirs to
change; the rules of all are added where the model is asked. DSPy compiles in a thread,
and everything that waits runs on the event loop it was started from.
"""

import asyncio
import io
import random
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import wait
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from typing import Any, TypeVar

import dspy

from engine.answer.asking import INPUTS, asked_with, shown_as
from engine.answer.demonstrations import demonstrations
from engine.answer.exchange import inputs, written
from engine.answer.modules import Call, Model
from engine.answer.signatures import SIGNATURES
from engine.drafts.orders import Order
from engine.drafts.prompts import Failure, Prompt, Usage
from engine.errors import EnvironmentFailed
from engine.policy.pack import Budget
from engine.policy.programs import MOST_DEMONSTRATIONS, Demonstration, Program
from evals.optimising.plan import Optimiser
from evals.optimising.practice import Lesson, Mark, Practice
from evals.recording.costs import Purse

Found = TypeVar("Found")

BOOTSTRAPPED = 2  # examples that are added at most (R-A1)
CANDIDATES = 6  # sets of examples, or new instructions, that are tried
ROUNDS = 2  # of instructions
PER_CASE = 8  # marks that GEPA may have, for each case of training
PROPOSING_TOKENS, PROPOSING_S = 2_000, 120.0
UNREADABLE = "unreadable"  # the status of a draft that is none

# A model that fails like this gives every program the same marks.
_NOBODY_ASKED = frozenset(Failure) - {
    *(Failure.UNREADABLE, Failure.TIMEOUT, Failure.LIMITED),
}


@dataclass(frozen=True, slots=True)
class Course:
    """What a signature is compiled with.

    Attributes:
        signature: its name.
        lessons: the cases of training that reach it.
        practice: marks drafts.
        model: that drafts, and proposes instructions.
        budget: of one question.
        purse: pays for every call.
    """

    signature: str
    lessons: Sequence[Lesson]
    practice: Practice
    model: Model
    budget: Budget
    purse: Purse

    def order(self, case: str) -> Order:
        """What the corridor orders for a case of training."""
        return next(each.order for each in self.lessons if each.case.id == case)

    def __deepcopy__(self, memo: object) -> "Course":
        """DSPy copies modules whole; the world that they work in is one."""
        return self


@dataclass(frozen=True, slots=True)
class Compiled:
    """What an optimiser came to: an intent's own lines, and examples."""

    lines: str
    demonstrations: tuple[Demonstration, ...]


def starting(name: str, own: Program | None) -> Compiled:
    """The present program of a signature: the pack's own, or the built-in one."""
    if own is not None:
        return Compiled(own.instructions, own.demonstrations)
    return Compiled(SIGNATURES[name].instructions, tuple(demonstrations(name)))


async def compiled(
    course: Course, start: Compiled, optimiser: Optimiser, seed: int, at_once: int
) -> Compiled:
    """Compile a signature from its present program.

    Raises:
        BudgetExceeded: nothing more may be spent.
        EnvironmentFailed: the model cannot be asked.
        GroundruleError: a draft could not be put before the corridor.
    """
    bridge = _Bridge(asyncio.get_running_loop())
    student = _Student(course, bridge, start)
    examples = [_example(lesson) for lesson in course.lessons]
    random.Random(seed).shuffle(examples)
    work = _Work(student, examples, course, bridge, seed, at_once)
    try:
        made = await asyncio.to_thread(_quietly, _COMPILERS[optimiser], work)
    finally:
        bridge.check()
    return _read(made.predict, start)


class _Bridge:
    """From DSPy's threads to the event loop, until the first thing that goes wrong.

    DSPy goes on after errors; what is no fault of a program must not become its mark.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._broken: BaseException | None = None

    def __deepcopy__(self, memo: object) -> "_Bridge":
        return self

    def check(self) -> None:
        """Raise what went wrong, if anything did."""
        if self._broken is not None:
            raise self._broken

    def run(self, work: Coroutine[Any, Any, Found]) -> Found:
        """The result of something that waits; the settings of this thread hold."""
        if self._broken is not None:
            work.close()
            raise self._broken
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        wait([future])
        if future.cancelled():
            error: BaseException | None = EnvironmentFailed("compiling was cut off")
        else:
            error = future.exception()
        if error is not None:
            self._broken = self._broken or error
            raise error
        return future.result()


class _Student(dspy.Module):  # type: ignore[misc]  # DSPy has no types
    """One signature as DSPy's optimisers take it."""

    def __init__(self, course: Course, bridge: _Bridge, start: Compiled) -> None:
        super().__init__()
        self.course = course
        self.bridge = bridge
        signature = SIGNATURES[course.signature]
        self.predict = dspy.Predict(signature.with_instructions(start.lines))
        self.predict.demos = [shown_as(each) for each in start.demonstrations]

    def forward(self, **given: object) -> dspy.Prediction:
        """A draft, as the writer of the shipped engine would ask for it."""
        said = self.bridge.run(_drafted(self.course, self.predict, given))
        trace = dspy.settings.trace
        if trace is not None:
            trace.append((self.predict, {**given}, said))
        return said


async def _drafted(
    course: Course, predict: dspy.Predict, given: Mapping[str, object]
) -> dspy.Prediction:
    course.purse.check()
    name, budget = course.signature, course.budget
    program = asked_with(name, predict.signature.instructions, predict.demos)
    call = Call(course.model, name, budget.seconds, budget.tokens)
    said, prompt = await call.run(program, {**given})
    course.purse.pay(prompt.usage.cost)
    if prompt.failure in _NOBODY_ASKED:
        raise EnvironmentFailed(
            f"{course.model.name} cannot be asked ({prompt.failure}): "
            "`python -m bot doctor --model` says what to do"
        )
    nothing = dspy.Prediction(sections=[], texts=[], not_found=[], status=UNREADABLE)
    return nothing if said is None else said


async def _marked(course: Course, case: str, said: dspy.Prediction) -> Mark:
    prompt = Prompt(module=course.signature, model=course.model.name, program="")
    if said.get("status") == UNREADABLE:
        return Mark(0.0, "no draft could be read: answer with the JSON object alone")
    draft = written(said, prompt, course.order(case))
    return await course.practice.mark(case, draft)


# --- optimisers -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Work:
    """What every optimiser is handed."""

    student: _Student
    examples: list[dspy.Example]
    course: Course
    bridge: _Bridge
    seed: int
    at_once: int

    def score(
        self, example: dspy.Example, said: dspy.Prediction, trace: object = None
    ) -> float:
        """The mark of a draft."""
        return self.mark(example, said).score

    def told(self, example: dspy.Example, said: dspy.Prediction, *_: object) -> Any:
        """The mark of a draft with its reason, for an optimiser that reads."""
        mark = self.mark(example, said)
        return dspy.Prediction(score=mark.score, feedback=mark.why)

    def mark(self, example: dspy.Example, said: dspy.Prediction) -> Mark:
        """What the corridor and the metrics make of a draft."""
        return self.bridge.run(_marked(self.course, example.case, said))


def _bootstrap(work: _Work) -> _Student:
    optimiser = dspy.BootstrapFewShot(
        metric=work.score,
        metric_threshold=1.0,
        max_bootstrapped_demos=BOOTSTRAPPED,
        max_labeled_demos=0,
    )
    return _typed(optimiser.compile(work.student, trainset=work.examples))


def _random_search(work: _Work) -> _Student:
    optimiser = dspy.BootstrapFewShotWithRandomSearch(
        metric=work.score,
        metric_threshold=1.0,
        max_bootstrapped_demos=BOOTSTRAPPED,
        max_labeled_demos=0,
        num_candidate_programs=CANDIDATES,
        num_threads=work.at_once,
    )
    return _typed(optimiser.compile(work.student, trainset=work.examples))


def _copro(work: _Work) -> _Student:
    optimiser = dspy.COPRO(
        prompt_model=_proposer(work),
        metric=work.score,
        breadth=CANDIDATES,
        depth=ROUNDS,
        init_temperature=1.0,
    )
    kwargs = {"num_threads": work.at_once, "display_progress": False}
    made = optimiser.compile(work.student, trainset=work.examples, eval_kwargs=kwargs)
    return _typed(made)


def _gepa(work: _Work) -> _Student:
    optimiser = dspy.GEPA(
        metric=work.told,
        reflection_lm=_proposer(work),
        max_metric_calls=PER_CASE * len(work.examples),
        num_threads=work.at_once,
        seed=work.seed,
    )
    return _typed(optimiser.compile(work.student, trainset=work.examples))


_COMPILERS: Mapping[Optimiser, Callable[[_Work], _Student]] = {
    "bootstrap": _bootstrap,
    "random-search": _random_search,
    "copro": _copro,
    "gepa": _gepa,
}


def _typed(made: object) -> _Student:
    assert isinstance(made, _Student)
    return made


def _quietly(compiler: Callable[[_Work], _Student], work: _Work) -> _Student:
    """DSPy reports its steps on both streams; ours are for people."""
    dspy.disable_logging()
    try:
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            return compiler(work)
    finally:
        dspy.enable_logging()


def _proposer(work: _Work) -> dspy.LM:
    """The course's model as DSPy calls one from a thread, to propose instructions."""
    course, inner = work.course, work.course.model.lm(PROPOSING_TOKENS)

    class Proposer(type(inner)):  # type: ignore[misc]  # it may be a taped one
        def __call__(self, prompt: Any = None, *, messages: Any = None, **more: Any):  # type: ignore[no-untyped-def]  # as DSPy's own
            course.purse.check()
            call = super().acall
            said = work.bridge.run(
                course.model.calling(
                    lambda: call(prompt, messages=messages, **more), PROPOSING_S
                )
            )
            last = self.history[-1] if self.history else {}
            told = last.get("usage") or {}
            usage = Usage(
                calls=1,
                prompt_tokens=int(told.get("prompt_tokens") or 0),
                answer_tokens=int(told.get("completion_tokens") or 0),
            )
            course.purse.pay(course.model.cost(usage, last.get("cost")))
            return said

    made = object.__new__(Proposer)
    made.__dict__.update(inner.__dict__)
    return made


# --- in and out -------------------------------------------------------------------


def _example(lesson: Lesson) -> dspy.Example:
    filled = inputs(lesson.order)
    return dspy.Example(case=lesson.case.id, **filled).with_inputs(*INPUTS)


def _read(predict: dspy.Predict, start: Compiled) -> Compiled:
    """What was compiled, as data; an example that fits no form is left out."""
    known = {(each.question, each.passages): each for each in start.demonstrations}
    kept = [_demonstration(each, known) for each in predict.demos]
    once = {each.question: each for each in kept if each is not None}
    found = [*once.values()]
    if not any(each.not_found for each in found):  # R-A1: one has data missing
        found[:0] = [each for each in start.demonstrations if each.not_found][:1]
    lines = predict.signature.instructions.strip()
    return Compiled(lines, tuple(found[:MOST_DEMONSTRATIONS]))


def _demonstration(
    example: dspy.Example, known: Mapping[tuple[str, str], Demonstration]
) -> Demonstration | None:
    """An example of DSPy's as ours; new ones have been read by nobody."""
    before = known.get((example.question, example.passages))
    if before is not None:
        return before
    own = (*INPUTS, "texts", "not_found", "status")
    fields = {name: example.get(name) for name in own}
    sections = [part.model_dump() for part in example.sections if part.sentences]
    try:
        return Demonstration.model_validate(
            {**fields, "sections": sections, "reviewed": None}
        )
    except ValueError:
        return None
