"""The demo trials of the mrd pack: found by name, shown as blocks, absent ones told."""

from collections.abc import Mapping

import pytest
import yaml

from config.settings import PACKS
from engine import Answer, Outcome
from engine.model.codes import Reason
from engine.model.outcome import Refusal
from tests.scenarios.conftest import PACK, Ask

TRIALS = PACKS / PACK / "corpus" / "trials"
FIELDS = (
    *("Register number", "Condition", "Design", "Arms", "Enrollment", "Endpoints"),
    *("Status", "Results"),
)
TWO = {
    "Compare the design of DYNAMIC and GALAXY": ("dynamic", "galaxy"),
    "What are the endpoints of MERMAID-1 and MERMAID-2?": ("mermaid-1", "mermaid-2"),
    "enrollment of the COBRA trial and of NCT05174169": ("cobra", "circulate-us"),
    "What is the status of IMvigor011 and c-TRAK TN?": ("imvigor011", "c-trak-tn"),
}
LOST = (
    "What is the enrollment of NCT99999999?",
    "What are the endpoints of the ZEPHYR trial?",
    "What did ACTRN12699999999999 show?",
)
PLANNED = (
    "How many participants is SURVIVE estimated to enrol?",
    "how many patients did DYNAMIC-III plan to recruit",
    "what is the target accrual of COBRA",
    "Is ALTAIR still recruiting?",
    "ALTAIR primary endpoint met?",
    "NCT04264702 n enrolled",
)
ALONE = ("What is NCT99999999?", "NCT99999999", "Tell me about NCT99999999")
MANY = {
    "Which trials study ctDNA in breast cancer?": (10, 2, "PERSEVERE"),
    "What have trials of ctDNA shown in muscle-invasive bladder cancer?": (2, 2, ""),
}
HALF = {"What is the design of BESPOKE CRC and of NCT99999999?": "NCT99999999"}
# Which trials the records state it of; how many state nothing, or something else.
STATED = {
    "which MRD trials are recruiting now": ("VEGA",),
    "Which trials are recruiting for MRD guided escalation?": ("VEGA",),
    "Which trials of ctDNA-guided therapy are enrolling in colorectal cancer?": (
        "VEGA",
    ),
    "which MRD trials were terminated early": ("ZEST", "COBRA"),
    "list completed phase 3 MRD trials": ("DYNAMIC-III",),
    "Which lung cancer trials are phase 3?": ("MERMAID-1", "MERMAID-2"),
}
NONE_STATED = "Which lung cancer trials are recruiting?"
BESIDE = (
    "What is the price of the assay in the DYNAMIC trial?",
    "Who is the principal investigator of MERMAID-1?",
)


def trials() -> Mapping[str, tuple[str, ...]]:
    """The names of every demo trial, by file."""
    told = {}
    for file in sorted(TRIALS.glob("*.md")):
        matter = yaml.safe_load(file.read_text("utf-8").split("---")[1])
        told[file.stem] = tuple(matter["names"])
    return told


def by_name() -> Mapping[str, str]:
    """A question by number and one by acronym for every trial."""
    asked = {}
    for stem, (acronym, number, *_) in trials().items():
        asked[f"What is the design of {number}?"] = stem
        asked[f"How many participants are in the {acronym} trial?"] = stem
    return asked


@pytest.fixture(scope="module")
def outcomes(ask_mrd: Ask) -> Mapping[str, Outcome]:
    """What comes of every question over the demo texts."""
    every = (*TWO, *LOST, *ALONE, *MANY, *HALF, *BESIDE, *PLANNED, *STATED, NONE_STATED)
    return ask_mrd((*by_name(), *every))


def blocks(outcome: Outcome) -> list[list[str]]:
    """The rows of each block of an answer."""
    if not isinstance(outcome.result, Answer):
        return []
    rows = [c.text for s in outcome.result.sections for c in s.claims if c.row]
    return [rows[at : at + len(FIELDS)] for at in range(0, len(rows), len(FIELDS))]


def test_there_are_as_many_trials_as_are_wanted_R_R2() -> None:
    """Each has a number of a register, and no number stands twice."""
    told = trials()
    assert len(told) >= 24
    numbers = [names[1] for names in told.values()]
    assert len(set(numbers)) == len(numbers)


def test_naming_a_trial_finds_it_among_the_first_three_R_R2(
    outcomes: Mapping[str, Outcome],
) -> None:
    """By number and by acronym, all of them."""
    missed = []
    for text, stem in by_name().items():
        trace = outcomes[text].trace
        assert trace is not None
        if f"demo/mrd/trial-{stem}" not in trace.named:
            missed.append(text)
    assert not missed


