"""Who is to blame for what is missing or too much: the search, or the writer."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import starmap

from evals.forms import Json, Result
from evals.reading import cited, evidence_texts, record, says
from evals.score import specimen
from evals.score.catalogue import Finding, Subject, judged, not_asked
from evals.score.specimen import A, B, Mutant, citation, quoted, said


def blame(on: Subject) -> Finding:
    """Pass where the facts of a must-answer case are served; else say who lost them.

    After RAGChecker: a fact is a `retrieval_miss` where no passage that was let through
    holds it, `ignored_evidence` where one does and the answer lacks it, `own_knowledge`
    where the answer says it and none does. A citation of a document that may not carry
    the facts is `noise`. Marks hold these classes.
    """
    if on.case.expected.outcome != "answer" or not on.case.expected.facts:
        return not_asked("no facts that must be answered")
    marks = [*_facts(on), *_noise(on)]
    kinds = ", ".join(dict.fromkeys(str(mark["class"]) for mark in marks))
    closed = f" ({record(on.row)['reason_code']})" if on.row.refused else ""
    return judged(not marks, f"{kinds}{closed}" if marks else "nobody", marks)


def _facts(on: Subject) -> Iterator[Json]:
    texts = list(evidence_texts(on.row, on.sources))
    for fact in on.case.expected.facts:
        held = any(says(text, word) for text in texts for word in fact)
        told = on.row.answered and any(says(on.row.served, word) for word in fact)
        if held and not told:
            yield {"class": "ignored_evidence", "fact": fact[0]}
        elif told and not held:
            yield {"class": "own_knowledge", "fact": fact[0]}
        elif not told:
            yield {"class": "retrieval_miss", "fact": fact[0]}


def _noise(on: Subject) -> Iterator[Json]:
    allowed = on.case.expected.sources
    for part in cited(on.row) if allowed else ():
        source = on.sources.get(part.version)
        path = source.path if source else part.document
        if source is None or path not in allowed:
            yield {"class": "noise", "citation": part.number, "path": path}


def mutants() -> Iterator[Mutant]:
    """Make a row for each class, and a refusal."""
    case = specimen.case(facts=(("12 hours apart",),), sources=(A.path, B.path))
    row = specimen.answer()
    other = specimen.answer(
        [quoted(A, specimen.OWN, 1)], [citation(1, A, specimen.OWN)]
    )
    own = specimen.answer(
        [said("Take them 12 hours apart.", 1)], [citation(1, A, specimen.OWN)]
    )
    ignored = replace(other, evidence=row.evidence)
    only_a = replace(case, expected=replace(case.expected, sources=(A.path,)))
    rows = (
        ("as it is", case, row, Result.PASS),
        ("retrieval miss", case, other, Result.FAIL),
        ("ignored evidence", case, ignored, Result.FAIL),
        ("own knowledge", case, own, Result.FAIL),
        ("noise", only_a, row, Result.FAIL),
        ("refused", case, specimen.refusal(), Result.FAIL),
        ("must refuse", specimen.case("refuse"), row, Result.NOT_APPLICABLE),
        ("no facts", specimen.case(), row, Result.NOT_APPLICABLE),
    )
    return starmap(Mutant, rows)
