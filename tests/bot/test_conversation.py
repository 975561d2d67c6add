"""What happens once per message: who may ask what where, and what comes of it."""

import pytest

from adapters.ledger.mail_records import Binding
from adapters.mail import Accepted, Action, Method, Place, Platform
from bot.messages import wording
from tests.bot.chat import BEN, DIRECT, HERE, Chat

ELSEWHERE = HERE.model_copy(update={"channel": "C2", "thread": "5.0", "message": "5.0"})
GUILD = Place(platform=Platform.DISCORD, tenant="G1", channel="7", message="70")
COMMAND = Place(platform=Platform.SLACK, tenant="T1", channel="C1", private=True)
LACKS = "This is not on file."


async def audit_id(chat: Chat) -> str:
    """Of the reply that was posted last in the channel."""
    found = await chat.mailbox.reply_in(HERE, "")
    assert found is not None and found.audit_id is not None
    return found.audit_id


# --- which pack answers, and whether --------------------------------------------------


async def test_a_question_is_answered_from_the_pack_of_its_channel_R_C1(
    chat: Chat,
) -> None:
    """Its own binding before the platform's default."""
    await chat.bind("other")
    assert "Analysis date basis" in await chat.hears()
    assert "Analysis date basis" not in await chat.hears(place=ELSEWHERE)


async def test_without_a_pack_the_channel_is_told_how_to_bind_one(chat: Chat) -> None:
    """Nobody is left without a reply."""
    chat.application.rules.packs[Platform.SLACK] = None  # type: ignore[index]
    assert "/ask-admin bind PACK" in await chat.hears()


async def test_a_binding_to_a_pack_that_is_gone_is_said(chat: Chat) -> None:
    """The name helps whoever runs the bot."""
    await chat.bind("gone")
    assert "pack gone, which is not installed" in await chat.hears()


async def test_a_pack_that_forbids_the_platform_does_not_answer_there_R_C6(
    chat: Chat,
) -> None:
    """However the binding came to be."""
    binding = Binding(
        platform=Platform.DISCORD, tenant="G1", channel="7", pack="closed"
    )
    await chat.mailbox.bind(binding)
    said = await chat.hears(place=GUILD)
    assert "“Closed” may not be used on Discord" in said
    await chat.bind("closed")
    assert LACKS in await chat.hears()


async def test_a_paused_pack_or_channel_says_so_and_asks_nothing_R_U5(
    chat: Chat,
) -> None:
    """In the pack's words; elsewhere life goes on."""
    await chat.mailbox.pause("small", "ops")
    assert await chat.hears() == "On holiday."
    await chat.mailbox.resume("small")
    await chat.bind(paused=True)
    assert await chat.hears() == "On holiday."
    assert LACKS in await chat.hears(place=ELSEWHERE)


async def test_notices_stand_under_the_header_that_a_pack_wants_R_F5(
    chat: Chat,
) -> None:
    """Also on replies that answer nothing."""
    await chat.bind("other", paused=True)
    said = await chat.hears()
    assert said == "Analysis date basis: 2026-11-22 (today)\n\nOn holiday."


@pytest.mark.parametrize(
    ("said", "files", "told"),
    [
        ("thanks a lot!", False, "You are welcome."),
        ("never mind", False, "All right."),
        ("", True, "I cannot read pictures"),
    ],
)
async def test_talk_is_answered_as_talk_and_on_no_record_R_U10(
    chat: Chat, said: str, files: bool, told: str
) -> None:
    """With a question to choose; it is no refusal, and leaves the thread alone."""
    answered = await chat.hears(said, files=files)
    assert answered.startswith(told)
    assert answered.endswith("What is small?")
    assert (await chat.application.ledger.verify_all()).entries == 0


