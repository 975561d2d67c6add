"""Choosing what a refusal offers: who asks, what is kept, and what has gone since."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import text

from adapters.ledger.mail_records import NONE_OF_THESE
from adapters.mail import Action, Method
from bot.messages import wording
from engine.conclude.fallback import CHOICE_TEXT
from engine.model.record import Record
from engine.parse.context import parts
from tests.bot.chat import BEN, HERE, Chat

OVERSHOOTS = "my robot overshoots, what now?"
LOST = "frames all messed up, how do i look at them"


async def refused(house: Chat, asked: str = OVERSHOOTS) -> Record:
    """A refusal that offers something, as it is on record."""
    [part] = await house.says(asked)
    assert "Did you mean" in str(part.payload)
    return await last(house)


async def last(house: Chat) -> Record:
    found = await house.mailbox.reply_in(HERE, "")
    assert found is not None and found.audit_id is not None
    return await house.application.ledger.read(found.audit_id)


def press(refusal: Record, number: int = 1, **changes: Any) -> dict[str, Any]:
    """Somebody presses a choice of a refusal."""
    place = HERE.model_copy(update={"message": None})
    return {
        "action": Action.CHOOSE,
        "audit_id": refusal.audit_id,
        "choice": number,
        "place": place,
        **changes,
    }


async def test_a_press_asks_as_the_one_who_pressed_R_Q5(house: Chat) -> None:
    """In the thread; the record links the two, and says which section was chosen."""
    refusal = await refused(house, LOST)
    for number, choice in enumerate(refusal.choices, 1):
        [part] = await house.says("", **press(refusal, number, person=BEN))
        assert part.method is Method.POST
        assert f"You chose: {choice.label}" in str(part.payload["text"])
        answer = await last(house)
        assert not answer.was_refusal
        assert answer.chosen_from == refusal.audit_id
        assert (answer.evidence is None) is (choice.section is None)


async def test_a_press_is_answered_once_whatever_comes_twice_R_C3(house: Chat) -> None:
    """The same event, delivered again, is no second question."""
    refusal = await refused(house)
    event = house.event("", **press(refusal))
    before = (await house.application.ledger.verify_all()).entries
    door = house.application.inbox(lambda: None)
    for _ in range(2):
        await door.accept(event)
        await house.works()
    assert (await house.application.ledger.verify_all()).entries == before + 1


async def test_what_follows_leans_on_what_was_chosen_R_A11_R_U14(house: Chat) -> None:
    """And on the question that it was offered for."""
    refusal = await refused(house)
    await house.says("", **press(refusal))
    await house.says("And for lab 6?")
    leans_on = parts((await last(house)).previous)
    assert leans_on == (refusal.choices[0].label, refusal.question)


@pytest.mark.parametrize("number", [0, 4, 9, None])
async def test_a_number_that_was_not_offered_is_not_known_R_Q5(
    house: Chat, number: int | None
) -> None:
    """Nor is a choice of a reply that is not there any more."""
    refusal = await refused(house)
    gone = press(refusal) | {"choice": number}
    [part] = await house.says("", **gone)
    assert part.payload["text"] == wording.NOT_KNOWN
    [part] = await house.says("", **press(refusal, audit_id="nothing"))
    assert part.payload["text"] == wording.NOT_KNOWN


async def test_a_section_that_was_withdrawn_is_told_plainly_R_Q5(house: Chat) -> None:
    """Documents change between offer and press; access is looked at anew."""
    refusal = await refused(house, LOST)
    number, choice = next(
        (n, c) for n, c in enumerate(refusal.choices, 1) if c.section is not None
    )
    application = house.application
    corpus = application.corpus(application.pack("textbook"))
    await corpus.index.withdraw("textbook", choice.document_id)
    [part] = await house.says("", **press(refusal, number))
    said = str(part.payload["text"])
    assert CHOICE_TEXT in said
    assert choice.label not in said


async def test_a_handover_holds_no_title_that_people_may_not_see_R_C5(
    house: Chat,
) -> None:
    """A choice is words of a document: who may not see it is not told them either."""
    await house.bind("textbook", people=("U8",))
    refusal = await refused(house, LOST)
    choice = refusal.choices[0]
    await house.says("", **press(refusal))
    asks = press(await last(house), action=Action.ASK_PERSON, choice=None)
    _, letter = await house.says("", **asks)
    assert choice.label in str(letter.payload)
    ledger = house.application.ledger
    for document, version in (await ledger.current_versions("textbook")).items():
        stored = await ledger.document(document, version, "textbook")
        assert stored is not None
        closed = stored.model_copy(update={"tags": ("board",)})
        await ledger.store_document("textbook", closed)
    house.clock.moment += timedelta(minutes=2)  # type: ignore[attr-defined]
    _, letter = await house.says("", **asks)
    assert choice.label not in str(letter.payload)
    assert choice.title not in str(letter.payload)
    assert wording.CHOSEN in str(letter.payload)


async def test_none_of_these_is_kept_and_thanked_for_once_R_Q5(
    house: Chat,
) -> None:
    """A row for the gap board, which names the refusal; said again, it says so."""
    refusal = await refused(house)
    none = press(refusal, action=Action.NONE_OF_THESE, choice=None)
    [part] = await house.says("", **none)
    assert part.method is Method.WHISPER
    assert part.payload["text"] == wording.NOTED_AS_GAP
    [part] = await house.says("", **none)
    assert part.payload["text"] == wording.NOTED_BEFORE
    asked = text("SELECT audit_id FROM feedback WHERE reason = :reason")
    rows = await house.application.ledger.transactions.read(
        lambda c: c.execute(asked, {"reason": NONE_OF_THESE}).all()
    )
    assert [row[0] for row in rows] == [refusal.audit_id]
    house.clock.moment += timedelta(minutes=2)  # type: ignore[attr-defined]
    [part] = await house.says("", **(none | {"person": BEN}))
    assert part.payload["text"] == wording.NOTED_AS_GAP
