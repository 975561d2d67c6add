"""What a run may cost: said before it begins, and held while it goes on."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.model.errors import BudgetExceeded, UsageError
from engine.policy.pack import Pack
from evals.forms import Json


@dataclass(frozen=True, slots=True)
class Estimate:
    """The most that some questions may take, by the pack's own budget (R-A7)."""

    questions: int
    calls: int
    tokens: int
    usd: float

    def __str__(self) -> str:
        return (
            f"{self.questions} questions to a model: at most {self.calls} calls, "
            f"{self.tokens} tokens, ${self.usd:.2f}"
        )


def estimate(pack: Pack, questions: int) -> Estimate:
    """What so many questions may take at most."""
    budget = pack.budget
    return Estimate(
        questions=questions,
        calls=questions * budget.model_calls,
        tokens=questions * budget.tokens,
        usd=questions * budget.cost,
    )


class Purse:
    """Pays for questions until nothing is left.

    Args:
        most: US dollars that may be spent; None: as much as it takes.

    Raises:
        UsageError: it is no sum of money.
    """

    def __init__(self, most: float | None = None) -> None:
        if most is not None and not 0 <= most < float("inf"):
            raise UsageError(f"--max-usd {most}: give US dollars, such as 2.50")
        self._most = most
        self._unknown = False
        self.spent = 0.0

    def check(self) -> None:
        """Pass while there is money left, or no limit.

        Raises:
            BudgetExceeded: nothing more may be asked.
        """
        if self._most is None:
            return
        if self._unknown:
            raise BudgetExceeded(
                "what the model costs is not known, so --max-usd cannot be held: set "
                "GROUNDRULE_MODEL_PRICES"
            )
        if self.spent >= self._most:
            raise BudgetExceeded(
                f"not asked: ${self.spent:.2f} of --max-usd {self._most:g} are spent"
            )

    def pay(self, usd: float | None) -> None:
        """Pay for a question; None: its price is not known."""
        self._unknown = self._unknown or usd is None
        self.spent += usd or 0.0


def total(timings: Iterable[Json]) -> Json:
    """What the rows of a run took together; `asked` are those not from the cache."""
    lines: Sequence[Json] = list(timings)
    asked = [line for line in lines if not line.get("cached")]
    costs = [line.get("cost") for line in asked]
    return {
        "rows": len(lines),
        "asked": len(asked),
        "milliseconds": sum(_milliseconds(line) for line in asked),
        "tokens": sum(sum(line.get("tokens", {}).values()) for line in asked),
        "cost": None if None in costs else round(sum(cost or 0.0 for cost in costs), 6),
    }


def _milliseconds(line: Json) -> float:
    return float(line.get("milliseconds", {}).get("total", 0.0))
