"""Training and comparison share no group (R-E8)."""

from hypothesis import given
from hypothesis import strategies as st

from evals.deciding.pairing import cluster
from evals.forms import Case, Expected, Suite
from evals.optimising.split import split

NUMBERS = st.lists(st.integers(0, 8), min_size=2, max_size=30)


def suite(documents: list[int]) -> Suite:
    """A case for each number; 0 is about no document; every third changes another."""
    cases = tuple(
        Case(
            id=f"c{at}",
            question="?",
            expected=Expected(outcome="either"),
            document=f"d{number}" if number else "",
            original=f"c{at - 1}" if at % 3 == 2 else None,
        )
        for at, number in enumerate(documents)
    )
    return Suite(name="s", pack="p", cases=cases)


@given(NUMBERS, st.integers(0, 5))
def test_no_document_is_on_both_sides_R_E8(documents: list[int], seed: int) -> None:
    """Nor a case and the one that it changes; and every case is on one side."""
    made = suite(documents)
    found = split([made], seed)
    cases = {case.id: case for case in made.cases}
    assert found.training | found.comparison == set(cases)
    assert not found.training & found.comparison
    sides = [
        {cluster(cases[name]) for name in side if cases[name].original is None}
        for side in (found.training, found.comparison)
    ]
    assert not sides[0] & sides[1]
    for case in made.cases:
        if case.original:
            assert (case.id in found.training) == (case.original in found.training)
    assert abs(found.groups[0] - found.groups[1]) <= 1


def test_a_split_is_the_same_for_the_same_seed_and_says_its_sizes_R_E8() -> None:
    """Another seed divides otherwise."""
    made = [suite([*range(1, 9)])]
    assert split(made, 1) == split(made, 1)
    assert any(split(made, 1) != split(made, seed) for seed in range(2, 6))
    found = split(made, 1)
    assert str(found).startswith(f"training: {len(found.training)} cases in ")


def test_questions_and_sources_that_are_shared_go_together_R_E8() -> None:
    """A question that is asked again, or stands before another, gives it away."""
    either, answer = Expected(outcome="either"), Expected(outcome="answer")
    there = Expected(outcome="answer", sources=("d1", "d9"))
    cases = (
        Case(id="a", question="What is a margin?", expected=either, document="d1"),
        Case(id="b", question="And now?", expected=either, previous="what is a MARGIN"),
        Case(id="c", question="Where?", expected=there),
        Case(id="d", question="Who?", expected=answer),  # of no document that we know
        *(Case(id=f"o{n}", question=f"{n}?", expected=either) for n in range(5)),
    )
    for seed in range(6):
        found = split([Suite(name="s", pack="p", cases=cases)], seed)
        assert len({name in found.training for name in "abc"}) == 1
        assert "d" not in found.training | found.comparison
