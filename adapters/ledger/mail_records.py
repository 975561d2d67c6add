"""The nouns of the mailbox: what a worker claims, and what is known of places."""

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from enum import StrEnum

from pydantic import Field, model_validator

from adapters.mail import Incoming, Part, Place, Platform
from engine.model.errors import LedgerFailed
from engine.model.frozen import Frozen

EVERYWHERE = "*"  # stands for every channel of a tenant that has no binding of its own


class ClaimLost(LedgerFailed):
    """The row is no longer ours: somebody else has it, or its asker was forgotten.

    Nothing was committed, and nothing may be shown: whoever has it now answers.
    """

    code = "CLAIM_LOST"


class Claimed(Frozen):
    """An incoming that one worker has for the time of its lease.

    Attributes:
        asker: pseudonym of the person.
        worker: who has it.
        attempts: how often it was claimed, this time included. With `worker` it proves
            that the claim is still this one.
    """

    incoming: Incoming
    asker: str
    worker: str
    attempts: int


class Letter(Frozen):
    """A reply that goes to another place than the event came from.

    `person` is the platform's id of who may see a whisper; the asker where None.
    """

    place: Place
    parts: tuple[Part, ...]
    person: str | None = None


class ThreadNote(Frozen):
    """What to keep of a thread for a follow-up; pack and asker are the outcome's.

    `previous` is the question as it was understood. A place without a thread stands for
    the whole channel, as in a direct message.
    """

    place: Place
    previous: str


class Cost(Frozen):
    """What an outcome cost, in millionths, on a day in its pack's time zone (R-U5)."""

    day: date
    millionths: int


class Thread(Frozen):
    """A thread in which the bot was asked, and the question that was asked last.

    Attributes:
        previous: empty where there is nothing to lean on.
        message: that asked it; None for a command.
        audit_id: of its outcome.
        before: audit id of the question before it, which its own edit leans on.
        private: only its asker may lean on it; the thread is not the bot's.
    """

    pack: str
    asker: str
    previous: str
    question_id: str
    changed: datetime
    message: str | None = None
    audit_id: str | None = None
    before: str | None = None
    private: bool = True


class PostedReply(Frozen):
    """One visible message of the bot, and what it answers.

    Attributes:
        message: the platform's id of it.
        part: its number among the parts of its reply, from 0.
        question: the message that it answers, if that was a message.
        question_id: of the outcome, as `audit_id` and `pack`; None for a notice.
        asker: pseudonym; empty once forgotten.
        private: whether only the asker sees it.
    """

    platform: Platform
    tenant: str
    channel: str
    message: str
    thread: str | None = None
    part: int
    question: str | None = None
    question_id: str | None = None
    audit_id: str | None = None
    pack: str | None = None
    asker: str = ""
    private: bool = False


class Binding(Frozen):
    """What a channel answers from, and who may see what there.

    Attributes:
        channel: of the platform, or EVERYWHERE.
        pack: None where only the other fields are set.
        people: platform ids of those whom "Ask a person" reaches.
        tags: access tags that everybody in the channel holds.
        role_tags: role of the platform -> access tags that it gives besides.
        paused: answers nothing but `wording.paused` (R-U5).
        private: replies are seen by the asker alone.
        by: pseudonym of the administrator who set it.
    """

    platform: Platform
    tenant: str
    channel: str
    pack: str | None = None
    people: tuple[str, ...] = ()
    tags: frozenset[str] = frozenset()
    role_tags: Mapping[str, frozenset[str]] = Field(default_factory=dict)
    paused: bool = False
    private: bool = False
    changed: datetime | None = None
    by: str = ""

    @model_validator(mode="before")
    @classmethod
    def _without_owners(cls, given: object) -> object:
        """Leave out the owners that rows of before name: they had a board in chat."""
        if not isinstance(given, dict):
            return given
        return {name: value for name, value in given.items() if name != "owners"}


class Recent(Frozen):
    """How much was done since a moment.

    Attributes:
        person: questions of a person that were answered, or are by now.
        channel: the same of a channel.
        others: what a person did besides: buttons, and messages that asked nothing.
    """

    person: int
    channel: int
    others: int = 0


class Most(Frozen):
    """How many questions may be asked within the time that is counted (R-C5)."""

    person: int
    channel: int


class Limit(StrEnum):
    """Whose limit is reached."""

    PERSON = "person"
    CHANNEL = "channel"


class ClockDoubt(Frozen):
    """A clock that stepped ahead since the last look, so that nothing is deleted by it.

    Attributes:
        last: the moment of the last look that was believed.
        clock: what the clock says.
        left: how long it has to go on, while `serve` runs, until it is believed.
    """

    last: datetime
    clock: datetime
    left: timedelta

    def __str__(self) -> str:
        days, hours = (self.clock - self.last).days, self.left / timedelta(hours=1)
        return (
            "nothing that is too old is deleted: "
            f"the clock says {self.clock:%Y-%m-%d}, "
            f"{days} days after the last look on {self.last:%Y-%m-%d}; set it if it is "
            f"wrong, else it is believed after {hours:.0f} more hours of `serve`"
        )


class Verdict(Frozen):
    """What a reader thought of an answer; the last word of each reader counts."""

    audit_id: str
    asker: str
    helpful: bool
    reason: str | None = None


# The reason of a verdict on choices of which none was meant (R-Q5).
NONE_OF_THESE = "none of these"


def none_of_these(audit_id: str, asker: str) -> Verdict:
    """Of what a refusal offered, nothing was meant; the record says what was asked."""
    return Verdict(audit_id=audit_id, asker=asker, helpful=False, reason=NONE_OF_THESE)


class PersonalData(Frozen):
    """How much of one person is stored, for "my data" (R-S5)."""

    questions: int
    first: datetime | None
    last: datetime | None
    waiting: int
    threads: int
    replies: int
    verdicts: int
    wishes: int = 0

    @property
    def nothing(self) -> bool:
        """Tell whether nothing of the person is stored."""
        kept = (self.questions, self.waiting, self.threads, self.replies)
        return not any((*kept, self.verdicts, self.wishes))
