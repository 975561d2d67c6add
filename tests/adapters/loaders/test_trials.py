"""Trial records of ClinicalTrials.gov to canonical text, with every field's place."""

import json
from collections.abc import Mapping
from datetime import date

import pytest

from adapters.loaders import markdown, trials
from adapters.loaders.limits import Limits
from engine.documents.chunks import make_chunks
from engine.documents.corpus import build_document
from engine.documents.records import Parsed
from engine.errors import DocumentError, DocumentTooLarge
from tests.adapters.loaders.studies import page_of, study_of

LIMITS = Limits()


def _one(study: Mapping[str, object]) -> Parsed:
    (parsed,) = trials.parse(json.dumps(study), "a.json", LIMITS).documents
    return parsed


def _said(parsed: Parsed) -> dict[str, list[str]]:
    said: dict[str, list[str]] = {}
    for one in parsed.things[0].attributes:
        said.setdefault(one.name, []).append(one.of(parsed.text))
    return said


def test_every_field_is_a_line_of_the_text_R_R2() -> None:
    """Each field is quoted from its offsets, codes in the register's own words."""
    parsed = _one(study_of("NCT00000001", "KITE"))
    said = _said(parsed)
    assert said["register_number"] == [
        "Register number: NCT00000001, ACTRN12600000000001, ISRCTN00000001, "
        "jRCT1030000001, 2019-000001-11, UMIN000000001"
    ]
    assert said["acronym"] == ["Acronym: KITE"]
    assert said["condition"] == ["Condition: Colon Cancer; Minimal Residual Disease"]
    assert said["phase"] == ["Phase: Phase 2, Phase 3"]
    assert said["design"] == [
        "Design: Interventional; Randomized; Parallel assignment; masking: None (open "
        "label); primary purpose: Treatment"
    ]
    assert said["enrollment"] == ["Enrollment: 455 participants (actual)"]
    assert said["arm"] == [
        "Arm: Guided (Experimental): Treated by the result of the test.",
        "Arm: Standard care (No intervention)",
    ]
    assert said["primary_endpoint"] == [
        "Primary endpoint: Recurrence-free survival (time frame: 2 years)"
    ]
    assert said["secondary_endpoint"] == ["Secondary endpoint: Overall survival"]
    assert said["status"] == ["Status: Active, not recruiting"]
    assert said["start"] == ["Start: 2015-08 (actual)"]
    assert said["result"] == [
        "Result: primary outcome, Recurrence-free survival (time frame: 2 years): "
        "Guided: 93.5 percent (95% Confidence Interval 90 to 96); Standard care: "
        "92.4 percent"
    ]
    assert parsed.published == date(2024, 3, 5)
    assert parsed.url == "https://clinicaltrials.gov/study/NCT00000001"
    assert parsed.things[0].names == (
        *("NCT00000001", "ACTRN12600000000001", "ISRCTN00000001", "jRCT1030000001"),
        *("2019-000001-11", "UMIN000000001", "KITE"),
    )


def test_what_a_record_lacks_has_no_line_R_R2() -> None:
    """Nothing stands for a field that is not there."""
    study = {
        "protocolSection": {
            "identificationModule": {"nctId": "NCT00000002", "briefTitle": "A study"}
        }
    }
    parsed = _one(study)
    assert _said(parsed) == {"register_number": ["Register number: NCT00000002"]}
    assert parsed.title == "NCT00000002: A study"


def test_long_texts_of_a_record_are_markdown_and_no_fields() -> None:
    """A line of the summary that looks like a field is none."""
    study = study_of("NCT00000001", "KITE")
    protocol = study["protocolSection"]
    assert isinstance(protocol, dict)
    protocol["descriptionModule"] = {"briefSummary": "Status: unknown\n\n* one\n* two"}
    parsed = _one(study)
    assert len(_said(parsed)["status"]) == 1
    assert "Status: unknown\n\none\ntwo\n\nEligibility" in parsed.text


def test_a_page_of_a_search_is_a_document_a_record_R_R2() -> None:
    loaded = trials.parse(json.dumps(page_of(3)), "page.json", LIMITS)
    assert [d.path for d in loaded.documents] == [f"page.json#{n}" for n in (1, 2, 3)]
    assert len({d.url for d in loaded.documents}) == 3


