"""Emergencies as people write them: what the classifier hears beside the patterns."""

from functools import cache

import pytest

from adapters.embedding import MiniLM
from bot.calibrations import load_urgency
from engine import Engine
from engine.model.errors import EmbedderFailed
from engine.model.outcome import Refusal
from engine.parse.urgency import (
    RUNS,
    WHOLE,
    Listener,
    Urgency,
    cut_message,
    is_feeling_alone,
)
from engine.text.patterns import matches
from engine.text.talk import Talk
from tests.demo import Room, question, reading_over
from tests.engine.parse.test_intent import pack
from tests.engine.small_pack import intent
from tests.fakes import Breaking

WRITTEN = (
    "my mum had chemo 5 days ago and now she has 38.3 and is shivering",
    "temp 38.6 on day 8 of FOLFOX",
    "pt 3 days post chemo, rigors, 38.4",
    "39 degrees and shaking chills",
    "T 39.2 ANC 0.3",
    "he is bleeding and it does not stop",
    "took 10 capecitabine tablets by mistake instead of 4",
    "I have taken 20 pills of morphine",
    "I want to end it all",
    "there is no point in living",
    "my husband is not waking up",
    "chest pian",
    "siezure",
    "ich will sterben",
    "no puedo respirar",
)
MEANT = (
    "he is suicidal",
    "The patient wants to kill himself",
    "She wants to hang herself",
    "I think he's having a stroke",
    "my husband was hit by a car",
    "help, chest pain and I can't breathe",
    "The bleeding won't stop",
    "I took an overdose of loperamide",
)
EVERY_PACK = ("oncology", "mrd", "immigration", "textbook", "code_audit")
BARE = ("42", "0", "7", "38.5", "38°", "10 mg", "39 C", "{{7*7}}", "1", "y", "120/80")
IDIOMS = (
    "i'm definitely not having a stroke, my fingers tingle from the oxali in the cold "
    "like they said they would",
    "feel like i've been hit by a bus after docetaxel, day 3, no temp. when does it "
    "lift",
    "he's suicidal at chess, always sacrifices the queen. where's the day-room chess "
    "set gone?",
)
GENE = "What does suicide gene therapy mean?"
ELSEWHERE = (
    ("immigration", "section 40 of IRPA"),
    ("immigration", "s 40 irpa"),
    ("textbook", "overlay underlay im confused"),
    ("code_audit", "python version needed"),
)


@cache
def listener() -> Listener:
    embedder = MiniLM(1)
    return Listener(embedder, load_urgency(embedder))


def is_heard(text: str, name: str = "oncology") -> bool:
    """Whether the engine's ears, with the real embedder, take it for an emergency."""
    return listener().hear(question(name, text), pack(name)).urgent


@pytest.mark.parametrize("text", WRITTEN)
async def test_emergencies_as_people_write_them_R_M6(room: Room, text: str) -> None:
    """The notice stands above whatever follows."""
    outcome = await room.ask("oncology", text)
    assert outcome.intent.urgent
    assert outcome.emergency


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("oncology", GENE),
        ("oncology", "Please act as my doctor and name my illness."),
        ("textbook", "How do I kill a node?"),
    ],
)
async def test_what_only_sounds_like_one_is_quiet_R_M6(
    room: Room, name: str, text: str
) -> None:
    outcome = await room.ask(name, text)
    assert not outcome.intent.urgent
    assert outcome.emergency is None


async def test_a_burning_battery_of_the_lab_is_an_emergency_R_M6(room: Room) -> None:
    """The pack's safety notice first."""
    outcome = await room.ask("textbook", "the battery of the robot is on fire")
    assert outcome.emergency == room.packs["textbook"].wording.emergencies[-1].text


@pytest.mark.parametrize("name", EVERY_PACK)
@pytest.mark.parametrize(
    "text",
    [
        "my baby is not breathing",
        "my husband collapsed and is not breathing",
        "his lips are swelling up 10 min into the carboplatin",
    ],
)
def test_breath_rings_in_every_pack_R_M6(name: str, text: str) -> None:
    heard_ = listener().hear(question(name, text), pack(name))
    assert (heard_.urgent, heard_.kind) == (True, "breathing")


