"""What the bot says in its own voice, where no pack has a word of its own for it."""

from adapters.ledger.mail_records import PersonalData
from adapters.mail import Platform
from adapters.reply import many

# How an administrator types a command on each platform.
COMMANDS = {Platform.SLACK: "/ask-admin", Platform.DISCORD: "/pack"}

NO_QUESTION = "I am here. What is your question?"
TOO_MANY_OF_PERSON = (
    "You have asked a lot within a minute, so I left this question out. Please ask it "
    "again in a moment."
)
TOO_MANY_IN_CHANNEL = (
    "This channel has asked a lot within a minute, so I left this question out. Please "
    "ask it again in a moment."
)
BUSY = "Too many questions are waiting. Please ask again in a few minutes."
GIVEN_UP = (
    "Something failed while I was looking, more than once, so I have no answer to this "
    "question. Whoever runs me can see why."
)
NOT_KNOWN = "I do not know that reply any more. Please ask again."
NOT_FOR_YOU = "That reply was not written for you. Please ask yourself."
NO_SOURCES = "That reply cites no source that you may see."
THANKS = "Thank you, noted."
NOBODY_TO_ASK = (
    "Nobody is named here whom I could pass a question on to. An administrator can "
    "name people."
)
PASSED_ON = "I passed your question on, with what I found."
FORGOTTEN = (
    "Done: your questions, my replies to them and what you said about them are "
    "deleted. What stays is that something was asked and which documents were cited."
)
ADMINISTRATORS_ONLY = "Only an administrator of this channel may do that."
OPERATORS_ONLY = (
    "Only who runs this bot may do that: they are named in GROUNDRULE_ADMINS."
)
PAUSED = "Paused. I answer nothing here until somebody resumes."
RESUMED = "I answer again."
WELL = "I am well."
UNWELL = "My database does not answer at the moment."
LOOKING = "is looking into the sources …"
NOTED = "I am looking into the sources."
LATE = "That took too long to open. Please try again."
UNBOUND = "This channel is bound to no pack now."


def kept(days: int) -> str:
    """How long questions are stored (R-U6)."""
    return (
        f"Questions and replies are deleted after {many(days, 'day')}; you can have "
        "yours deleted at any time."
    )


def no_pack(platform: Platform) -> str:
    """Nothing to answer from here, and how to change that."""
    return (
        "No pack is bound to this channel, so I have nothing to answer from. An "
        f"administrator can bind one with {COMMANDS[platform]} bind PACK."
    )


def pack_missing(pack: str) -> str:
    """A binding names a pack that cannot be used."""
    return (
        f"This channel is bound to the pack {pack}, which is not installed or not "
        "valid. Please tell whoever runs me."
    )


def forbidden(title: str, platform: Platform) -> str:
    """R-C6: the pack may not be used on this platform."""
    return (
        f"The pack “{title}” may not be used on {platform.capitalize()}: its policy "
        "forbids the platform (platforms_forbidden)."
    )


def bound(title: str, people: int) -> str:
    """A channel has a pack now."""
    asked = f" A question can be passed on to {many(people, 'person')}."
    return f"This channel is bound to “{title}”.{asked if people else ''}"


def preparing(title: str) -> str:
    """A pack is not ready yet, because somebody bound it a moment ago."""
    return (
        f"I am still taking in the texts of “{title}”. Please ask again in a few "
        "minutes."
    )


def no_such_pack(name: str, known: tuple[str, ...]) -> str:
    """An administrator named a pack that there is not."""
    return f"There is no pack “{name}” here. There are: {', '.join(known) or 'none'}."


def how_to_bind(platform: Platform) -> str:
    """What a command to bind looks like."""
    command = COMMANDS[platform]
    return (
        f"{command} bind PACK [people=@name,@name] [private]; to undo it, {command} "
        "bind none. Who runs me may add tags=A,B, role.ID=A,B and everywhere."
    )


def my_data(held: PersonalData) -> str:
    """What is stored of a person (R-S5)."""
    counted = {
        "question": held.questions,
        "verdict": held.verdicts,
        "thread": held.threads,
    }
    told = [many(number, noun) for noun, number in counted.items() if number]
    if not told:
        return "Nothing of yours is stored."
    since = f", since {held.first:%Y-%m-%d}" if held.first else ""
    return (
        f"Stored of you{since}: {', '.join(told)}. Of a question: its text and my "
        "reply; of a verdict: its reason; of a thread: the last question, for "
        "follow-ups. A pseudonym stands for your name."
    )
