"""Which link the watch replaces."""

from dataclasses import dataclass

from adapters.slack.watch import find_quietest


@dataclass
class Link:
    """A link that last heard something at a time."""

    heard: float

    def leave(self) -> None:
        """Nothing."""


def test_links_that_hear_are_left_alone() -> None:
    """However many there are."""
    assert find_quietest([Link(10.1), Link(30)], since=10) is None
    assert find_quietest([], since=10) is None


def test_of_several_quiet_links_the_quietest_goes_first() -> None:
    """One at a time: Slack takes about one call a minute."""
    quiet = [Link(9), Link(3), Link(30)]
    assert find_quietest(quiet, since=10) is quiet[1]
