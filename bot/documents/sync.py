"""Fetch a source's documents into a folder, to be ingested: `sources sync`.

Nothing of a question comes here. What has not changed since is not fetched again, and a
run that was cut off goes on where it was. What a feed lists no more is kept until it is
asked to be withdrawn, and never where the list could not be had whole.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta

from adapters.fetching.records import Connector, Item, Known
from bot.documents.fetched import Fetched
from engine.model.errors import EnvironmentFailed, FetchFailed

LEAST_FREE = 500_000_000  # bytes of the disk that are left alone
CONFIRMED = timedelta(
    days=30
)  # for so long a copy counts as current without another fetch


@dataclass(frozen=True, slots=True)
class Wish:
    """What to do: `prune` takes away what is gone, `dry` only looks."""

    prune: bool = False
    dry: bool = False


@dataclass(slots=True)
class Fetching:
    """The result of fetching a feed, by the names of files."""

    new: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    closed: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


async def fetch(
    connector: Connector,
    fetched: Fetched,
    most: int,
    wish: Wish,
    step: Callable[[], None] = lambda: None,
) -> Fetching:
    """Bring a feed's folder up to date.

    Args:
        connector: lists and fetches.
        fetched: the folder.
        most: documents that the feed may have.
        wish: what to do.
        step: called for each document.

    Raises:
        FetchFailed: the list cannot be had whole, is empty or longer than meant; what
            was fetched before is left as it is.
        EnvironmentFailed: the disk is nearly full.
    """
    listed = await _list_items(connector, most)
    run = _Run(connector, fetched, wish, fetched.read_known())
    run.done.gone += [name for name in run.known if name not in listed]
    for item in listed.values():
        step()
        await run.take(item)
    if wish.prune and not wish.dry:
        run.prune()
    return run.done


async def _list_items(connector: Connector, most: int) -> Mapping[str, Item]:
    listed: dict[str, Item] = {}
    async for item in connector.items():
        if item.name in listed:
            raise FetchFailed(f"{item.url}: is listed twice")
        listed[item.name] = item
        if len(listed) > most:
            raise FetchFailed(
                f"{item.url}: the feed lists more than {most} documents; narrow it, or "
                "raise its `most`"
            )
    if not listed:
        raise FetchFailed("the feed lists no document, so nothing was changed")
    return listed


@dataclass(slots=True)
class _Run:
    """One pass over a feed; what is known is on record after every document."""

    connector: Connector
    fetched: Fetched
    wish: Wish
    known: dict[str, Known]
    done: Fetching = field(default_factory=Fetching)

    async def take(self, item: Item) -> None:
        """Take one document; note one that cannot be fetched, and go on."""
        before = self.known.get(item.name)
        if item.closed:
            self._drop_closed(item.name)
            return
        fresh = before if before and _is_fresh(before) else None
        if fresh and item.mark is not None and fresh.mark == item.mark:
            self.done.unchanged.append(item.name)
        elif self.wish.dry:
            (self.done.changed if before else self.done.new).append(item.name)
        else:
            await self._fetch(item, fresh, new=before is None)

    async def _fetch(self, item: Item, fresh: Known | None, *, new: bool) -> None:
        if self.fetched.count_free() < LEAST_FREE:
            raise EnvironmentFailed(
                f"less than {LEAST_FREE:,} bytes are left for {self.fetched.folder}"
            )
        try:
            page = await self.connector.fetch(item, fresh)
            if page.content is None:
                if fresh is None:
                    raise FetchFailed(f"{item.url}: sent nothing")
                known = replace(fresh, mark=item.mark)
                same = True
            else:
                known = Known(item.mark, page.etag, page.modified, _today().isoformat())
                same = not self.fetched.keep(item.name, page.content)
        except FetchFailed as error:
            self.done.failures.append(str(error))
            return
        self.known[item.name] = known
        self.fetched.note(self.known)
        came = self.done.new if new else self.done.changed
        (self.done.unchanged if same else came).append(item.name)

    def _drop_closed(self, name: str) -> None:
        """Take away what may not be had any more, whatever else is wished."""
        self.done.closed.append(name)
        if not self.wish.dry:
            self.fetched.drop(name)
            self.known.pop(name, None)
            self.fetched.note(self.known)

    def prune(self) -> None:
        """Take away the files of what is gone."""
        for name in self.done.gone:
            self.fetched.drop(name)
            del self.known[name]
        self.fetched.note(self.known)


def _today() -> date:
    return datetime.now(UTC).date()


def _is_fresh(known: Known) -> bool:
    """Tell whether a copy was fetched lately; an older one is fetched again.

    an older one is fetched again, dated today.
    """
    try:
        return _today() - date.fromisoformat(known.day) <= CONFIRMED
    except ValueError:
        return False
