"""A row as a sample of ragas."""

from collections.abc import Mapping
from dataclasses import dataclass

from evals.forms import Case, Row, Source
from evals.served.reading import cited, claims, evidence_texts, passage, says


@dataclass(frozen=True, slots=True)
class Sample:
    """What ragas wants to know of a row.

    Attributes:
        question: as it was asked.
        response: the claims, one after the other, without numbers and banners.
        contexts: the passages that were let through.
        cited: those of them that the answer cites.
        paths: of their documents.
        reference: the case's facts as sentences.
        reference_paths: the documents that may carry them.
        reference_contexts: the paragraphs of these documents that do.
    """

    question: str
    response: str
    contexts: tuple[str, ...]
    cited: tuple[str, ...]
    paths: tuple[str, ...]
    reference: str
    reference_paths: tuple[str, ...]
    reference_contexts: tuple[str, ...]


def sample(case: Case, row: Row, sources: Mapping[str, Source]) -> Sample:
    """The sample of an answered row."""
    offered = [chunk["version"] for chunk in row.evidence]
    paths = [sources[version].path for version in offered if version in sources]
    asked = case.expected
    return Sample(
        question=case.question,
        response="\n".join(claim.text for claim in claims(row)),
        contexts=tuple(evidence_texts(row, sources)),
        cited=tuple(filter(None, (passage(part, sources) for part in cited(row)))),
        paths=tuple(dict.fromkeys(paths)),
        reference="\n".join(fact[0] for fact in asked.facts),
        reference_paths=asked.sources,
        reference_contexts=tuple(_carrying(case, sources)),
    )


def _carrying(case: Case, sources: Mapping[str, Source]) -> list[str]:
    paths = case.expected.sources
    return [
        paragraph
        for source in sources.values()
        if source.path in paths
        for paragraph in source.text.split("\n\n")
        if any(says(paragraph, w) for fact in case.expected.facts for w in fact)
    ]
