"""What neighbours of one answer share stands there once (R-A14)."""

import pytest

from engine.model.draft import DraftClaim
from engine.policy.rules import Material
from engine.text.quotable import extend_quotation
from engine.text.quotable import render_quotation as quotation
from engine.verify.check import Verified, check
from tests.engine.verify.drafts import (
    GUIDE,
    checked,
    chunks_of,
    draft,
    room,
    selecting,
    shown,
)

DIES = "Chemotherapy causes cancer cells to die."
EFFECTS = "Side effects include:"


@pytest.fixture(scope="module")
def effects() -> Material:
    return room(chunks_of(GUIDE), question="Why?")


def test_items_of_one_list_show_its_lead_in_once_R_A14(effects: Material) -> None:
    """Neighbours are one quotation, and each of them keeps its citation."""
    verdict = checked(
        effects, selecting(effects, "nausea"), selecting(effects, "hot flashes")
    )
    assert shown(verdict) == [f"{EFFECTS}\n\nnausea\n[\u2026]\nhot flashes"]
    assert isinstance(verdict, Verified)
    (told,) = verdict.answer.sections[0].claims
    assert told.citations == (1, 2)
    assert len(verdict.answer.citations) == 2


def test_a_lead_in_is_shown_again_where_something_stands_between_R_A14(
    effects: Material,
) -> None:
    """Items that are no neighbours of the answer are quotations of their own."""
    verdict = checked(
        effects,
        selecting(effects, "nausea"),
        selecting(effects, DIES),
        selecting(effects, "hot flashes"),
    )
    assert shown(verdict) == [
        f"{EFFECTS}\n\nnausea",
        DIES,
        f"{EFFECTS}\n[\u2026]\nhot flashes",
    ]


def test_items_against_their_order_keep_their_lead_in_R_A14(
    effects: Material,
) -> None:
    """What was selected last stays last."""
    verdict = checked(
        effects, selecting(effects, "hot flashes"), selecting(effects, "nausea")
    )
    assert len(shown(verdict)) == 2
    assert all(text.startswith(EFFECTS) for text in shown(verdict))


def test_a_judge_takes_neighbours_away_together_R_V4(effects: Material) -> None:
    """It doubts what it read, which is the whole of them."""
    written = draft(
        selecting(effects, "nausea"),
        selecting(effects, "hot flashes"),
        selecting(effects, DIES),
    )
    first, *_ = shown(check(written, effects))
    assert shown(check(written, effects, frozenset({first}))) == [DIES]


def test_the_rest_of_a_list_is_cited_beside_its_best_item_R_I3(
    effects: Material,
) -> None:
    """Who quotes an item and then all of its list shows and cites the others."""
    items = ("nausea", "hot flashes")
    whole = [
        s for text in (EFFECTS, *items) for s in selecting(effects, text).sentences
    ]
    verdict = checked(
        effects, selecting(effects, "hot flashes"), DraftClaim(sentences=tuple(whole))
    )
    assert shown(verdict)[0].endswith("hot flashes")
    assert "hot flashes" not in shown(verdict)[1]
    assert isinstance(verdict, Verified)
    assert len(verdict.answer.citations) == 2


def test_what_stands_above_already_goes_on_as_it_is_R_A14(effects: Material) -> None:
    """Nothing new is shown of it."""
    (lead_in,) = selecting(effects, EFFECTS).sentences
    (item,) = selecting(effects, "nausea").sentences
    chunk = effects.chunks[item.chunk - 1]
    above = quotation(chunk, [lead_in.sentence])
    again = extend_quotation(above.quotes, chunk, [item.sentence])
    assert again is not None
    assert again.text == above.text


RINSE = """# Mouth sores

Ways to care for the mouth:

- Use a mild rinse.
- Mix one part of hydrogen peroxide with one part of salt water.

This should not be used for more than 2 days.

The mouth heals within weeks.

It may be rinsed every hour.
"""


def test_what_bounds_a_quotation_is_quoted_with_it_R_A14() -> None:
    """A recipe without its limit misleads; what only goes on is not added."""
    mouth = room(chunks_of(RINSE), question="What rinse may be used?")
    recipe = "Mix one part of hydrogen peroxide with one part of salt water."
    (text,) = shown(checked(mouth, selecting(mouth, "Mix one part")))
    assert recipe in text
    assert text.endswith("This should not be used for more than 2 days.")
    (text,) = shown(checked(mouth, selecting(mouth, "The mouth heals")))
    assert text == "The mouth heals within weeks."
