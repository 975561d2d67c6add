"""Whatever the bot says, on either platform, keeps within the table of limits."""

from collections.abc import Mapping
from datetime import UTC, date, datetime

import pytest

from adapters import packs
from adapters.mail import Action, Incoming, Method, Part, Place, Platform
from adapters.message import with_notice
from adapters.reply import compose
from adapters.slack.views import Home, PackHere, make_home
from bot.messages import wording
from bot.wiring import RENDERERS
from config.settings import PACKS
from engine import Outcome
from engine.model.answer import Answer
from engine.model.outcome import Choice
from evals.cases import suites
from evals.record.platforms import render
from tests.adapters.outcomes import answered, chunk, parted
from tests.adapters.outcomes import refused as refusal
from tests.demo import NAMES, Room
from tests.evals.sensitivity.breaking import instead
from tests.platforms import slack_limits
from tests.platforms.judging import faults, refused

PACK = packs.load(PACKS / "textbook")
TODAY = date(2026, 11, 22)
SENTENCE = "The reading room of the library is open on every day of the week. "
LONG_URL = "https://a.example/" + "x" * 900
UNSPLIT = {"adapters.layout._fill_pages": lambda units, _: [list(units)]}
FIXED = sorted(
    text
    for name, text in vars(wording).items()
    if name.isupper() and isinstance(text, str)
)


def said(times: int) -> Outcome:
    """A refusal whose text is so many sentences."""
    made = refusal()
    result = made.result.model_copy(update={"fallback": SENTENCE * times})
    return made.model_copy(update={"result": result})


def offering(section: str) -> Outcome:
    """A refusal that offers three sections."""
    choices = tuple(
        Choice(
            document_id=f"d{number}",
            section=f"{section} {number}",
            label=f"{section} {number}",
            title="Care",
            question_id=f"c{number}",
        )
        for number in range(1, 4)
    )
    return refusal(choices=choices)


def long_answer(passages: int) -> Outcome:
    """An answer of so many long passages, each of a document of its own."""
    return answered(
        *(chunk(SENTENCE * 20, f"c{each}", f"d{each}") for each in range(passages))
    )


def mention(platform: Platform) -> Incoming:
    """Somebody asks in a channel."""
    place = Place(platform=platform, tenant="1", channel="C1", message="1")
    return Incoming(
        event="e",
        platform=platform,
        action=Action.ASK,
        place=place,
        person="1",
        received=datetime(2026, 11, 22, tzinfo=UTC),
    )


def replied(text: str, platform: Platform) -> tuple[Part, ...]:
    """A fixed text in each way in which one is said."""
    face = RENDERERS[platform]
    ways = (face.notice, face.whisper, face.told)
    return tuple(part for way in ways for part in way(text, mention(platform)))


OUTCOMES: Mapping[str, Outcome] = {
    "short refusal": said(1),
    "long refusal": said(100),
    "very long refusal": said(1_000),
    "short answer": answered(chunk("Rinse.")),
    "long answer": long_answer(8),
    "very long answer": long_answer(80),
    "a rest behind a button": parted(False, True),
    "choices": offering("Rinsing"),
    "long choices": offering(SENTENCE * 5),
    "many notices": refusal(notices=tuple(map(str, range(100)))),
}


@pytest.mark.parametrize("name", OUTCOMES)
def test_an_outcome_is_taken_in_every_way_to_show_it_R_C4(name: str) -> None:
    """However long it is: it is split, or shortened."""
    assert faults(render(OUTCOMES[name], PACK, TODAY)) == {}


def test_every_demo_outcome_is_taken_R_C4(
    room: Room, asked: tuple[Outcome, ...]
) -> None:
    """Answers and refusals with choices, their rest, their sources and their why."""
    assert any(outcome.choices for outcome in asked)
    assert any(isinstance(outcome.result, Answer) for outcome in asked)
    for outcome in asked:
        pack = room.packs[outcome.question.pack]
        assert faults(render(outcome, pack, TODAY)) == {}


@pytest.mark.parametrize("said", ["How?", SENTENCE * 4, "_*[x](y)~`" * 40])
def test_the_app_home_is_taken_R_C4(said: str) -> None:
    """However much it lists."""
    packs = (PackHere(channel="#ward", title=said, version="1.0.0"),) * 30
    assert (
        slack_limits.check_view(make_home(Home(packs=packs, health=said, data=said)))
        == []
    )


@pytest.mark.prove
async def test_the_outcome_of_every_question_of_the_suites_is_taken_R_C4(
    room: Room,
) -> None:
    """Asked of the demo texts, whichever texts a suite is about."""
    for name in NAMES:
        for suite in suites.load(name):
            for case in suite.cases:
                outcome = await room.ask(name, case.question)
                assert faults(render(outcome, room.packs[name], TODAY)) == {}


def test_what_is_not_split_breaks_a_limit_of_each_platform_R_C4() -> None:
    """In each way to show an answer that takes it whole: the table does judge."""
    with instead(UNSPLIT):
        found = faults(render(said(300), PACK, TODAY))
    ways = ("mention", "command", "handover")
    assert set(found) == {f"{platform} {way}" for platform in Platform for way in ways}
    assert any("at most 4000 in all" in str(problems) for problems in found.values())


@pytest.mark.parametrize("way", ["sources", "why", "more", "answer"])
@pytest.mark.parametrize("platform", Platform)
def test_an_empty_message_is_found_in_every_way_R_C4(
    platform: Platform, way: str
) -> None:
    """An empty message is one that each platform refuses."""
    empty = Part(nonce="1", method=Method.WHISPER, payload={})
    posts = f"adapters.{platform}.writer.{platform.upper()}"
    with instead({f"{posts}.{way}": lambda *_: (empty,)}):
        found = faults(render(parted(False, True), PACK, TODAY))
    ways = ("mention", "command") if way == "answer" else (way,)
    assert set(found) == {f"{platform} {each}" for each in ways}


@pytest.mark.parametrize("platform", Platform)
@pytest.mark.parametrize("text", [*FIXED, SENTENCE * 200])
def test_every_fixed_text_is_taken_R_C4(text: str, platform: Platform) -> None:
    """Notices, thanks and letters, also one that is far too long."""
    assert refused(platform, replied(text, platform)) == []


@pytest.mark.parametrize("platform", Platform)
def test_a_notice_of_first_use_is_taken_on_top_of_any_outcome_R_C4_R_U6(
    platform: Platform,
) -> None:
    """It is part of the reply, so the reply has less room."""
    incoming = mention(platform)
    for outcome in OUTCOMES.values():
        reply = compose(outcome, PACK.wording, TODAY)
        for greeting in (PACK.wording.first_use, SENTENCE * 100):
            shown = with_notice(reply, greeting, "header")
            assert refused(platform, RENDERERS[platform].answer(shown, incoming)) == []
