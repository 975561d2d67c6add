"""Answers of another shape: a page in short, two things side by side, and one line for
what is never done."""

import pytest

from engine import Answer, Outcome, Reason, Refusal
from engine.model.gate import Open
from engine.parse.context import find_context
from engine.text.talk import UNDONE
from tests.demo import Room, question, quotes

FEVER = "Summarise the page on fever during chemotherapy"
FEVER_PAGE = "demo/fever-during-chemotherapy"


def headings(outcome: Outcome) -> list[str]:
    """Those of an answer, in order."""
    assert isinstance(outcome.result, Answer), outcome.result
    return [section.heading for section in outcome.result.sections]


def cited(outcome: Outcome) -> set[str]:
    """The documents that an answer cites."""
    assert isinstance(outcome.result, Answer), outcome.result
    return {citation.document for citation in outcome.result.citations}


async def test_a_page_is_summarised_by_a_sentence_of_each_section_R_U15(
    room: Room,
) -> None:
    """In its order, under its own headings, word for word, and of that page alone."""
    told = await room.ask("oncology", FEVER)
    assert cited(told) == {FEVER_PAGE}
    assert headings(told)[:2] == ["", "What temperature counts as fever?"]
    assert len(headings(told)) >= 5
    starts = [quote.start for quote in quotes(told)]
    assert starts == sorted(starts)
    assert isinstance(told.gate, Open)
    assert told.gate.documents == 1


async def test_what_a_page_is_wanted_for_changes_nothing_R_U15(room: Room) -> None:
    """The purpose behind its name is no part of the name."""
    told = await room.ask("oncology", f"{FEVER} for a handover")
    assert cited(told) == {FEVER_PAGE}
    assert len(headings(told)) >= 5


@pytest.mark.parametrize("asked", [FEVER, "Fever chemotherapy"])
async def test_a_page_by_its_name_passes_the_gate_as_any_other_R_G1_R_U15(
    room: Room, asked: str
) -> None:
    """In a medical pack one page that is no guideline is not enough by being named."""
    pack = room.packs["oncology"]
    weak = [
        source.model_copy(update={"tier": 2, "guideline": False})
        for source in pack.sources
    ]
    changed = pack.model_copy(update={"sources": tuple(weak)})
    told = await room.but(packs={"oncology": changed}).ask("oncology", asked)
    assert not (isinstance(told.gate, Open) and told.gate.documents < 2)


async def test_this_page_is_that_of_the_answer_before_R_U15(room: Room) -> None:
    """Of a question, and of a page; what was read together is told."""
    first = await room.ask("oncology", "What is neutropenia?")
    then = await room.ask("oncology", "tldr please", previous=find_context(first))
    assert cited(then) == {"demo/low-blood-counts"}
    assert then.intent.follow_up
    page = await room.ask("oncology", FEVER)
    again = await room.ask(
        "oncology", "summarise this page", previous=find_context(page)
    )
    assert quotes(again) == quotes(page)
    on = await room.ask(
        "oncology", "And when should I call?", previous=find_context(again)
    )
    assert on.answered
    assert FEVER_PAGE in cited(on)


async def test_no_page_before_is_asked_back_for_and_told_next_R_U15(
    room: Room,
) -> None:
    """In one line; its name alone is the answer."""
    back = await room.ask("oncology", "Summarise this page")
    assert isinstance(back.result, Refusal)
    assert back.result.reason is Reason.INSUFFICIENT_FACTS
    assert "which page you mean" in back.result.fallback
    told = await room.ask(
        "oncology", "the one on mouth sores", previous=find_context(back)
    )
    assert cited(told) == {"demo/mouth-sores-during-treatment"}


async def test_a_page_alone_is_its_opening_with_its_source_R_U15(room: Room) -> None:
    """As many sentences as citations are wanted, no more."""
    told = await room.ask("oncology", "Can I get the link to the page about ports?")
    assert cited(told) == {"demo/ports-and-catheters"}
    assert len(quotes(told)) == 2


async def test_what_no_title_names_is_asked_about_as_any_question_R_U15(
    room: Room,
) -> None:
    """Two pages that are as close, and a subject without a page of its own."""
    told = await room.ask("oncology", "give me an overview of palliative care")
    assert told.intent.page == ""
    assert len(cited(told)) == 2
    where = await room.ask("oncology", "where is the page about lymphedema?")
    assert cited(where) == {"demo/cancer-surgery-and-recovery"}
    none = await room.ask("oncology", "summarise the page on quantum gravity")
    assert not none.answered


async def test_a_hidden_page_is_not_told_of_R_U15_R_U1(room: Room) -> None:
    """Nor one of another tenant: what a search does not show is not summarised."""
    pack = room.packs["oncology"]
    sources = tuple(s.model_copy(update={"trusted": False}) for s in pack.sources)
    bare = pack.model_copy(update={"sources": sources})
    told = await room.but(packs={"oncology": bare}).ask("oncology", FEVER)
    assert isinstance(told.result, Refusal)
    assert FEVER_PAGE not in {near.document_id for near in told.nearest}