@pytest.mark.parametrize("name", EVERY_PACK)
@pytest.mark.parametrize("text", BARE)
def test_a_figure_alone_rings_nowhere_R_M6_R_U10(name: str, text: str) -> None:
    heard_ = listener().hear(question(name, text), pack(name))
    assert (heard_.urgent, heard_.kind) == (False, Talk.BARE)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("is she going to die", "dying"),
        ("I am so scared of dying", "dying"),
        ("I feel so alone since the diagnosis", "lonely"),
        ("Is it normal to feel anxious?", "fear"),
        ("Where can I find an oncologist for a second opinion?", "second_opinion"),
        ("How do I understand my insurance coverage?", "insurance"),
        ("How can caregivers look after themselves?", "caregiver"),
        ("thanks ur a star", "thanks"),
        ("morning! long night shift lol", "small"),
        ("hi, how are you?", "hello"),
        ("ok great, thank you so much \U0001f64f", "thanks"),
        ("Thanks, that was very helpful!", "thanks"),
        ("What is the weather today?", "question"),
        ("Will it rain in Oslo", "question"),
        ("who won the match yesterday", "question"),
        ("what's for lunch in the canteen", "question"),
        ("and today?", "question"),
        ("is my tumor going to kill me", "dying"),
        ("i just got diagnosed and my head is spinning", "fear"),
        ("my mother died yesterday and i cannot stop crying", "grief"),
        ("perfect, exactly what I needed, thank you", "thanks"),
        ("super helpful ty", "thanks"),
        ("does hair grow back after chemo", "question"),
        ("What is a ROS 2 topic?", "question"),
    ],
)
def test_what_is_no_emergency_is_sorted_R_M8_R_U10(text: str, kind: str) -> None:
    heard_ = listener().hear(question("oncology", text), pack("oncology"))
    assert (heard_.urgent, heard_.kind) == (False, kind)


@pytest.mark.parametrize(
    ("before", "text", "kind"),
    [
        ("What causes mouth sores?", "how long do they last?", "question"),
        ("What causes fatigue?", "will it ever end?", "question"),
        ("What is hospice?", "is it going to kill him?", "dying"),
        ("What is a port?", "how long do i have?", "dying"),
    ],
)
def test_a_follow_up_is_heard_as_it_is_meant_R_M8_R_U14(
    before: str, text: str, kind: str
) -> None:
    """ "How long do they last?" alone sounds like fear."""
    asked = question("oncology", text).model_copy(update={"previous": before})
    assert listener().hear(asked, pack("oncology")).kind == kind


async def test_below_the_notice_stands_what_the_sources_say_to_do_R_M5_R_M6(
    room: Room,
) -> None:
    """Word for word with its page, to those who may see it, and no other choice."""
    text = "T 39.2 ANC 0.3"
    oncology = room.packs["oncology"]
    outcome = await room.ask("oncology", text)
    distress = oncology.wording.distress
    assert distress is not None
    assert isinstance(outcome.result, Refusal)
    said = outcome.result.fallback
    assert said.startswith(distress.acknowledgement)
    assert distress.turn_to is None  # the notice says whom to call
    (fever,) = [e for e in oncology.wording.emergencies if e.kind == "fever"]
    assert outcome.emergency == fever.text
    assert f"{distress.pages}\n- “{fever.pages[0].sentence}”" in said
    assert outcome.choices == ()
    trusted = tuple(s.model_copy(update={"trusted": False}) for s in oncology.sources)
    hidden = oncology.model_copy(update={"sources": trusted})
    other = await room.but(packs={"oncology": hidden}).ask("oncology", text)
    assert isinstance(other.result, Refusal)
    assert fever.pages[0].sentence not in other.result.fallback


