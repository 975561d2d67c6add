"""Composition: caps, requirements, demotion, bands; never relevance."""

from typing import Any

import pytest
from hypothesis import given, strategies

from adapters.packs import load
from config.settings import PACKS
from engine.model.evidence import Evidence, Trace
from engine.model.passage import Chunk
from engine.policy.pack import Pack
from engine.rank.compose import compose
from tests.engine.small_pack import chunk, data, intent, small_pack, source

TRIALS = {
    "name": "TRIALS",
    "query_type": "clinical_trials",
    "patterns": [r"\btrial"],
    "requires": [{"sources": ["clinicaltrials", "pubmed"], "least": 3}],
    "demoted_types": ["nccn"],
}
PHRASES = [
    r"\b(?:within|in) (?:a )?clinical trial",
    r"\boutside (?:of )?(?:a )?clinical trials?\b",
]


def trials_pack(**retrieval: Any) -> Pack:
    """A pack with guideline, register and paper sources, and a rule for trials."""
    rules = {
        "caps": [
            {"types": ["nccn"], "most": 2},
            {"types": ["clinicaltrials"], "most": 3},
            {"types": ["pubmed"], "most": 4},
        ],
        "restriction_patterns": PHRASES,
        "final": 10,
        **retrieval,
    }
    sources = [source(name, type=name) for name in ("nccn", "clinicaltrials", "pubmed")]
    intents = [TRIALS, *data()["intents"]]
    return small_pack(sources=sources, intents=intents, retrieval=rules)


def of(kind: str, relevance: float, text: str = "It is treated.", n: int = 0) -> Chunk:
    """A chunk of a source of that name."""
    made = chunk(relevance, f"{kind}-{n}-{relevance}", source=kind)
    return made.model_copy(update={"id": f"{kind}-{n}-{relevance}", "text": text})


def composed(
    judged: list[Chunk], query_type: str, pack: Pack | None = None
) -> Evidence:
    ordered = sorted(judged, key=lambda c: -c.relevance)
    return compose(
        ordered,
        intent(query_type=query_type),
        pack or trials_pack(),
        Trace(query_type=query_type, candidates=len(judged)),
    )


chunks = strategies.lists(
    strategies.builds(
        of,
        strategies.sampled_from(["nccn", "clinicaltrials", "pubmed"]),
        strategies.floats(0, 1),
        strategies.sampled_from(["It works.", "Only within a clinical trial."]),
        strategies.integers(0, 999),
    ),
    max_size=25,
    unique_by=lambda c: c.id,
)


@given(chunks, strategies.sampled_from(["clinical_trials", "general"]))
def test_caps_hold_and_nothing_is_lost_R_R3(judged: list[Chunk], query: str) -> None:
    """At most ten, each type within its cap, relevance untouched, the rest is near."""
    pack = trials_pack()
    evidence = composed(judged, query, pack)
    kinds = [c.source for c in evidence.chunks]
    assert len(kinds) <= pack.retrieval.final
    assert all(kinds.count(c.types[0]) <= c.most for c in pack.retrieval.caps)
    before = {c.id: c.relevance for c in judged}
    after = {c.id: c.relevance for c in (*evidence.chunks, *evidence.nearest)}
    assert before == after
    counted = sum(evidence.trace.sources_by_type.values())
    assert counted == len(evidence.chunks)


def test_what_a_cap_took_out_is_on_record_R_R3() -> None:
    judged = [of("nccn", 0.9 - n / 100, n=n) for n in range(4)]
    evidence = composed([*judged, of("pubmed", 0.1)], "general")
    assert [c.source for c in evidence.chunks] == ["nccn", "nccn", "pubmed"]
    assert evidence.trace.caps_applied == (judged[2].id, judged[3].id)
    assert evidence.trace.sources_by_type == {"nccn": 2, "pubmed": 1}


