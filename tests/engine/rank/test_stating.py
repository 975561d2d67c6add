"""Things that are asked for by what their records state (R-A2, R-A16)."""

import pytest

from adapters.packs import load
from config.settings import PACKS
from engine.model.document import Attribute, Thing
from engine.model.passage import NAMED, Chunk
from engine.policy.things import ThingRule
from engine.rank.stating import find_wanted, narrow
from tests.engine.small_pack import chunk

PACK = load(PACKS / "mrd")
(RULE,) = PACK.things
STATED = {
    "vega": ("Phase: Phase 3", "Design: Randomised, controlled", "Status: Recruiting"),
    "mermaid": (
        "Phase: Phase 3",
        "Design: Randomised",
        "Status: Active, not recruiting",
    ),
    "optimise": ("Phase: Phase 2", "Design: Randomised", "Status: Not yet recruiting"),
    "cobra": ("Phase: Phase 2/3", "Design: Randomised", "Status: Stopped early"),
    "zest": ("Phase: Phase 3", "Design: Randomised 1:1", "Status: Terminated"),
    "dynamic": ("Phase: Phase 2", "Design: Randomised", "Status: Completed"),
    "cipher": ("Design: Interventional, not randomised",),
    "galaxy": ("Design: Prospective observational registry",),
    "register": ("Phase: Phase 2, Phase 3", "Design: Interventional; Non-randomized"),
}


def record(name: str, *stated: str, relevance: float = 0.6) -> Chunk:
    """The record of a trial of ctDNA, with a field a line."""
    text = "\n".join((f"{name.upper()} is a trial of ctDNA.", *stated))
    attributes = tuple(
        Attribute(
            name=line.split(":")[0].lower(),
            start=text.index(line),
            end=text.index(line) + len(line),
        )
        for line in stated
    )
    thing = Thing(
        start=0,
        end=len(text),
        kind="trial",
        names=(name.upper(),),
        attributes=attributes or (Attribute(name="arm", start=0, end=4),),
    )
    return chunk(relevance, name, text=text, end=len(text), things=(thing,))


RECORDS = [record(name, *stated) for name, stated in STATED.items()]


@pytest.mark.parametrize(
    ("text", "documents"),
    [
        ("which MRD trials are recruiting now", "vega"),
        ("Which trials are open to enrolment?", "vega"),
        ("trials accepting patients", "vega"),
        ("which trials are not yet recruiting", "optimise"),
        ("which trials are no longer recruiting", "mermaid cobra zest dynamic"),
        ("Which ctDNA trials are active but not recruiting?", "mermaid"),
        ("ongoing ctDNA trials", "vega mermaid"),
        ("which trials were stopped early or completed", "cobra zest dynamic"),
        ("completed trials of ctDNA", "dynamic"),
        ("phase III trials", "vega mermaid cobra zest register"),
        ("phase 2/3 trials", "cobra register"),
        ("phase 2 or phase 3 trials that are recruiting", "vega"),
        ("randomised phase 3 trials", "vega mermaid cobra zest"),
        ("non-randomised trials", "cipher galaxy register"),
        ("observational trials", "galaxy"),
        ("Is there an open trial of therapy?", "vega"),
        ("list completed phase 2 trials", "dynamic"),
        ("list completed phase 3 trials", ""),
    ],
)
def test_what_a_record_states_is_what_it_is_asked_for_by_R_A16(
    text: str, documents: str
) -> None:
    """However it is asked; "not recruiting" is not recruiting."""
    asked = find_wanted(text, RULE, PACK)
    assert asked is not None
    left = narrow(RECORDS, asked, PACK)
    assert {c.document for c in left.chunks} == {*documents.split()}
    assert all(c.relevance == 1.0 and NAMED in c.parts for c in left.chunks)


@pytest.mark.parametrize(
    "text",
    [
        "Which trials study ctDNA in breast cancer?",
        "What trials are in patients who completed chemotherapy?",
        "Have trials stopped chemotherapy early where ctDNA is negative?",
        "What did trials of active surveillance show?",
        "Does the result recruit immune cells?",
        "Which trials study stage 3 and phase transitions?",
    ],
)
def test_words_that_ask_for_no_state_narrow_nothing_R_A16(text: str) -> None:
    assert find_wanted(text, RULE, PACK) is None


def test_who_states_nothing_is_counted_and_who_states_else_is_no_answer_R_A16() -> None:
    """A record that comes near keeps its relevance; so does a page that says it."""
    asked = find_wanted("Which trials in lung are recruiting?", RULE, PACK)
    assert asked is not None
    assert asked.labels == ("status",)
    paper = Thing(start=0, end=5, kind="document", names=("MERMAID",))
    judged = [
        *RECORDS,
        record("lung", "Design: Randomised", relevance=0.1).model_copy(
            update={"title": "A trial in lung cancer"}
        ),
        chunk(0.9, "review", text="VEGA is recruiting."),
        chunk(0.9, "guideline"),
        chunk(0.9, "paper", things=(paper,)),
    ]
    left = narrow(judged, asked, PACK)
    assert [c.document for c in left.chunks] == ["review", "vega"]
    assert left.chunks[1].relevance == 0.6  # it speaks of no lung
    assert (left.silent, left.otherwise) == (4, 5)


def test_a_rule_without_values_narrows_nothing() -> None:
    assert find_wanted("recruiting trials", ThingRule(kind="trial"), PACK) is None


def test_words_of_one_kind_are_one_R_V4() -> None:
    asked = find_wanted("Which colorectal trials are recruiting?", RULE, PACK)
    assert asked is not None
    vega = RECORDS[0].model_copy(update={"title": "VEGA in colon cancer"})
    (found,) = narrow([vega], asked, PACK).chunks
    assert found.relevance == 1.0
