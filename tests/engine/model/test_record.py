"""The response record and its schema (R-D1)."""

import json
from datetime import UTC, datetime
from pathlib import Path

import jsonschema
import pytest

from engine.model.answer import Answer, Section
from engine.model.frozen import Span
from engine.model.outcome import Outcome
from engine.model.record import Record, plain_text, record_of, record_schema
from tests.adapters.ledger.samples import (
    FEVER,
    REST,
    WATER,
    answered,
    document,
    refused,
)

CREATED = datetime(2026, 11, 22, 1, 2, 3, tzinfo=UTC)
PAGE = "docs/record.schema.json"
MAKE = (
    "from engine.model.record import record_schema; "
    f"open('{PAGE}', 'w').write(record_schema())"
)


def of_answer(outcome: Outcome) -> Answer:
    """The answer that an outcome holds."""
    assert isinstance(outcome.result, Answer)
    return outcome.result


def test_the_committed_schema_is_the_records_own_R_D1(root: Path) -> None:
    """A changed record needs a changed schema."""
    committed = (root / PAGE).read_text(encoding="utf-8")
    assert committed == record_schema(), f'run: python -c "{MAKE}"'


@pytest.mark.parametrize("outcome", [answered(document()), refused()])
def test_a_printed_record_keeps_the_schema_R_D1(root: Path, outcome: Outcome) -> None:
    """As JSON it validates, and it reads back as the same record."""
    schema = json.loads((root / PAGE).read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    record = record_of(outcome, CREATED)
    printed = record.model_dump_json()
    jsonschema.validate(json.loads(printed), schema)
    assert Record.model_validate_json(printed) == record


def test_an_answer_keeps_its_sources_and_quotes_R_D1() -> None:
    """Each source carries score, section, document, version, offsets and quotes."""
    cited = document()
    record = record_of(answered(cited), CREATED)
    assert not record.was_refusal
    assert (record.refusal_reason, record.reason_code) == (None, None)
    first = record.sources[0]
    assert (first.chunk_id, first.score, first.section) == (
        "rest#0",
        0.75,
        "About > At home",
    )
    assert (first.document_id, first.version) == (cited.id, cited.version)
    for source in record.sources:
        assert cited.text[source.start : source.end] == source.quote
        assert [quote.text for quote in source.quotes] == [source.quote]
    assert record.sensitive
    assert record.minimum_citations == 2
    assert record.gate is not None
    assert (record.gate.verdict, record.gate.rule) == ("open", "two passages")


def test_an_answer_keeps_its_order_R_D1_R_A3() -> None:
    """The place of each quotation, and whether it stood behind "Show more"."""
    cited = document()
    made = answered(cited, [FEVER, REST])
    (section,) = of_answer(made).sections
    first, last = section.claims
    changed = section.model_copy(
        update={"claims": (first, last.model_copy(update={"more": True}))}
    )
    result = of_answer(made).model_copy(update={"sections": (changed,)})
    (held,) = record_of(made.model_copy(update={"result": result})).sections
    places = [
        (c.citations, [(q.number, q.start, q.end) for q in c.quotes], c.more)
        for c in held.claims
    ]
    assert places == [
        ((1,), [(1, FEVER.start, FEVER.end)], False),
        ((2,), [(2, REST.start, REST.end)], True),
    ]


def test_a_refusal_keeps_its_reason_and_pointers_R_D1() -> None:
    """The closed list for callers, our own code, the numbers; no text of a passage."""
    record = record_of(refused())
    assert record.was_refusal
    assert (record.refusal_reason, record.reason_code) == (
        "low_confidence",
        "LOW_SCORE",
    )
    assert record.answer == "I have nothing reliable on this."
    assert record.sources == ()
    assert record.gate is not None
    assert record.gate.numbers == {"best": 0.21, "needed": 0.3}
    assert [near.title for near in record.nearest] == ["About rest"]
    assert record.mode is None


def test_quotes_of_one_passage_stand_together_R_D1() -> None:
    """Two sentences of one source are two quotes of it, the first shown first."""
    cited = document()
    outcome = answered(cited, [REST, WATER])
    answer = of_answer(outcome)
    (first, second) = answer.sections[0].claims
    both = answer.citations[0].model_copy(update={"end": WATER.end})
    claims = (first, second.model_copy(update={"citations": (1,)}))
    result = Answer(sections=(Section(heading="", claims=claims),), citations=(both,))
    (source,) = record_of(outcome.model_copy(update={"result": result})).sources
    assert [quote.text for quote in source.quotes] == [
        "Rest often.",
        "Drink enough water.",
    ]
    assert source.quote == "Rest often."


def test_a_quote_from_nowhere_is_refused_R_I7() -> None:
    """A record never claims a quote that no source of the answer can hold."""
    answer = of_answer(answered(document()))
    foreign = tuple(
        citation.model_copy(update={"version": "0" * 64})
        for citation in answer.citations
    )
    outcome = answered(document())
    moved = answer.model_copy(update={"citations": foreign})
    with pytest.raises(ValueError, match="no cited document"):
        record_of(outcome.model_copy(update={"result": moved}))


def test_the_body_of_an_answer_is_what_a_person_reads_R_A9() -> None:
    """An introduction per document, quotes with their numbers, what was not found."""
    assert plain_text(answered(document())) == (
        "A clinic writes in About rest > About > At home:\n\n“Rest often.” [1]\n\n"
        "“Drink enough water.” [2]\n\nNot found in the sources: how long"
    )


def test_prose_and_headings_stand_in_the_body_R_A9() -> None:
    """Prose carries its numbers, no quotation marks, and whose it is above it."""
    cited = document()
    outcome = answered(cited, [FEVER, Span(start=0, end=11)])
    answer = of_answer(outcome)
    claim = (
        answer.sections[0]
        .claims[0]
        .model_copy(
            update={
                "quotation": False,
                "text": "Fever is a reason.",
                "citations": (1, 2),
            }
        )
    )
    section = Section(heading="LIMITATIONS", claims=(claim,))
    result = answer.model_copy(update={"sections": (section,), "not_found": ()})
    body = plain_text(outcome.model_copy(update={"result": result}))
    said = (
        "A clinic writes in About rest > About > At home:\n\nFever is a reason. [1][2]"
    )
    assert body == f"LIMITATIONS\n\n{said}"


def test_braces_in_a_title_are_only_text() -> None:
    """Placeholders are replaced in the pack's line alone."""
    cited = document(title="{publisher} {0} %s")
    body = plain_text(answered(cited, [REST]))
    assert body.startswith("A clinic writes in {publisher} {0} %s > About")
