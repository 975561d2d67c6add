"""Refusals and follow-ups as a person meets them, over the demo texts."""

import pytest

from engine import Answer, Outcome, Reason, Refusal
from engine.conclude.fallback import MOST_TOPICS
from engine.text.words import stems
from tests.demo import ANSWERABLE, Room, quotes

CHILDREN = frozenset({"child", "children", "childhood", "pediatr"})


@pytest.mark.parametrize(
    "text",
    [
        "Patient on 5-FU with chest pain, what do I do?",
        "pt neutropenic fever 39, next step?",
        "code blue airway after carboplatin",
    ],
)
async def test_a_question_from_the_ward_gets_the_notice_and_is_handled_R_M6(
    room: Room, text: str
) -> None:
    """As any other: without the notice it is decided in the same way."""
    pack = room.packs["oncology"]
    outcome = await room.ask("oncology", text)
    notices = {kind.kind: kind.text for kind in pack.wording.emergencies}
    assert outcome.emergency == notices[outcome.intent.kind]
    nothing = {"emergencies": (), "distress": None}
    wording = pack.wording.model_copy(update=nothing)
    calm = room.but(packs={"oncology": pack.model_copy(update={"wording": wording})})
    other = await calm.ask("oncology", text)
    assert other.emergency is None
    assert (outcome.answered, outcome.gate) == (other.answered, other.gate)
    assert outcome.states == other.states
    assert outcome.trace is not None
    assert outcome.trace.candidates


@pytest.mark.parametrize(
    "text", ["who is the lecturer", "when is the exam", "how do I hand in homework"]
)
async def test_running_the_course_is_left_to_its_staff_R_G5_R_V10(
    room: Room, text: str
) -> None:
    """The refusal is kind, short, and says whom to ask."""
    pack = room.packs["textbook"]
    outcome = await room.ask("textbook", text)
    assert isinstance(outcome.result, Refusal)
    assert outcome.result.reason is Reason.OUT_OF_SCOPE
    said = outcome.result.fallback
    assert said.startswith("I can only answer questions from the textbook content.")
    assert "ask the course staff" in said
    assert sum(topic in said for topic in pack.topics) <= MOST_TOPICS


async def test_what_the_textbook_says_of_the_exam_is_answered_R_U2(room: Room) -> None:
    """ "Exam" is the textbook's "examination"."""
    outcome = await room.ask("textbook", "What is on the written exam?")
    assert outcome.intent.in_scope
    assert outcome.nearest[0].document_id == "demo/course-assessment"


@pytest.mark.parametrize("pack", ["oncology", "textbook"])
async def test_near_pages_are_behind_why_and_not_in_the_text_R_M5_R_D5(
    room: Room, pack: str
) -> None:
    """Where none can be offered, a pack may say that there are some; it names none."""
    text = {
        "oncology": "Which wig is best for men?",
        "textbook": "Does the textbook explain robot football?",
    }
    outcome = await room.but(offers=False).ask(pack, text[pack])
    assert isinstance(outcome.result, Refusal)
    assert outcome.nearest
    assert outcome.choices == ()
    said = outcome.result.fallback
    assert (room.packs[pack].wording.nearby or "") in said
    assert not [near for near in outcome.nearest if near.title in said]


@pytest.mark.parametrize("pack", ["oncology", "textbook"])
async def test_the_words_of_a_date_do_not_disturb_the_search_R_F5(
    room: Room, pack: str
) -> None:
    """The same evidence and the same quotations, the question kept as it was asked."""
    for text in ANSWERABLE[pack]:
        asked = f"{text.rstrip('?')} as of 1 March 2027?"
        dated, plain = await room.ask(pack, asked), await room.ask(pack, text)
        assert dated.question.text == asked
        assert dated.intent.text.rstrip("?") == plain.intent.text.rstrip("?")
        assert dated.answered is plain.answered
        assert quotes(dated) == quotes(plain)


async def test_a_follow_up_about_children_is_not_answered_about_adults_R_A11(
    room: Room,
) -> None:
    """What is quoted speaks of children, or there is no answer."""
    for text in ANSWERABLE["oncology"]:
        outcome = await room.ask("oncology", "and for children?", previous=text)
        assert outcome.intent.named == ("children",)
        assert not isinstance(outcome.result, Answer) or spoken(outcome) & CHILDREN


def spoken(outcome: Outcome) -> set[str]:
    """The stems of what is quoted and of the titles and sections above it."""
    assert isinstance(outcome.result, Answer)
    above = [
        " ".join((cited.title, *cited.section)) for cited in outcome.result.citations
    ]
    return set(stems("\n".join((*above, *(quote.text for quote in quotes(outcome))))))


@pytest.mark.parametrize(
    ("pack", "text", "language"),
    [
        ("oncology", "¿Cuánto dura la fatiga?", "es"),
        ("oncology", "Comment traiter la nausée ?", "fr"),
        ("oncology", "Was ist Chemotherapie?", "de"),
        ("textbook", "¿Cómo instalo ROS 2?", "es"),
        ("textbook", "C'est quoi un topic ?", "fr"),
        ("textbook", "Wie funktioniert Gazebo?", "de"),
    ],
)
async def test_a_short_question_is_refused_in_its_language_R_U3(
    room: Room, pack: str, text: str, language: str
) -> None:
    """In words of that language, and nothing of another reason."""
    outcome = await room.ask(pack, text)
    assert isinstance(outcome.result, Refusal)
    assert outcome.result.reason is Reason.UNSUPPORTED_LANGUAGE
    wording = room.packs[pack].wording
    assert outcome.result.fallback.startswith(wording.unsupported_language[language])
