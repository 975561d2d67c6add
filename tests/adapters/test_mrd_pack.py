"""The mrd pack as data: its figures, its routing, its floors, a sixth query type."""

from collections.abc import Callable
from pathlib import Path
from shutil import copytree

import pytest

from adapters.packs import check, load
from engine.model.evidence import Trace
from engine.model.ports import CorpusStatistics
from engine.parse.intent import read
from engine.policy.pack import Pack
from engine.prompting.demonstrations import DEMONSTRATIONS
from engine.prompting.signatures import SIGNATURES
from engine.rank.compose import compose
from engine.text.patterns import fold, matches
from tests.engine.small_pack import TODAY, chunk, intent, question

TRIALS = (
    "What clinical trials are studying MRD-guided treatment de-escalation?",
    "Tell me about the CIRCULATE and DYNAMIC trials",
    "What are the endpoints of the MERMAID trial?",
    "Are there any Phase 3 trials for ctDNA in lung cancer?",
    "What trials are comparing ctDNA-guided vs standard adjuvant therapy?",
    "What is the enrollment status of GALAXY trial?",
    "Which trials use Signatera for MRD detection?",
    "Are there MRD trials in breast cancer?",
)
SHOWN = (
    "Has any trial shown survival benefit from ctDNA-guided treatment?",
    "What are the interim results from BESPOKE CRC?",
    "What did GALAXY show?",
)
GUIDELINES = (
    "What does NCCN say about ctDNA in colorectal cancer?",
    "What is the ASCO recommendation for MRD testing?",
    "How do NCCN and ESMO guidelines differ on ctDNA?",
    "What evidence level does NCCN assign to Signatera?",
    "Does NCCN recommend ctDNA for surveillance?",
    "What is the current NCCN position on MRD in bladder cancer?",
    "Has ASCO updated their ctDNA guidelines recently?",
    "What do guidelines say about tumor-informed vs tumor-agnostic?",
    "Is ctDNA testing guideline-recommended for lung cancer?",
    "What limitations do guidelines note for MRD testing?",
)
GENERAL = (
    "What is the evidence for ctDNA in stage III colon cancer?",
    "How does Signatera compare to Guardant Reveal?",
    "What is the sensitivity of MRD assays?",
    "When should ctDNA be tested after surgery?",
    "What is the clinical utility of serial ctDNA monitoring?",
    "Is there evidence ctDNA improves survival?",
    "What cancers have the most MRD evidence?",
    "How accurate is ctDNA for detecting recurrence?",
    "What are the limitations of current MRD tests?",
    "What's the lead time advantage of ctDNA over imaging?",
    "ctDNA+ after surgery",
    "MRD neg, stop adjuvant?",
)
COVERAGE = (
    "Signatera coverage Medicare",
    "Is Guardant Reveal reimbursed?",
    "Which LCD applies to MRD testing?",
    "How often will Medicare pay for an MRD test?",
)
ROUTED = {
    "clinical_trials": TRIALS,
    "trial_evidence": SHOWN,
    "guidelines": GUIDELINES,
    "general": GENERAL,
    "coverage_policy": COVERAGE,
}


@pytest.fixture
def folder(root: Path) -> Path:
    return root / "config" / "packs" / "mrd"


@pytest.fixture
def pack(folder: Path) -> Pack:
    return load(folder)


@pytest.fixture
def copy(folder: Path, tmp_path: Path) -> Callable[[], Path]:
    """The pack's folder, for a test to spoil."""

    def copied() -> Path:
        target = tmp_path / "mrd"
        copytree(folder, target, ignore=lambda *_: ["corpus"])
        return target

    return copied


def test_the_pack_passes_its_check_R_U8(folder: Path) -> None:
    assert check(folder).problems == ()


@pytest.mark.parametrize("query_type", ROUTED)
def test_questions_are_routed_without_a_model_R_R4_R_A11(
    pack: Pack, query_type: str
) -> None:
    """The thirty regression questions of the plan, and coverage questions."""
    nothing = CorpusStatistics(documents=0, chunks=0, chunk_frequency={})
    wrong = {
        text: got
        for text in ROUTED[query_type]
        if (got := read(question(text), pack, nothing, TODAY).query_type) != query_type
    }
    assert not wrong


