"""Whether both platforms would take every message that the outcome is shown in."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from evals.forms import Case, Result, Row, Score, Source, Weight
from evals.metrics import specimen
from evals.metrics.metric import NO_ROWS, Mutant, counted, not_asked, scored


class PlatformLimits:
    """R-C4: no documented limit of Slack or Discord is broken, in answers and refusals.

    `evals/recording/platform_faults.py` rendered the outcome and looked when it was
    recorded. Of a row from before that nothing is known, so nothing is said.
    """

    name = "platform_limits"
    weight: Weight = "invariant"
    requirements = ("R-C4",)

    def score(
        self,
        case: Case,
        row: Row,
        sources: Mapping[str, Source],
        *,
        others: Mapping[str, Row] = NO_ROWS,
    ) -> Score:
        """FAIL for anything that a platform would refuse."""
        faults = row.platform_faults
        if faults is None:
            unknown = not_asked("recorded before what platforms refuse was looked for")
            return scored(self.name, row, unknown)
        return scored(self.name, row, counted(int(not faults), 1, faults))

    def mutants(self) -> Sequence[Mutant]:
        """Messages too long, too many parts, in an answer and in a refusal."""
        answer, refusal = specimen.answer(), specimen.refusal()
        long = "discord mention 1: components: 4100 characters of text, at most 4000"
        many = "slack mention 1: blocks: List should have at most 50 items"
        named = "slack why 1: blocks.2.elements.0.text: at most 75 characters"
        rows = (
            ("as it is", _with(answer), Result.PASS),
            ("refused", _with(refusal), Result.PASS),
            ("nobody looked", answer, Result.NOT_APPLICABLE),
            ("nobody looked at a refusal", refusal, Result.NOT_APPLICABLE),
            ("too long for Discord", _with(answer, long), Result.FAIL),
            ("too many blocks for Slack", _with(answer, many), Result.FAIL),
            ("wrong on both", _with(answer, many, long), Result.FAIL),
            ("refused, a button too long", _with(refusal, named), Result.FAIL),
            ("a fault without words", _with(answer, ""), Result.FAIL),
        )
        return tuple(
            Mutant(name=name, case=specimen.case(), row=row, must=must)
            for name, row, must in rows
        )


def _with(row: Row, *faults: str) -> Row:
    return replace(row, platform_faults=faults)
