"""Whose turn it is to write to an index on a Weaviate server, on any machine.

A server has no locks, and changes nothing on a condition. So who wants to write puts up
a claim, an object of its own in the tenant of the claims, and looks at all of them
after that. Who sees no other may write. Two that see each other both wait, and the one
that came first goes first. A claim is put up anew all the while; one that was not for
LEASE_S is that of a writer that was stopped, and counts no more. Who could not put its
own up for LOST_S has lost its turn and changes nothing. Ages are by the server's clock
alone.
"""

import asyncio
import json
import os
import platform
import random
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

from weaviate.classes.data import DataObject
from weaviate.classes.query import Filter, MetadataQuery

from adapters.index.weaviate_objects import Properties
from adapters.index.weaviate_shelf import Shelf
from engine.model.errors import IndexAway, IndexFailed

WRITERS = "writers"  # no tenant of ours is called so on the server
LEASE_S = 12.0
LOST_S = LEASE_S / 2
_ANEW_S = LEASE_S / 6
_PAUSES_S = (0.02, 0.2)  # between two looks of one that waits
_MOST = 1_000  # claims


class Overtaken(IndexAway):
    """Another writer may have had the turn meanwhile; nothing was shown."""


@dataclass(frozen=True, slots=True)
class Claim:
    """That somebody wants to write, or does.

    Attributes:
        since: when that began, in seconds since 1970 by its own clock.
        works: whether it saw no other, and writes.
        who: its process, for people.
    """

    since: float
    works: bool
    who: str


class Turn:
    """One writer's turn, while it lasts."""

    def __init__(self, claims: "Turns", claim: Claim, last: datetime) -> None:
        self._claims = claims
        self._claim = claim
        self._last = last
        self._lost = False
        self._heard = time.monotonic()
        self._one = asyncio.Lock()
        self._over = asyncio.Event()

    async def check(self) -> None:
        """As `confirm`, without a call where the last one is not long ago."""
        if self._lost or time.monotonic() - self._heard > LOST_S:
            await self.confirm()

    async def confirm(self) -> None:
        """Prove that nobody else had the turn since it was taken.

        Raises:
            Overtaken: that cannot be proved.
            IndexFailed: the server does not answer.
        """
        async with self._one:
            asked = time.monotonic()
            now, others = await self._claims.look(self._claim)
            late = now - self._last > timedelta(seconds=LOST_S)
            taken = any(claim.works for claim in others)
            self._lost = self._lost or late or taken
            self._last, self._heard = now, asked
        if self._lost:
            raise Overtaken(
                f"this process had no news of the server for {LOST_S:g} s while it "
                "wrote, so another one may have written meanwhile: try again"
            )

    async def keep(self) -> None:
        """Put the claim up anew until `end`."""
        while not self._over.is_set():
            with suppress(IndexFailed):
                await self.confirm()
            with suppress(TimeoutError):
                async with asyncio.timeout(_ANEW_S):
                    await self._over.wait()

    def end(self) -> None:
        """Put it up no more."""
        self._over.set()


class Turns:
    """Turns of one process at the index of a shelf."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._key = uuid4()
        self._listed: Shelf | None = None
        self._standing = False

    @asynccontextmanager
    async def taken(self) -> AsyncIterator[Turn]:
        """Wait until nobody else writes, and let nobody else write in the block.

        Raises:
            IndexAway: others write on and on.
            IndexFailed: the server does not answer.
        """
        keeping = None
        turn = None
        try:
            turn = await self._waited()
            keeping = asyncio.create_task(turn.keep())
            yield turn
        finally:
            if turn is not None and keeping is not None:
                turn.end()
                await keeping
            if self._standing:
                await self._leave()

    async def look(self, claim: Claim) -> tuple[datetime, list[Claim]]:
        """Put a claim up and look at all of them.

        Returns:
            The server's time of the first, and the claims of others that count.
        """
        place = await self._place()
        said: Properties = {"kind": "writer", "body": json.dumps(asdict(claim))}
        mine: list[DataObject[Properties, None]] = [DataObject(said, uuid=self._key)]
        patience = self._shelf.calls.server.patience
        done = await place.ask(
            WRITERS, "taking turns", lambda c: c.data.insert_many(mine), patience
        )
        if done.has_errors:
            why = next(iter(done.errors.values())).message
            raise self._shelf.calls.refused("taking turns", why)
        self._standing = True
        found = await place.ask(
            WRITERS,
            "taking turns",
            lambda c: c.query.fetch_objects(
                limit=_MOST,
                return_properties=["body"],
                return_metadata=MetadataQuery(last_update_time=True),
            ),
        )
        times = {
            one.uuid: put_up
            for one in found.objects
            if (put_up := one.metadata.last_update_time) is not None
        }
        now = times.pop(self._key, None)
        if now is None:
            raise Overtaken("the server lost what this process said: try again")
        young = now - timedelta(seconds=LEASE_S)
        dead = [key for key, put_up in times.items() if put_up <= young]
        if dead:
            await self._remove(dead)
        counting = times.keys() - set(dead)
        return now, [
            _claim(str(one.properties["body"]))
            for one in found.objects
            if one.uuid in counting
        ]

    async def _waited(self) -> Turn:
        """The turn, when nobody else has it."""
        loop = asyncio.get_running_loop()
        who = f"process {os.getpid()} on {platform.node()}"
        mine = Claim(time.time(), works=False, who=who)
        end = loop.time() + self._shelf.calls.server.patience
        while True:
            now, others = await self.look(mine)
            if not others:
                return Turn(self, Claim(mine.since, works=True, who=who), now)
            if loop.time() >= end:
                raise _taken(others)
            waiting = [claim.since for claim in others if not claim.works]
            if waiting and min(waiting) <= mine.since:
                await self._leave()
            await asyncio.sleep(random.uniform(*_PAUSES_S))

    async def _leave(self) -> None:
        """Let others have their turn; where that fails, they wait LEASE_S."""
        with suppress(IndexFailed):
            await self._remove([self._key])
        self._standing = False

    async def _remove(self, keys: list[UUID]) -> None:
        place = await self._place()
        where = Filter.by_id().contains_any(keys)
        await place.ask(WRITERS, "taking turns", lambda c: c.data.delete_many(where))

    async def _place(self) -> Shelf:
        """The claims of the collection that is written to."""
        collection = await self._shelf.needed()
        if self._listed is None or await self._listed.needed() != collection:
            self._listed = self._shelf.as_listed()
        await self._listed.add(WRITERS)
        return self._listed


def _claim(body: str) -> Claim:
    """What somebody put up.

    Raises:
        IndexFailed: it cannot be read.
    """
    try:
        said = json.loads(body)
        return Claim(float(said["since"]), bool(said["works"]), str(said["who"]))
    except (KeyError, TypeError, ValueError) as error:
        raise IndexFailed(
            "the claim of another writer cannot be read: see that all run the same "
            "version of this program"
        ) from error


def _taken(others: list[Claim]) -> IndexAway:
    first = min(others, key=lambda claim: (not claim.works, claim.since))
    since = datetime.fromtimestamp(first.since, UTC)
    return IndexAway(
        f"another writer ({first.who}) writes to the same index since "
        f"{since:%H:%M:%S} UTC, and nothing was changed here: try again when it is "
        f"done; one that was killed is waited for no longer than {LEASE_S:g} s"
    )
