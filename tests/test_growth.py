"""The measure of growth tells linear work from quadratic work."""

from tests.growth import linear


def test_work_that_grows_with_its_input_is_linear() -> None:
    """A pass over the text, and work that is the same for every text."""
    assert linear(lambda n: sum(range(n)), 400_000)
    assert linear(lambda n: None, 400_000)


def test_work_that_grows_with_its_square_is_not_linear() -> None:
    """Every part compared with every other."""
    assert not linear(lambda n: [m for m in range(n) for _ in range(n)], 2_000)
