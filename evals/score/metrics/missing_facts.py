"""Whether the outcome asks for the facts that the question lacks."""

from collections.abc import Iterator

from evals.forms import Result
from evals.reading import record, says
from evals.score import specimen
from evals.score.catalogue import Finding, Subject, counted, not_asked
from evals.score.specimen import Mutant


def missing_facts(on: Subject) -> Finding:
    """Count the facts that are asked for: in the record, and by name in what is served.

    Refusals are judged too.
    """
    wanted = on.case.expected.missing_facts
    if not wanted:
        return not_asked("the case lacks no facts")
    known = record(on.row)["intent"]["missing_facts"]
    wrong = []
    for fact in wanted:
        if fact not in known:
            wrong.append(f"does not miss {fact}")
        elif not says(on.row.served, fact):
            wrong.append(f"misses {fact} and does not ask for it")
    return counted(len(wanted) - len(wrong), len(wanted), wrong)


def mutants() -> Iterator[Mutant]:
    """Miss a fact and do not ask for it; ask for one and do not miss it."""
    case = specimen.case("refuse", missing_facts=("your age", "the dose"))
    intent = {"query_type": "dosing", "corrections": []}
    both = {**intent, "missing_facts": ["your age", "the dose"]}
    one = {**intent, "missing_facts": ["your age"]}
    asks, less = "Please tell me: your age, the dose.", "Please tell me: your age."
    code = "INSUFFICIENT_FACTS"
    whole = specimen.refusal(code, intent=both, answer=asks)
    yield Mutant("as it is", case, whole, Result.PASS)
    for name, row in {
        "one missed": specimen.refusal(code, intent=one, answer=asks),
        "not asked for": specimen.refusal(code, intent=both),
        "one asked for": specimen.refusal(code, intent=both, answer=less),
        "answered": specimen.answer(),
    }.items():
        yield Mutant(name, case, row, Result.FAIL)
    none, row = specimen.case(), specimen.answer()
    yield Mutant("not asked", none, row, Result.NOT_APPLICABLE)
