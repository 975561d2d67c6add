"""Small answers written by hand, from which metrics build the mutants they must kill.

Two documents of our own on an invented medicine, and builders for cases and rows that
have the form of a record. No text of any corpus stands here.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from evals.forms import Case, Expected, Json, Kind, Result, Row, Source
from evals.reading import OMITTED

TABLETS = """Taking veltromab tablets

Veltromab tablets are taken twice a day, about 12 hours apart, within 30 minutes after \
a meal. A missed dose of veltromab should not be doubled.

It is the patient's own decision when to begin. Swallow the tablets whole with water; \
do not crush them.

Common side effects of veltromab are:

sore hands
fever above 38.5 °C
tiredness that lasts 2 to 3 weeks
"""
WARNINGS = """Warnings for veltromab

Veltromab makes blood thinners stronger, and bleeding can be dangerous. At most 4 \
tablets a day are allowed.

Grapefruit juice must never be taken with veltromab.
"""


def source(path: str, text: str, **changes: Any) -> Source:
    """A document version; its version is the hash of its text, as in the ledger."""
    title = text.split("\n", 1)[0]
    made = Source(
        version=hashlib.sha256(text.encode()).hexdigest(),
        document=path.removesuffix(".md"),
        path=path,
        text=text,
        title=title,
        source="institute",
        tier=1,
        type="guideline",
        url=f"https://institute.example/{path}",
        sections=("", title, f"{title} > Times"),
    )
    return replace(made, **changes)


A = source("tablets.md", TABLETS)
B = source("warnings.md", WARNINGS, source="leaflet", tier=2, type="leaflet")
SOURCES: Mapping[str, Source] = {A.version: A, B.version: B}


@dataclass(frozen=True, slots=True)
class Mutant:
    """A row that a metric must see through; one that must PASS is a healthy specimen.

    Without healthy specimens a metric that fails everything would kill every mutant.
    """

    name: str
    case: Case
    row: Row
    must: Result
    sources: Mapping[str, Source] = field(default_factory=lambda: SOURCES)
    others: Mapping[str, Row] = field(default_factory=dict)


DOSE = (
    "Veltromab tablets are taken twice a day, about 12 hours apart, within 30 minutes "
    "after a meal. A missed dose of veltromab should not be doubled."
)
OWN = "It is the patient's own decision when to begin."
BLEEDING = "Veltromab makes blood thinners stronger, and bleeding can be dangerous."
LEAD = "Common side effects of veltromab are:"
TIRED = "tiredness that lasts 2 to 3 weeks"
JUICE = "Grapefruit juice must never be taken with veltromab."


DEMO = "What is marked as demo text was written for a demonstration."
# The texts and templates of the pack that the specimens are answered from.
WORDED: Json = {
    "texts": (
        *("A source is old.", "Ask your care team.", "ADVICE", 'From "{title}":'),
        *("I can only answer from my sources.", "Not found in the sources: {missing}"),
        "Sources published after {date} were not used.",
    ),
    "publishers": {"institute": "Leaflets"},
    "demo": (DEMO,),
}


def place(held: Source, text: str) -> Json:
    """Where a text stands in a document, as citations, quotes and evidence say it.

    Raises:
        ValueError: it does not stand there.
    """
    start = held.text.index(text)
    return {
        "document": held.document,
        "version": held.version,
        "start": start,
        "end": start + len(text),
    }


def citation(number: int, held: Source, text: str) -> Json:
    """A source of a record: the passage `text`, under a number."""
    at = dict(place(held, text))
    at["document_id"] = at.pop("document")
    return {**at, "number": number, "source": held.source, "title": held.title}


def quoted(held: Source, text: str, *numbers: int) -> Json:
    """A claim that is one quotation."""
    quote = {**place(held, text), "text": text, "chunk": held.document}
    return {**said(text, *numbers), "quotation": True, "quotes": [quote]}


def closed(held: Source, texts: Sequence[str], *numbers: int) -> Json:
    """A claim that quotes several runs, with the mark of what is left out between."""
    quotes = [
        {**place(held, text), "text": text, "chunk": held.document} for text in texts
    ]
    whole = f"\n{OMITTED}\n".join(texts)
    return {**said(whole, *numbers), "quotation": True, "quotes": quotes}


def listed() -> Row:
    """An answered row that cites a list item, and quotes it with its lead-in."""
    return answer([closed(A, (LEAD, TIRED), 1)], [citation(1, A, TIRED)])


def said(text: str, *numbers: int) -> Json:
    """A claim in own words."""
    return {
        "text": text,
        "citations": list(numbers),
        "quotation": False,
        "sensitive": False,
        "quotes": [],
    }


def case(outcome: Kind = "answer", **expected: Any) -> Case:
    """A case with the id of the specimens; see `Expected` for what it may ask."""
    asked = Expected(outcome=outcome, **expected)
    return Case(id="specimen", question="How is veltromab taken?", expected=asked)


def answer(
    claims: Sequence[Json] | None = None,
    citations: Sequence[Json] | None = None,
    **record: Any,
) -> Row:
    """An answered row; without arguments, a healthy one of two quotations.

    The served text is written from the claims, with the notices on top.
    """
    if claims is None:
        claims = [quoted(A, DOSE, 1), quoted(B, BLEEDING, 2)]
    if citations is None:
        citations = [citation(1, A, DOSE), citation(2, B, BLEEDING)]
    return sectioned([("", claims)], citations, **record)


def sectioned(
    sections: Sequence[tuple[str, Sequence[Json]]],
    citations: Sequence[Json],
    **record: Any,
) -> Row:
    """An answered row with headings."""
    made = {**_record(was_refusal=False), "sources": list(citations), **record}
    made = {**made, "answer": "\n\n".join(_written(sections, made, _marked))}
    body = "\n\n".join(_written(sections, made, _barred))
    listed = tuple({"heading": h, "claims": list(c)} for h, c in sections)
    held = [_evidence(each) for each in citations]
    return Row(
        case="specimen",
        record=made,
        sections=listed,
        evidence=tuple(held),
        served=top(made) + body,
        worded=WORDED,
    )


def refusal(reason: str = "LOW_SCORE", **record: Any) -> Row:
    """A refused row with a reason code."""
    shown = "low_confidence" if reason == "LOW_SCORE" else "out_of_scope"
    body = "I can only answer from my sources."
    made = {
        **_record(was_refusal=True),
        "reason_code": reason,
        "refusal_reason": shown,
        "answer": body,
        **record,
    }
    text = top(made) + made["answer"]
    return Row(case="specimen", record=made, served=text, worded=WORDED)


def served(row: Row, text: str) -> Row:
    """The row with another served text, and nothing else changed."""
    return replace(row, served=text)


def on_top(row: Row, text: str) -> Row:
    """The row with a text above all that it serves."""
    return replace(row, served=f"{text}\n\n{row.served}")


def swapped(row: Row, old: str, new: str) -> Row:
    """The row whose served text says something else in one place.

    Raises:
        ValueError: the old text does not stand there.
    """
    if old not in row.served:
        raise ValueError(f"the specimen does not say: {old}")
    return replace(row, served=row.served.replace(old, new, 1))


def top(record: Mapping[str, Any]) -> str:
    """What stands above the body: emergency, header, notices (R-F3)."""
    above = [record["emergency"], record["header"], *record["notices"]]
    return "".join(f"{text}\n\n" for text in above if text)


def _record(*, was_refusal: bool) -> dict[str, Any]:
    return {
        "question": "How is veltromab taken?",
        "was_refusal": was_refusal,
        "refusal_reason": None,
        "reason_code": None,
        "minimum_citations": 1,
        "sources": [],
        "nearest": [],
        "failure_states": ["NONE"],
        "emergency": None,
        "header": None,
        "notices": [],
        "gate": None,
        "intent": {"query_type": "dosing", "missing_facts": [], "corrections": []},
    }


def _written(
    sections: Sequence[tuple[str, Sequence[Json]]],
    record: Mapping[str, Any],
    quotation: Callable[[str, Sequence[int]], str],
) -> Iterable[str]:
    titles = {each["number"]: each["title"] for each in record["sources"]}
    for heading, claims in sections:
        if heading:
            yield heading
        for claim in claims:
            if claim["quotation"] and claim["citations"]:
                yield f'From "{titles.get(claim["citations"][0], "a source")}":'
            write = quotation if claim["quotation"] else _numbered
            yield write(claim["text"], claim["citations"])


def _marked(text: str, numbers: Sequence[int]) -> str:
    """A quotation as a record has it."""
    return _numbered(f"“{text}”", numbers)


def _barred(text: str, numbers: Sequence[int]) -> str:
    """A quotation as it is served."""
    behind = f" [{', '.join(map(str, numbers))}]" if numbers else ""
    return "\n".join(f"│ {line}" for line in text.splitlines()) + behind


def _numbered(text: str, numbers: Sequence[int]) -> str:
    return f"{text} {''.join(f'[{number}]' for number in numbers)}".rstrip()


def _evidence(cited: Json) -> Json:
    return {
        "chunk": cited["document_id"],
        "document": cited["document_id"],
        "version": cited["version"],
        "start": cited["start"],
        "end": cited["end"],
        "source": cited["source"],
        "relevance": 0.9,
    }
