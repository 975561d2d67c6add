"""Where a quotation of several runs stands in a file of source code."""

import pytest

from evals.forms import Source
from evals.served.anchoring import Anchor, anchor
from evals.served.reading import Cited

CODE = (
    '"""Where readings are kept: one file."""\n\n'
    "def message(gauge):\n"
    '    """The text about an outage.\n\n'
    "    It names the gauge. It never names a level.\n"
    '    """\n'
    '    return f"{gauge}: silent"\n'
)


def anchored(quotation: str) -> Anchor:
    """How a quotation stands to the whole of the file."""
    source = Source(version="v", document="d", path="a.py", text=CODE)
    start, end = CODE.index("It names"), len(CODE)
    part = Cited(1, "d", "v", start, end, source="s", title="a.py")
    return anchor(quotation, [part], [part], {"v": source}).kind


@pytest.mark.parametrize(
    ("quotation", "kind"),
    [
        ("The text about an outage.\n[…]\nIt names the gauge.", Anchor.EXACT),
        ("Where readings are kept: one file.\n[…]\nIt names the gauge.", Anchor.EXACT),
        ("about an outage.\n[…]\nIt names the gauge.", Anchor.ELLIPSIS),
        ("The text about an outage.\n[…]\nIt never names", Anchor.ELLIPSIS),
    ],
)
def test_the_marks_around_a_docstring_are_no_words_of_it_R_V2(
    quotation: str, kind: Anchor
) -> None:
    """Its first sentence begins behind them; a cut sentence is still told."""
    assert anchored(quotation) is kind
