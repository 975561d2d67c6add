"""The section contract of an answer, whoever drafted it (R-A2)."""

from typing import Any

import pytest

from engine.conclude.settle import is_routed
from engine.draft.contracted import write_sections
from engine.model.draft import Draft, DraftSection
from engine.model.gate import Open
from engine.model.passage import Chunk
from engine.model.question import Intent
from engine.policy.authority import find_unheard
from engine.policy.contract import find_section, keeps_contract, may_open_with
from engine.policy.pack import Pack, SectionRule
from engine.policy.rules import Material, Rules, gather_material
from engine.verify.check import Rejected, Verified, check
from tests.engine.small_pack import data, source
from tests.engine.verify.drafts import chunks_of, selecting

RECORD = """# LANTERN trial record

LANTERN is a randomised trial of early treatment. It enrols 200 patients.
The study is limited to adults.
"""
PAPER = """# First results of LANTERN

LANTERN found the marker in 30 patients. No survival benefit has been shown.
"""
GUIDE = """# Guideline of a society

The society recommends the marker only in trials. LANTERN may change that.
"""
LIMITS = [r"\blimited to\b", r"\bno survival benefit\b"]
SECTIONS: list[dict[str, Any]] = [
    {"heading": "TRIALS", "sources": ["register"], "empty": "No trial data."},
    {"heading": "EVIDENCE", "sources": ["paper"], "missing": "papers"},
    {"heading": "CONTEXT", "sources": ["society"], "optional": True},
    {"heading": "LIMITS", "patterns": LIMITS, "missing": "limits", "says": "Ask."},
]


def pack_of(sections: list[Any] | None = None, **rule: Any) -> Pack:
    """A technical pack whose one intent has a contract."""
    first = {
        "name": "TRIALS",
        "query_type": "trials",
        "sections": SECTIONS if sections is None else sections,
        **rule,
    }
    names = ("register", "paper", "society", "other")
    tables = data(
        domain="technical",
        intents=[first],
        sources=[source(name, type=name) for name in names],
        sensitive={},
    )
    tables["citations"] = {"minimum_sensitive": 1}
    return Pack.model_validate(tables)


def passages(*names: str) -> tuple[Chunk, ...]:
    """The passages of these sources."""
    texts = {"register": RECORD, "paper": PAPER, "society": GUIDE, "other": GUIDE}
    return tuple(c for n in names for c in chunks_of(texts[n], n, source=n))


def desk(
    pack: Pack, chunks: tuple[Chunk, ...], text: str = "What is LANTERN?"
) -> tuple[Open, Intent, Material]:
    """An open gate over these passages, and what a draft is checked against."""
    opened = Open(
        rule="r", chunks=chunks, documents=1, tier_one=False, minimum_citations=1
    )
    asked = Intent(query_type="trials", name="TRIALS", text=text, sensitive=False)
    return opened, asked, gather_material(opened, asked, Rules.of(pack))


def written(stuff: Material, *sections: tuple[str, str], mode: str = "llm") -> Draft:
    """A draft that puts one sentence under each heading."""
    made = tuple(
        DraftSection(heading=heading, claims=(selecting(stuff, begins),))
        for heading, begins in sections
    )
    return Draft.model_validate({"sections": made, "mode": mode})


def said(verdict: Verified | Rejected) -> dict[str, list[str]]:
    """What stands under each heading."""
    assert isinstance(verdict, Verified), verdict
    return {s.heading: [c.text for c in s.claims] for s in verdict.answer.sections}


def test_a_quotation_stands_under_the_heading_that_takes_its_source_R_A2() -> None:
    """A draft's own heading is a wish; the order is the contract's."""
    _, _, stuff = desk(pack_of(), passages("register", "paper"))
    draft = written(
        stuff, ("TRIALS", "LANTERN found"), ("EVIDENCE", "LANTERN is a randomised")
    )
    told = said(check(draft, stuff))
    assert list(told) == ["TRIALS", "EVIDENCE", "LIMITS"]
    assert told["TRIALS"][0].startswith("LANTERN is a randomised")
    assert told["EVIDENCE"][0].startswith("LANTERN found")
    assert told["LIMITS"] == ["Ask."]
    assert "" not in told  # the passages hold a limit, so none is said to be missing


