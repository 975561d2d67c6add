"""How Slack brings something to the bot: attempts, acknowledgements, repetition.

The courier is the same for Socket Mode and HTTP; only the road differs. Events are sent
again until one attempt is acknowledged; what a person pressed or typed is sent once.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, Protocol

from tests.loopback.slack_state import Json, Workspace
from tests.loopback.waiting import Changes

Kind = Literal["events_api", "slash_commands", "interactive"]


@dataclass(eq=False)
class Attempt:
    """One sending; `answer` is the payload that came with the acknowledgement.

    Times are monotonic seconds. `road` names the connection or URL; it stays None when
    there was none.
    """

    number: int
    envelope: str
    at: float
    reason: str
    road: str | None = None
    acknowledged: float | None = None
    answer: Json | None = None
    failed: str | None = None

    @property
    def latency(self) -> float | None:
        """Seconds from sending to the acknowledgement."""
        return None if self.acknowledged is None else self.acknowledged - self.at


@dataclass(eq=False)
class Delivery:
    """Everything that was done to bring one thing to the bot."""

    kind: Kind
    payload: Json
    changes: Changes
    attempts: list[Attempt] = field(default_factory=list)
    over: bool = False

    @property
    def event_id(self) -> str | None:
        """The id under which an event comes, however often."""
        event_id = self.payload.get("event_id")
        return event_id if isinstance(event_id, str) else None

    @property
    def acknowledgement(self) -> Attempt | None:
        """The first attempt that was acknowledged."""
        done = [a for a in self.attempts if a.acknowledged is not None]
        return min(done, key=lambda a: a.acknowledged or 0.0, default=None)

    async def acknowledged(self) -> Attempt:
        """Wait for the first acknowledgement.

        Raises:
            TimeoutError: none came in time.
        """
        return (
            await self.changes.until(
                lambda: self.acknowledgement, f"{self} acknowledged"
            )
            or self.attempts[-1]
        )

    async def finished(self) -> bool:
        """Wait until Slack tries no more; True when it was acknowledged.

        Raises:
            TimeoutError: Slack still tries.
        """
        await self.changes.until(lambda: self.over, lambda: f"{self} finished")
        return self.acknowledgement is not None

    def __str__(self) -> str:
        name = self.event_id or self.payload.get("type") or self.payload.get("command")
        tries = [(a.number, a.road, a.failed or a.latency) for a in self.attempts]
        return f"{self.kind} {name} {tries}"


class Road(Protocol):
    """A way to the bot."""

    async def carry(self, delivery: Delivery, attempt: Attempt) -> None:
        """Send once and wait for the answer, at most the time of an acknowledgement.

        Sets `acknowledged` and `answer`, or `failed` with Slack's word for the reason;
        "no_retry" ends the delivery.
        """


class Courier:
    """Brings things to the bot, each in a task of its own."""

    def __init__(
        self, workspace: Workspace, answered: Callable[[Delivery, Json], None]
    ) -> None:
        self.workspace = workspace
        self.road: Road | None = None
        self.deliveries: list[Delivery] = []
        self._answered = answered
        self._tasks: set[asyncio.Task[None]] = set()

    def send(self, kind: Kind, payload: Json) -> Delivery:
        """Begin a delivery and return at once."""
        delivery = Delivery(kind, payload, self.workspace.changes)
        self.deliveries.append(delivery)
        task = asyncio.get_running_loop().create_task(self._deliver(delivery))
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return delivery

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            self.workspace.problems.append(f"delivery broke: {task.exception()!r}")

    async def close(self) -> None:
        """Stop trying."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _deliver(self, delivery: Delivery) -> None:
        retries = self.workspace.timing.retries
        pauses = (0.0, *retries) if delivery.kind == "events_api" else (0.0,)
        for number, pause in enumerate(pauses):
            await asyncio.sleep(pause)
            if delivery.acknowledgement is not None:
                break  # it came late, after the last attempt was given up
            attempt = await self._attempt(delivery, number)
            if attempt.acknowledged is not None or attempt.failed == "no_retry":
                break
        delivery.over = True
        self.workspace.changed("delivered", event=delivery.event_id, told=str(delivery))

    async def _attempt(self, delivery: Delivery, number: int) -> Attempt:
        assert self.road is not None
        workspace = self.workspace
        reason = delivery.attempts[-1].failed or "" if delivery.attempts else ""
        envelope = workspace.number("env-")
        attempt = Attempt(number, envelope, workspace.now(), reason)
        delivery.attempts.append(attempt)
        await self.road.carry(delivery, attempt)
        workspace.changed(
            "attempt",
            event=delivery.event_id,
            number=number,
            latency=attempt.latency,
            failed=attempt.failed,
        )
        if attempt.answer:
            self._answered(delivery, attempt.answer)
        return attempt