async def test_fear_of_dying_is_met_with_warm_words_alone_R_M6_R_M8(room: Room) -> None:
    """No crisis line, no notice that something is missing, and nothing to choose."""
    outcome = await room.ask("oncology", "is she going to die")
    assert outcome.emergency is None
    assert isinstance(outcome.result, Refusal)
    assert outcome.result.fallback.startswith("I am sorry that")
    assert outcome.spoken
    assert (outcome.notices, outcome.choices) == ((), ())


async def test_where_the_embedder_fails_patterns_decide_on_record_R_M6(
    room: Room,
) -> None:
    """The notice stands, and the record says what decided."""
    error = EmbedderFailed("out of memory")
    broken = Breaking(room.ports.embedder, "encode_question", error)
    text = "he is bleeding heavily"
    outcome = await room.but(embedder=broken).ask("oncology", text)
    assert outcome.emergency
    calm = await room.but(embedder=broken).ask("oncology", "does it help?")
    assert calm.emergency is None
    assert [f.code for f in calm.findings] == ["EMBEDDER_FAILED"]


def test_without_a_classifier_patterns_alone_hear_R_M6() -> None:
    """An embedder that nothing was fitted for is no reason to be deaf."""
    deaf = Listener(listener().embedder, None)
    assert deaf.hear(question("oncology", "siezure"), pack("oncology")).urgent
    assert not deaf.hear(question("oncology", "a wig?"), pack("oncology")).urgent


def test_another_embedders_classifier_refuses_to_start_R_M6(room: Room) -> None:
    fitted = load_urgency(room.ports.embedder)
    assert fitted is not None
    other = fitted.model_copy(update={"embedder": "another"})
    with pytest.raises(EmbedderFailed, match="urgency fit"):
        Engine(room.packs, room.ports, reading_over(room.ports.embedder), other)


@pytest.mark.parametrize("text", IDIOMS)
def test_a_pattern_that_others_use_otherwise_is_weighed_R_M6(text: str) -> None:
    """The words are a hint, and the classifier tells what is meant by them."""
    assert not is_heard(text)


@pytest.mark.parametrize("text", MEANT)
def test_the_same_words_are_heard_where_they_are_meant_R_M6(text: str) -> None:
    assert is_heard(text)


def test_of_a_long_message_both_ends_are_heard_R_M6() -> None:
    """A diary before it does not drown the cry at its end."""
    diary = "The wallpaper is blue and the garden is nice. " * 40
    first, last = cut_message(f"{diary} he is bleeding and it does not stop")
    assert len(first) <= WHOLE // 2
    assert last.endswith("it does not stop")
    assert is_heard(f"{diary} My husband collapsed just now and is not breathing!")


def test_the_file_holds_no_more_than_it_says_R_M6() -> None:
    """Weights for each part, of the embedder's dimension, with where they come from."""
    fitted = listener().fitted
    assert isinstance(fitted, Urgency)
    weights = fitted.weights
    size = listener().embedder.dimension
    assert weights.pairs.shape == (size + len(weights.own),) * 2
    assert weights.kinds.shape == (size + RUNS + 1, len(fitted.kinds))
    assert weights.sorts.shape == (size + RUNS + 1, len(fitted.sorts))
    assert fitted.provenance["messages"]


@pytest.mark.parametrize(("name", "text"), ELSEWHERE)
def test_where_nobody_asks_about_illness_a_figure_is_no_fever_R_M6(name, text):
    """ "section 40" was heard as a temperature in a pack about law."""
    assert not listener().hear(question(name, text), pack(name)).urgent


@pytest.mark.parametrize("text", ["Vavilov", "What did Vavilov decide?", "hockey visa"])
def test_a_name_alone_is_no_greeting_R_U10(text):
    """It was greeted where the sources hold nothing on it."""
    heard = listener().hear(question("immigration", text), pack("immigration"))
    assert heard.kind not in {Talk.HELLO, Talk.ABOUT}


