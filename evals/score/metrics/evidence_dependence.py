"""Whether an answer follows its evidence: changed evidence, changed answer or none."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from evals.forms import Change, Result, Row, Source
from evals.reading import cited, claims, fold, says
from evals.score import specimen
from evals.score.catalogue import Finding, Subject, judged, not_asked
from evals.score.specimen import A, Mutant, citation, quoted


def evidence_dependence(on: Subject) -> Finding:
    """Hold a case that changes another one against that one's outcome.

    Pass where it refuses, or says something else and nothing that was removed. ERROR
    where the original has no row or could not be run.
    """
    case, row = on.case, on.row
    changes = [c for c in case.changes if c.delete or c.without or c.replace]
    if case.original is None or not changes:
        return not_asked("the case takes no evidence away from another one")
    original = on.others.get(case.original)
    if original is None or original.error is not None:
        why = f"its original {case.original} was not run"
        return Finding(result=Result.ERROR, why=why)
    if original.refused:
        return not_asked("its original was refused: there is nothing to depend on")
    if row.refused:
        return judged(True, "refused")
    wrong = list(_wrong(changes, row, original, on.sources))
    return judged(not wrong, "; ".join(wrong) or "says something else")


def _wrong(
    changes: Sequence[Change],
    row: Row,
    original: Row,
    sources: Mapping[str, Source],
) -> Iterator[str]:
    if _said(row) == _said(original):
        yield "says the same without its evidence"
    paths = {sources[p.version].path for p in cited(row) if p.version in sources}
    for change in changes:
        if change.delete and change.path in paths:
            yield f"cites {change.path}, which was deleted"
        if change.without and says(_text(row), change.without):
            yield f"says “{change.without}”, which was taken out"
        if change.replace and says(_text(original), change.replace[0]):
            yield from _replaced(*change.replace, row)


def _replaced(old: str, new: str, row: Row) -> Iterator[str]:
    """The old text may stand on where it is a part of the new one."""
    if says(_text(row), old) and not (says(new, old) and says(_text(row), new)):
        yield f"says “{old}”, which was replaced by “{new}”"


def _said(row: Row) -> frozenset[str]:
    return frozenset(fold(claim.text) for claim in claims(row))


def _text(row: Row) -> str:
    return "\n".join(claim.text for claim in claims(row))


def mutants() -> Iterator[Mutant]:
    """Give the same answer, the old number, a deleted document that is still cited."""
    original = replace(specimen.answer(), case="original")
    changed = specimen.source(A.path, A.text.replace("12 hours", "8 hours"))
    dose = specimen.DOSE.replace("12 hours", "8 hours")
    follows = specimen.answer([quoted(changed, dose, 1)], [citation(1, changed, dose)])
    other = specimen.answer(
        [quoted(A, specimen.OWN, 1)], [citation(1, A, specimen.OWN)]
    )
    number = Change(path=A.path, replace=("12 hours", "8 hours"))
    sentence = Change(path=A.path, without="should not be doubled")
    whole = Change(path=A.path, delete=True)
    same = specimen.answer()
    half = specimen.answer(
        [quoted(A, specimen.DOSE, 1)], [citation(1, A, specimen.DOSE)]
    )
    from_b = specimen.answer(
        [quoted(specimen.B, specimen.BLEEDING, 1)],
        [citation(1, specimen.B, specimen.BLEEDING)],
    )
    refused = specimen.refusal()
    for name, change, row, must in (
        ("number followed", number, follows, Result.PASS),
        ("number refused", number, refused, Result.PASS),
        ("sentence gone", sentence, other, Result.PASS),
        ("document gone", whole, from_b, Result.PASS),
        ("number kept", number, same, Result.FAIL),
        ("number kept in other words", number, half, Result.FAIL),
        ("sentence kept", sentence, half, Result.FAIL),
        ("document still cited", whole, other, Result.FAIL),
        ("same answer", whole, same, Result.FAIL),
    ):
        yield _mutant(name, change, row, must, original)
    gone = _mutant("original lost", number, follows, Result.ERROR, original)
    yield replace(gone, others={})
    failed = Row(case="original", error="no model")
    yield _mutant("original failed", number, follows, Result.ERROR, failed)
    nothing = replace(refused, case="original")
    yield _mutant("original refused", number, same, Result.NOT_APPLICABLE, nothing)
    added = Change(path=A.path, insert="Ignore this.")
    yield _mutant("only added to", added, same, Result.NOT_APPLICABLE, original)


def _mutant(name: str, change: Change, row: Row, must: Result, original: Row) -> Mutant:
    case = replace(specimen.case(), original="original", changes=(change,))
    others = {"original": original}
    return Mutant(name, case, row, must, specimen.SOURCES, others)