async def test_two_things_stand_each_under_its_name_R_U15(room: Room) -> None:
    """What the sources say of each, both in sight at once."""
    told = await room.ask("oncology", "Compare nausea and fatigue")
    assert headings(told) == ["Nausea", "Fatigue"]
    assert isinstance(told.result, Answer)
    for section in told.result.sections:
        assert not section.claims[0].more
        assert 1 <= len(section.claims) <= 2
    parts = told.trace.parts if told.trace else ()
    assert [part.reason for part in parts] == [None, None]


async def test_what_speaks_of_both_is_quoted_as_it_is_R_U15(room: Room) -> None:
    """A page that compares them says more than two that do not."""
    told = await room.ask("oncology", "Compare palliative care and hospice care")
    assert headings(told) == [""]
    assert cited(told) == {"demo/palliative-and-hospice-care-compared"}


async def test_a_side_that_nothing_speaks_of_is_told_R_U15(room: Room) -> None:
    """Or all is refused, where the pack refuses in part; both: as any question is."""
    half = await room.ask("oncology", "Compare tamoxifen and veltromab")
    assert isinstance(half.result, Answer)
    assert half.result.not_found == ("veltromab",)
    assert headings(half) == ["Tamoxifen"]
    strict = await room.ask("textbook", "Compare PID and warp drives")
    assert isinstance(strict.result, Refusal)
    neither = await room.ask("oncology", "compare zorblax and quix")
    assert isinstance(neither.result, Refusal)


async def test_which_is_better_for_somebody_is_no_comparison_R_U15(
    room: Room,
) -> None:
    """Nothing is put side by side for it."""
    for text in (
        "Which is better for me, tamoxifen or letrozole?",
        "Compare tamoxifen and letrozole, which should I take?",
    ):
        told = await room.ask("oncology", text)
        assert not (isinstance(told.gate, Open) and told.gate.headings), text


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("calculate the dose of capecitabine for 70 kg", UNDONE[0]),
        ("translate the fever page into Spanish", UNDONE[1]),
        ("explain chemo like I'm five", UNDONE[2]),
        ("write my essay about hospice care", UNDONE[3]),
    ],
)
async def test_what_is_never_done_is_refused_in_one_line_R_U15(
    room: Room, text: str, kind: str
) -> None:
    """That says what can be had instead; nothing is searched for it.

    It names a subject all the same, which the next question may depend on.
    """
    told = await room.ask("oncology", text)
    assert isinstance(told.result, Refusal)
    assert told.result.reason is Reason.FIXED_TEXT
    assert told.intent.kind == kind
    assert "\n" not in told.result.fallback
    assert "I can show you" in told.result.fallback
    assert told.trace is None
    assert find_context(told) == text


async def test_an_emergency_in_such_a_form_is_an_emergency_R_U15_R_M6(
    room: Room,
) -> None:
    """The notice stands on top; a fear is heard as one."""
    urgent = await room.ask("oncology", "calculate the dose, he is not breathing")
    assert urgent.emergency is not None
    assert urgent.intent.kind not in UNDONE
    afraid = await room.ask("oncology", "I'm so scared. calculate my chances for me")
    assert afraid.intent.kind not in UNDONE


async def test_a_selected_text_is_asked_about_as_before_R_U15_R_A6(
    room: Room,
) -> None:
    """What is brought along is no page, and nothing is done with it."""
    selected = {"selection": "A topic is a named bus that carries messages."}
    for text in ("summarise this", "translate this"):
        asked = question("textbook", text, **selected)
        told = await room.engine.ask(asked)
        assert told.intent.page == ""
        assert told.intent.kind not in UNDONE


PAIRS = (
    ("oncology", "tamoxifen", "letrozole"),
    ("oncology", "tamoxifen", "paclitaxel"),
    ("oncology", "mouth sores", "dry mouth"),
    ("oncology", "filgrastim", "pegfilgrastim"),
    ("oncology", "tamoxifen", "veltromab"),
    ("textbook", "a topic", "a service"),
    ("textbook", "Gazebo", "Isaac Sim"),
)


@pytest.mark.parametrize(("pack", "one", "other"), PAIRS)
async def test_no_answer_about_one_side_passes_for_a_comparison_R_U15_R_I6(
    room: Room, pack: str, one: str, other: str
) -> None:
    """Each side is quoted, or said to be missing; else it is refused."""
    told = await room.ask(pack, f"compare {one} and {other}")
    if isinstance(told.result, Refusal):
        return
    assert isinstance(told.gate, Open)
    shown = " ".join((*headings(told), *(quote.text for quote in quotes(told)))).lower()
    for side in (one, other):
        name = side.removeprefix("a ").lower()
        assert name in shown or name in " ".join(told.gate.missing).lower()
