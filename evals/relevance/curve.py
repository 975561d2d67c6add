"""What each threshold answers: right, and of what has no answer (R-E2, R-G1).

A question is asked with every number of the gate set to a threshold, from the lowest
on. A higher one lets no more through, so what is refused once is not asked again.
"""

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bot.wiring import Application
from engine import Answer, Outcome, Question
from engine.policy.pack import Pack
from evals.relevance.collect import letters
from evals.relevance.own import Line

THRESHOLDS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)

# Facts that an answer has to quote, each in one of its wordings, as letters and digits.
Facts = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with the facts that answer it; without one nothing answers it."""

    question: str
    facts: Facts = ()


@dataclass(frozen=True, slots=True)
class Curve:
    """Counts for each threshold: right, wrong, and answered though nothing does."""

    answerable: int
    unanswerable: int
    right: tuple[int, ...]
    wrong: tuple[int, ...]
    misled: tuple[int, ...]

    @classmethod
    def empty(cls) -> "Curve":
        none = (0,) * len(THRESHOLDS)
        return cls(0, 0, none, none, none)

    def __add__(self, other: "Curve") -> "Curve":
        return Curve(
            self.answerable + other.answerable,
            self.unanswerable + other.unanswerable,
            _sum(self.right, other.right),
            _sum(self.wrong, other.wrong),
            _sum(self.misled, other.misled),
        )


def of_lines(lines: Sequence[Line], held: Sequence[str]) -> tuple[Asked, ...]:
    """Questions as `calibrate --questions` reads them.

    One whose quote stands in none of the texts that are held is left out.
    """
    texts = [letters(text) for text in held]
    found = []
    for line in lines:
        quote = letters(line.quote or "")
        if not quote or any(quote in text for text in texts):
            found.append(Asked(line.question, ((quote,),) if quote else ()))
    return tuple(found)


async def curve(
    application: Application,
    pack: Pack,
    asked: Sequence[Asked],
    done: Callable[[], None] = lambda: None,
) -> Curve:
    """Ask every question at every threshold."""
    engines = [
        application.new_engine(_at(pack, threshold), offers=False)
        for threshold in THRESHOLDS
    ]
    total = Curve.empty()
    for one in asked:
        came = []
        for engine in engines:
            name = str(uuid.uuid4())
            question = Question(
                id=name, session="evals", text=one.question, pack=pack.id
            )
            outcome = await engine.ask(question)
            if not outcome.answered:
                break
            came.append(_right(outcome, one.facts))
        total += _counted(one, came)
        done()
    return total


def counted(said: float, *, right: bool, answerable: bool) -> Curve:
    """One question, at each threshold that its best passage reaches."""
    reached = tuple(int(said >= threshold) for threshold in THRESHOLDS)
    none = (0,) * len(THRESHOLDS)
    if not answerable:
        return Curve(0, 1, none, none, reached)
    return Curve(1, 0, reached if right else none, none if right else reached, none)


def table(found: Curve) -> str:
    """A line for each threshold."""
    lines = [
        f"{'threshold':>9}  {'right':16}{'answered wrongly':18}no answer, answered"
    ]
    for at, threshold in enumerate(THRESHOLDS):
        right = _share(found.right[at], found.answerable)
        wrong = _share(found.wrong[at], found.answerable)
        misled = _share(found.misled[at], found.unanswerable)
        lines.append(f"{threshold:9.1f}  {right:16}{wrong:18}{misled}")
    return "\n".join(lines)


def _at(pack: Pack, threshold: float) -> Pack:
    """The pack as if each of its numbers were the threshold."""
    gate = pack.gate
    openings = tuple(
        one.model_copy(update={"relevance": threshold, "comparison": ">="})
        for one in gate.openings
    )
    numbers = dict.fromkeys(("used", "answerability"), threshold)
    bounds = {name: min(getattr(gate, name), threshold) for name in ("best", "warned")}
    changed = gate.model_copy(update={**numbers, **bounds, "openings": openings})
    return pack.model_copy(update={"gate": changed})


def _right(outcome: Outcome, facts: Facts) -> bool:
    if not isinstance(outcome.result, Answer):
        return False
    claims = [claim for part in outcome.result.sections for claim in part.claims]
    said = [letters(quote.text) for claim in claims for quote in claim.quotes]
    return all(any(w in text for w in fact for text in said) for fact in facts)


def _counted(one: Asked, came: Sequence[bool]) -> Curve:
    def count(true: Callable[[bool], bool]) -> tuple[int, ...]:
        return tuple(
            int(at < len(came) and true(came[at])) for at in range(len(THRESHOLDS))
        )

    none = (0,) * len(THRESHOLDS)
    if not one.facts:
        return Curve(0, 1, none, none, count(lambda _: True))
    return Curve(1, 0, count(lambda r: r), count(lambda r: not r), none)


def _sum(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(a + b for a, b in zip(one, other, strict=True))


def _share(part: int, whole: int) -> str:
    return f"{part}/{whole} = {part / whole:.2f}" if whole else "none"
