"""Made-up runs for tests of the decision: a few words say who passed what."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from evals.compare.decide import GENERATED, SCORING, BaselineScores, RunScores
from evals.compare.stored import hash_case
from evals.forms import Case, Expected, Result, Score, Weight

QUOTES, FACTS, STYLE = "verbatim", "facts", "style"
WEIGHTS: Mapping[str, Weight] = {QUOTES: "invariant", FACTS: "gate", STYLE: "advice"}
P, F, A, N, E = (
    Result.PASS,
    Result.FAIL,
    Result.ABSTAINED,
    Result.NOT_APPLICABLE,
    Result.ERROR,
)


def case(number: int, documents: int = 1_000, **fields: object) -> Case:
    """A case of one of so many documents."""
    made = Case(
        id=f"case-{number:04}",
        question=f"What is {number}?",
        expected=Expected(outcome="answer"),
        document=f"document-{number % documents}",
        suite="basics",
        pack="oncology",
        file="evals/suites/oncology/basics.yaml",
        line=number + 10,
    )
    return replace(made, **fields)


def score(name: str, metric: str, result: Result, repeat: int = 0) -> Score:
    """A score with a sentence."""
    why = f"{metric} says {result.value} of {name}"
    return Score(case=name, repeat=repeat, metric=metric, result=result, why=why)


def scored(
    cases: Sequence[Case],
    *,
    repeats: int = 1,
    code: str = "1",
    **results: Mapping[int, Result],
) -> RunScores:
    """A run in which all pass, but for the cases named by their place for a metric.

    A result holds for all repeats of a case.
    """
    scores = [
        score(each.id, metric, results.get(metric, {}).get(at, P), repeat)
        for at, each in enumerate(cases)
        for repeat in range(repeats)
        for metric in WEIGHTS
    ]
    manifest = {SCORING: {"code": code, "mutation": dict.fromkeys(WEIGHTS, 1.0)}}
    return RunScores({each.id: each for each in cases}, tuple(scores), manifest)


def held(run: RunScores) -> BaselineScores:
    """The run as a baseline."""
    return BaselineScores(
        asked={name: hash_case(case) for name, case in run.cases.items()},
        made=frozenset(
            n for n, c in run.cases.items() if c.suite.startswith(GENERATED)
        ),
        scores=run.scores,
        manifest=run.manifest,
    )


def every(results: Result, of: int) -> dict[int, Result]:
    """The same result for the first cases."""
    return dict.fromkeys(range(of), results)
