"""What commands say of errors."""

import pytest

from bot.console import explain
from engine.model.errors import IndexAway, IndexFailed, LedgerFailed


@pytest.mark.parametrize(
    ("error", "hinted"),
    [
        (IndexFailed("a file is shorter than its catalogue says"), True),
        (IndexAway("the server cannot be reached"), False),
        (LedgerFailed("the database is locked"), False),
    ],
)
def test_only_a_damaged_index_is_to_be_made_anew(error: Exception, hinted: bool):
    """A server that is merely away would lose a good index by that advice."""
    said = explain(error)
    assert said.startswith(str(error))
    assert ("reindex --fresh" in said) == hinted


def test_advice_is_not_given_twice():
    """An error that names the command itself is left as it is."""
    said = "made by another embedder: run `groundrule reindex`"
    assert explain(IndexFailed(said)) == said
