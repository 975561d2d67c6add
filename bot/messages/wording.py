"""The bot's own words, where no pack has a word of its own."""

from collections.abc import Mapping, Sequence

from adapters.ledger.gaps import Wish
from adapters.ledger.mail_records import EVERYWHERE, Binding, PersonalData
from adapters.mail import Platform
from adapters.mentions import mention
from adapters.recall import CLOSED
from adapters.reply import many
from engine.model.document import VersionState
from engine.policy.pack import Pack
from engine.search.selection import LONGEST
from engine.text.talk import Talk

# How an administrator types a command on each platform, and how everybody does.
COMMANDS = {Platform.SLACK: "/ask-admin", Platform.DISCORD: "/pack"}
MY_DATA = {Platform.SLACK: "/ask-admin my data", Platform.DISCORD: "/mydata"}
FORGETTING = {Platform.SLACK: "/ask-admin forget me", Platform.DISCORD: "/forget"}

TOO_MANY_OF_PERSON = (
    "You have asked a lot within a minute, so I left this question out. Please ask it "
    "again in a moment."
)
TOO_MANY_IN_CHANNEL = (
    "This channel has asked a lot within a minute, so I left this question out. Please "
    "ask it again in a moment."
)
TOO_MUCH_ELSE = (
    "That was a lot within a minute, so I left this out. Please try again in a moment."
)
BUSY = "Too many questions are waiting. Please ask again in a few minutes."
GIVEN_UP = (
    "Something failed while I was looking, more than once, so I have no answer to this "
    "question. Whoever runs me can see why."
)
FILE_LEFT = (
    "I did not look at the file that came with this: I cannot read pictures or other "
    "files."
)
FILE_UNREAD = (
    "I did not look at what came with this: I read one file, of plain text, PDF or "
    "Word (.docx), of up to 1 MB, and could not read that."
)
FILE_READ = "I looked at the file that came with this, and at nothing else."
FILE_CUT = (
    "I looked at the beginning of the file that came with this, {most} characters of "
    "{all}, and at nothing else."
)
NOT_KNOWN = "I do not know that reply any more. Please ask again."
NO_SOURCES = CLOSED
NO_MORE = "The rest of that reply cites no source that you may see."
THANKS = "Thank you, noted."
NOTED_AS_GAP = (
    "Thank you. I noted that none of these is what you meant, so that whoever runs me "
    "sees what is missing."
)
CHOSEN = "A question that was chosen from what I offered"
NOTED_BEFORE = "That is noted already."
NOBODY_TO_ASK = (
    "Nobody is named here whom I could pass a question on to. An administrator can "
    "name people."
)
ASK_AGAIN = "Ask again"
_GONE = {
    VersionState.SUPERSEDED: "replaced by a newer version",
    VersionState.WITHDRAWN: "withdrawn",
    VersionState.PRUNED: "taken out",
}
GAP_CLOSED = (
    "What you asked here can be answered from the sources now. Ask it again to see the "
    "answer."
)
WISHES = {
    Wish.NOTED: (
        "I will say so here, once, when my sources can answer this. If the question is "
        "deleted before, I will not."
    ),
    Wish.BEFORE: NOTED_BEFORE,
    Wish.LATE: GAP_CLOSED,
}
PASSED_ON = "I passed your question on, with what I found."
FORGOTTEN = (
    "Done. I deleted your questions, my records of the replies to them, and your "
    "feedback, and I am taking down those of my replies to you that I can still find. "
    "What stays: your own messages, my replies to others who asked on from yours, and "
    "a record that something was asked and which documents were cited. My log may hold "
    "up to 200 characters of a question, with addresses and numbers masked, until "
    "newer lines push them out."
)
SCRUB_PENDING = "My database still clears its own log of it; that happens by itself."
NOT_FORGOTTEN = (
    "That failed, and nothing was deleted: my database did not do it, more than once. "
    "Please try again later; whoever runs me can see why."
)
OPERATORS_ONLY = (
    "Only the people who run this bot may do that: they are named in GROUNDRULE_ADMINS."
)
HAS_TAGS = (
    "The people who run this bot gave this channel access tags. So only they may bind "
    "another pack here, or none: they are named in GROUNDRULE_ADMINS."
)
SPENT = (
    "I have used up what I may spend in a day. Please ask again tomorrow, or tell "
    "whoever runs me."
)
PAUSED = "Paused. I answer nothing here until somebody resumes."
RESUMED = "I answer again."
WELL = "I am well."
ABSENT = "I keep what you ask, but nobody here answers at the moment."
UNWELL = "My database does not answer at the moment."
LOOKING = "is looking into the sources …"
NOTED = "I am looking into the sources."
LATE = "That took too long to open. Please try again."


def file_read(text: str) -> str:
    """Say that the file was read, or how much of it, as far as a selection is read."""
    if len(text) <= LONGEST:
        return FILE_READ
    return FILE_CUT.format(most=f"{LONGEST:,}", all=f"{len(text):,}")


def kept(days: int, platform: Platform) -> str:
    """Say how long questions are stored, and how they are deleted before."""
    return (
        f"Questions and replies are deleted after {many(days, 'day')}, and yours at "
        f"any time with {FORGETTING[platform]}."
    )


def administrators_only(platform: Platform) -> str:
    """Refuse an order, and name what everybody may do."""
    return (
        "Only an administrator of this channel may do that. What everybody may do: "
        f"{MY_DATA[platform]} and {FORGETTING[platform]}."
    )


def not_taken(platform: Platform) -> str:
    """Say that the platform refused a reply."""
    return (
        f"I have a reply for you, but {platform.capitalize()} does not take it. Please "
        "ask again; if that does not help, whoever runs me can see why."
    )


