"""A small pack to compile for: two questions about one text, and a model that learns.

Each case says that it is about a document of its own, so that there are enough of them
to compare; the text that answers is the same.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from config.settings import Settings
from evals.optimise import Means, Outcome, optimise
from evals.optimising.plan import Plan
from evals.record import Progress
from evals.recording.models import SharedModels
from tests.evals import library
from tests.evals.library import PACK, Small
from tests.loopback.model import Json, Provider, Said

EASY = "What temperature counts as fever during chemotherapy?"
HARD = "Which temperature is counted as a fever during chemotherapy?"
TRUTH = "A temperature of 38 °C (100.4 °F) or higher counts as fever for people on "
TRUTH += "chemotherapy."
URGENT = "A person who feels unwell, shivers or is confused should call even when the "
URGENT += "temperature is normal."
OTHER = "Steroids and fever medicines can hide a fever."
SIGNATURE = "treatment"

Behaviour = Callable[["Asked"], str]


@dataclass(frozen=True)
class Asked:
    """What a model was asked: whether it was shown an example of this school."""

    question: str
    passages: str
    taught: bool
    system: str

    def saying(self, *texts: str, cited: bool = True) -> str:
        """A draft that selects these sentences; or says them, and cites nothing.

        One that the documents do not hold, since a case changed them, is left out.
        """
        found = [self._number(text) if cited else text for text in texts]
        chosen = [each for each in found if each is not None]
        sections = [{"heading": "", "sentences": chosen}]
        said = {"sections": sections, "not_found": [], "status": "answered"}
        return json.dumps(said, ensure_ascii=False)

    def _number(self, text: str) -> int | None:
        found = re.search(rf"\n\[(\d+)\] {re.escape(text)}", self.passages)
        return int(found[1]) if found else None

    def nothing(self) -> str:
        """A draft that says that nothing was found."""
        said = {"sections": [], "not_found": [self.question], "status": "not_found"}
        return json.dumps(said)


def read(body: Json) -> Asked:
    """A request as the model reads it."""
    messages = body["messages"]
    last = messages[-1]["content"]
    question = last.split("[[ ## question ## ]]")[1].split("[[")[0].strip()
    passages = last.split("[[ ## passages ## ]]")[1].split("[[ ## headings")[0]
    shown = "".join(m["content"] for m in messages[1:-1])
    return Asked(question, f"\n{passages}", "38 °C" in shown, messages[0]["content"])


def learning(asked: Asked) -> str:
    """Answers the easy question, and the hard one only after an example."""
    if asked.question == EASY or asked.taught:
        return asked.saying(TRUTH, URGENT)
    return asked.nothing()


def unlearning(asked: Asked) -> str:
    """Answers both, until an example makes it leave out what is urgent."""
    return asked.saying(TRUTH, OTHER if asked.taught else URGENT)


def script(behaviour: Behaviour) -> Callable[[Json], Said]:
    """A provider's script of one behaviour."""
    return lambda body: Said(behaviour(read(body)))


def make(folder: Path, easy: int = 5, hard: int = 11) -> Small:
    """The pack with one suite, and nothing that it must answer beside it."""
    small = library.make(folder)
    suites = folder / "suites" / PACK
    for file in suites.glob("*.yaml"):
        file.unlink()
    lines = ["today: 2026-06-20", "cases:"]
    for kind, question, count in (("easy", EASY, easy), ("hard", HARD, hard)):
        for number in range(count):
            lines += [
                f"  - id: {kind}-{number}",
                f"    question: {question}",
                f"    document: {kind}-{number}",
                "    expected:",
                "      {outcome: answer, facts: [[38 °C], [should call]]}",
                "    shows: [R-E8]",
            ]
    (suites / "fever.yaml").write_text("\n".join(lines), encoding="utf-8")
    fixtures = folder / "packs" / PACK / "fixtures"
    for name, keep in (("must_answer.yaml", 5), ("must_refuse.yaml", 6)):
        text = (fixtures / name).read_text(encoding="utf-8")
        kept = [line for line in text.splitlines() if not line.startswith("#")][:keep]
        end = 4 if name == "must_refuse.yaml" else 3
        (fixtures / name).write_text("\n".join(kept[: end + 1]), encoding="utf-8")
    return small


def adding(asked: Asked) -> str:
    """Answers both, until an example makes it add a sentence."""
    more = (OTHER,) if asked.taught else ()
    return asked.saying(TRUTH, URGENT, *more)


async def compile_for(
    small: Small, served: Provider, **changes: object
) -> tuple[Outcome, list[str]]:
    """What came of the one signature, and what was said meanwhile."""
    settings = small.settings.model_copy(update=model_of(served))
    base = {"work": small.folder / "work", "cache": small.folder / "cache"}
    plan = Plan(pack=PACK, **(base | changes))  # type: ignore[arg-type]
    said: list[str] = []
    means = Means(lambda: SharedModels(settings), Progress(remark=said.append))
    [found] = await optimise(plan, settings, small.library, means)
    return found, said


def model_of(served: Provider) -> dict[str, object]:
    """The settings that lead to a provider."""
    given = {
        "data": ".",
        "model": "openai/test",
        "model_url": served.url,
        "model_key": "k",
        "model_prices": (1.0, 1.0),
    }
    settings = Settings.model_validate(given)
    names = ("model", "model_url", "model_key", "model_prices")
    return {name: getattr(settings, name) for name in names}
