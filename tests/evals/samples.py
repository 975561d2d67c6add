"""Finished runs of a made-up pack, with everything that a report shows.

The texts are our own; one document is written by somebody who means harm.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.model.prompt import Failure
from evals import store
from evals.compare.decide import SCORING
from evals.compare.runs import Finished
from evals.forms import Case, Expected, Json, Result, Row, Score, Source
from tests.evals.compare.scored import WEIGHTS

TEXT = (
    "Taking the tablets\n\nTake the tablets twice a day, 12 hours apart. Do not take "
    "a double dose — ask the nurse instead.\n\nKeep them dry."
)
EVIL = '</script><img src=x onerror="window.pwned=1"><b>bold</b>'
DOSE = "Take the tablets twice a day, 12 hours apart."
SOURCE = Source(
    version="v1",
    document="tablets",
    path="tablets.md",
    text=TEXT,
    title="Taking the tablets",
    source="institute",
    tier=1,
)
HOSTILE = Source(
    version="v2",
    document="hostile",
    path="hostile.md",
    text=f"Read this. {EVIL} The end.",
    title=EVIL,
    source="leaflet",
)


def quoted(source: Source, text: str) -> Json:
    """A claim that quotes, with its quote at its offsets."""
    start = source.text.index(text)
    quote = {
        "text": text,
        "document": source.document,
        "version": source.version,
        "start": start,
        "end": start + len(text),
    }
    return {
        "text": text,
        "citations": [1],
        "quotation": True,
        "sensitive": True,
        "quotes": [quote],
    }


def answer(case: str, source: Source = SOURCE, text: str = DOSE) -> Row:
    """A row that quotes one text of one document."""
    claim = quoted(source, text)
    start = claim["quotes"][0]["start"]
    place = {"version": source.version, "start": start, "end": start + len(text)}
    cited = {
        **place,
        "number": 1,
        "document_id": source.document,
        "title": source.title,
        "section": "Dose",
        "source": source.source,
        "url": None,
        "score": 0.9,
        "quotes": [{"start": start, "end": start + len(text), "text": text}],
    }
    shown = {"number": 1, "start": start, "end": start + len(text)}
    section = {"heading": "", "claims": [{"citations": [1], "quotes": [shown]}]}
    return Row(
        case=case,
        key="1",
        record=_record(was_refusal=False, sources=[cited], sections=[section]),
        sections=({"heading": "", "claims": [claim]},),
        evidence=({**place, "document": source.document, "relevance": 0.9},),
        served=f"“{text}” [1]\n\nSources\n[1] {source.title}",
    )


def refusal(case: str) -> Row:
    """A row that refuses."""
    held = _record(
        was_refusal=True, refusal_reason="empty_retrieval", reason_code="NO_RESULTS"
    )
    return Row(case=case, key="1", record=held, served="The sources do not say that.")


def unheard(case: str) -> Row:
    """A row that quotes because the provider of its model failed."""
    made = answer(case)
    assert made.record is not None
    failed = {"prompts": [{"failure": Failure.SERVER.value}]}
    return replace(made, record=made.record | failed)


def _record(**fields: Any) -> Json:
    gate = {"verdict": "open", "rule": "tier_one", "explanation": "", "reason": None}
    held: dict[str, Any] = {
        "was_refusal": False,
        "refusal_reason": None,
        "reason_code": None,
        "sources": [],
        "intent": {"query_type": "general", "name": "GENERAL"},
        "gate": gate,
    }
    return held | fields


def case(name: str, **fields: Any) -> Case:
    made = Case(
        id=name,
        question=f"How is {name} taken?",
        expected=Expected(outcome="answer", facts=(("twice a day",),)),
        shows=("R-E3",),
        slices=("plain",),
        document="tablets.md",
        suite="basics",
        pack="made_up",
        file="evals/suites/made_up/basics.yaml",
        line=7,
    )
    return replace(made, **fields)


CASES = (
    case("dose", line=12),
    case("hostile", question=f"What does {EVIL} say?", document="hostile.md", line=19),
    case(
        "unknown", expected=Expected(outcome="refuse"), slices=("near_miss",), line=26
    ),
)
ROWS = (
    answer("dose"),
    answer("hostile", HOSTILE, EVIL),
    refusal("unknown"),
)


def run(
    name: str = "run",
    rows: Iterable[Row] = ROWS,
    failing: Mapping[tuple[str, str], Result] | None = None,
    **manifest: Any,
) -> Finished:
    """A finished run; all passes but for (case, metric) named in `failing`."""
    wrong = failing or {}
    by_case = {row.case: (row,) for row in rows}
    scores = {
        each.id: tuple(
            Score(
                case=each.id,
                repeat=0,
                metric=metric,
                result=wrong.get((each.id, metric), Result.PASS),
                why=f"{metric} looked at {each.id}",
            )
            for metric in sorted(WEIGHTS)
        )
        for each in CASES
    }
    held = {SCORING: {"code": "1"}, "pack": "made_up"} | manifest
    return Finished(
        name=name,
        cases={each.id: each for each in CASES},
        rows=by_case,
        sources={each.version: each for each in (SOURCE, HOSTILE)},
        scores=scores,
        manifest=held,
    )


def kept(made: Finished, folder: Path) -> Path:
    """The run's files in a folder."""
    store.write_cases(folder, made.cases.values())
    store.write_rows(folder, (row for rows in made.rows.values() for row in rows))
    store.write_sources(folder, made.sources.values())
    store.write_scores(folder, made.scored.scores)
    store.write_manifest(folder, made.manifest)
    return folder
