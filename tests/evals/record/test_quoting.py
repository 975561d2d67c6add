"""The quote blocks of both platforms, read apart from what renders them."""

from datetime import date
from importlib import import_module

import pytest

from adapters import packs
from adapters.discord import markdown
from adapters.reply import Piece, Quotation
from adapters.slack import blocks as slack
from config.settings import PACKS
from engine.model.outcome import Outcome
from evals.record import platforms as quoting
from evals.record.platforms import render
from tests.adapters.outcomes import answered, chunk, listing, parted, refused

PACK = packs.load(PACKS / "code_audit")
TODAY = date(2026, 7, 1)
TEXT = "Use *args* and 2 < 3 [see 4]; don't_stop\\now."


def test_quote_blocks_of_both_platforms_are_read_R_V2() -> None:
    """Escapes, fences, bullets and the numbers of sources are no part of them."""
    pieces = (
        Piece(form="heading", text="A *title*"),
        Piece(form="prose", text=TEXT),
        Piece(form="item", text="an item"),
        Piece(form="code", text="if a ** b:\n    `c`"),
    )
    said = markdown.quote_block(Quotation(pieces=pieces, numbers=(1, 2)))
    two = f"Beside it.\n{said}\n{markdown.quote_block(_short())}\nBelow it."
    found = [quoting._strip(text) for text in quoting.find_quotes({"content": two})]
    whole = "\n".join(piece.text for piece in pieces)
    assert found == [quoting._strip(whole), "Short."]
    rich = slack.rich(slack.quote(slack.run(TEXT), *slack.marks((1,), {})))
    payload = {"blocks": [rich, slack.rich(slack.line(slack.run("Not quoted.")))]}
    assert [quoting._strip(text) for text in quoting.find_quotes(payload)] == [
        quoting._strip(TEXT),
        "",
    ]


def _short() -> Quotation:
    return Quotation(pieces=(Piece(form="prose", text="Short."),), numbers=(3,))


@pytest.mark.parametrize(
    "outcome",
    [
        answered(chunk(TEXT), chunk("Rest *more*.", "c2", "d2")),
        listing(),
        refused(),
        parted(False, True, True),
    ],
)
def test_what_is_quoted_as_it_stands_is_no_fault_R_V2(outcome: Outcome) -> None:
    """On both platforms, in every way in which it is shown."""
    assert quoting.find_faults(outcome, render(outcome, PACK, TODAY)) == ()


@pytest.mark.parametrize(
    ("place", "platform"),
    [
        ("adapters.slack.blocks.run", "slack"),
        ("adapters.discord.markdown.plain", "dis"),
    ],
)
def test_one_letter_altered_on_one_platform_is_a_fault_R_V2(
    place: str, platform: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The terminal shows it as it is, so that its text alone tells nothing."""
    module, _, name = place.rpartition(".")
    kept = getattr(import_module(module), name)

    def altered(text: str, **style: bool) -> object:
        return kept(text.replace("twice", "thrice"), **style)

    monkeypatch.setattr(place, altered)
    outcome = answered(chunk("Take it twice a day."))
    found = quoting.find_faults(outcome, render(outcome, PACK, TODAY))
    assert found
    assert all(fault.startswith(platform) for fault in found)
    assert quoting.find_faults(outcome, ()) == ()
