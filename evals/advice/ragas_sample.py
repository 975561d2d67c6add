"""A row as a sample of ragas, and a sample of ragas as a row."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, NamedTuple

from evals.forms import Case, Expected, Json, Row, Source
from evals.served.reading import cited, claims, evidence_texts, passage, says

_NUMBERS = re.compile(r"\[(\d{1,3})\]")
_BEHIND = re.compile(r"[ \t]*(?:\[\d{1,3}\][ \t]*)+\.?\s*\Z")
_QUOTED = re.compile(r"[“\"](.*)[”\"]")


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


class Rebuilt(NamedTuple):
    """A case, a row and its sources, made from a sample of ragas."""

    case: Case
    row: Row
    sources: Mapping[str, Source]


def rebuilt(question: str, response: str, contexts: Sequence[str]) -> Rebuilt:
    """A row from what a user of ragas has: the numbers of a response count contexts.

    Each line of the response is a claim with the numbers at its end; a line between
    quotation marks is a quotation, of the first context that it cites and holds it.
    """
    held = [_source(number, text) for number, text in enumerate(contexts, start=1)]
    lines = [line for line in response.split("\n") if line.strip()]
    parts = [
        {
            "number": number,
            "document_id": source.document,
            "version": source.version,
            "start": 0,
            "end": len(source.text),
            "source": "",
            "title": "",
        }
        for number, source in enumerate(held, start=1)
    ]
    record: dict[str, Any] = {
        "was_refusal": False,
        "sources": parts,
        "minimum_citations": 0,
        "emergency": None,
        "header": None,
        "notices": [],
        "intent": {"query_type": "", "missing_facts": [], "corrections": []},
        "answer": "",
    }
    made = [_claim(line, held) for line in lines]
    row = Row(
        case="sample",
        record=record,
        sections=({"heading": "", "claims": made},),
        evidence=tuple(_chunk(part) for part in parts),
        served="\n\n".join(map(_served, made)),
    )
    case = Case(id="sample", question=question, expected=Expected(outcome="either"))
    return Rebuilt(case, row, {source.version: source for source in held})


def _source(number: int, text: str) -> Source:
    version = sha256(text.encode()).hexdigest()
    name = f"context-{number}"
    return Source(version=version, document=name, path=name, text=text)


def _claim(line: str, contexts: Sequence[Source]) -> Json:
    behind = _BEHIND.search(line)
    text = (line[: behind.start()] if behind else line).strip()
    quoted = _QUOTED.fullmatch(text)
    text = quoted.group(1) if quoted else text
    numbers = sorted({int(number) for number in _NUMBERS.findall(line)})
    cites = [contexts[n - 1] for n in numbers if 0 < n <= len(contexts)]
    return {
        "text": text,
        "citations": numbers,
        "quotation": quoted is not None,
        "sensitive": False,
        "quotes": [_quote(text, cites)] if quoted else [],
    }


def _quote(text: str, cites: Sequence[Source]) -> Json:
    """Where a quotation stands; at no place where no context that it cites holds it."""
    for source in cites:
        if text in source.text:
            at = source.text.index(text)
            place = {"version": source.version, "start": at, "end": at + len(text)}
            return {"text": text, "document": source.document, **place}
    return {"text": text, "document": "", "version": "", "start": 0, "end": 0}


def _served(claim: Json) -> str:
    """A claim as a reply has it: a quotation stands behind a bar."""
    bar = "│ " if claim["quotation"] else ""
    behind = ", ".join(str(number) for number in claim["citations"])
    return f"{bar}{claim['text']} [{behind}]" if behind else f"{bar}{claim['text']}"


def _chunk(part: Mapping[str, Any]) -> Json:
    kept = {name: part[name] for name in ("version", "start", "end", "source")}
    return {
        **kept,
        "chunk": part["document_id"],
        "document": part["document_id"],
        "relevance": 1.0,
    }