@pytest.mark.parametrize("allowed", [True, False])
def test_caps_that_leave_too_few_are_lifted_in_sight_only_R_R6_R_I11(
    allowed: bool,
) -> None:
    """Where the pack allows it, and then it is on record; three documents suffice."""
    pack = trials_pack()
    retrieval = pack.retrieval.model_copy(update={"widening_allowed": allowed})
    pack = pack.model_copy(update={"retrieval": retrieval})
    judged = [of("nccn", 0.9 - n / 100, n=n) for n in range(4)]
    evidence = composed(judged, "general", pack)
    assert len(evidence.chunks) == (4 if allowed else 2)
    assert evidence.trace.widened is allowed
    assert sum(evidence.trace.sources_by_type.values()) == len(evidence.chunks)
    enough = composed([*judged, of("pubmed", 0.1)], "general", pack)
    assert not enough.trace.widened
    assert [c.source for c in enough.chunks] == ["nccn", "nccn", "pubmed"]


def test_a_requirement_that_is_not_met_is_said_R_R4() -> None:
    """In words, with what was found; met, or not asked for, nothing is said."""
    two = [of("clinicaltrials", 0.9), of("pubmed", 0.8)]
    unmet = composed(two, "clinical_trials").trace.requirement_unmet
    assert unmet == (
        "2 of 3 passages from Publisher of clinicaltrials or Publisher of pubmed"
    )
    three = [*two, of("clinicaltrials", 0.7)]
    assert composed(three, "clinical_trials").trace.requirement_unmet is None
    assert composed(two, "general").trace.requirement_unmet is None


def mixed(caps: list[dict[str, Any]], requires: list[dict[str, Any]]) -> Pack:
    """A pack of six kinds of sources under these rules."""
    names = ("nccn", "asco", "esmo", "clinicaltrials", "pubmed", "payer")
    rule = {**TRIALS, "requires": requires}
    return small_pack(
        sources=[source(name, type=name) for name in names],
        intents=[rule, *data()["intents"]],
        retrieval={"caps": caps, "things": {"trial": [r"\bnct\d{8}\b"]}},
    )


SOCIETIES = {"types": ["nccn", "asco", "esmo"], "most": 3}


def test_types_that_count_together_share_a_cap_R_R3() -> None:
    """NCCN, ASCO and ESMO together, but for query types that the rule leaves out."""
    rules = [SOCIETIES | {"but_not": ["treatment"]}, {"types": ["nccn"], "most": 2}]
    pack = mixed(rules, [])
    judged = [
        of(n, 0.9 - at / 100) for at, n in enumerate(["nccn", "asco", "esmo"] * 2)
    ]
    held = [c.source for c in composed(judged, "clinical_trials", pack).chunks]
    assert held == ["nccn", "asco", "esmo"]
    free = [c.source for c in composed(judged, "treatment", pack).chunks]
    assert len(free) == 6


def test_a_part_of_the_whole_stays_below_what_the_pack_says_R_R3() -> None:
    """Counted against all that stands there in the end; others take the place."""
    pack = mixed([{"types": ["nccn"], "most": 9, "below": 0.3}], [])
    guidelines = [of("nccn", 0.9 - n / 100, n=n) for n in range(9)]
    few = [*guidelines, of("pubmed", 0.3), of("pubmed", 0.2)]
    held = [c.source for c in composed(few, "clinical_trials", pack).chunks]
    assert held == ["pubmed", "pubmed"]  # one of three would be more than 0.3
    many = [*guidelines, *(of("pubmed", 0.3 - n / 100, n=n) for n in range(9))]
    held = [c.source for c in composed(many, "clinical_trials", pack).chunks]
    assert held.count("nccn") == 2
    assert len(held) == 10


def test_a_cap_is_raised_by_what_the_question_names_R_R3() -> None:
    rules = [{"types": ["clinicaltrials"], "most": 3, "raised_by": "trial"}]
    pack = mixed(rules, [])
    judged = [of("clinicaltrials", 0.9 - n / 100, n=n) for n in range(6)]
    names = tuple(f"nct0000000{n}" for n in range(5))
    asked = intent(query_type="clinical_trials", things={"trial": names})
    held = compose(judged, asked, pack, Trace(query_type="clinical_trials"))
    assert len(held.chunks) == 5
    assert len(composed(judged, "clinical_trials", pack).chunks) == 3


