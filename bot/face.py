"""How a platform shows things, as whoever delivers asks for it."""

from collections.abc import Collection, Sequence
from typing import Protocol

from adapters.mail import Incoming, Part
from adapters.reply import Reply


class Face(Protocol):
    """How a platform shows things: what adapters/slack/post.py, for one, offers."""

    def answer(
        self, reply: Reply, incoming: Incoming, first: int = 0, *, people: bool = True
    ) -> tuple[Part, ...]: ...

    def edited(
        self,
        reply: Reply,
        incoming: Incoming,
        posted: Sequence[str],
        *,
        people: bool = True,
    ) -> tuple[Part, ...]: ...

    def deleted(
        self, incoming: Incoming, posted: Sequence[str], first: int = 0
    ) -> tuple[Part, ...]: ...

    def more(self, reply: Reply, incoming: Incoming) -> tuple[Part, ...]: ...

    def sources(self, reply: Reply, incoming: Incoming) -> tuple[Part, ...]: ...

    def why(self, reply: Reply, incoming: Incoming) -> tuple[Part, ...]: ...

    def notice(
        self, text: str, incoming: Incoming, first: int = 0
    ) -> tuple[Part, ...]: ...

    def whisper(
        self,
        text: str,
        incoming: Incoming,
        first: int = 0,
        people: Collection[str] = (),
    ) -> tuple[Part, ...]: ...

    def handover(
        self, reply: Reply, incoming: Incoming, question: str, first: int = 0
    ) -> tuple[Part, ...]: ...

    def told(self, text: str, incoming: Incoming) -> tuple[Part, ...]: ...
