"""Who is to blame for what is missing or too much: the search, or the writer."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from evals.forms import Case, Json, Result, Row, Score, Source, Weight
from evals.metrics import specimen
from evals.metrics.metric import NO_ROWS, Finding, Mutant, not_asked, scored
from evals.metrics.specimen import A, B, citation, quoted, said
from evals.served.reading import cited, evidence_texts, record, says


class Blame:
    """Advice after RAGChecker, by the facts of a must-answer case.

    A fact is a `retrieval_miss` where no passage that was let through holds it,
    `ignored_evidence` where one does and the answer lacks it, `own_knowledge` where the
    answer says it and none does. A citation of a document that may not carry the facts
    is `noise`.
    """

    name = "blame"
    weight: Weight = "advice"
    requirements = ("R-E2",)

    def score(
        self,
        case: Case,
        row: Row,
        sources: Mapping[str, Source],
        *,
        others: Mapping[str, Row] = NO_ROWS,
    ) -> Score:
        """PASS where nobody is to blame; marks hold the classes."""
        if case.expected.outcome != "answer" or not case.expected.facts:
            return scored(self.name, row, not_asked("no facts that must be answered"))
        marks = [*_facts(case, row, sources), *_noise(case, row, sources)]
        kinds = [str(mark["class"]) for mark in marks]
        closed = f" ({record(row)['reason_code']})" if row.refused else ""
        found = Finding(
            result=Result.FAIL if marks else Result.PASS,
            why=f"{', '.join(dict.fromkeys(kinds))}{closed}" if marks else "nobody",
            value=float(not marks),
            marks=tuple(marks),
        )
        return scored(self.name, row, found)

    def mutants(self) -> Sequence[Mutant]:
        """One row for each class, and a refusal."""
        return tuple(_mutants())


def _facts(case: Case, row: Row, sources: Mapping[str, Source]) -> Iterator[Json]:
    texts = list(evidence_texts(row, sources))
    for fact in case.expected.facts:
        held = any(says(text, word) for text in texts for word in fact)
        told = row.answered and any(says(row.served, word) for word in fact)
        if held and not told:
            yield {"class": "ignored_evidence", "fact": fact[0]}
        elif told and not held:
            yield {"class": "own_knowledge", "fact": fact[0]}
        elif not told:
            yield {"class": "retrieval_miss", "fact": fact[0]}


def _noise(case: Case, row: Row, sources: Mapping[str, Source]) -> Iterator[Json]:
    allowed = case.expected.sources
    for part in cited(row) if allowed else ():
        source = sources.get(part.version)
        if source is None or source.path not in allowed:
            path = source.path if source else part.document
            yield {"class": "noise", "citation": part.number, "path": path}


def _mutants() -> Iterator[Mutant]:
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
    for name, case, row, must in rows:
        yield Mutant(name=name, case=case, row=row, must=must, sources=specimen.SOURCES)