@pytest.mark.parametrize("said", ["  ", "Hi!", "help"])
async def test_who_says_hello_is_told_how_to_ask_R_C1(chat: Chat, said: str) -> None:
    """With an example of the pack, in words that hold with a language model too; no
    outcome is recorded for it."""
    told, example = (await chat.hears(said)).splitlines()
    assert "Ask me about “Small”" in told
    assert "quote" not in told
    assert example == "For example: What is small?"
    assert (await chat.application.ledger.verify_all()).entries == 0


@pytest.mark.parametrize(
    ("limit", "said"),
    [("per_person", wording.TOO_MANY_OF_PERSON), ("per_channel", "This channel")],
)
async def test_too_many_questions_are_declined_politely_R_C5(
    chat: Chat, limit: str, said: str
) -> None:
    """The first ones pass; a minute later the next does."""
    object.__setattr__(chat.application.rules, limit, 2)
    assert LACKS in await chat.hears()
    assert LACKS in await chat.hears()
    assert (await chat.hears()).startswith(said)


async def test_first_use_says_once_what_is_stored_and_how_long_R_U6(
    chat: Chat,
) -> None:
    """In every channel once, and once to a person in private."""
    told = f"Stored: all. {wording.kept(90, Platform.SLACK)}"
    assert told in await chat.hears()
    assert told not in await chat.hears(person=BEN)
    assert told in await chat.hears(place=ELSEWHERE)
    assert told in await chat.hears(place=DIRECT)
    assert told not in await chat.hears(place=DIRECT)


# --- what is ours ---------------------------------------------------------------------


async def test_only_own_threads_are_followed_without_a_mention(chat: Chat) -> None:
    """What people say to each other is not even kept."""
    unaddressed = {"addressed": False, "text": "And for children?"}
    assert await chat.rings(**unaddressed) is Accepted.REPEAT
    await chat.hears()
    assert await chat.rings(**unaddressed) is Accepted.NEW
    for said in ("thanks!", "I think so too.", "@U2 what do you say?"):
        assert await chat.rings(said, addressed=False) is Accepted.REPEAT
    assert await chat.rings(place=ELSEWHERE, **unaddressed) is Accepted.REPEAT


async def test_a_follow_up_leans_on_the_question_before_R_A11(chat: Chat) -> None:
    """The reply shows what it was read together with."""
    await chat.hears("How is nausea treated?")
    assert "with: “How is nausea treated?”" in await chat.hears("And for adults?")
    assert "I read this" not in await chat.hears("And for adults?", place=ELSEWHERE)


async def test_a_reply_to_a_reply_leans_on_its_question_R_A11(chat: Chat) -> None:
    """Where there is no thread, as on Discord; forgotten is forgotten."""
    await chat.hears("How is nausea treated?", place=GUILD)
    reply = {"place": GUILD.model_copy(update={"message": "71"}), "about": "m1"}
    assert "How is nausea treated" in await chat.hears("And for adults?", **reply)
    assert "I read this" not in await chat.hears("And for adults?", place=GUILD)
    asker = chat.application.pseudonyms.of_person(Platform.DISCORD, "G1", "U1")
    await chat.mailbox.forget(asker)
    assert "I read this" not in await chat.hears("And for adults?", **reply)


async def test_what_was_asked_in_private_is_no_context_for_others(chat: Chat) -> None:
    """In a channel whose replies are private, each person has a thread of their own."""
    await chat.bind(private=True)
    await chat.hears("How is nausea treated?")
    assert "I read this" not in await chat.hears("And for adults?", person=BEN)


async def test_a_private_channel_whispers_R_C2(chat: Chat) -> None:
    """Whatever the event was."""
    await chat.bind(private=True)
    [part] = await chat.says()
    assert part.method is Method.WHISPER


# --- access ---------------------------------------------------------------------------


async def asked_with(chat: Chat, **changes: object) -> frozenset[str]:
    """The access tags that a question was asked with."""
    await chat.rings(**changes)
    claimed = await chat.mailbox.claim("x", 60)
    assert claimed is not None
    step = await chat.answering().dependencies.conversation.hear(claimed)
    await chat.mailbox.release(claimed)
    await chat.works()
    return step.question.tags  # type: ignore[union-attr]


