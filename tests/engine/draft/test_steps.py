"""A chosen section that holds steps (R-Q5, R-A3)."""

from engine.draft.whole import write_whole
from engine.model.gate import Open
from engine.model.passage import CHOSEN, Pick
from engine.model.question import Intent
from tests.engine.verify.drafts import chunks_of, pack_of

STEPS = """# Needlestick

Do this in this order:

1. Let it bleed.
2. Wash it with soap.
3. Tell the doctor on duty.

A splash in the eye is rinsed with water.
"""


def opening(nearest: str) -> str:
    """The sentence that the section opens with where one came nearest."""
    (chunk,) = chunks_of(STEPS)
    texts = [
        chunk.text[s.start - chunk.start : s.end - chunk.start] for s in chunk.sentences
    ]
    pick = Pick(sentence=texts.index(nearest), score=1.0, relevance=0.9)
    chosen = chunk.model_copy(update={"picks": (pick,), "parts": {CHOSEN: 1.0}})
    opened = Open.model_validate(
        {
            "rule": "r",
            "documents": 1,
            "tier_one": False,
            "minimum_citations": 1,
            "chunks": (chosen,),
        }
    )
    intent = Intent(query_type="general", name="OTHER", text="needle", sensitive=False)
    draft = write_whole(opened, intent, pack_of())
    first = draft.sections[0].claims[0].sentences[0]
    return texts[first.sentence]


def test_steps_are_shown_from_the_first_one_R_Q5_R_A3() -> None:
    """Step 3 first, and 1 and 2 below, would be done in that order."""
    assert opening("3. Tell the doctor on duty.") == "1. Let it bleed."
    splash = "A splash in the eye is rinsed with water."
    assert opening(splash) == splash
