"""What was answered before, as far as a person may see it today (R-D5, R-C5)."""

from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from adapters.ledger.mail_records import ThreadNote
from adapters.loaders.sandbox import SERVED, Parser
from adapters.mail import Action, Method, Part, Place, Platform
from adapters.recall import Reader, recall
from adapters.reply import Quotation
from bot.documents.ingest import Job, Steps, ingest, look
from bot.messages import wording
from bot.serving.readiness import Readiness
from bot.wiring import RENDERERS, Application
from config.settings import Settings
from engine.model.answer import Answer
from engine.model.document import Document
from engine.model.outcome import Outcome
from engine.model.record import Record
from tests.adapters.ledger.samples import FEVER, REST, WATER, answered, document
from tests.bot.chat import BEN, HERE, Chat, said
from tests.demo import Demo
from tests.fakes import FixedClock

STAFF, BOARD = frozenset({"staff"}), frozenset({"board"})
ROLES = {"R1": BOARD}
ALONE = Place(platform=Platform.SLACK, tenant="T1", channel="C1", private=True)
TITLE = "About rest"


# --- documents that want a tag ----------------------------------------------------


async def answers(
    chat: Chat, cited: Document, place: Place = HERE, outcome: Outcome | None = None
) -> str:
    """Anna's question is answered from a document; the audit id."""
    await chat.application.ledger.store_document("small", cited)
    await chat.rings(place=place)
    claimed = await chat.mailbox.claim("w", 60)
    assert claimed is not None
    asker = {"pack": "small", "asker": claimed.asker}
    outcome = outcome or answered(cited, **asker)
    asked = outcome.question.model_copy(update=asker)
    outcome = outcome.model_copy(update={"question": asked})
    settled = await chat.mailbox.settle(
        claimed,
        outcome,
        lambda known: said(claimed.incoming, "An answer."),
        ThreadNote(place=place, previous="How is it treated?"),
    )
    await chat.works()
    assert settled.audit_id is not None
    return settled.audit_id


async def shown(chat: Chat, audit_id: str, **changes: object) -> str:
    """All that sources, why, a handover and a repetition show somebody of a reply."""
    actions = (Action.SOURCES, Action.WHY, Action.ASK_PERSON, Action.ASK_AGAIN)
    changes["audit_id"] = audit_id
    parts = [p for a in actions for p in await chat.says("", action=a, **changes)]
    assert len(parts) >= len(actions)
    return " ".join(str(part.payload) for part in parts)


async def test_everybody_sees_a_document_without_tags_R_D5(chat: Chat) -> None:
    """Whoever asks about the answer, with whatever tags."""
    await chat.bind(people=("U8",))
    reply = await answers(chat, document())
    assert TITLE in await shown(chat, reply, person=BEN)


async def test_sources_follow_the_tags_of_the_channel_R_C5(chat: Chat) -> None:
    """One of the wanted tags is enough; taken away, they show what nobody may see."""
    await chat.bind(tags=STAFF, people=("U8",))
    reply = await answers(chat, document(tags=("board", "staff")))
    assert TITLE in await shown(chat, reply, person=BEN)
    for tags in (frozenset(), frozenset({"other"})):
        await chat.bind(tags=tags, people=("U8",))
        for person in ("U1", BEN):
            assert TITLE not in await shown(chat, reply, person=person)
            press = {"action": Action.SOURCES, "person": person, "audit_id": reply}
            assert await chat.hears("", **press) == wording.NO_SOURCES


async def test_sources_follow_the_tags_of_the_document_R_D5(chat: Chat) -> None:
    """It was closed after it was cited."""
    await chat.bind(tags=STAFF, people=("U8",))
    reply = await answers(chat, document())
    assert TITLE in await shown(chat, reply)
    await chat.application.ledger.store_document("small", document(tags=("board",)))
    assert TITLE not in await shown(chat, reply)


async def test_sources_of_a_role_are_for_whoever_has_it_today_R_C5(chat: Chat) -> None:
    """In private; nobody else finds the reply at all."""
    await chat.bind(role_tags=ROLES, people=("U8",))
    await answers(chat, document(tags=("board",)), ALONE)
    mine = {"place": ALONE, "action": Action.SOURCES}
    assert TITLE in await chat.hears("", **mine, roles=("R1",))
    assert await chat.hears("", **mine) == wording.NO_SOURCES
    assert await chat.hears("", **mine, person=BEN, roles=("R1",)) == wording.NOT_KNOWN


async def test_a_role_shows_a_public_reply_to_its_holder_alone_R_C5(
    chat: Chat,
) -> None:
    """Who presses sees what they may see, whoever asked."""
    await chat.bind(tags=BOARD)
    await answers(chat, document(tags=("board",)))
    await chat.bind(role_tags=ROLES)
    press = {
        "place": HERE.model_copy(update={"message": None, "private": True}),
        "action": Action.SOURCES,
        "person": BEN,
    }
    assert TITLE in await chat.hears("", **press, roles=("R1",))
    assert await chat.hears("", **press, roles=("R2",)) == wording.NO_SOURCES


