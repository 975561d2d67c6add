"""A place to talk to the bot without a platform: events in, parts out."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from adapters.ledger.mail_records import Binding
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
    nonce,
)
from adapters.reply import Paragraph, Quotation, Reply
from bot.delivery import Answering, Dependencies
from bot.serving.posting import Posting
from tests.bot.small import SmallApplication

HERE = Place(
    platform=Platform.SLACK, tenant="T1", channel="C1", thread="1.0", message="1.0"
)
DIRECT = Place(
    platform=Platform.SLACK, tenant="T1", channel="D1", message="2.0", private=True
)
ANNA, BEN = "U1", "U2"
QUESTION = "How is it treated?"


class PlainRenderer:
    """The Face port in plain text."""

    def answer(
        self, reply: Reply, incoming: Incoming, first: int = 0, *, people: bool = True
    ) -> tuple[Part, ...]:
        return said(incoming, _text(reply), first, people=people)

    def edited(
        self,
        reply: Reply,
        incoming: Incoming,
        posted: Sequence[str],
        *,
        people: bool = True,
    ) -> tuple[Part, ...]:
        method = Method.UPDATE if posted else Method.POST
        [part] = said(incoming, _text(reply), method=method, people=people)
        message = posted[0] if posted else None
        return (part.model_copy(update={"message": message}),)

    def deleted(
        self, incoming: Incoming, posted: Sequence[str], first: int = 0
    ) -> tuple[Part, ...]:
        return tuple(
            Part(
                nonce=nonce(incoming, number),
                method=Method.DELETE,
                payload={},
                message=message,
            )
            for number, message in enumerate(posted, first)
        )

    def more(
        self, reply: Reply, incoming: Incoming, first: int = 0
    ) -> tuple[Part, ...]:
        rest = reply.model_copy(update={"banners": (), "body": reply.more})
        return said(incoming, _text(rest), first, method=Method.WHISPER)

    def sources(
        self, reply: Reply, incoming: Incoming, first: int = 0
    ) -> tuple[Part, ...]:
        titles = [source.title for source in reply.sources]
        return said(incoming, "; ".join(titles), first, method=Method.WHISPER)

    def why(self, reply: Reply, incoming: Incoming, first: int = 0) -> tuple[Part, ...]:
        near = [pointer.title for pointer in reply.why.nearest]
        text = f"{reply.why.verdict}; near: {near}"
        return said(incoming, text, first, method=Method.WHISPER)

    def notice(self, text: str, incoming: Incoming, first: int = 0) -> tuple[Part, ...]:
        return said(incoming, text, first)

    def told(self, text: str, incoming: Incoming, first: int = 0) -> tuple[Part, ...]:
        return said(incoming, text, first)

    def whisper(
        self,
        text: str,
        incoming: Incoming,
        first: int = 0,
        people: Collection[str] = (),
    ) -> tuple[Part, ...]:
        return said(incoming, text, first, method=Method.WHISPER)

    def handover(
        self, reply: Reply, incoming: Incoming, question: str, first: int = 0
    ) -> tuple[Part, ...]:
        return said(incoming, f"{question} | {_text(reply)}", first)


def said(
    incoming: Incoming,
    text: str,
    first: int = 0,
    method: Method | None = None,
    **more: bool,
) -> tuple[Part, ...]:
    """A text as one part."""
    alone = incoming.place.private
    return (
        Part(
            nonce=nonce(incoming, first),
            method=method or (Method.WHISPER if alone else Method.POST),
            payload={"text": text, **more},
        ),
    )


def _text(reply: Reply) -> str:
    told = [banner.text for banner in reply.banners]
    for block in reply.body:
        if isinstance(block, Paragraph):
            told.append(block.text)
        if isinstance(block, Quotation):
            told.append(" ".join(piece.text for piece in block.pieces))
    return "\n".join(told)


@dataclass
class Wall:
    """The Post port over a list; the next posts may fail."""

    shown: list[tuple[Outgoing, Part]] = field(default_factory=list)
    failing: list[Exception] = field(default_factory=list)

    async def post(self, outgoing: Outgoing, part: Part) -> str:
        if self.failing:
            raise self.failing.pop(0)
        self.shown.append((outgoing, part))
        return part.message or f"m{len(self.shown)}"

    @property
    def texts(self) -> list[str]:
        return [str(part.payload.get("text")) for _, part in self.shown]


class Chat:
    """People, channels and the bot behind them."""

    def __init__(self, application: SmallApplication) -> None:
        self.application = application
        self.mailbox: Mailbox = application.mailbox
        self.clock = application.clock
        self.wall = Wall()
        self.renderer = PlainRenderer()
        self.shown_now: list[Outgoing] = []
        self._events = count(1)
        self._door = application.inbox(lambda: None)

    def answering(self, worker: str = "w", **changes: Any) -> Answering:
        """A worker, with other parts where `changes` names them."""
        made = self.application.answering(worker, self._show)
        parts = {
            "conversation": made.dependencies.conversation,
            "engine": made.dependencies.engine,
            "renderers": dict.fromkeys(Platform, self.renderer),
            "post_now": self._show,
            "clock": self.clock,
            **changes,
        }
        lease = parts.pop("lease_s", 60.0)
        return Answering(
            parts.pop("mailbox", self.mailbox), Dependencies(**parts), worker, lease
        )

    def posting(self, platform: Platform = Platform.SLACK) -> Posting:
        return Posting(self.mailbox, platform, self.wall, worker="p", lease_s=60.0)

    def event(self, text: str = QUESTION, **changes: Any) -> Incoming:
        """Anna asks in a channel, unless `changes` says something else.

        Each event is about something else, though most name the same message.
        """
        place = changes.get("place", HERE)
        number = next(self._events)
        return Incoming.model_validate(
            {
                "event": f"e{number}",
                "subject": f"s{number}",
                "platform": place.platform,
                "action": Action.ASK,
                "place": place,
                "person": ANNA,
                "text": text,
                "received": self.clock.now(),
                **changes,
            }
        )

    async def rings(self, text: str = QUESTION, **changes: Any) -> Accepted:
        """Something happens on the platform."""
        return await self._door.accept(self.event(text, **changes))

    async def works(self) -> None:
        """Everything that waits is answered and posted."""
        while await self.answering().next():
            pass
        while (
            await self.posting().next() or await self.posting(Platform.DISCORD).next()
        ):
            pass

    async def says(self, text: str = QUESTION, **changes: Any) -> list[Part]:
        """Something happens, and this is what becomes visible."""
        before = len(self.wall.shown)
        await self.rings(text, **changes)
        await self.works()
        return [part for _, part in self.wall.shown[before:]]

    async def hears(self, text: str = QUESTION, **changes: Any) -> str:
        """Something happens, and this is the one message that becomes visible."""
        [part] = await self.says(text, **changes)
        return str(part.payload["text"])

    async def bind(self, pack: str | None = "small", **changes: Any) -> None:
        """Bind the channel of HERE."""
        binding = Binding(platform=Platform.SLACK, tenant="T1", channel="C1", pack=pack)
        await self.mailbox.bind(binding.model_copy(update=changes))

    async def _show(self, outgoing: Outgoing) -> None:
        self.shown_now.append(outgoing)