async def test_role_tags_count_only_where_the_asker_alone_reads_R_C5(
    chat: Chat,
) -> None:
    """In public a role's documents would be shown to those without the role."""
    tags, roles = frozenset({"staff"}), {"R1": frozenset({"board"})}
    await chat.bind(tags=tags, role_tags=roles)
    mine = {"roles": ("R1", "R2")}
    assert await asked_with(chat, **mine) == {"staff"}
    assert await asked_with(chat, place=COMMAND, **mine) == {"staff", "board"}
    assert await asked_with(chat, place=COMMAND) == {"staff"}
    assert await asked_with(chat, place=ELSEWHERE, **mine) == frozenset()


async def test_a_question_names_its_tenant_and_no_person_R_S5(chat: Chat) -> None:
    """A pseudonym stands for the asker, and the session holds no id either."""
    await chat.rings()
    claimed = await chat.mailbox.claim("x", 60)
    assert claimed is not None
    step = await chat.answering().dependencies.conversation.hear(claimed)
    asked = step.question  # type: ignore[union-attr]
    assert asked.tenant == "slack:T1"
    assert "U1" not in asked.model_dump_json()
    assert len(asked.asker) == 32


# --- edits and deletions --------------------------------------------------------------


async def test_an_edited_question_is_answered_in_place_R_U4(chat: Chat) -> None:
    """Its old reply is replaced, its thread goes on from the new question."""
    await chat.hears("How is nausea treated?")
    edit = {"action": Action.EDITED, "about": "1.0"}
    [part] = await chat.says("How is fever treated?", **edit)
    assert (part.method, part.message) == (Method.UPDATE, "m1")
    assert "How is fever treated" in await chat.hears("And for adults?")


async def test_a_deleted_question_takes_its_reply_with_it_R_U4(chat: Chat) -> None:
    """The thread is forgotten; the audit record stays."""
    await chat.hears("How is nausea treated?")
    record = await audit_id(chat)
    [part] = await chat.says("", action=Action.DELETED, about="1.0")
    assert (part.method, part.message) == (Method.DELETE, "m1")
    assert not await chat.mailbox.owns(HERE)
    stored = await chat.application.ledger.read(record)
    assert stored.question == "How is nausea treated?"


async def test_edits_of_what_was_never_asked_are_not_kept(chat: Chat) -> None:
    """R-S5: the channel's talk is none of our business."""
    for action in (Action.EDITED, Action.DELETED):
        told = {"action": action, "about": "9.9", "addressed": False}
        assert await chat.rings("x", **told) is Accepted.REPEAT


async def test_a_reply_that_is_being_posted_is_waited_for(chat: Chat) -> None:
    """An edit then finds it standing there."""
    await chat.rings()
    await chat.answering().next()
    outgoing = await chat.mailbox.outgoing(Platform.SLACK, "p", 60)
    assert outgoing is not None
    await chat.rings("New?", action=Action.EDITED, about="1.0")
    assert await chat.answering().next()
    assert await chat.mailbox.waiting() == 1
    assert not chat.wall.shown


async def test_a_deletion_waits_for_the_answer_R_U4(chat: Chat) -> None:
    """Discord does not say whose message it was, so the inbox cannot keep the order."""
    await chat.rings(place=GUILD)
    gone = {"action": Action.DELETED, "about": "70", "person": "", "place": GUILD}
    await chat.rings("", **gone)
    asked = await chat.mailbox.claim("x", 60)
    assert asked is not None and asked.incoming.action is Action.ASK
    assert await chat.answering().next()
    assert await chat.mailbox.waiting() == 2


# --- buttons --------------------------------------------------------------------------


async def test_why_comes_from_the_record_and_for_the_asker_alone_R_D5(
    chat: Chat,
) -> None:
    """Nothing is asked again."""
    await chat.hears()
    press = {"action": Action.WHY, "audit_id": await audit_id(chat), "person": BEN}
    [part] = await chat.says("", **press)
    assert part.method is Method.WHISPER
    assert "near: []" in str(part.payload["text"])