def no_pack(platform: Platform, *, direct: bool = False) -> str:
    """Say that there is nothing to answer from here, and how to change that.

    Args:
        platform: that the person sees.
        direct: in direct messages, to which no pack can be bound.
    """
    if direct:
        return (
            "I have no pack for direct messages, so I have nothing to answer from "
            "here. Please ask in a channel that has one. Whoever runs me can give "
            f"direct messages one, with GROUNDRULE_{platform.upper()}_PACK."
        )
    return (
        "No pack is bound to this channel, so I have nothing to answer from. An "
        f"administrator can bind one with {COMMANDS[platform]} bind PACK."
    )


def pack_missing(pack: str) -> str:
    """Say that a binding names a pack that cannot be used."""
    return (
        f"This channel is bound to the pack {pack}, which is not installed or not "
        "valid. Please tell whoever runs me."
    )


def forbidden(title: str, platform: Platform) -> str:
    """Say that the pack may not be used on this platform."""
    return (
        f"The pack “{title}” may not be used on {platform.capitalize()}: its policy "
        "forbids the platform (platforms_forbidden)."
    )


def bound(binding: Binding, pack: Pack, first: str | None) -> str:
    """Say what a binding does, with a question to try it with."""
    where = "this channel"
    if binding.channel == EVERYWHERE:
        where = "every channel that has no pack of its own"
    told = [f"“{pack.title}” answers in {where} now."]
    if binding.private:
        told.append("Only who asks sees the reply.")
    else:
        told.append("Everybody there sees the replies.")
    if binding.people:
        people = ", ".join(map(mention, binding.people))
        told.append(f"Questions can be passed on to {people}.")
    if binding.tags:
        told.append(f"Access tags: {', '.join(sorted(binding.tags))}.")
    for role, tags in sorted(binding.role_tags.items()):
        told.append(f"In private, the role {role} adds {', '.join(sorted(tags))}.")
    if binding.paused:
        told.append(still_paused(binding.platform))
    if first is not None:
        told.append(f"To try it, ask: {first}")
    return " ".join(told)


def still_paused(platform: Platform) -> str:
    """Say that a pause outlives what the channel answers from."""
    return f"It is still paused: {COMMANDS[platform]} resume."


def unbound(*, everywhere: bool, instead: str | None) -> str:
    """Say that a binding is gone; `instead` is the title of what answers now."""
    where = "The channels without one of their own" if everywhere else "This channel"
    has = "have no pack now" if everywhere else "has no pack of its own now"
    if instead is None:
        return f"{where} {has}, so I answer nothing there."
    return f"{where} {has}: “{instead}” answers there, as wherever none is bound."


def preparing(title: str) -> str:
    """Say that a pack is not ready yet, because it was bound a moment ago."""
    return (
        f"I am still taking in the texts of “{title}”. Please ask again in a few "
        "minutes."
    )


def no_such_pack(name: str, known: tuple[str, ...]) -> str:
    """Say that there is no pack of this name."""
    return f"There is no pack “{name}” here. There are: {', '.join(known) or 'none'}."


def how(platform: Platform) -> str:
    """Say what can be typed, and who may do it."""
    command = COMMANDS[platform]
    return (
        f"Everybody may type {MY_DATA[platform]} and {FORGETTING[platform]}. "
        f"Administrators of the channel: {command} bind PACK [private] "
        f"[people=@name,@name], {command} bind none, {command} pause, {command} "
        "resume. Who runs me may add tags=A,B, role.ID=A,B and everywhere, and pauses "
        f"a pack everywhere with {command} pause pack."
    )


def recalled(state: VersionState, day: str) -> str:
    """Say above an answer that its source is gone."""
    what = _GONE.get(state, "withdrawn")
    return f"A source of this answer was {what} on {day}: ask again."


def my_data(held: PersonalData) -> str:
    """Say what is stored of a person."""
    counted = {
        "question": held.questions,
        "waiting question": held.waiting,
        "posted message": held.replies,
        "verdict": held.verdicts,
        "wish to be told": held.wishes,
        "thread": held.threads,
    }
    if held.nothing:
        return "Nothing of yours is stored."
    told = [many(number, noun) for noun, number in counted.items() if number]
    return (
        f"Stored of you{_period(held)}: {', '.join(told)}. Of a question: its text "
        "and my reply; of a posted message: where it stands; of a verdict: its reason; "
        "of a thread: the last question, for follow-ups. A pseudonym stands for your "
        "name."
    )


def _period(held: PersonalData) -> str:
    if held.first is None or held.last is None:
        return ""
    first, last = f"{held.first:%Y-%m-%d}", f"{held.last:%Y-%m-%d}"
    return f", from {first} to {last}" if first != last else f", from {first}"


# --- talk ------------------------------------------------------------------------


def spoken(pack: Pack, kind: Talk, first: Sequence[str]) -> str:
    """Answer talk in the pack's words, with questions to choose from."""
    said = pack.wording.answer_to(kind).replace("{title}", pack.title)
    if len(first) == 1:
        return f"{said}\nFor example: {first[0]}"
    return "\n".join((said, *(f"• {question}" for question in first)))


def as_record(
    pack: Pack, kind: Talk, first: Sequence[str], question: str, name: str
) -> Mapping[str, object]:
    """Give talk as JSON: no outcome, so only the fields that readers look for."""
    return {
        "question_id": name,
        "pack": pack.id,
        "question": question,
        "talk": kind,
        "answer": spoken(pack, kind, ()),
        "first_questions": list(first),
        "was_refusal": False,
        "reason_code": None,
    }
