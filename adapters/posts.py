"""Messages converted to parts for the outbox, in the form of each platform.

`first` is the number of earlier parts of the same event, so that nonces differ. A
part's payload has the arguments of its call without the place, which the poster adds.
"""

from collections.abc import Sequence
from typing import Protocol

from adapters import message
from adapters.mail import Incoming, Method, Part, Payload, nonce
from adapters.message import Message
from adapters.reply import Reply, untold


class Writer(Protocol):
    """A platform's forms of messages and methods of delivery.

    Attributes:
        letters: the method that reaches one of the people of a channel.
    """

    @property
    def letters(self) -> Method: ...

    def method(self, incoming: Incoming) -> Method:
        """Choose the method of a reply to the place of the question."""
        ...

    def alone(self, incoming: Incoming) -> Method:
        """Choose the method that reaches the person alone."""
        ...

    def unseen(self, incoming: Incoming) -> bool:
        """Tell whether a reply repeats its question, because it is shown without it."""
        ...

    def replaces(self, method: Method, old: str) -> bool:
        """Tell whether a part of this method may replace a visible message."""
        ...

    def pages(self, shown: Message, incoming: Incoming) -> Sequence[Payload]:
        """Lay a message out on at least one page, dropping what does not fit."""
        ...

    def payload(self, page: Payload, method: Method, name: str) -> Payload:
        """Make the payload of a page for a call; `name` is the part's nonce."""
        ...

    def notifying(self, payload: Payload) -> Payload:
        """Make a payload notify the person that it replies to."""
        ...


class Posts:
    """The parts of all kinds of messages on a platform.

    Args:
        writer: the writer of the platform.
    """

    def __init__(self, writer: Writer) -> None:
        self._writer = writer

    def answer(
        self, reply: Reply, incoming: Incoming, first: int = 0, *, people: bool = True
    ) -> tuple[Part, ...]:
        """Make the parts of an outcome, in the place of the question.

        `people` says whether the channel has people to ask.
        """
        shown = self._make_whole(reply, incoming, people)
        return self._make_parts(shown, incoming, self._writer.method(incoming), first)

    def edited(
        self,
        reply: Reply,
        incoming: Incoming,
        posted: Sequence[str],
        *,
        people: bool = True,
    ) -> tuple[Part, ...]:
        """Make the parts that replace the messages of an earlier outcome.

        Surplus messages are deleted, missing ones posted. Where only the asker may see
        the reply, messages that all see are deleted.

        Args:
            reply: the outcome of the question as it is now.
            incoming: the edit.
            posted: ids of the messages to replace, oldest first.
            people: whether the channel has people to ask.
        """
        way = self._writer.method(incoming)
        pages = self._writer.pages(self._make_whole(reply, incoming, people), incoming)
        stay = [
            old if self._writer.replaces(way, old) else None
            for old in posted[: len(pages)]
        ]
        parts = []
        for number, page in enumerate(pages):
            old = stay[number] if number < len(stay) else None
            method = way if old is None else Method.UPDATE
            parts.append(self._make_part(page, incoming, method, number, old))
        left = [old for old in posted if old not in stay]
        return (*parts, *self.deleted(incoming, left, len(pages)))

    def deleted(
        self, incoming: Incoming, posted: Sequence[str], first: int = 0
    ) -> tuple[Part, ...]:
        """Make the parts that delete the messages of a deleted question."""
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
        """Make the parts of the rest of an answer, for the person alone."""
        return self._make_aside(message.rest(reply), incoming)

    def sources(self, reply: Reply, incoming: Incoming) -> tuple[Part, ...]:
        """Make the parts of the sources with their places, for the person alone."""
        return self._make_aside(message.sources(reply), incoming)

    def why(self, reply: Reply, incoming: Incoming) -> tuple[Part, ...]:
        """Make the parts that explain the decision, for the person alone."""
        return self._make_aside(message.why(reply), incoming)

    def notice(self, text: str, incoming: Incoming, first: int = 0) -> tuple[Part, ...]:
        """Make the parts of a fixed text (busy, paused), in the place of the event."""
        shown = message.fixed(text)
        return self._make_parts(shown, incoming, self._writer.method(incoming), first)

    def told(self, text: str, incoming: Incoming) -> tuple[Part, ...]:
        """Make the parts of a later message to a person, which notify them."""
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
        """Make the parts of a fixed text for the person alone, mentioning `people`."""
        return self._make_aside(message.fixed(text, people), incoming, first)

    def handover(
        self, reply: Reply, incoming: Incoming, question: str, first: int = 0
    ) -> tuple[Part, ...]:
        """Make the parts of a question with its evidence, for one of the people.

        Args:
            reply: the bot's reply.
            incoming: the press of "Ask a person"; its `reason` is the asker's note.
            question: the question as asked.
            first: see the module; letters to several people need different numbers.
        """
        shown = message.handover(reply, incoming, question)
        return self._make_parts(shown, incoming, self._writer.letters, first)

    # --- parts ------------------------------------------------------------------------

    def _make_whole(self, reply: Reply, incoming: Incoming, people: bool) -> Message:
        place = incoming.place
        if place.private and not place.direct:
            reply = untold(reply)
        question = incoming.text if self._writer.unseen(incoming) else ""
        return message.whole(reply, question, people=people)

    def _make_aside(
        self, shown: Message, incoming: Incoming, first: int = 0
    ) -> tuple[Part, ...]:
        return self._make_parts(shown, incoming, self._writer.alone(incoming), first)

    def _make_parts(
        self, shown: Message, incoming: Incoming, method: Method, first: int
    ) -> tuple[Part, ...]:
        pages = self._writer.pages(shown, incoming)
        return tuple(
            self._make_part(page, incoming, method, number)
            for number, page in enumerate(pages, first)
        )

    def _make_part(
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
