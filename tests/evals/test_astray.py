"""A model that picks badly on purpose: what it picks, and whose answer is its own."""

from random import Random

import pytest

from engine.drafts.orders import Offered, Order, Passage
from engine.records import Selected
from evals.astray import AstrayWriter, Shown
from evals.forms import Case, Expected

TOLD = (
    ("Hair grows back two months after chemotherapy.", "Hair may look different."),
    ("Nails grow slowly after chemotherapy.", "Skin is dry for 3 weeks.", "Wait."),
)
BEST = Selected(chunk=1, sentence=0)


def order() -> Order:
    """Five sentences of two passages, of which the first answers."""
    number = 0
    passages = []
    for chunk, texts in enumerate(TOLD, start=1):
        offered = []
        for at, text in enumerate(texts):
            number += 1
            selected = Selected(chunk=chunk, sentence=at)
            offered.append(Offered(number=number, selected=selected, text=text))
        passages.append(Passage(title="T", sentences=tuple(offered)))
    return Order(
        signature="general",
        question="When does hair grow back after chemotherapy?",
        passages=tuple(passages),
        headings=("ANSWER", "LIMITS"),
        seconds=1.0,
        tokens=1_000,
    )


async def picked(seed: int) -> list[Selected]:
    """What it selects, whatever way it goes."""
    written = await AstrayWriter(Random(seed)).write(order())
    assert written.draft is not None
    (section,) = written.draft.sections
    assert section.heading == "ANSWER"
    return [each for claim in section.claims for each in claim.sentences]


@pytest.mark.parametrize("seed", range(20))
async def test_it_passes_the_best_sentence_over_R_V4(seed: int) -> None:
    """It selects one to three others, and a seed brings the same ones again."""
    found = await picked(seed)
    assert 1 <= len(found) <= 3
    assert BEST not in found
    assert found == await picked(seed)


@pytest.mark.parametrize(
    ("refused", "mode", "own"),
    [(False, "llm", True), (False, "deterministic", False), (True, "llm", False)],
)
def test_only_what_it_picked_is_read(refused: bool, mode: str, own: bool) -> None:
    """An answer that the engine composed itself says nothing of its picks."""
    case = Case(id="a", question="Why?", expected=Expected(outcome="answer"))
    shown = Shown(case, {"was_refusal": refused, "mode": mode})
    assert shown.astray is own