def test_a_page_that_lost_a_record_is_refused_whole_R_R2() -> None:
    """The count check names what is missing: a number, a title, a record."""
    page = page_of(3)
    studies = page["studies"]
    assert isinstance(studies, list)
    del studies[1]["protocolSection"]["identificationModule"]["briefTitle"]
    with pytest.raises(DocumentError, match=r"page.json#2: record NCT00000002 .*brief"):
        trials.parse(json.dumps(page), "page.json", LIMITS)
    fewer = {**page_of(3), "studies": page_of(2)["studies"]}
    with pytest.raises(DocumentError, match="says 3 records and holds 2"):
        trials.parse(json.dumps(fewer), "page.json", LIMITS)
    twice = {"studies": [study_of("NCT00000001"), study_of("NCT00000001")]}
    with pytest.raises(DocumentError, match=r"page\.json#2: is the same record as"):
        trials.parse(json.dumps(twice), "page.json", LIMITS)
    part = {**fewer, "nextPageToken": "abc"}
    assert len(trials.parse(json.dumps(part), "page.json", LIMITS).documents) == 2


@pytest.mark.parametrize(
    "text",
    [
        '{"studies": [',
        '{"studies": []}',
        '{"studies": [3]}',
        '{"studies": [null, {"protocolSection": 4}]}',
        '{"protocolSection": []}',
        '{"protocolSection": {"identificationModule": {"nctId": 4}}}',
        '{"protocolSection": {"identificationModule": {"nctId": "NCT1"}}}',
        '{"studies": ' + "[" * 100_000,
    ],
)
def test_what_is_no_record_is_refused_by_name_R_S2(text: str) -> None:
    with pytest.raises(DocumentError, match=r"^a\.json"):
        trials.parse(text, "a.json", LIMITS)


@pytest.mark.parametrize("text", ["", "x", "[]", "null", "{}", '{"name": "a package"}'])
def test_json_about_something_else_holds_no_document(text: str) -> None:
    assert trials.parse(text, "a.json", LIMITS).documents == ()


def test_fields_of_wrong_types_have_no_line_R_S2() -> None:
    """A hostile record is read as far as it is one."""
    identity = {"nctId": "NCT00000001", "briefTitle": "A", "secondaryIdInfos": {}}
    study = {
        "protocolSection": {
            "identificationModule": identity,
            "designModule": {"phases": [None, {}], "enrollmentInfo": {"count": "many"}},
            "armsInterventionsModule": {"armGroups": [3], "interventions": "x"},
            "statusModule": {"lastUpdatePostDateStruct": {"date": "soon"}},
        },
        "resultsSection": {"outcomeMeasuresModule": {"outcomeMeasures": [{}, 3]}},
    }
    parsed = _one(study)
    assert "enrollment" not in _said(parsed)
    assert parsed.published is None


def test_a_page_with_more_records_than_the_register_gives_is_too_large_R_S2() -> None:
    text = json.dumps({"studies": [{}] * 1_001})
    with pytest.raises(DocumentTooLarge):
        trials.parse(text, "a.json", LIMITS)


def test_fields_stay_with_every_passage_of_their_trial_R_R2() -> None:
    """Whichever passage is found, all fields can be quoted from it."""
    study = study_of("NCT00000001", "KITE")
    protocol = study["protocolSection"]
    assert isinstance(protocol, dict)
    told = " ".join(f"Sentence {n} of what the trial is about." for n in range(80))
    protocol["descriptionModule"] = {"detailedDescription": told}
    document = build_document(_one(study), "trials")
    chunks = make_chunks(document)
    assert len(chunks) > 2
    for chunk in chunks:
        held = {(e.start, e.end): e.text for e in chunk.context}
        (thing,) = chunk.things
        for one in thing.attributes:
            inside = chunk.start <= one.start and one.end <= chunk.end
            quoted = document.text[one.start : one.end]
            assert inside or held[one.start, one.end] == quoted


def test_front_matter_names_what_a_page_describes_R_R2() -> None:
    """`thing` and `names` make of a page a record; its labelled lines are fields."""
    page = (
        "---\nthing: trial\nnames: [KITE, ACTRN12600000000001]\n---\n# KITE\n\n"
        "Design: randomised.\n\n- Primary endpoint: survival at 2 years.\n\nOther text."
    )
    (thing,) = markdown.parse(page, "a.md", LIMITS).things
    assert (thing.kind, thing.names) == ("trial", ("KITE", "ACTRN12600000000001"))
    assert [one.name for one in thing.attributes] == ["design", "primary_endpoint"]
    plain = page.replace("thing: trial\n", "")
    (thing,) = markdown.parse(plain, "a.md", LIMITS).things
    assert (thing.kind, thing.attributes) == ("document", ())


@pytest.mark.parametrize(
    "line", ["names: KITE", "names: ['  ']", "names: [[a]]", "thing: trial"]
)
def test_names_that_are_none_are_refused(line: str) -> None:
    with pytest.raises(DocumentError, match="names"):
        markdown.parse(f"---\n{line}\n---\nText.", "a.md", LIMITS)
