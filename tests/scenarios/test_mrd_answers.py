"""What a physician reads first: the answer, its figures, its level (R-A2, R-E9)."""

import asyncio

import pytest

from adapters.embedding import MiniLM
from bot.wiring import Application
from engine import Answer, Outcome, Reason, Refusal
from engine.draft.contracted import find_names
from engine.model.answer import Claim
from tests.demo import question
from tests.scenarios.conftest import Ask, TakenIn

SURVIVAL = "Has any trial shown survival benefit from ctDNA-guided treatment?"
STAGE_III = "What is the evidence for ctDNA in stage III colon cancer?"
MOST = (
    "What cancers have the most MRD evidence?",
    "Which cancer has the strongest evidence for MRD testing?",
)
LEVELS = {
    "What does NCCN say about ctDNA in colorectal cancer?": "category 2A",
    "What is the ASCO recommendation for MRD testing?": "evidence quality",
    "Does NCCN recommend ctDNA for surveillance?": "category 2A",
    "What is the current NCCN position on MRD in bladder cancer?": "category 2A",
    "Is ctDNA testing guideline-recommended for lung cancer?": "category 2A",
}
POSSESSIVE = {
    "What is MERMAID-1's primary outcome?": "minimal residual disease (MRD-positive)",
    "DYNAMIC-III\u2019s primary endpoint": "Recurrence-free survival at 3 years",
    "What is GALAXY's enrollment?": "5514 participants",
    "what are mermaid-1's endpoints": "minimal residual disease (MRD-positive)",
}
FIELD_FIRST = {
    "DYNAMIC trial results": "Result: 15%",
    "What is the primary endpoint of MERMAID-1?": "Primary endpoint:",
    "What is the status of the COBRA trial?": "Status: Stopped early",
}
WHY = "COBRA trial why stopped"
ARMS = "DYNAMIC trial - 2 year RFS in ctDNA guided vs standard arm?"


@pytest.fixture(scope="module")
def outcomes(ask_mrd: Ask) -> dict[str, Outcome]:
    questions = (
        SURVIVAL,
        STAGE_III,
        *MOST,
        *LEVELS,
        *POSSESSIVE,
        *FIELD_FIRST,
        WHY,
        ARMS,
    )
    return dict(ask_mrd(dict.fromkeys(questions)))


def claims(outcome: Outcome) -> list[Claim]:
    """What is said, in order; nothing of a refusal."""
    if not isinstance(outcome.result, Answer):
        return []
    return [claim for one in outcome.result.sections for claim in one.claims]


def test_the_trial_with_a_benefit_leads_with_its_record_R_E9(
    outcomes: dict[str, Outcome],
) -> None:
    """Above the fields, and those are of this trial first."""
    first, second, *_ = claims(outcomes[SURVIVAL])
    assert "IMvigor011 showed a survival benefit" in first.text
    assert "32.8 months" in first.text
    assert not first.more
    assert "NCT04660344" in second.text


def test_the_evidence_is_more_than_one_study_R_E9(outcomes: dict[str, Outcome]) -> None:
    """The randomised trial stands beside the observational one."""
    said = "\n".join(claim.text for claim in claims(outcomes[STAGE_III]))
    assert "observational" in said
    assert "DYNAMIC-III" in said
    assert "85.3%" in said


@pytest.mark.parametrize("text", MOST)
def test_what_has_the_most_is_never_concluded_R_I5(
    outcomes: dict[str, Outcome], text: str
) -> None:
    """No document says it."""
    assert not outcomes[text].answered


@pytest.mark.parametrize("text", LEVELS)
def test_a_level_that_the_passages_state_is_shown_R_A2(
    outcomes: dict[str, Outcome], text: str
) -> None:
    """With the recommendation, in the words of its source."""
    said = "\n".join(claim.text for claim in claims(outcomes[text]))
    assert LEVELS[text] in said
    assert "evidence category" not in said.partition("Not in the passages found")[2]


@pytest.mark.parametrize("text", POSSESSIVE)
def test_a_possessive_is_read_as_the_plain_name_R_R2(
    outcomes: dict[str, Outcome], text: str
) -> None:
    assert any(POSSESSIVE[text] in claim.text for claim in claims(outcomes[text])[:2])


@pytest.mark.parametrize("text", FIELD_FIRST)
def test_the_field_that_is_asked_for_stands_first_R_A2(
    outcomes: dict[str, Outcome], text: str
) -> None:
    """The others follow in the pack's order."""
    assert claims(outcomes[text])[0].text.startswith(FIELD_FIRST[text])


def test_two_arms_of_a_trial_are_not_shown_from_another_one_R_U15(
    outcomes: dict[str, Outcome],
) -> None:
    """ "Standard arm" alone was answered with the arms of TRAK-ER."""
    result = outcomes[ARMS].result
    cited = result.citations if isinstance(result, Answer) else ()
    assert all("DYNAMIC" in citation.title for citation in cited)
    assert not any("TRAK-ER" in claim.text for claim in claims(outcomes[ARMS]))


def test_limits_are_of_what_is_quoted_R_A2(outcomes: dict[str, Outcome]) -> None:
    """A review that is quoted about one trial has the limits of others, too."""
    seen = 0
    for asked, outcome in outcomes.items():
        if not isinstance(outcome.result, Answer):
            continue
        titles = [citation.title for citation in outcome.result.citations]
        limits, others = [], [asked, *titles]
        for section in outcome.result.sections:
            limited = section.heading == "LIMITATIONS"
            texts = [claim.text for claim in section.claims if claim.citations]
            (limits if limited else others).extend(texts)
        seen += len(limits)
        for limit in limits:
            assert find_names(limit) <= find_names(" ".join(others)), limit
    assert seen


def test_why_is_answered_above_the_fields_R_A2(outcomes: dict[str, Outcome]) -> None:
    first = claims(outcomes[WHY])[0]
    assert "because ctDNA did not clear more often" in first.text
    assert not first.row


def test_what_one_sentence_alone_answers_is_offered_R_Q5_R_I3(
    embedder: MiniLM, taken_in: TakenIn
) -> None:
    """Two citations are needed and one is there: its section may be read by choice."""

    settings = taken_in("mrd")

    async def ask(text: str) -> Outcome:
        async with Application(settings, embedder=embedder) as application:
            engine = application.new_engine(application.pack("mrd"))
            return await engine.ask(question("mrd", text))

    outcome = asyncio.run(ask("is mrd covered for screening healthy people"))
    assert isinstance(outcome.result, Refusal)
    assert outcome.result.reason is Reason.INSUFFICIENT_CITATIONS
    assert outcome.choices