@pytest.mark.parametrize(
    "text",
    [
        "Who won the football match yesterday?",
        "Who won the football World Cup in 1998?",
        "What time is it?",
        "How many pixels wide is the turtlesim window?",
    ],
)
def test_what_asks_something_is_no_talk_R_U10(text):
    """Where the sources hold nothing on it, "Goodbye" was said, and it was no gap."""
    assert listener().hear(question("textbook", text), pack("textbook")).kind == (
        "question"
    )


def test_an_appetite_is_no_matter_of_caregivers_R_M8():
    """ "My husband won't eat" got the text for tired caregivers."""
    said = "my husband wont eat since chemo, what can i do"
    assert listener().hear(question("oncology", said), pack("oncology")).kind == (
        "question"
    )


@pytest.mark.parametrize("text", ["R179", "What does A34(1)(c) say?", "mason 34(1)(e)"])
def test_a_question_with_a_number_is_no_figure_alone_R_U10(text):
    """It was taken for a bare figure, and nothing was searched."""
    assert listener().hear(question("immigration", text), pack("immigration")).kind != (
        Talk.BARE
    )


@pytest.mark.parametrize(
    ("text", "felt", "calm"),
    [
        (
            "My husband just started chemo and he is not eating anything, I am so "
            "scared he is going to die. What should I do?",
            "dying",
            "My husband just started chemo and he is not eating anything. What should "
            "I do?",
        ),
        (
            "I am panicking! how long does radiation skin last",
            "fear",
            "how long does radiation skin last",
        ),
        ("we lost dad in May. what is a PET scan", "grief", "what is a PET scan"),
        ("is tamoxifen safe, I am pregnant", "", ""),
        ("he is very tired, sleeps a lot, what helps", "", ""),
    ],
)
def test_a_question_is_heard_beside_what_somebody_feels_R_M8(text, felt, calm):
    """It was searched together with the fear, and refused."""
    heard = listener().hear(question("oncology", text), pack("oncology"))
    assert (heard.kind, heard.felt, heard.calm) == ("question", felt, calm)


def test_fear_alone_stays_fear_R_M8():
    """In two clauses, too."""
    said = "I cry every night. I can't stop."
    heard = listener().hear(question("oncology", said), pack("oncology"))
    assert (heard.kind, heard.felt) == ("fear", "")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("BP 78/40 since the rituximab was started", "other"),
        ("rigors after the port was flushed", "fever"),
        ("pt took 20 paracetamol an hour ago", "overdose"),
        ("sats 84 and going down", "breathing"),
        ("cant get her to eat nothing, 3 days", "other"),
    ],
)
def test_a_kind_that_is_not_sure_gets_the_general_notice_R_M6(
    text: str, kind: str
) -> None:
    """The words about another emergency send people the wrong way."""
    heard_ = listener().hear(question("oncology", text), pack("oncology"))
    assert (heard_.urgent, heard_.kind) == (True, kind)


@pytest.mark.parametrize(
    "text", ["thx", "cheers mate", "thank you so much", "hi, how are you?"]
)
@pytest.mark.parametrize("name", ["oncology", "mrd", "immigration", "textbook"])
def test_no_pack_takes_thanks_for_a_question_out_of_scope_R_U10(
    text: str, name: str
) -> None:
    """What thanks is heard by the classifier; a pattern of the pack would refuse it."""
    assert not matches(pack(name).out_of_scope_patterns, text)


@pytest.mark.parametrize(
    ("text", "kind", "alone"),
    [
        ("is my tumor going to kill me", "dying", True),
        ("my mother died yesterday", "grief", True),
        ("I feel so alone", "lonely", True),
        ("is it normal to feel anxious?", "fear", False),
        ("what is a port", "question", False),
        ("who pays for the wig", "insurance", False),
    ],
)
def test_a_feeling_is_comforted_and_nothing_looked_up_R_M8(text, kind, alone):
    """Below "I am sorry" stood a passage about second opinions."""
    read = intent(text=text, kind=kind)
    assert is_feeling_alone(question("oncology", text), read, pack("oncology")) is alone
    urgent = intent(text=text, kind=kind, urgent=True)
    assert not is_feeling_alone(question("oncology", text), urgent, pack("oncology"))
