"""A page that is asked for by its name."""

import pytest

from engine.search.page import _is_named, _match_title
from tests.engine.small_pack import small_pack

PACK = small_pack()


def test_a_year_in_a_title_makes_it_another_page_R_U15() -> None:
    """ "Fees" is nearer to the page "Fees" than to "Fees 2024"."""
    own, other = (_match_title(["fees"], t, PACK) for t in ("Fees", "Fees 2024"))
    assert own is not None and other is not None
    assert own > other
    assert _match_title(["36"], "Regulations 36", PACK) == (False, 0.5)


@pytest.mark.parametrize(
    ("name", "title", "named"),
    [
        ("prices", "Prices 2026", True),
        ("opening hours", "Opening hours", True),
        ("hours", "Opening hours", False),
        ("2026", "Prices 2026", False),
    ],
)
def test_a_name_alone_is_all_of_a_title_but_figures_R_U15(
    name: str, title: str, named: bool
) -> None:
    assert _is_named(name.split(), title, PACK) is named
