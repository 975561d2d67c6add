"""What stands around a question is taken off it, and its facts are kept (R-U9)."""

from functools import cache
from pathlib import Path

import pytest
import yaml

from adapters.packs import load
from engine.model.ports import CorpusStatistics
from engine.model.question import Intent
from engine.parse.framing import unframe
from engine.parse.intent import read, read_with_story
from engine.parse.vocabulary import spelt_out
from engine.policy.pack import Pack
from engine.text.words import STOPWORDS, stem, stems, words
from tests.engine.small_pack import TODAY, question, small_pack

ROOT = Path(__file__).resolve().parent.parent.parent.parent
FRAMES = (
    "hi im new to this, on the night shift. {low}",
    "{low} pls",
    "Hello there! Can you tell me: {low} Thank you so much in advance!",
    "I'm a carer for my mum. She is asleep now and we are all a bit lost. {asked}",
    "generally speaking, {low}",
    "Sorry to bother you, quick question - asking for a friend. {asked} thx \U0001f64f",
    "ok so, i was wondering, {low} any help would be appreciated",
    "{asked}\nI have looked everywhere. Cheers.",
    "good morning team, as a volunteer, {low}",
    "Please, do you know: {low} (just curious)",
)
LEAST = 0.95
TOLD = {
    "oncology": "hi im a nurse on nights, pt cycle 2 folfox, {low}",
    "textbook": "Hi, I'm a student on Ubuntu 22.04 with ROS 2 Humble. {asked}",
}


@cache
def pack(name: str) -> Pack:
    return load(ROOT / "config" / "packs" / name)


@cache
def known(name: str) -> CorpusStatistics:
    """What the demo corpus of a pack holds, a passage a paragraph."""
    counted: dict[str, int] = {}
    plain: dict[str, int] = {}
    chunks = 0
    for path in sorted((ROOT / "config" / "packs" / name / "corpus").rglob("*.md")):
        for passage in path.read_text(encoding="utf-8").split("\n\n"):
            chunks += 1
            for word in set(words(passage)):
                plain[word] = plain.get(word, 0) + 1
            for root in set(stems(passage)):
                counted[root] = counted.get(root, 0) + 1
    return CorpusStatistics(9, chunks, counted, plain)


def asked(text: str, name: str = "oncology", previous: str | None = None) -> Intent:
    return read(question(text, previous=previous), pack(name), known(name), TODAY)


def content(intent: Intent) -> set[str]:
    return {stem(w) for w in words(intent.text) if w not in STOPWORDS}


@cache
def bare_questions(name: str) -> tuple[str, ...]:
    path = ROOT / "evals" / "suites" / name / "must_answer.yaml"
    cases = yaml.safe_load(path.read_text(encoding="utf-8"))["cases"]
    return tuple(case["question"] for case in cases)[:60]


def framed(frame: str, bare: str, name: str) -> Intent:
    low = bare if bare[1:2].isupper() else bare[:1].lower() + bare[1:]
    return asked(frame.format(asked=bare, low=low), name)


@pytest.mark.parametrize("name", ["oncology", "textbook"])
@pytest.mark.parametrize("frame", FRAMES)
def test_a_framed_question_is_searched_for_as_the_bare_one_R_U9(
    frame: str, name: str
) -> None:
    """Greeting, courtesy, who asks and why say nothing of what is asked."""
    questions = bare_questions(name)
    changed = [
        (bare, found.text)
        for bare in questions
        if content(found := framed(frame, bare, name)) != content(asked(bare, name))
    ]
    assert len(questions) == 60
    assert len(changed) <= (1 - LEAST) * len(questions), changed


@pytest.mark.parametrize("name", ["oncology", "textbook"])
def test_facts_of_a_story_are_known_and_searched_for_only_where_they_bind_R_U9(
    name: str,
) -> None:
    """What asks for leave, or points at something, keeps them in its text."""
    changed, widened = [], []
    for bare in bare_questions(name):
        found, plain = framed(TOLD[name], bare, name), content(asked(bare, name))
        meanings = (read_as for _, read_as in found.corrections)
        told = {s for word in (*found.conditions, *meanings) for s in stems(word)}
        if not plain <= content(found) <= plain | told:
            changed.append((bare, found.text))
        if content(found) != plain:
            widened.append((bare, found.text))
        assert found.conditions
    assert len(changed) <= (1 - LEAST) * 60, changed
    assert len(widened) <= 0.25 * 60, widened