def test_ten_best_hits_of_nccn_leave_at_most_four_R_R3(pack: Pack) -> None:
    """Two on trial questions, where other sources outweigh them; else none."""
    kinds = ["nccn"] * 10 + ["demo-nccn"] * 3
    judged = [
        chunk(0.9 - n / 100, f"d{n}", source=kind) for n, kind in enumerate(kinds)
    ]

    def left(query_type: str, *more: str) -> int:
        others = [chunk(0.3, f"o{n}", source=name) for n, name in enumerate(more)]
        asked = intent(query_type=query_type)
        found = compose([*judged, *others], asked, pack, Trace(query_type=query_type))
        names = [c.source.removeprefix("demo-") for c in found.chunks]
        return names.count("nccn")

    assert left("guidelines") == 4
    assert left("general") == 3
    assert left("clinical_trials") == 0
    trials = ["clinicaltrials"] * 3 + ["pubmed"] * 4
    assert left("clinical_trials", *trials) == 2
    assert left("clinical_trials", *trials[:3]) == 1  # 2 of 5 would be 0.4


@pytest.mark.parametrize(
    ("text", "restricts"),
    [
        ("Use it only within a clinical trial.", True),
        ("Only in clinical trials.", True),
        ("There is insufficient evidence outside clinical trials.", True),
        ("It is not used outside of a clinical trial.", True),
        ("There is insufficient evidence to recommend routine use.", True),
        ("It is not recommended as a routine test.", True),
        ("The trial enrolled 455 patients.", False),
        ("Evidence from clinical trials supports it.", False),
    ],
)
def test_restriction_language_is_known_R_R5(
    pack: Pack, text: str, restricts: bool
) -> None:
    assert matches(pack.retrieval.restriction_patterns, fold(text)) is restricts


def test_every_type_has_a_signature_with_examples_R_A1_R_A10(pack: Pack) -> None:
    """One shows missing data; the trial types each show what is wrong and put right."""
    for rule in pack.intents:
        assert rule.signature in SIGNATURES
        shown = DEMONSTRATIONS[rule.signature]
        assert any(each.not_found for each in shown)
        if rule.query_type in ("clinical_trials", "trial_evidence"):
            (negative,) = [each for each in shown if each.feedback]
            assert "the first section has to be" in negative.feedback[0]
            assert negative.sections[0].heading == rule.sections[0].heading


def test_trial_answers_never_say_what_a_society_recommends_unasked_R_A2(
    pack: Pack,
) -> None:
    said = fold("NCCN recommends that patients take part in a trial.")
    for query_type in ("clinical_trials", "trial_evidence"):
        rule = pack.rule(query_type)
        assert rule.sections[0].heading == "CLINICAL TRIALS"
        assert matches(rule.forbids("which trials are there?"), said)
        assert not matches(rule.forbids("does nccn name trials?"), said)


# --- floors -----------------------------------------------------------------------

LOWERED = (
    ("minimum_sensitive: 2", "minimum_sensitive: 1", "citations.minimum_sensitive"),
    ("best: 0.3", "best: 0.29", "gate.best"),
    ("  used: 0.5", "  used: 0.49", "gate.used"),
    ("relevance: 0.7", "relevance: 0.69", "gate.openings[0].relevance"),
    ("relevance: 0.5", "relevance: 0.49", "gate.openings[1].relevance"),
    ("      guideline: true", "      guideline: false", "gate.openings[0]"),
    ("anchors_per_item: 3", "anchors_per_item: 2", "anchors_per_item"),
    ("strict_quotes: true", "strict_quotes: false", "answer.strict_quotes"),
    ("schema_retry_attempts: 1", "schema_retry_attempts: 4",
     "answer.schema_retry_attempts"),
    ("seconds: 30", "seconds: .inf", "budget.seconds"),
    ("tokens: 20000", "tokens: .inf", "budget.tokens"),
    ("model_calls: 4", "model_calls: .inf", "budget.model_calls"),
    ("cost: 0.25", "cost: .inf", "budget.cost"),
    ("anchors_per_item: 3", "anchors_per_item: 3\naudit: false", "audit"),
    ('lacks: "I', 'lacks: "Chemotherapy: I', "wording.lacks"),
    ("anchors_per_item: 3", "anchors_per_item: 3\nretrieval_: 1", "retrieval_"),
)  # fmt: skip


