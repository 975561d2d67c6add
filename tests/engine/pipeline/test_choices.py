"""Which pages may be offered, by the names that a question holds."""

import pytest

from engine.pipeline.choices import _speaking
from tests.engine.small_pack import chunk, small_pack

PACK = small_pack()
PAGES = [
    chunk(0.2, document, text=text, end=len(text))
    for document, text in (
        ("one", "Ondansetron is taken before the infusion."),
        ("other", "Tamoxifen is taken every day."),
        ("third", "Rest and warm drinks help."),
    )
]


@pytest.mark.parametrize(
    ("asked", "speaking"),
    [
        (["ondansetron"], {"one"}),
        (["ondansetron", "tamoxifen"], {"one", "other"}),
        (["n", "drinks"], {"one", "other", "third"}),
        (["imatinib"], {"one", "other", "third"}),
    ],
)
def test_a_page_is_offered_that_speaks_of_something_named_R_Q5(
    asked: list[str], speaking: set[str]
) -> None:
    """Of two things that are compared each page may be about one."""
    assert _speaking(PAGES, asked, PACK) == speaking