@pytest.mark.parametrize(
    ("text", "read_as"),
    [
        ("is grapefruit ok with milk pls", "is grapefruit ok with milk"),
        ("tell me about mucositis", "mucositis"),
        ("Asking for a friend: what is mucositis?", "what is mucositis?"),
        (
            "Posting this for an aunt who cannot type: what is mucositis?",
            "what is mucositis?",
        ),
        ("It was found early. Capecitabine question", None),
        ("A colleague would like to know: mucositis stages?", "mucositis stages?"),
        ("Lab 6 on recording bags: what do I hand in?", None),
        ("What is mucositis? Thanks a lot for your help!", "What is mucositis?"),
        ("what is mucositis I really appreciate any help", "what is mucositis"),
        ("do u know if wigs are covered", "wigs are covered"),
        ("What is mucositis? How long does it last?", None),
        ("ok to give ibuprofen?", None),
        ("If I miss a dose, what should I do?", None),
        ("In children, how is pain treated?", None),
        ("At what ages does the U.S. task force recommend screening?", None),
        ("what does s. 36 say about serious criminality", None),
        ("do ss. 3 and 4 apply to students", None),
        ("what does reg. 12 of the house rules allow", None),
        ("thanks", None),
        ("I have a rash, which itches", None),
        ("My platelets are low.", None),
        ("", None),
    ],
)
def test_framing_alone_is_taken_off_R_U9(text: str, read_as: str | None) -> None:
    """What conditions the question within its sentence stays, and so does talk."""
    found = unframe(spelt_out(text)).asked
    assert found == (text if read_as is None else read_as)


@pytest.mark.parametrize(
    ("text", "name", "words_told"),
    [
        ("pt on capecitabine since may. is grapefruit ok?", "oncology", "capecitabine"),
        ("I'm 30 weeks pregnant. What helps against nausea?", "oncology", "pregnant"),
        ("My platelets are low, may I take ibuprofen?", "oncology", "platelets"),
        ("I have stage 3 colon cancer. What are the options?", "oncology", "colon"),
        ("Mum takes tamoxifen. How long is it taken?", "oncology", "tamoxifen"),
        ("I take tamoxifen, but what does it do in bone?", "oncology", "tamoxifen"),
    ],
)
def test_a_question_keeps_the_facts_that_it_leans_on_R_U9_R_I6(
    text: str, name: str, words_told: str
) -> None:
    """In its text and among the conditions."""
    found = asked(text, name)
    assert words_told in found.text
    assert words_told in found.conditions


@pytest.mark.parametrize(
    ("text", "name", "word_told"),
    [
        ("Motors race when the arm is stretched out, why though", "textbook", "arm"),
        ("It says aborted, so who stopped it?", "textbook", "aborted"),
        ("I changed the speed. Why doesnt it stick?", "textbook", "speed"),
        ("Tuned it empty, was so proud. Now it shakes. Why?", "textbook", "shakes"),
        ("Her fingers tingle, is that the chemo", "oncology", "fingers"),
        ("How long is s.o. barred for fraud?", "textbook", "barred"),
    ],
)
def test_a_question_that_names_nothing_is_read_with_its_story_R_U9(
    text: str, name: str, word_told: str
) -> None:
    assert word_told in asked(text, name).text


@pytest.mark.parametrize(
    "text",
    [
        "Couldn't sleep after chemo. What helps against nausea?",
        "didnt sleep last night. What helps against nausea?",
        "I had coffee at 8 a.m. What helps against nausea?",
    ],
)
def test_what_is_only_told_is_not_asked_R_U9(text: str) -> None:
    """Though it opens as a question may, or ends with an abbreviation."""
    assert unframe(text).asked == "What helps against nausea?"


def test_a_medicine_that_leave_is_asked_for_has_to_be_spoken_of_R_U9_R_I6() -> None:
    """As has whom the question is about."""
    found = asked("Pt on capecitabine. Is grapefruit ok?")
    assert found.named == ("capecitabine",)
    assert "pregnant" in asked("I'm pregnant. What helps against nausea?").named
    assert asked("Pt on capecitabine. When do mouth sores heal?").named == ()