async def test_a_handover_shows_what_the_channel_may_see_R_C5(chat: Chat) -> None:
    """The people asked need not have the role of who asks them."""
    await chat.bind(role_tags=ROLES, people=("U8",))
    await answers(chat, document(tags=("board",)), ALONE)
    press = {"place": ALONE, "action": Action.ASK_PERSON, "roles": ("R1",)}
    told, letter = await chat.says("", **press)
    assert told.payload["text"] == wording.PASSED_ON
    assert "Rest often" not in str(letter.payload)
    await chat.bind(tags=BOARD, people=("U8",))
    _, letter = await chat.says("", **press)
    assert "Rest often" in str(letter.payload)


# --- the rest of an answer --------------------------------------------------------


def parted(*cited: Document) -> Outcome:
    """An answer of three sentences, the last two behind "Show more".

    Of one document, or the last of another one.
    """
    made = answered(cited[0], [FEVER, REST, WATER])
    other = answered(cited[-1], [FEVER, REST, WATER])
    assert isinstance(made.result, Answer) and isinstance(other.result, Answer)
    first, second, _ = made.result.sections[0].claims
    last = other.result.sections[0].claims[2]
    hidden = [c.model_copy(update={"more": True}) for c in (second, last)]
    section = made.result.sections[0].model_copy(update={"claims": (first, *hidden)})
    citations = (*made.result.citations[:2], other.result.citations[2])
    changes = {"sections": (section,), "citations": citations}
    return made.model_copy(update={"result": made.result.model_copy(update=changes)})


async def test_show_more_brings_exactly_the_rest_R_A3(chat: Chat) -> None:
    """In the order of the answer, to whoever presses; "Ask a person" passes all on."""
    await chat.bind(people=("U8",))
    reply = await answers(chat, document(), outcome=parted(document()))
    [rest] = await chat.says("", action=Action.MORE, person=BEN, audit_id=reply)
    assert rest.method is Method.WHISPER
    said = str(rest.payload["text"]).split("\n")
    assert said[1:] == ["Rest often.", "Drink enough water."]
    assert TITLE in said[0]
    _, letter = await chat.says("", action=Action.ASK_PERSON, audit_id=reply)
    passed = str(letter.payload["text"])
    places = [passed.index(word) for word in ("fever", "Rest often", "enough water")]
    assert places == sorted(places)


async def test_show_more_leaves_out_what_is_hidden_today_R_A3_R_C5(chat: Chat) -> None:
    """The rest stays the rest: what was shown at once does not move into it."""
    other = document(id="water")
    await chat.application.ledger.store_document("small", other)
    reply = await answers(chat, document(), outcome=parted(document(), other))
    press = {"action": Action.MORE, "audit_id": reply}
    closed = {"tags": ("board",)}
    ledger = chat.application.ledger
    await ledger.store_document("small", document(id="water", **closed))
    said = await chat.hears("", **press)
    assert "Rest often." in said
    assert "Drink" not in said and "fever" not in said
    await ledger.store_document("small", document(**closed))
    assert await chat.hears("", **press) == wording.NO_SOURCES
    await ledger.store_document("small", document(id="water"))
    said = await chat.hears("", **press)
    assert "Drink enough water." in said
    assert "Rest" not in said and "fever" not in said


async def test_a_rest_of_which_nothing_may_be_seen_is_said_R_A3_R_C5(
    chat: Chat,
) -> None:
    """Sources that stood at once may be seen still."""
    other = document(id="water")
    await chat.application.ledger.store_document("small", other)
    made = parted(document(), other)
    assert isinstance(made.result, Answer)
    first, _, last = made.result.sections[0].claims
    section = made.result.sections[0].model_copy(update={"claims": (first, last)})
    result = made.result.model_copy(update={"sections": (section,)})
    outcome = made.model_copy(update={"result": result})
    reply = await answers(chat, document(), outcome=outcome)
    await chat.application.ledger.store_document(
        "small", document(id="water", tags=("board",))
    )
    press = {"action": Action.MORE, "audit_id": reply}
    assert await chat.hears("", **press) == wording.NO_MORE


async def test_a_record_from_before_there_was_a_rest_is_read_R_D5(chat: Chat) -> None:
    """By its sources, with nothing behind a button."""
    reply = await answers(chat, document())
    record = await chat.application.ledger.read(reply)
    older = record.model_dump(mode="json", exclude={"sections"})
    reader = Reader({"rest": document()}, frozenset(), chat.clock.now().date())
    pack = chat.application.pack("small")
    shown = recall(Record.model_validate(older), reader, pack)
    quoted = [b.pieces[0].text for b in shown.body if isinstance(b, Quotation)]
    assert quoted == ["Rest often.", "Drink enough water."]
    assert shown.more == ()


# --- threads ----------------------------------------------------------------------