def test_what_no_section_takes_is_dropped_on_record_R_A2() -> None:
    _, _, stuff = desk(pack_of(), passages("register", "other"))
    draft = written(
        stuff, ("TRIALS", "LANTERN is a randomised"), ("LIMITS", "LANTERN may")
    )
    verdict = check(draft, stuff)
    assert "LANTERN may" in " ".join(said(verdict)["LIMITS"])  # LIMITS takes any source
    rules = [{**SECTIONS[0], "optional": False}]
    _, _, stuff = desk(pack_of(rules), passages("register", "other"))
    draft = written(stuff, ("TRIALS", "LANTERN is"), ("TRIALS", "LANTERN may"))
    verdict = check(draft, stuff)
    assert len(said(verdict)["TRIALS"]) == 1
    assert [f.code for f in verdict.findings if f.severity == "drop"] == ["no_section"]


def test_a_section_without_words_for_nothing_rejects_the_draft_R_A2() -> None:
    """Where one has to hold a quotation, an answer without it is none."""
    rules = [{"heading": "TRIALS", "sources": ["register"]}, *SECTIONS[1:]]
    _, _, stuff = desk(pack_of(rules), passages("paper"))
    verdict = check(written(stuff, ("EVIDENCE", "LANTERN found")), stuff)
    assert isinstance(verdict, Rejected)
    assert verdict.findings[-1].code == "missing_section"


def test_a_model_may_not_pass_over_the_first_section_R_A2() -> None:
    """It says that there is nothing only where there is nothing."""
    _, _, stuff = desk(pack_of(), passages("register", "paper"))
    draft = written(stuff, ("TRIALS", "LANTERN found"))
    verdict = check(draft, stuff)
    assert isinstance(verdict, Rejected)
    _, _, stuff = desk(pack_of(), passages("paper"))
    told = said(check(written(stuff, ("TRIALS", "LANTERN found")), stuff))
    assert told["TRIALS"] == ["No trial data."]
    assert "" not in told


def test_what_was_not_asked_is_not_shown_R_A2() -> None:
    """A sentence that a pack prohibits stands in no answer, unless it was asked for."""
    prohibited = [{"patterns": [r"\bsociety recommends"], "unless": [r"\bsociety\b"]}]
    pack = pack_of(prohibited=prohibited)
    both = passages("register", "society")
    _, _, stuff = desk(pack, both)
    draft = written(stuff, ("TRIALS", "LANTERN is"), ("CONTEXT", "The society"))
    verdict = check(draft, stuff)
    assert "CONTEXT" not in said(verdict)
    assert [f.code for f in verdict.findings if f.severity == "drop"] == ["prohibited"]
    _, _, stuff = desk(pack, both, "What does the society say of LANTERN?")
    assert "CONTEXT" in said(check(draft, stuff))


def test_an_empty_section_is_left_out_and_denies_nothing_R_A2_R_A16() -> None:
    """A limit or a paper that stands elsewhere, or was found, is not called missing."""
    _, _, stuff = desk(pack_of(), passages("register", "paper"))
    draft = written(
        stuff, ("TRIALS", "LANTERN is"), ("LIMITS", "No survival benefit has been")
    )
    assert list(said(check(draft, stuff))) == ["TRIALS", "LIMITS"]
    draft = written(
        stuff, ("TRIALS", "The study is limited"), ("EVIDENCE", "LANTERN found")
    )
    told = said(check(draft, stuff))
    assert list(told) == ["TRIALS", "EVIDENCE", "LIMITS"]
    assert told["LIMITS"] == ["Ask."]


def test_what_the_passages_found_lack_is_one_last_line_R_A2_R_A16() -> None:
    """Whatever lacks: whole sections, and fields of a document."""
    field = {"label": "status", "patterns": [r"\brecruiting\b"]}
    rules = [{**SECTIONS[0], "fields": [field]}, *SECTIONS[1:3]]
    rules.append({"heading": "LIMITS", "patterns": ["never"], "missing": "limits"})
    _, _, stuff = desk(pack_of(rules), passages("register"))
    told = said(check(written(stuff, ("TRIALS", "LANTERN is")), stuff))
    assert list(told) == ["TRIALS", ""]  # a heading stands only over a sentence
    assert told[""] == ["Not in the passages found: status, papers, limits."]