def test_emergencies_and_scope_are_read_from_all_that_was_said_R_U9_R_M6() -> None:
    """No frame takes them away; nor what makes the question sensitive."""
    found = asked("I can't breathe. Thanks. What are visiting hours?")
    assert found.urgent
    assert asked("My chest hurts since chemo. How do I find a doctor?").sensitive
    assert not asked("Please write me a poem. What is mucositis?").in_scope


def test_a_follow_up_may_stand_in_a_frame_R_U9_R_A11() -> None:
    found = asked("thanks! and for children?", previous="How is nausea treated?")
    assert found.follow_up
    assert found.text == "How is nausea treated for children?"


@pytest.mark.parametrize(
    ("text", "read_as"),
    [
        ("shld i take it w/ food", "should i take it with food"),
        ("can u wait 2 wks b4 surgery", "can you wait 2 weeks before surgery"),
        ("ur wks of 3 hrs", "your weeks of 3 hours"),
        ("is 5 g/h enough", "is 5 g/h enough"),
    ],
)
def test_general_shorthand_is_spelt_out_R_U2(text: str, read_as: str) -> None:
    """It is no typing error of another word."""
    assert spelt_out(text) == read_as


def test_the_askers_words_stay_beside_the_documents_R_U2() -> None:
    """A meaning is added, and a typing error in a medicine put right."""
    assert "chemo brain (" in asked("whats chemo brain").text
    found = asked("plt 20, ok to give ibuprofn?")
    assert found.text == "plt (platelets) 20. ok to give ibuprofen?"
    assert found.conditions == ("plt", "20")
    assert "pt (patient)" in asked("Can a pt eat sushi").text
    assert asked("should i sold my car").corrections == ()


@pytest.mark.parametrize(
    ("text", "read_as", "with_story"),
    [
        (
            "my hair went after the last round, how many months til wigs are needed",
            "how many months until wigs are needed",
            "my hair went after the last round. how many months until wigs are needed",
        ),
        ("What is mucositis? Thanks a lot!", "What is mucositis?", None),
        ("As a nurse, what is mucositis?", "what is mucositis?", None),
    ],
)
def test_a_story_can_be_searched_for_with_its_question_R_U9(
    text: str, read_as: str, with_story: str | None
) -> None:
    """Without who asks and courtesy; a question without one has no second reading."""
    found = asked(text)
    told = read_with_story(question(text), found, pack("oncology"), known("oncology"))
    assert found.text == read_as
    assert (told.text if told else None) == with_story


def test_no_story_is_put_before_what_has_its_evidence_already_R_U9_R_A6() -> None:
    text = "my hair went after the last round, how many months til wigs are needed"
    chosen = question(text, selection="They are checked weekly.")
    assert (
        read_with_story(chosen, asked(text), pack("oncology"), known("oncology"))
        is None
    )


@pytest.mark.parametrize(
    "asked", ["what can we try?", "any tips?", "do you have any suggestions?"]
)
def test_a_question_that_names_nothing_keeps_its_story_R_U9(asked: str) -> None:
    """Also a misspelt one: alone it is answered by any page of tips."""
    found = read(
        question(f"he has no apetite, {asked}"),
        pack("oncology"),
        known("oncology"),
        TODAY,
    )
    assert "apetite" in found.text or "appetite" in found.text


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        (
            "they gave me a departure order, how many days do i have to leave",
            "they gave me a departure order. how many days do i have to leave",
        ),
        (
            "my cousin is nice. How many days do people have to leave?",
            "How many days do people have to leave?",
        ),
    ],
)
def test_a_fact_that_decides_which_rule_applies_is_asked_with_R_U9(
    text: str, asked: str
) -> None:
    """What a pack's `told` matches is part of the question; other talk is not."""
    rules = small_pack().retrieval.model_copy(
        update={"told": (r"\bdeparture orders?\b",)}
    )
    pack = small_pack().model_copy(update={"retrieval": rules})
    found = read(question(text), pack, CorpusStatistics(0, 0, {}), TODAY)
    assert found.text == asked