async def test_a_channel_does_not_see_into_its_threads_R_C5(chat: Chat) -> None:
    """A thread may be private to some; its own people see it, and the channel."""
    reply = await answers(chat, document())
    outside = {"place": ALONE, "person": BEN, "action": Action.SOURCES}
    beside = HERE.model_copy(update={"thread": "5.0", "message": None})
    for place in (ALONE, beside):
        asked = {**outside, "place": place}
        assert await chat.hears("", **asked) == wording.NOT_KNOWN
        asked["audit_id"] = reply
        assert await chat.hears("", **asked) == wording.NOT_KNOWN
    inside = {**outside, "place": HERE.model_copy(update={"private": True})}
    assert TITLE in await chat.hears("", **inside)


# --- a canary in a hidden document ------------------------------------------------

MINUTE = timedelta(minutes=1, seconds=1)
CANARIES = ("quokka", "xanthic", "marzipan")
SECRET = """\
---
id: hidden/gripper
title: "Heron handbook: the quokka gripper"
source: course-textbook
published: 2026-05-04
access_tags: [board]
---
# Heron handbook: the quokka gripper

## How the xanthic weight is found

The gripper of Heron can lift a marzipan weight of up to 4 kg in a hall.
In marzipan rain that falls by half.

Batteries are kept in a dry room, away from the oven.
Every spring the chairs are painted.
"""
HANDBOOK = Path(__file__).parents[2] / "scenarios" / "small_corpus"
WEIGHT, HIDDEN = (
    "What weight can the gripper lift?",
    "What can the gripper lift in rain?",
)


class Handbook(Application):
    """The real application over a small handbook."""

    @property
    def readiness(self) -> Readiness:
        """What there is to take in was taken in."""

        async def nothing() -> None:
            """There is nothing to take in."""

        return Readiness(lambda pack: nothing())


@pytest.fixture(scope="module")
def parser() -> Iterator[Parser]:
    """One parser child for this module."""
    with Parser() as parser:
        yield parser


@pytest.fixture
async def hall(demo: Demo, parser: Parser, tmp_path: Path) -> AsyncIterator[Chat]:
    """Channels around a handbook of which one document is the board's."""
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "gripper.md").write_text(SECRET, encoding="utf-8")
    settings = Settings(data=tmp_path / "data", slack_pack="textbook")
    async with Handbook(
        settings, embedder=demo.embedder, clock=FixedClock()
    ) as application:
        for folder in (HANDBOOK, secret):
            corpus = application.corpus(application.pack("textbook"))
            job = Job(folder)
            await ingest(corpus, parser, job, look(folder, SERVED), Steps())
        chat = Chat(application)  # type: ignore[arg-type]
        chat.renderer = RENDERERS[Platform.SLACK]  # type: ignore[assignment]
        yield chat


def sings(parts: list[Part]) -> bool:
    """Whether anything that is shown holds a word of the hidden document."""
    shown = " ".join(str(part.payload) for part in parts).lower()
    assert shown
    return any(canary in shown for canary in CANARIES)


async def test_no_surface_shows_a_word_of_a_hidden_document_R_C5(hall: Chat) -> None:
    """Across tenant, channel and role; only who has the role sees it, in private."""
    binding = {"role_tags": ROLES, "people": ("U8", "U9")}
    await hall.bind("textbook", **binding)
    holder = {"place": ALONE, "roles": ("R1",)}
    assert sings(await hall.says(WEIGHT, **holder))
    hers = await hall.mailbox.reply_in(ALONE, asker(hall))
    assert hers is not None
    assert sings(await hall.says("", action=Action.SOURCES, **holder))
    assert not sings(await hall.says("", action=Action.ASK_PERSON, **holder))
    there = HERE.model_copy(update={"channel": "C2"})
    abroad = HERE.model_copy(update={"tenant": "T2"})
    alone = [p.model_copy(update={"private": True}) for p in (HERE, there, abroad)]
    for place in (HERE, there, abroad, ALONE, *alone):
        for person, roles in (("U1", ()), (BEN, ("R2",))):
            await surfaces(hall, hers.audit_id, place=place, person=person, roles=roles)
    # With the role, but where all can read; and where the role means nothing.
    for place in (HERE, there, abroad, alone[1], alone[2]):
        await surfaces(hall, hers.audit_id, place=place, roles=("R1",))


def asker(hall: Chat) -> str:
    """Anna's pseudonym."""
    return hall.application.pseudonyms.of_person(Platform.SLACK, "T1", "U1")


async def surfaces(hall: Chat, secret: str | None, **who: object) -> None:
    """Ask, and press everything, of the own last reply and of the hidden one."""
    for question in (WEIGHT, HIDDEN):
        assert not sings(await hall.says(question, **who)), (question, who)
        for action in (Action.MORE, Action.SOURCES, Action.WHY, Action.ASK_PERSON):
            for audit_id in (None, secret):
                press = {"action": action, "audit_id": audit_id}
                assert not sings(await hall.says("", **press, **who)), (press, who)
        for again in (Action.ASK_AGAIN, Action.CHOOSE, Action.NONE_OF_THESE):
            press = {"action": again, "choice": 1}
            assert not sings(await hall.says("", **press, **who)), (press, who)
        hall.clock.moment += MINUTE  # type: ignore[attr-defined]
