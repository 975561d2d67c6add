"""Cases made from what was answered (adversarial)."""

from collections.abc import Mapping

from evals.forms import Row, Source, Suite
from evals.texts import Texts


def make(
    suite: Suite, rows: Mapping[str, Row], sources: Mapping[str, Source], texts: Texts
) -> Suite:
    """None yet."""
    return Suite(name="adversarial", pack=suite.pack, cases=())
