"""Who is named in an order was made a mention by the platform, never typed."""

import pytest

from adapters.mentions import mention, mentioned


@pytest.mark.parametrize("person", ["U012AB3CD", "W01", "80351110224678912"])
def test_a_mention_names_its_person(person: str) -> None:
    """Of either platform."""
    assert mentioned(mention(person)) == person


@pytest.mark.parametrize("word", ["ann", "@ann", "@U012AB3CD", "<@ann>", "<@>", "<@U1"])
def test_what_was_typed_names_nobody(word: str) -> None:
    """However much it looks like an id."""
    assert mentioned(word) is None