@pytest.mark.parametrize(("old", "new", "field"), LOWERED)
def test_each_floor_that_is_lowered_is_refused_with_its_field_R_I9(
    copy: Callable[[], Path], old: str, new: str, field: str
) -> None:
    folder = copy()
    file = folder / "pack.yaml"
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    problems = check(folder).problems
    assert field in {problem.field for problem in problems}, problems
    assert not check(folder).passed


def test_widening_without_words_and_volatile_without_window_are_refused_R_I9(
    copy: Callable[[], Path],
) -> None:
    folder = copy()
    file = folder / "pack.yaml"
    text = file.read_text(encoding="utf-8")
    widened = text.replace(
        "\nretrieval:\n", "\nretrieval:\n  widening_allowed: true\n", 1
    )
    file.write_text(widened, encoding="utf-8")
    assert "wording.widened" in {p.field for p in check(folder).problems}
    file.write_text(text, encoding="utf-8")
    register = folder / "sources.yaml"
    plain = register.read_text(encoding="utf-8")
    register.write_text(plain.replace("    window_days: 730 ", "    # none ", 1))
    assert "sources[0].window_days" in {p.field for p in check(folder).problems}


# --- health -----------------------------------------------------------------------


def test_its_own_figures_of_health_R_O1(pack: Pack) -> None:
    """Names and targets as the requirement has them."""
    watched = {rule.name: rule for rule in pack.health.retrieval}
    assert watched["avg_nccn_share_trial_queries"].below == 0.30
    assert watched["avg_trial_sources_trial_queries"].least == 3
    assert pack.health.routing_compliance == 0.90


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ("types: [nccn]\n      below", "types: [ncn]\n      below", "types"),
        ("      query_types: [guidelines]\n      measure",
         "      query_types: [guides]\n      measure", "query_types"),
    ],
)  # fmt: skip
def test_health_of_what_is_not_there_is_refused_with_its_field_R_O1(
    copy: Callable[[], Path], old: str, new: str, field: str
) -> None:
    """A figure over a type that no source has would be 0 for ever, and met."""
    folder = copy()
    file = folder / "pack.yaml"
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    (problem,) = check(folder).problems
    assert problem.field.startswith("health.retrieval[")
    assert problem.field.endswith(field)


# --- a sixth query type -----------------------------------------------------------

SIXTH = r"""
  - name: SAFETY
    query_type: assay_safety
    sensitive: true
    patterns: ['\bblood draws?\b']
    requires:
      - {sources: [pubmed], least: 2}
    sections:
      - {heading: DRAWING BLOOD, sources: [pubmed], empty: "Nothing on blood draws."}
      - {heading: POLICY, sources: [payer-medicare-lcd], optional: true}
"""


def test_a_sixth_query_type_is_pack_data_alone_R_R4_R_A2(
    copy: Callable[[], Path],
) -> None:
    """Routing, caps, requirement and contract of it, with nothing but the pack's file;
    a new kind of source likewise."""
    folder = copy()
    file = folder / "pack.yaml"
    text = file.read_text(encoding="utf-8")
    text = text.replace("\nintents:\n", f"\nintents:{SIXTH}", 1)
    caps = "  caps:\n    - {types: [registry], most: 1, query_types: [assay_safety]}\n"
    file.write_text(text.replace("  caps:\n", caps, 1), encoding="utf-8")
    register = folder / "sources.yaml"
    plain = register.read_text(encoding="utf-8")
    added = "  - {id: eu-registry, publisher: Registry, type: registry, tier: 2, "
    added += 'trusted: true, homepage: "https://example.org/"}\n'
    register.write_text(f"{plain}{added}", encoding="utf-8")
    sixth = load(folder)
    nothing = CorpusStatistics(documents=0, chunks=0, chunk_frequency={})
    asked = read(question("How many blood draws are safe?"), sixth, nothing, TODAY)
    assert asked.query_type == "assay_safety"
    judged = [
        chunk(0.9 - n / 100, f"d{n}", source=name)
        for n, name in enumerate(["eu-registry"] * 3 + ["pubmed"])
    ]
    found = compose(judged, asked, sixth, Trace(query_type=asked.query_type))
    assert [c.source for c in found.chunks] == ["eu-registry", "pubmed"]
    assert found.trace.requirement_unmet == "1 of 2 passages from PubMed"
    headings = [section.heading for section in sixth.rule("assay_safety").sections]
    assert headings == ["DRAWING BLOOD", "POLICY"]