def test_another_society_is_missing_only_where_none_was_found_R_A16() -> None:
    rules: list[dict[str, Any]] = [
        {"heading": "POSITIONS", "sources": ["society", "paper"]},
        {"heading": "OTHERS", "sources": ["society", "paper"], "other_types": True},
    ]
    rules[1] |= {"missing": "another society's position"}
    line = ["Not in the passages found: another society's position."]
    for names, last in ((("society",), line), (("society", "paper"), None)):
        _, _, stuff = desk(pack_of(rules), passages(*names))
        told = said(check(written(stuff, ("POSITIONS", "The society")), stuff))
        assert told.get("") == last


def test_who_is_named_in_the_question_speaks_first_R_A2() -> None:
    """Whoever drafted it, and whatever comes closer."""
    rules: list[dict[str, Any]] = [
        {"heading": "POSITIONS", "sources": ["society", "paper"]},
        {"heading": "OTHERS", "sources": ["society", "paper"], "other_types": True},
    ]
    rules[1] |= {"missing": "another society's position"}
    pack = pack_of(rules)
    near, far = picked(passages("paper")), picked(passages("society"))
    chunks = (
        *(c.model_copy(update={"relevance": 0.9}) for c in near),
        *(c.model_copy(update={"relevance": 0.6}) for c in far),
    )
    opened, asked, stuff = desk(pack, chunks, "What does the society recommend?")
    draft = write_sections(opened, asked, pack)
    first = draft.sections[0].claims[0].sentences[0]
    assert chunks[first.chunk - 1].source == "society"
    assert draft.sections[0].heading == "POSITIONS"
    both = written(stuff, ("POSITIONS", "LANTERN found"), ("POSITIONS", "The society"))
    answer = check(both, stuff)
    assert isinstance(answer, Verified)
    cited = {c.number: c.source for c in answer.answer.citations}
    claims = answer.answer.sections[0].claims
    assert cited[claims[0].citations[0]] == "society"


def test_whose_word_was_asked_for_and_not_found_is_told_R_A2_R_A12() -> None:
    rules = [{"heading": "POSITIONS", "sources": ["society", "other"]}]
    pack = pack_of(rules)
    asked = desk(pack, passages("other"), "What does the society recommend?")[1]
    assert find_unheard(asked, passages("other"), pack) == (
        pack.register()["society"].publisher,
    )
    assert find_unheard(asked, passages("society"), pack) == ()


def test_fields_that_a_document_lacks_are_named_R_A2() -> None:
    """What its passages state is not called missing; a title says whose it is."""
    fields = [
        {"label": "enrolment", "patterns": [r"\benrols \d"]},
        {"label": "status", "patterns": [r"\brecruiting\b"]},
    ]
    rules = [{**SECTIONS[0], "fields": fields}, *SECTIONS[1:]]
    _, _, stuff = desk(pack_of(rules), passages("register"))
    told = said(check(written(stuff, ("TRIALS", "LANTERN is")), stuff))
    assert told[""] == ["Not in the passages found: status, papers."]
    rules = [{**SECTIONS[0], "sources": [], "fields": fields[:1]}]
    _, _, stuff = desk(pack_of(rules), passages("register", "paper"))
    draft = written(stuff, ("TRIALS", "LANTERN is"), ("TRIALS", "LANTERN found"))
    line = "Not in the passages found: enrolment (First results of LANTERN)."
    assert said(check(draft, stuff))[""] == [line]


def test_the_sources_own_words_keep_the_contract_too_R_A2_R_A3() -> None:
    """The deterministic answer has its headings, in order, and is routing compliant."""
    pack = pack_of()
    opened, asked, stuff = desk(pack, picked(passages("register", "paper", "society")))
    verdict = check(write_sections(opened, asked, pack), stuff)
    told = said(verdict)
    assert list(told) == ["TRIALS", "EVIDENCE", "CONTEXT", "LIMITS"]
    assert any("limited to adults" in text for text in told["TRIALS"] + told["LIMITS"])
    assert isinstance(verdict, Verified)
    assert is_routed(verdict.answer, (), pack.intents[0].sections)


def picked(chunks: tuple[Chunk, ...]) -> tuple[Chunk, ...]:
    """With the first sentence below the title marked as one that speaks to it."""
    found = []
    for chunk in chunks:
        at = next(n for n, s in enumerate(chunk.sentences) if s.kind.value != "heading")
        pick = {"sentence": at, "score": 1.0, "relevance": 0.9}
        found.append(Chunk.model_validate({**chunk.model_dump(), "picks": [pick]}))
    return tuple(found)


