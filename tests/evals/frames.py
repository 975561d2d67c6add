"""Whether words around a question change its outcome (R-U9).

Each question is asked alone and in every frame of a set. It keeps its outcome where it
is refused both times, or answered both times with a quotation in common.
"""

import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path

from adapters import strict_yaml
from bot.assistant import Assistant
from bot.wiring import Application
from engine import Answer, Engine, Outcome, Question
from engine.model.frozen import Frozen
from engine.model.ports import CorpusStatistics
from engine.model.question import Intent, Scope
from engine.parse import intent as intents
from engine.parse.dates import today_in
from engine.policy.pack import Pack
from evals.forms import Case

FILE = Path(__file__).with_name("frames.yaml")
AIM = 0.95  # R-U9
ANY = "any"  # a frame's words for packs that it has none of their own for
PLACE = "{question}"
_Read = tuple[Intent, Intent | None]  # a question as read, and with its story
_MARK = re.compile(r"[^\w\s%+/'°.,:-]|[.,:](?=\s|$)")


class Frame(Frozen):
    """What stands around a question; `lower` types it in lower case without marks."""

    name: str
    text: Mapping[str, str]
    lower: bool = False

    def around(self, question: str, pack: str) -> str:
        """A question in the frame."""
        if self.lower:
            question = " ".join(_MARK.sub(" ", question.lower()).split())
        return self.text.get(pack, self.text.get(ANY, PLACE)).replace(PLACE, question)


class Frames(Frozen):
    """Sets of frames by name."""

    sets: Mapping[str, tuple[Frame, ...]]


@dataclass(frozen=True, slots=True)
class Framed:
    """A case in one frame: whether it came to what it comes to alone."""

    case: Case
    frame: str
    text: str
    kept: bool
    answered: bool


@cache
def frames() -> Mapping[str, tuple[Frame, ...]]:
    """The sets of the file."""
    return Frames.model_validate(strict_yaml.read(FILE).data).sets


async def framed(
    application: Application,
    pack: str,
    cases: Sequence[Case],
    around: Sequence[Frame],
) -> list[Framed]:
    """Ask cases over the demo texts of a pack, alone and in every frame."""
    ready = await Assistant(application, frozenset()).pack(pack)
    asking = await _Asking.of(application, ready)
    found = []
    for case in cases:
        bare = await asking.outcome(case.question)
        for frame in around:
            text = frame.around(case.question, pack)
            outcome = await asking.outcome(text)
            kept = _kept(bare, outcome)
            found.append(Framed(case, frame.name, text, kept, outcome.answered))
        asking.known.clear()
    return found


@dataclass(frozen=True, slots=True)
class _Asking:
    """One pack's engine; what is read as a text before has the outcome of that one."""

    engine: Engine
    pack: Pack
    statistics: CorpusStatistics
    today: date
    known: list[tuple[_Read, Outcome]]

    @classmethod
    async def of(cls, application: Application, pack: Pack) -> "_Asking":
        index = application.search.index
        statistics = await index.statistics(Scope(pack=pack.id))
        today = today_in(pack.time_zone, application.clock.now())
        engine = application.new_engine(pack, offers=False)
        return cls(engine, pack, statistics, today, [])

    async def outcome(self, text: str) -> Outcome:
        name = str(uuid.uuid4())
        question = Question(id=name, session=name, text=text, pack=self.pack.id)
        told = intents.read(question, self.pack, self.statistics, self.today)
        retold = intents.read_with_story(question, told, self.pack, self.statistics)
        read = (told.model_copy(update={"framing": ()}), retold)
        for known, outcome in self.known:
            if known == read:
                return outcome
        outcome = await self.engine.ask(question)
        self.known.append((read, outcome))
        return outcome


def table(found: Sequence[Framed]) -> str:
    """The share of each frame, and of all."""
    lines = []
    for name in dict.fromkeys(one.frame for one in found):
        lines.append(_line(name, [one for one in found if one.frame == name]))
    return "\n".join([*lines, _line("all", found)])


def share(found: Sequence[Framed]) -> float:
    """How many kept their outcome, of all."""
    return sum(one.kept for one in found) / len(found)


def _kept(bare: Outcome, now: Outcome) -> bool:
    if not bare.answered:
        return not now.answered
    return bool(_quoted(bare) & _quoted(now))


def _quoted(outcome: Outcome) -> frozenset[str]:
    if not isinstance(outcome.result, Answer):
        return frozenset()
    claims = [claim for part in outcome.result.sections for claim in part.claims]
    return frozenset(quote.text for claim in claims for quote in claim.quotes)


def _line(name: str, found: Sequence[Framed]) -> str:
    kept = sum(one.kept for one in found)
    return f"{name:26}{kept:5} of {len(found):5} = {kept / len(found):.3f}"