def test_what_is_required_takes_its_place_from_others_R_R4() -> None:
    """The best of the required sources, though ten others were nearer; on record."""
    requires = [
        {"sources": ["clinicaltrials", "pubmed"], "least": 3},
        {"sources": ["clinicaltrials"], "least": 2, "when_available": True},
    ]
    pack = mixed([], requires)
    others = [of("payer", 0.9 - n / 100, n=n) for n in range(10)]
    wanted = [
        *(of("pubmed", 0.5 - n / 100, n=n) for n in range(4)),
        *(of("clinicaltrials", 0.3 - n / 100, n=n) for n in range(3)),
    ]
    evidence = composed([*others, *wanted], "clinical_trials", pack)
    kinds = [c.source for c in evidence.chunks]
    assert kinds == ["payer"] * 7 + ["pubmed"] + ["clinicaltrials"] * 2
    assert set(evidence.trace.filled) == {c.id for c in evidence.chunks[7:]}
    assert evidence.trace.requirement_unmet is None
    alone = composed([*others, *wanted[:4]], "clinical_trials", pack)
    assert [c.source for c in alone.chunks].count("pubmed") == 3
    assert alone.trace.requirement_unmet is None  # two trials "when available"


def test_an_unknown_query_type_follows_the_last_rule_on_record_R_R4() -> None:
    evidence = composed([of("pubmed", 0.9)], "nobody_knows")
    assert evidence.trace.ruled_as == "general"
    known = composed([of("pubmed", 0.9)], "clinical_trials")
    assert known.trace.ruled_as == "clinical_trials"


def test_restriction_costs_order_and_never_relevance_R_R5() -> None:
    """A tenth, on trial questions, from the types that the intent demotes."""
    told = of("nccn", 0.85, "Use it only within a clinical trial.")
    other = of("pubmed", 0.80)
    evidence = composed([told, other], "clinical_trials")
    assert [c.source for c in evidence.chunks] == ["pubmed", "nccn"]
    assert evidence.trace.demoted == (told.id,)
    assert evidence.chunks[1].relevance == 0.85
    assert evidence.answerability == 0.85
    assert composed([told, other], "general").chunks[0] == told
    paper = of("pubmed", 0.85, told.text, n=1)
    assert composed([paper, other], "clinical_trials").trace.demoted == ()


def test_the_warned_band_is_on_record_R_G5() -> None:
    """From `warned` up to `used`; below is not even a warning."""
    pack = small_pack()
    judged = [chunk(r, f"d{r}") for r in (0.9, 0.45, 0.1)]
    trace = Trace(query_type="general", candidates=3)
    band = compose(judged, intent(), pack, trace).trace.excluded_band
    gate = pack.gate
    expected = [c.id for c in judged if gate.warned <= c.relevance < gate.used]
    assert list(band) == expected


def test_no_candidates_compose_to_no_evidence_R_I6() -> None:
    evidence = composed([], "general")
    assert evidence.chunks == evidence.nearest == ()
    assert evidence.answerability == 0


def test_restrictions_cost_every_society_that_the_pack_names_R_R5() -> None:
    """On a question about trials, and never of the gate's relevance."""
    said = "Testing is not recommended outside of a clinical trial."
    pack = load(PACKS / "mrd")
    for society in ("nccn", "asco", "esmo"):
        told = of(society, 0.9, said)
        evidence = composed([told, of("pubmed", 0.85)], "clinical_trials", pack)
        assert evidence.trace.demoted == (told.id,)
        assert evidence.chunks[0].source == "pubmed"


@pytest.mark.parametrize(
    ("text", "documents"),
    [
        ("What does NCCN say of the marker?", {"colon", "rectal", "lung"}),
        ("What is said of the marker?", {"colon"}),
        ("What does ASCO say of the marker?", {"colon"}),
    ],
)
def test_each_guideline_of_the_society_that_is_asked_has_a_place_R_A2_R_R3(
    text: str, documents: set[str]
) -> None:
    """Its longest does not crowd out the others; what is not near has none."""
    near = {"colon": 0.9, "rectal": 0.8, "lung": 0.7, "bladder": 0.4}
    judged = [
        chunk(relevance, name, source="nccn").model_copy(update={"id": f"{name}{n}"})
        for name, relevance in near.items()
        for n in range(4)
    ]
    pack = trials_pack(caps=[{"types": ["nccn"], "most": 4}])
    trace = Trace(query_type="general", candidates=len(judged))
    found = compose(judged, intent(text=text), pack, trace)
    assert {c.document for c in found.chunks} == documents
    assert len(found.chunks) == 4