def test_a_named_trial_is_shown_as_a_block_R_A2(
    outcomes: Mapping[str, Outcome],
) -> None:
    """All fields, those asked for first: of the record, or told to be missing."""
    told = trials()
    for text, stem in by_name().items():
        shown = blocks(outcomes[text])
        assert shown, (text, outcomes[text].result)
        assert any(told[stem][1] in row for row in shown[0]), text
        missing = {
            f"{label} of {told[stem][0]}: {said}"
            for label in FIELDS
            for said in ("not stated in the source", "not in its own record")
        }
        assert len(shown[0]) == len({*shown[0]}) == len(FIELDS)
        for row in shown[0]:
            assert row in missing or row.splitlines()[0] in (
                TRIALS / f"{stem}.md"
            ).read_text("utf-8"), text


@pytest.mark.parametrize("text", TWO)
def test_two_trials_asked_are_two_shown_R_A2(
    outcomes: Mapping[str, Outcome], text: str
) -> None:
    told = trials()
    shown = ["\n".join(block) for block in blocks(outcomes[text])]
    assert [told[stem][1] in s for stem, s in zip(TWO[text], shown, strict=True)] == [
        True,
        True,
    ]


@pytest.mark.parametrize("text", LOST)
def test_a_trial_that_is_not_there_is_not_answered_by_another_R_A2(
    outcomes: Mapping[str, Outcome], text: str
) -> None:
    assert not outcomes[text].answered


@pytest.mark.parametrize("text", HALF)
def test_of_two_trials_the_missing_one_is_named_R_A2(
    outcomes: Mapping[str, Outcome], text: str
) -> None:
    result = outcomes[text].result
    assert isinstance(result, Answer)
    assert result.not_found == (HALF[text],)
    assert len(blocks(outcomes[text])) == 1


@pytest.mark.parametrize("text", BESIDE)
def test_what_a_record_does_not_say_is_not_answered_by_its_block_R_I6(
    outcomes: Mapping[str, Outcome], text: str
) -> None:
    assert not outcomes[text].answered


@pytest.mark.parametrize("text", ALONE)
def test_a_number_that_no_trial_bears_is_said_to_be_unknown_R_R2(
    outcomes: Mapping[str, Outcome], text: str
) -> None:
    """It is no question outside of what is answered here: the trial is not known."""
    outcome = outcomes[text]
    assert isinstance(outcome.result, Refusal)
    assert outcome.result.reason is Reason.INSUFFICIENT_CONTEXT
    assert outcome.result.gaps == ("NCT99999999",)


@pytest.mark.parametrize("text", MANY)
def test_how_many_of_the_trials_found_are_shown_is_said_R_A2(
    outcomes: Mapping[str, Outcome], text: str
) -> None:
    """The engine counts; what has no block is named, and nothing looks complete."""
    outcome, (found, shown, left) = outcomes[text], MANY[text]
    said = f"Trials found for this question: {found}; shown here: {shown}."
    notice = next(n for n in outcome.notices if n.startswith(said))
    assert ("Found and not shown" in notice) is bool(left)
    assert left in notice
    assert len(blocks(outcome)) == shown


def test_trials_that_are_named_and_shown_are_not_counted_R_A2(
    outcomes: Mapping[str, Outcome],
) -> None:
    for text in TWO:
        assert not any("Trials found" in n for n in outcomes[text].notices), text


@pytest.mark.parametrize("text", PLANNED)
def test_a_field_is_known_by_what_people_call_it_R_A2(
    outcomes: Mapping[str, Outcome], text: str
) -> None:
    """Of the trial that was named, in a block or as a quotation."""
    result = outcomes[text].result
    assert isinstance(result, Answer)
    told = [claim.text for section in result.sections for claim in section.claims]
    assert any(text.startswith(("Enrollment", "Status")) for text in told)


@pytest.mark.parametrize("text", STATED)
def test_a_trial_is_asked_for_by_what_its_record_states_R_A16(
    outcomes: Mapping[str, Outcome], text: str
) -> None:
    """No other has a block, a line of a block names its trial, silence is counted."""
    outcome = outcomes[text]
    trace = outcome.trace
    assert trace is not None
    assert {thing.name for thing in trace.things} == {*STATED[text]}
    assert len(blocks(outcome)) == len(STATED[text])
    assert isinstance(outcome.result, Answer)
    for section in outcome.result.sections:
        for claim in section.claims:
            if claim.row and not claim.quotes:
                assert any(f" of {name}: " in claim.text for name in STATED[text])
    assert not any("less on this" in n for n in outcome.notices)
    silent = [n for n in outcome.notices if "Trials found whose record gives no" in n]
    assert bool(silent) is bool(trace.silent)


def test_where_all_records_state_something_else_it_is_refused_and_said_R_A16(
    outcomes: Mapping[str, Outcome],
) -> None:
    outcome = outcomes[NONE_STATED]
    assert not outcome.answered
    told = "Trials found with another status than you asked for: 2."
    assert told in outcome.notices
