"""The records of the mailbox: claims, threads, posts, bindings and verdicts."""

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from enum import StrEnum

from pydantic import Field, model_validator

from adapters.mail import Incoming, Part, Place, Platform
from engine.model.errors import LedgerFailed
from engine.model.frozen import Frozen

EVERYWHERE = "*"  # every channel of a tenant without a binding for itself


class ClaimLost(LedgerFailed):
    """The row is no longer ours: another worker has it, or its asker was forgotten.

    Nothing was committed, and nothing may be shown: the other worker answers.
    """

    code = "CLAIM_LOST"


class Claimed(Frozen):
    """An incoming event that one worker holds for the time of its lease.

    Attributes:
        asker: pseudonym of the person.
        worker: name of the worker.
        attempts: number of claims, this one included. With `worker` it proves that
            the claim still holds.
    """

    incoming: Incoming
    asker: str
    worker: str
    attempts: int


class Letter(Frozen):
    """A message to one place.

    `person` is the platform's id of the reader of an ephemeral message; the asker
    where None.
    """

    place: Place
    parts: tuple[Part, ...]
    person: str | None = None


class ThreadNote(Frozen):
    """The context of a thread for a follow-up; pack and asker are the outcome's.

    `previous` is the question as it was understood. A place without a thread means the
    whole channel, as in a direct message.
    """

    place: Place
    previous: str


class Cost(Frozen):
    """The cost of an outcome, in millionths, on a day in its pack's time zone."""

    day: date
    millionths: int


class Thread(Frozen):
    """A thread in which the bot was asked, and its last question.

    Attributes:
        previous: the question as understood; empty where no follow-up may use it.
        message: the message that asked it; None for a command.
        audit_id: audit id of its outcome.
        before: audit id of the question before it, which an edit follows up.
        private: whether only its asker may follow it up; the thread is not the bot's.
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
    """One visible message of the bot, and the question it answers.

    Attributes:
        message: the platform's id of it.
        part: its number among the parts of its reply, from 0.
        question: the message that it answers, if the question was a message.
        question_id: from the outcome, as `audit_id` and `pack`; None for a notice.
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
    """The pack and the access rules of a channel.

    Attributes:
        channel: of the platform, or EVERYWHERE.
        pack: None where only the other fields are set.
        people: platform ids of the people whom "Ask a person" reaches.
        tags: access tags that everybody in the channel holds.
        role_tags: role of the platform -> access tags that it adds.
        paused: whether every question gets `wording.paused`.
        private: whether replies are visible to the asker alone.
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
        """Drop the field `owners` of older rows, which had a gap board in chat."""
        if not isinstance(given, dict):
            return given
        return {name: value for name, value in given.items() if name != "owners"}


class Recent(Frozen):
    """Counts of events since a moment.

    Attributes:
        person: questions of a person that were admitted.
        channel: the same of a channel.
        others: a person's other events: buttons, and messages without a question.
    """

    person: int
    channel: int
    others: int = 0


class Most(Frozen):
    """The most questions that may be asked within the time that is counted."""

    person: int
    channel: int


class Limit(StrEnum):
    """The limit that is reached: a person's or a channel's."""

    PERSON = "person"
    CHANNEL = "channel"


class ClockDoubt(Frozen):
    """A clock that jumped ahead since the last look, so that nothing is deleted by it.

    Attributes:
        last: the last time that was believed.
        clock: the time that the clock gives.
        left: how long `serve` has to run until the clock is believed.
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
    """A reader's verdict on an answer; the last one of each reader counts."""

    audit_id: str
    asker: str
    helpful: bool
    reason: str | None = None


# The reason of a verdict on offered choices of which none was meant.
NONE_OF_THESE = "none of these"


def none_of_these(audit_id: str, asker: str) -> Verdict:
    """Make the verdict that none of a refusal's offered choices was meant."""
    return Verdict(audit_id=audit_id, asker=asker, helpful=False, reason=NONE_OF_THESE)


class PersonalData(Frozen):
    """Counts of what is stored of one person, for "my data"."""

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
