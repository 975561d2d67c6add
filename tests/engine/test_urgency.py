"""Emergencies as people write them: what the classifier hears beside the patterns."""

from functools import cache

import pytest

from adapters.embedding import MiniLM
from bot.hearing import urgency
from bot.wiring import calibration
from engine import Engine
from engine.errors import EmbedderFailed
from engine.records import Refusal
from engine.urgency import WHOLE, Listener, Urgency, heard
from tests.demo import Room, question
from tests.engine.question.test_intent import pack
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
)
IDIOMS = (
    "i'm definitely not having a stroke, my fingers tingle from the oxali in the cold "
    "like they said they would",
    "feel like i've been hit by a bus after docetaxel, day 3, no temp. when does it "
    "lift",
    "he's suicidal at chess, always sacrifices the queen. where's the day-room chess "
    "set gone?",
)
GENE = "What does suicide gene therapy mean?"


@cache
def listener() -> Listener:
    embedder = MiniLM(1)
    return Listener(embedder, urgency(embedder))


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
    assert outcome.emergency == room.packs["textbook"].wording.emergencies[1].text


async def test_what_no_pattern_names_gets_the_general_notice_R_M6(room: Room) -> None:
    """It holds both numbers: nobody knows which kind it is."""
    asked = "I need air, i can't, please"
    calm = room.packs["oncology"]
    bare = calm.wording.model_copy(update={"emergencies": ()})
    changed = room.but(packs={"oncology": calm.model_copy(update={"wording": bare})})
    outcome = await changed.ask("oncology", asked)
    assert calm.wording.distress is not None
    assert outcome.emergency == calm.wording.distress.notice
    assert "112" in outcome.emergency
    assert "988" in outcome.emergency


async def test_the_refusal_below_keeps_its_care_team_and_offers_pages_R_M5_R_M6(
    room: Room,
) -> None:
    """In words for somebody in distress; a page only to those who may see it."""
    text = "T 39.2 ANC 0.3"
    outcome = await room.ask("oncology", text)
    distress = room.packs["oncology"].wording.distress
    assert distress is not None
    assert isinstance(outcome.result, Refusal)
    said = outcome.result.fallback
    assert said.startswith(distress.acknowledgement)
    assert distress.turn_to in said
    assert f"{distress.pages}\n- Fever and infection during chemotherapy" in said
    page = "Fever and infection during chemotherapy"
    trusted = tuple(
        s.model_copy(update={"trusted": False}) for s in room.packs["oncology"].sources
    )
    hidden = room.packs["oncology"].model_copy(update={"sources": trusted})
    other = await room.but(packs={"oncology": hidden}).ask("oncology", text)
    assert isinstance(other.result, Refusal)
    assert page not in other.result.fallback


async def test_where_the_embedder_fails_patterns_decide_on_record_R_M6(
    room: Room,
) -> None:
    """The notice stands, and the record says what decided."""
    error = EmbedderFailed("out of memory")
    broken = Breaking(room.ports.embedder, "encode_question", error)
    text = "he is bleeding and it does not stop"
    outcome = await room.but(embedder=broken).ask("oncology", text)
    assert outcome.emergency
    assert [f.code for f in outcome.findings] == ["EMBEDDER_FAILED"]


def test_without_a_classifier_patterns_alone_hear_R_M6() -> None:
    """An embedder that nothing was fitted for is no reason to be deaf."""
    deaf = Listener(listener().embedder, None)
    assert deaf.hear(question("oncology", "siezure"), pack("oncology")).urgent
    assert not deaf.hear(question("oncology", "a wig?"), pack("oncology")).urgent


def test_another_embedders_classifier_refuses_to_start_R_M6(room: Room) -> None:
    fitted = urgency(room.ports.embedder)
    assert fitted is not None
    other = fitted.model_copy(update={"embedder": "another"})
    with pytest.raises(EmbedderFailed, match="urgency fit"):
        Engine(room.packs, room.ports, calibration(room.ports.embedder), other)


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
    first, last = heard(f"{diary} he is bleeding and it does not stop")
    assert len(first) <= WHOLE // 2
    assert last.endswith("it does not stop")
    assert is_heard(f"{diary} My husband collapsed just now and is not breathing!")


def test_the_file_holds_no_more_than_it_says_R_M6() -> None:
    """Weights for each part, of the embedder's dimension, with where they come from."""
    fitted = listener().fitted
    assert isinstance(fitted, Urgency)
    weights = fitted.weights
    assert weights.vectors.shape == (len(weights.near), listener().embedder.dimension)
    assert weights.features.shape == (len(weights.near), len(weights.own))
    assert fitted.provenance["messages"]
