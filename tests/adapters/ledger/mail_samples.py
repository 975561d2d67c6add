"""Events, replies and the ways they go, to put into a mailbox."""

from collections.abc import Callable, Sequence
from datetime import timedelta

from adapters.ledger.mail_records import Binding, Claimed, Letter
from adapters.ledger.mailbox import Mailbox
from adapters.mail import (
    Accepted,
    Action,
    Incoming,
    Method,
    Outgoing,
    Part,
    Place,
    Platform,
)
from engine.model.outcome import Outcome
from tests.adapters.ledger.samples import refused
from tests.fakes import FixedClock

ASKER, OTHER = "asker-1", "asker-2"
START = FixedClock().moment
LEASE = 60.0
MANY = 1_000


def place(channel: str = "C1", **changes: object) -> Place:
    """A place of a workspace: a message in a thread of a channel."""
    made = Place(
        platform=Platform.SLACK,
        tenant="T1",
        channel=channel,
        thread="1.0",
        message="1.0",
    )
    return made.model_copy(update=changes)


def bound(channel: str = "C1", **changes: object) -> Binding:
    """A channel with everything set."""
    made = Binding(
        platform=Platform.SLACK,
        tenant="T1",
        channel=channel,
        pack="oncology",
        people=("U8", "U9"),
        tags=frozenset({"staff"}),
        role_tags={"r1": frozenset({"ward", "staff"})},
        private=True,
        by=ASKER,
    )
    return made.model_copy(update=changes)


def incoming(event: str = "E1", at: float = 0.0, **changes: object) -> Incoming:
    """A question that came `at` seconds after the start."""
    made = Incoming(
        event=event,
        platform=Platform.SLACK,
        action=Action.ASK,
        place=place(),
        person="U1",
        text="May I sleep all day?",
        received=START + timedelta(seconds=at),
    )
    return made.model_copy(update=changes)


def part(nonce: str = "n0", text: str = "A reply.", **changes: object) -> Part:
    """A part that is posted."""
    made = Part(nonce=nonce, method=Method.POST, payload={"text": text})
    return made.model_copy(update=changes)


def rendering(*parts: Part) -> Callable[[Outcome], Sequence[Part]]:
    """Renders whatever it is as these parts."""
    return lambda outcome: parts


async def come(mailbox: Mailbox, event: Incoming, asker: str = ASKER) -> None:
    """A new event is accepted."""
    assert await mailbox.accept(event, asker, MANY) is Accepted.NEW


async def take(mailbox: Mailbox, worker: str = "w1") -> Claimed:
    """The event that is handed out next."""
    claimed = await mailbox.claim(worker, LEASE)
    assert claimed is not None
    return claimed


async def fetch(mailbox: Mailbox, poster: str = "p1") -> Outgoing:
    """The reply that is handed out next."""
    outgoing = await mailbox.outgoing(Platform.SLACK, poster, LEASE)
    assert outgoing is not None
    return outgoing


async def answer(
    mailbox: Mailbox, event: Incoming, *parts: Part, asker: str = ASKER
) -> Outcome:
    """An event is accepted, claimed and settled with a refusal."""
    await come(mailbox, event, asker)
    claimed = await take(mailbox)
    outcome = refused(id=f"q-{event.event}", asker=asker, text=event.text)
    return await mailbox.settle(claimed, outcome, rendering(*(parts or [part()])))


async def say(mailbox: Mailbox, event: Incoming, *letters: Letter) -> None:
    """An event is accepted, claimed and replied to without an outcome."""
    await come(mailbox, event)
    await mailbox.reply(await take(mailbox), [part()], also=letters)


async def post(mailbox: Mailbox, message: str = "9.0") -> Outgoing:
    """The next reply becomes visible, its parts as `message`, `message`+1 …"""
    outgoing = await fetch(mailbox)
    for number, shown in enumerate(outgoing.parts):
        await mailbox.delivered(outgoing, shown.nonce, f"{message}{number or ''}")
    await mailbox.sent(outgoing)
    return outgoing
