"""Trial records of ClinicalTrials.gov to canonical text, with every field's place."""

import json
from collections.abc import Mapping
from datetime import date

import pytest

from adapters.loaders import markdown, trials
from adapters.loaders.limits import Limits
from engine.documents.chunks import make_chunks
from engine.documents.corpus import build_document
from engine.model.document import Parsed
from engine.model.errors import DocumentError, DocumentTooLarge
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


# Where a record that says everything is spoilt, and with what.
PROTOCOL, RESULTS = "protocolSection", "resultsSection"
MODULES = (
    *((PROTOCOL, f"{name}Module") for name in ("status", "description", "conditions")),
    *((PROTOCOL, f"{name}Module") for name in ("design", "outcomes", "eligibility")),
    (PROTOCOL, "armsInterventionsModule"),
    (PROTOCOL, "sponsorCollaboratorsModule"),
    (PROTOCOL, "identificationModule"),
    (RESULTS, "outcomeMeasuresModule"),
    (PROTOCOL,),
    (RESULTS,),
)
INNER = (
    (PROTOCOL, "designModule", "enrollmentInfo"),
    (PROTOCOL, "designModule", "designInfo"),
    (PROTOCOL, "designModule", "designInfo", "maskingInfo"),
    (PROTOCOL, "statusModule", "startDateStruct"),
    (PROTOCOL, "sponsorCollaboratorsModule", "leadSponsor"),
)
LISTS = (
    (PROTOCOL, "designModule", "phases"),
    (PROTOCOL, "conditionsModule", "conditions"),
    (PROTOCOL, "armsInterventionsModule", "armGroups"),
    (PROTOCOL, "armsInterventionsModule", "interventions"),
    (PROTOCOL, "outcomesModule", "primaryOutcomes"),
    (PROTOCOL, "outcomesModule", "secondaryOutcomes"),
    (PROTOCOL, "identificationModule", "secondaryIdInfos"),
    (RESULTS, "outcomeMeasuresModule", "outcomeMeasures"),
)
TEXTS = (
    (PROTOCOL, "descriptionModule", "briefSummary"),
    (PROTOCOL, "eligibilityModule", "eligibilityCriteria"),
    (PROTOCOL, "statusModule", "overallStatus"),
    (PROTOCOL, "identificationModule", "acronym"),
    (PROTOCOL, "designModule", "enrollmentInfo", "type"),
)
SPOILT = (
    *(
        (place, value)
        for place in MODULES + INNER
        for value in ("x", [], [{}], 3, None)
    ),
    *((place, value) for place in LISTS for value in ("x", {}, 3, [[]], [True], None)),
    *((place, value) for place in TEXTS for value in ({}, [], True, ["x"])),
    ((PROTOCOL, "designModule", "enrollmentInfo", "count"), "many"),
    ((PROTOCOL, "designModule", "enrollmentInfo", "count"), 4.5),
    ((PROTOCOL, "designModule", "enrollmentInfo", "count"), [455]),
    ((PROTOCOL, "statusModule", "lastUpdatePostDateStruct", "date"), "soon"),
    ((PROTOCOL, "outcomesModule", "primaryOutcomes"), [{"timeFrame": "2 years"}]),
    ((PROTOCOL, "armsInterventionsModule", "armGroups"), [{}]),
    ((RESULTS, "outcomeMeasuresModule", "outcomeMeasures"), [{"title": {}}]),
)


@pytest.mark.parametrize(("place", "value"), SPOILT)
def test_a_record_with_something_unreadable_is_refused_by_name_R_R2(
    place: tuple[str, ...], value: object
) -> None:
    """A trial without its design, endpoints or results would be another trial."""
    study = study_of("NCT00000001", "KITE")
    inside = study
    for name in place[:-1]:
        inside = inside[name]  # type: ignore[assignment]
    inside[place[-1]] = value
    page = {"studies": [study_of("NCT00000002"), study]}
    with pytest.raises(DocumentError, match=r"^page\.json#2: record ") as refused:
        trials.parse(json.dumps(page), "page.json", LIMITS)
    message = str(refused.value)
    assert place[-1] in message
    unnamed = place in ((PROTOCOL,), (PROTOCOL, "identificationModule"))
    assert ("without a number" if unnamed else "NCT00000001") in message
    assert message.endswith("fetch it again")


def test_figures_of_nobody_and_results_that_are_not_there_are_refused_R_R2() -> None:
    study = study_of("NCT00000001", "KITE")
    (outcome,) = study["resultsSection"]["outcomeMeasuresModule"]["outcomeMeasures"]  # type: ignore[index]
    del outcome["groups"][1]
    with pytest.raises(DocumentError, match=r"measurements\[1\] is of no group"):
        _one(study)
    del study["resultsSection"]
    with pytest.raises(DocumentError, match="NCT00000001 has results and no results"):
        _one(study)


def test_numbers_of_a_record_are_their_own_text_R_A15() -> None:
    """3.10 is as precise as it says; a name twice would hide one of the two."""
    text = json.dumps(study_of("NCT00000001", "KITE"))
    (parsed,) = trials.parse(text.replace('"93.5"', "93.50"), "a", LIMITS).documents
    assert "Guided: 93.50 percent" in parsed.text
    doubled = text.replace('"count": 455', '"count": 455, "count": 45')
    with pytest.raises(DocumentError, match="'count' stands twice"):
        trials.parse(doubled, "a.json", LIMITS)


def test_outcomes_that_are_not_read_are_told_R_R2() -> None:
    study = study_of("NCT00000001", "KITE")
    module = study["resultsSection"]["outcomeMeasuresModule"]  # type: ignore[index]
    module["outcomeMeasures"] *= 62
    assert _one(study).remarks == ("has 2 outcomes more, which are not read",)
    assert not _one(study_of("NCT00000001", "KITE")).remarks


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
