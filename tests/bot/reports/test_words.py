"""Every reason and figure has words for people."""

import pytest

from bot.health.quality import PER_RESPONSE, ROUTING, SUPPORTED, UNANCHORED
from bot.reports.words import name_figure, name_reason
from engine.model.codes import Reason


@pytest.mark.parametrize("code", Reason)
def test_every_reason_has_words_R_O3(code: Reason) -> None:
    assert name_reason(code.value) != code.value
    assert name_reason(code.value).islower() or " " in name_reason(code.value)


@pytest.mark.parametrize("name", [ROUTING, SUPPORTED, UNANCHORED, PER_RESPONSE])
def test_every_figure_has_words_R_O3(name: str) -> None:
    assert "_" not in name_figure(name)


def test_what_is_not_known_stays_as_it_is() -> None:
    assert (name_reason("LATER"), name_reason(None), name_figure("of_a_pack")) == (
        "LATER",
        "",
        "of_a_pack",
    )
