"""Messages as parts that the outbox keeps: one way to show things, for each platform.

`first` is how many parts of the same event stand before these, so that their nonces
differ. A part's payload holds the arguments of its call but for the place, which the
poster adds.
"""

from collections.abc import Sequence
from typing import Protocol

from adapters import message
from adapters.mail import Incoming, Method, Part, Payload, nonce
from adapters.message import Message
from adapters.reply import Reply, untold


class Writer(Protocol):
    """What a platform gives a message: its form, and the ways to whom it is for.

    Attributes:
        letters: how a letter reaches one of the people of a channel.
    """

    @property
    def letters(self) -> Method: ...

    def method(self, incoming: Incoming) -> Method:
        """The way of a reply to where something was asked."""
        ...

    def alone(self, incoming: Incoming) -> Method:
        """The way that reaches the person alone."""
        ...

    def unseen(self, incoming: Incoming) -> bool:
        """Whether a question is repeated, because the reply stands without it."""
        ...

    def replaces(self, method: Method, old: str) -> bool:
        """Whether what goes this way may stand in place of a visible message."""
        ...

    def pages(self, shown: Message, incoming: Incoming) -> Sequence[Payload]:
        """The messages that show it, one at least; what has no room gives way."""
        ...

    def payload(self, page: Payload, method: Method, name: str) -> Payload:
        """One of them as this call takes it; `name` is the part's nonce."""
        ...

    def notifying(self, payload: Payload) -> Payload:
        """A payload that notifies whoever it replies to."""
        ...


class Posts:
    """How a platform shows things.

    Args:
        writer: of the platform.
    """

    def __init__(self, writer: Writer) -> None:
        self._writer = writer

    def answer(
        self, reply: Reply, incoming: Incoming, first: int = 0, *, people: bool = True
    ) -> tuple[Part, ...]:
        """An outcome, answered or refused, where the question was asked.

        `people`: whether the channel has people to ask.
        """
        shown = self._whole(reply, incoming, people)
        return self._parts(shown, incoming, self._writer.method(incoming), first)

    def edited(
        self,
        reply: Reply,
        incoming: Incoming,
        posted: Sequence[str],
        *,
        people: bool = True,
    ) -> tuple[Part, ...]:
        """An outcome in place of the messages of the earlier one (R-U4).

        Surplus messages are deleted, missing ones posted. Where only the asker is to
        see the reply, what all see is deleted.

        Args:
            reply: the outcome of the question as it is now.
            incoming: the edit.
            posted: ids of the messages to replace, oldest first.
            people: whether the channel has people to ask.
        """
        way = self._writer.method(incoming)
        pages = self._writer.pages(self._whole(reply, incoming, people), incoming)
        stay = [
            old if self._writer.replaces(way, old) else None
            for old in posted[: len(pages)]
        ]
        parts = []
        for number, page in enumerate(pages):
            old = stay[number] if number < len(stay) else None
            method = way if old is None else Method.UPDATE
            parts.append(self._part(page, incoming, method, number, old))
        left = [old for old in posted if old not in stay]
        return (*parts, *self.deleted(incoming, left, len(pages)))

    def deleted(
        self, incoming: Incoming, posted: Sequence[str], first: int = 0
    ) -> tuple[Part, ...]:
        """Take the messages of a question away that was taken away (R-U4)."""
        return tuple(
            Part(
                nonce=nonce(incoming, number),
                method=Method.DELETE,
                payload={},
                message=old,
            )
            for number, old in enumerate(posted, first)
        )

    def more(self, reply: Reply, incoming: Incoming) -> tuple[Part, ...]:
        """The rest of an answer (R-A3), only for who asked for it."""
        return self._aside(message.rest(reply), incoming)

    def sources(self, reply: Reply, incoming: Incoming) -> tuple[Part, ...]:
        """The numbered sources with their places, only for who asked for them."""
        return self._aside(message.sources(reply), incoming)

    def why(self, reply: Reply, incoming: Incoming) -> tuple[Part, ...]:
        """How the decision came about (R-D5), only for who asked."""
        return self._aside(message.why(reply), incoming)

    def notice(self, text: str, incoming: Incoming, first: int = 0) -> tuple[Part, ...]:
        """A fixed text (busy, paused, first use) where the person asked."""
        shown = message.fixed(text)
        return self._parts(shown, incoming, self._writer.method(incoming), first)

    def told(self, text: str, incoming: Incoming) -> tuple[Part, ...]:
        """What somebody asked to be told later, which notifies them."""
        return tuple(
            part.model_copy(update={"payload": self._writer.notifying(part.payload)})
            for part in self.notice(text, incoming)
        )

    def whisper(
        self,
        text: str,
        incoming: Incoming,
        first: int = 0,
        people: Sequence[str] = (),
    ) -> tuple[Part, ...]:
        """A fixed text (thanks, my data) that only the person sees, naming `people`."""
        return self._aside(message.fixed(text, people), incoming, first)

    def handover(
        self, reply: Reply, incoming: Incoming, question: str, first: int = 0
    ) -> tuple[Part, ...]:
        """A question with its evidence, for one of the people of a channel.

        Args:
            reply: what the bot said.
            incoming: the press of "Ask a person"; its `reason` is the asker's note.
            question: as it was asked.
            first: see the module; letters to several people need numbers that differ.
        """
        shown = message.handover(reply, incoming, question)
        return self._parts(shown, incoming, self._writer.letters, first)

    # --- parts ------------------------------------------------------------------------

    def _whole(self, reply: Reply, incoming: Incoming, people: bool) -> Message:
        place = incoming.place
        if place.private and not place.direct:
            reply = untold(reply)
        question = incoming.text if self._writer.unseen(incoming) else ""
        return message.whole(reply, question, people=people)

    def _aside(
        self, shown: Message, incoming: Incoming, first: int = 0
    ) -> tuple[Part, ...]:
        return self._parts(shown, incoming, self._writer.alone(incoming), first)

    def _parts(
        self, shown: Message, incoming: Incoming, method: Method, first: int
    ) -> tuple[Part, ...]:
        pages = self._writer.pages(shown, incoming)
        return tuple(
            self._part(page, incoming, method, number)
            for number, page in enumerate(pages, first)
        )

    def _part(
        self,
        page: Payload,
        incoming: Incoming,
        method: Method,
        number: int,
        old: str | None = None,
    ) -> Part:
        name = nonce(incoming, number)
        payload = self._writer.payload(page, method, name)
        return Part(nonce=name, method=method, payload=payload, message=old)