@pytest.mark.parametrize(
    ("headings", "kept"),
    [
        (["TRIALS", "EVIDENCE", "LIMITS"], True),
        (["TRIALS", "EVIDENCE", "CONTEXT", "LIMITS"], True),
        (["TRIALS", "EVIDENCE", "LIMITS", ""], True),
        (["TRIALS", "LIMITS"], True),  # what lacks is told in the last line
        (["TRIALS"], True),
        (["EVIDENCE", "LIMITS"], False),
        (["EVIDENCE", "TRIALS", "LIMITS"], False),
        (["CONTEXT", "TRIALS", "EVIDENCE", "LIMITS"], False),
        (["TRIALS", "EVIDENCE", "MORE", "LIMITS"], False),
        ([""], False),
    ],
)
def test_routing_is_the_contract_kept_R_A2_R_O2(
    headings: list[str], kept: bool
) -> None:
    contract = pack_of().intents[0].sections
    assert keeps_contract(contract, headings) is kept
    assert keeps_contract((), headings)


def test_an_answer_may_begin_behind_what_is_optional_R_A2() -> None:
    contract = [SectionRule(heading="A", optional=True), SectionRule(heading="B")]
    assert may_open_with(contract, "A")
    assert may_open_with(contract, "b")
    assert not may_open_with([*contract, SectionRule(heading="C")], "C")


def test_a_place_is_the_first_section_that_takes_a_source_R_A2() -> None:
    contract = pack_of().intents[0].sections
    place_of = {
        name: find_section(contract, {name}, "It is limited to adults.")
        for name in ("register", "paper", "society", "other")
    }
    found = {name: rule.heading if rule else None for name, rule in place_of.items()}
    assert found == {
        "register": "TRIALS",
        "paper": "EVIDENCE",
        "society": "CONTEXT",
        "other": "LIMITS",
    }


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("What do guidelines say?", "another position, papers"),
        ("What does the society say?", None),
        ("What do the society and the other say?", "another position"),
    ],
)
def test_what_nobody_asked_for_is_not_missing_R_A16(
    text: str, line: str | None
) -> None:
    """Who asks for one society's word asks for no other, and for no paper."""
    rules: list[dict[str, Any]] = [
        {"heading": "POSITIONS", "sources": ["society", "other"]},
        {"heading": "OTHERS", "sources": ["society", "other"], "other_types": True},
        {"heading": "PAPERS", "sources": ["paper"], "missing": "papers"},
    ]
    rules[1] |= {"missing": "another position"}
    _, _, stuff = desk(pack_of(rules), passages("society"), text)
    told = said(check(written(stuff, ("POSITIONS", "The society")), stuff))
    wanted = [f"Not in the passages found: {line}."] if line else None
    assert told.get("") == wanted


def test_a_field_that_two_sections_lack_is_named_once_R_A2() -> None:
    fields = [{"label": "enrolment", "patterns": [r"\benrols \d"]}]
    rules = [
        {"heading": "POSITIONS", "sources": ["society"], "fields": fields},
        {"heading": "PAPERS", "sources": ["paper"], "fields": fields},
    ]
    _, _, stuff = desk(pack_of(rules), passages("society", "paper"))
    draft = written(stuff, ("POSITIONS", "The society"), ("PAPERS", "LANTERN found"))
    assert said(check(draft, stuff))[""] == ["Not in the passages found: enrolment."]


@pytest.mark.parametrize("far", [False, True])
def test_a_guideline_far_behind_a_study_is_quoted_where_it_may_R_A2(
    *, far: bool
) -> None:
    """What the gate let through is what the sources hold on it."""
    rules = [{"heading": "PAPERS", "sources": ["paper"], "optional": True}]
    rules += [{**SECTIONS[2], "far": far}]
    pack = pack_of(rules)
    near, behind = picked(passages("paper")), picked(passages("society"))
    chunks = (
        *(c.model_copy(update={"relevance": 0.9}) for c in near),
        *(c.model_copy(update={"relevance": 0.6}) for c in behind),
    )
    opened, asked, _ = desk(pack, chunks)
    draft = write_sections(opened, asked, pack)
    assert ("CONTEXT" in {s.heading for s in draft.sections}) is far