async def test_without_an_id_the_last_reply_is_meant(chat: Chat) -> None:
    """As the commands /why and /sources have it."""
    await chat.hears()
    assert "near: []" in await chat.hears("", action=Action.WHY)
    assert await chat.hears("", action=Action.SOURCES) == wording.NO_SOURCES


@pytest.mark.parametrize(
    "action", [Action.WHY, Action.SOURCES, Action.HELPFUL, Action.ASK_AGAIN]
)
async def test_a_reply_of_elsewhere_is_not_known_R_C5(
    chat: Chat, action: Action
) -> None:
    """Another channel's reply, another person's, one of another pack."""
    await chat.hears()
    public = await audit_id(chat)
    await chat.hears(place=DIRECT)
    mine = await chat.mailbox.reply_in(DIRECT, "nobody")
    assert mine is None
    press = {"action": action, "audit_id": public}
    assert await chat.hears("", place=ELSEWHERE, **press) == wording.NOT_KNOWN
    await chat.bind("other")
    if action is not Action.HELPFUL:
        assert wording.NOT_KNOWN in await chat.hears("", **press)


async def test_a_verdict_is_kept_and_thanked_for_in_private_R_C1(chat: Chat) -> None:
    """The reason too; the last word counts."""
    await chat.hears()
    press = {"audit_id": await audit_id(chat), "person": BEN}
    [part] = await chat.says("", action=Action.HELPFUL, **press)
    assert part.method is Method.WHISPER
    no = {"action": Action.NOT_HELPFUL, "reason": "too short", **press}
    assert await chat.hears("", **no) == wording.THANKS
    held = await chat.mailbox.data_of(
        chat.application.pseudonyms.of_person(Platform.SLACK, "T1", BEN)
    )
    assert held.verdicts == 1


async def test_asking_again_asks_the_stored_question_R_A13(chat: Chat) -> None:
    """In the sources' own words; what was forgotten cannot be asked."""
    await chat.hears("How is nausea treated?")
    press = {"action": Action.ASK_AGAIN, "audit_id": await audit_id(chat)}
    await chat.rings("", **press, person=BEN)
    claimed = await chat.mailbox.claim("x", 60)
    assert claimed is not None
    step = await chat.answering().dependencies.conversation.hear(claimed)
    assert step.question.text == "How is nausea treated?"  # type: ignore[union-attr]
    assert step.question.verbatim


async def test_a_question_is_passed_on_to_the_people_of_the_channel_R_C1(
    chat: Chat,
) -> None:
    """Each gets question and evidence; the asker is told so."""
    await chat.bind(people=("U8", "U9"))
    await chat.hears("How is nausea treated?")
    press = {"action": Action.ASK_PERSON, "audit_id": await audit_id(chat)}
    told, *letters = await chat.says("", **press)
    assert told.payload["text"] == wording.PASSED_ON
    assert len({part.nonce for part in (told, *letters)}) == 3
    to = [outgoing.place.channel for outgoing, _ in chat.wall.shown[-2:]]
    assert to == ["U8", "U9"]
    assert all("How is nausea" in str(part.payload["text"]) for part in letters)


async def test_nobody_to_ask_is_said(chat: Chat) -> None:
    """And the button is offered only where there is somebody."""
    [reply] = await chat.says()
    assert reply.payload["people"] is False
    press = {"action": Action.ASK_PERSON, "audit_id": await audit_id(chat)}
    assert await chat.hears("", **press) == wording.NOBODY_TO_ASK


async def test_a_file_beside_a_question_is_named_as_not_read_R_U10(chat: Chat) -> None:
    await chat.bind()
    said = await chat.hears(files=True)
    assert said.startswith(wording.FILE_LEFT)
    assert wording.FILE_LEFT not in await chat.hears()
