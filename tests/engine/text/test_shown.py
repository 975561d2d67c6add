"""What a reader sees where a model was asked: who says it, and what is lacking."""

import json
from datetime import date

import pytest

from adapters.reply import Paragraph, compose
from engine import Answer, Outcome, Reason, Refusal
from engine.model.record import format_place, plain_text
from engine.pipeline.drafting import find_gaps
from tests.demo import Room
from tests.engine.pipeline.test_drafting import (
    FEVER,
    WINDUP,
    first_sentences,
    modelled,
    saying,
)
from tests.loopback.model import Said, provider

SAYS = "According to the textbook, in "
CANNOT = "I can only answer questions from the textbook content"
TODAY = date(2026, 7, 1)


def shown(room: Room, outcome: Outcome) -> list[str]:
    """The body of the reply, paragraph by paragraph."""
    wording = room.packs[outcome.question.pack].wording
    reply = compose(outcome, wording, TODAY)
    return [b.text if isinstance(b, Paragraph) else str(b) for b in reply.body]


@pytest.mark.parametrize("mode", ["llm", "deterministic"])
async def test_every_answer_names_the_textbook_R_V10(room: Room, mode: str) -> None:
    """Worded by a model or quoted: the line stands above what each document says."""
    async with provider(lambda body: Said(first_sentences(body))) as served:
        asked = modelled(room, served, mode=mode)
        outcome = await asked.ask("textbook", WINDUP)
    assert isinstance(outcome.result, Answer)
    assert outcome.result.mode == mode
    (first, *_), text = shown(room, outcome), plain_text(outcome)
    assert first.startswith(SAYS)
    assert text.startswith(SAYS)
    for title in {format_place(citation) for citation in outcome.result.citations}:
        assert f'{SAYS}"{title}":' in text
        assert f'{SAYS}"{title}":' in shown(room, outcome)


@pytest.mark.parametrize("pack", ["oncology", "textbook"])
async def test_worded_claims_stand_below_their_own_document_R_V10(
    room: Room, pack: str
) -> None:
    """No claim stands below the name of a document that it does not cite."""
    text = WINDUP if pack == "textbook" else FEVER
    async with provider(lambda body: Said(first_sentences(body))) as served:
        outcome = await modelled(room, served).ask(pack, text)
    assert isinstance(outcome.result, Answer)
    titles = {each.number: format_place(each) for each in outcome.result.citations}
    lines, above = plain_text(outcome).split("\n\n"), ""
    for line in lines:
        if line.endswith(":") and '"' in line:
            above = line
        elif line.endswith("]"):
            cited = line[line.rindex(" [") :].strip(" []").split("][")
            assert any(f'"{titles[int(number)]}"' in above for number in cited)


@pytest.mark.parametrize(
    "draft", [saying(status="not_found"), saying("Windup cures gout.")]
)
async def test_every_refusal_says_what_can_be_answered_R_V10(
    room: Room, draft: str
) -> None:
    """A model that found nothing, or whose draft fell, changes no word of it.

    What the textbook covers nearby is said, or offered to choose.
    """
    async with provider(lambda _: Said(draft)) as served:
        asked = modelled(room, served, on_rejected_draft="fallback")
        outcome = await asked.ask("textbook", WINDUP)
    assert isinstance(outcome.result, Refusal)
    (body,) = shown(room, outcome)
    assert CANNOT in body
    assert outcome.choices or "The textbook covers" in body


async def test_the_prompt_says_whether_gaps_are_wanted_R_A5(room: Room) -> None:
    """Grounding asks for "not_found"; analysing never does, in rules or examples."""
    rules: dict[str, str] = {}
    examples: dict[str, set[str]] = {}
    for bypass in ("off", "on"):
        async with provider(lambda body: Said(first_sentences(body))) as served:
            await modelled(room, served, quote_bypass=bypass).ask("textbook", WINDUP)
        system, *said = served.asked[0]["messages"]
        rules[bypass] = " ".join(system["content"].split())
        written = [each for each in said if each["role"] == "assistant"]
        examples[bypass] = {json.loads(each["content"])["status"] for each in written}
    assert 'set `status` to "not_found"' in rules["off"]
    assert '`status` is never "not_found"' in rules["on"]
    assert examples["off"] == {"answered", "not_found"}
    assert examples["on"] == {"answered", "insufficient"}


async def test_the_gaps_that_were_named_are_shown_R_A5(room: Room) -> None:
    """In the question's own words; nothing else that a model wrote is."""
    lie = "Windup is cured by 7 prayers"
    named = saying(status="insufficient", not_found=["INTEGRAL windup", lie])
    async with provider(lambda _: Said(named)) as served:
        asked = modelled(room, served, quote_bypass="on")
        outcome = await asked.ask("textbook", WINDUP)
    assert isinstance(outcome.result, Refusal)
    assert outcome.result.reason is Reason.INSUFFICIENT_CONTEXT
    *_, last = shown(room, outcome)
    assert last.endswith(": integral windup")
    assert plain_text(outcome).endswith(": integral windup")
    assert "prayers" not in plain_text(outcome) + "".join(shown(room, outcome))
    assert CANNOT in plain_text(outcome)


async def test_gaps_in_other_words_are_sent_back_R_A5(room: Room) -> None:
    """A draft that names nothing of the question has named no gap."""
    named = saying(status="insufficient", not_found=["how windup is cured"])
    async with provider(lambda _: Said(named)) as served:
        asked = modelled(room, served, quote_bypass="on", on_rejected_draft="fallback")
        outcome = await asked.ask("textbook", WINDUP)
    assert len(served.asked) == 2
    assert isinstance(outcome.result, Refusal)
    assert outcome.result.gaps == ()


async def test_grounding_shows_no_gaps_of_a_draft_R_A5(room: Room) -> None:
    """There missing evidence means that nothing was found."""
    named = saying(status="insufficient", not_found=["integral windup"])
    async with provider(lambda _: Said(named)) as served:
        outcome = await modelled(room, served).ask("textbook", WINDUP)
    assert isinstance(outcome.result, Refusal)
    assert outcome.result.gaps == ()


@pytest.mark.parametrize(
    ("named", "found"),
    [
        ("what does it cost", "what does it cost"),
        ("What does it COST?", "what does it cost"),
        ("it cost what", ""),
        ("what does it really cost", ""),
        ("is and the", ""),
        ("", ""),
        ("taken, and", "taken, and"),
        ("<https://evil.example|cost>", ""),
    ],
)
def test_a_gap_is_a_part_of_the_question_word_for_word_R_A5(
    named: str, found: str
) -> None:
    """As the person wrote it, whatever marks a draft puts around it."""
    asked = "How is Brevonil taken, and what does it cost?"
    assert find_gaps([named], asked) == ((found,) if found else ())
