"""What a run may cost is held, and an unknown price is no free one."""

import pytest

from adapters import packs
from config.settings import PACKS
from engine.model.errors import BudgetExceeded, UsageError
from evals.record.asking import Budget, estimate, sum_timings


def test_nothing_is_asked_once_the_money_is_spent() -> None:
    """The question that passes the limit is the last one."""
    budget = Budget(1.0)
    for _ in range(2):
        budget.check()
        budget.pay(0.5)
    with pytest.raises(BudgetExceeded, match=r"\$1\.00 of --max-usd 1 are spent"):
        budget.check()


def test_an_unknown_price_under_a_limit_ends_the_asking() -> None:
    """Nobody can hold a limit without prices; without a limit nobody has to."""
    held, free = Budget(1.0), Budget()
    held.pay(None)
    free.pay(None)
    free.check()
    with pytest.raises(BudgetExceeded, match="GROUNDRULE_MODEL_PRICES"):
        held.check()


@pytest.mark.parametrize("most", [-1.0, float("nan"), float("inf")])
def test_a_limit_is_a_sum_of_money(most: float) -> None:
    """No number that is none, or below zero."""
    with pytest.raises(UsageError, match="--max-usd"):
        Budget(most)


def test_the_most_that_a_run_may_take_is_known_before() -> None:
    """So many questions, at what a question may cost."""
    pack = packs.load(PACKS / "oncology")
    found = estimate(pack, 10)
    assert found.calls == 10 * pack.budget.model_calls
    assert found.usd == 10 * pack.budget.cost
    assert "$2.50" in str(found)


def test_totals_count_what_was_asked_now() -> None:
    """Cached rows cost nothing now; an unknown price makes the sum unknown."""
    asked = {"milliseconds": {"total": 5.0}, "tokens": {"sent": 3}, "cost": 0.25}
    cached = {**asked, "cached": True}
    assert sum_timings([asked, cached, asked]) == {
        "rows": 3,
        "asked": 2,
        "milliseconds": 10.0,
        "tokens": 6,
        "cost": 0.5,
    }
    assert sum_timings([asked, {**asked, "cost": None}])["cost"] is None
    assert sum_timings([{"cached": False}])["cost"] is None
