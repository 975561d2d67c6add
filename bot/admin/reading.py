"""Read what the administrators' pages show one viewer."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from html import unescape

from adapters.inert import inert
from adapters.ledger.gaps import Board
from adapters.ledger.history import Stored, Wanted
from adapters.ledger.operations import Operations
from adapters.mail import Platform
from adapters.why import Why
from bot.admin.frame import SIZE, Look
from bot.admin.pages import REFUSED, UNHELPFUL, Excerpt, Reach, Source
from bot.documents.nearest import find_nearest
from bot.gaps.collecting import collect
from bot.gaps.viewing import Line, View, Viewer
from bot.health.state import Health, read_health
from bot.messages.recollection import Recollection
from bot.reports.page import render_page
from bot.reports.schedule import locate_page
from bot.reports.weekly import WEEK, Weekly, count_week
from bot.wiring import Application
from engine.model.document import Membership, VersionState
from engine.model.errors import UsageError
from engine.model.question import Scope
from engine.parse.dates import today_in
from engine.policy.access import opens
from engine.policy.pack import Pack

FRESH_S = 15.0  # health is told for so long before the next look
WEEKS = 12  # that are offered
MOST_PASSAGES = 3  # that are shown of a gap

Connections = Callable[[], Mapping[Platform, bool]]


class PageReader:
    """Reads from the record what pages show.

    Args:
        application: the parts of the process.
        tags: those that whoever looks holds.
        connections: whether platforms hear, where this process serves them.
    """

    def __init__(
        self,
        application: Application,
        tags: frozenset[str],
        connections: Connections = dict,
    ) -> None:
        self.application = application
        self.operations = Operations(application.ledger)
        self.lock = asyncio.Lock()  # what writes or takes long happens one at a time
        self._tags = tags
        self._connections = connections
        self._seen: tuple[float, Health] | None = None
        self._weeks: dict[str, tuple[float, Weekly]] = {}

    def open_board(self, pack: Pack) -> View:
        """Open the gap board of a pack."""
        board = Board(self.application.ledger)
        return View(board, pack.id, Viewer(tags=self._tags))

    async def collect(self, pack: Pack) -> None:
        """Put what is new onto the board."""
        async with self.lock:
            await collect(self.application, pack)

    async def read_health(self) -> Health:
        """Return the last look, or a new one where that is too old."""
        async with self.lock:
            now = asyncio.get_running_loop().time()
            if self._seen is None or now - self._seen[0] > FRESH_S:
                found = await read_health(self.application, self._connections())
                self._seen = (now, found)
            return self._seen[1]

    async def count_week(self, pack: Pack) -> Weekly:
        """Count the last seven days, today included; a recent count is kept."""
        async with self.lock:
            now = asyncio.get_running_loop().time()
            seen = self._weeks.get(pack.id)
            if seen is None or now - seen[0] > FRESH_S:
                await collect(self.application, pack)
                today = today_in(pack.time_zone, self.application.clock.now())
                week = await count_week(
                    self.application, pack, today + timedelta(days=1)
                )
                seen = self._weeks[pack.id] = (now, week)
            return seen[1]

    # --- gaps -------------------------------------------------------------------------

    async def find_passages(self, pack: Pack, line: Line) -> Sequence[Excerpt]:
        """Find the passages nearest to a gap, on the pages that may be seen."""
        corpus, found = self.application.corpus(pack), []
        members = await self.application.ledger.memberships(pack.id)
        current = {m.document: m for m in members if m.state is VersionState.CURRENT}
        near = [page for page in line.near if page.document_id in current]
        for page in near[:MOST_PASSAGES]:
            if not opens(current[page.document_id].tags, self._tags):
                continue
            passage = await find_nearest(
                corpus, current[page.document_id], line.text, page.section
            )
            if passage is not None:
                found.append(
                    Excerpt(
                        document=page.document_id,
                        section=page.section,
                        title=passage.title,
                        text=passage.chunk.text,
                    )
                )
        return found

    # --- outcomes ---------------------------------------------------------------------

    async def list_outcomes(
        self, pack: Pack, before: int | None, only: str = ""
    ) -> Reach:
        """Return a stretch of what was asked of a pack, the newest first.

        `only` may be "refused" or "unhelpful": what readers found not helpful.
        """
        if only == UNHELPFUL:
            ids = await self.operations.disliked(pack.id, SIZE)
            stored = {
                one.audit_id: one
                for one in await Board(self.application.ledger).stored(ids)
            }
            found = [stored[audit_id] for audit_id in ids if audit_id in stored]
            older = None
        else:
            wanted = Wanted(pack=pack.id)
            found = list(await self.operations.outcomes(wanted, before, SIZE))
            older = found[-1].sequence if len(found) == SIZE else None
        seen = [one for one in found if one.tags <= self._tags]
        shown = [one for one in seen if only != REFUSED or one.record.was_refusal]
        hidden = len(found) - len(seen)
        return Reach(shown=tuple(shown), hidden=hidden, before=older)

    async def read_outcome(self, pack: Pack, audit_id: str) -> Stored:
        """Return one outcome.

        Raises:
            UsageError: there is none that may be seen.
        """
        found = await Board(self.application.ledger).stored([audit_id])
        for one in found:
            if one.record.pack == pack.id and one.tags <= self._tags:
                return one
        raise UsageError("no outcome that you may see has this id")

    async def explain(
        self, pack: Pack, stored: Stored
    ) -> tuple[Why, Sequence[tuple[str, str]]]:
        """Explain how an outcome came about, with the passages that it cites."""
        scope = Scope(pack=pack.id, tenant=stored.tenant, tags=self._tags)
        known = Recollection(self.application.ledger, self.application.clock)
        reply = await known.reply(stored.record, pack, scope)
        return reply.why, [(each.title, each.section) for each in reply.sources]

    # --- sources ----------------------------------------------------------------------

    async def list_sources(
        self, pack: Pack, look: Look
    ) -> tuple[Sequence[Source], int]:
        """Return a page of the documents that may be seen, and how many there are."""
        members = await self.application.ledger.memberships(pack.id)
        held: dict[str, Membership] = {}
        for member in members:
            if member.state in (VersionState.CURRENT, VersionState.WITHDRAWN):
                known = held.get(member.document)
                if known is None or known.state is not VersionState.CURRENT:
                    held[member.document] = member
        seen = [
            m
            for m in held.values()
            if opens(m.tags, self._tags) and look.holds(m.title, m.document, m.source)
        ]
        seen.sort(key=lambda member: (member.title.casefold(), member.document))
        page = slice(look.first, look.first + SIZE)
        counted = seen if look.by == "cited" else seen[page]
        cited = await self.operations.cited(pack.id, [m.document for m in counted])
        if look.by == "cited":
            seen.sort(key=lambda member: -cited.get(member.document, 0))
        chosen = seen[page]
        shown = [
            await self._source(pack, each, cited.get(each.document, 0))
            for each in chosen
        ]
        return shown, len(seen)

    async def _source(self, pack: Pack, member: Membership, cited: int) -> Source:
        ledger, now = self.application.ledger, self.application.clock.now()
        held = await ledger.document(member.document, member.version, pack.id)
        then = held and (held.published or held.retrieved)
        source = pack.register().get(member.source)
        carried = await ledger.questions(pack.id, member.document, member.version)
        return Source(
            document=member.document,
            title=member.title,
            source=member.source,
            state=member.state.value,
            age=(today_in(pack.time_zone, now) - then).days if then else None,
            window=source.window_days if source else None,
            cited=cited,
            tags=frozenset(member.tags),
            questions=len(carried),
        )

    # --- reports ----------------------------------------------------------------------

    def list_weeks(self, pack: Pack) -> Sequence[date]:
        """Return the days before which a report ends, newest first, today counted."""
        today = today_in(pack.time_zone, self.application.clock.now())
        return [today + timedelta(days=1 - WEEK * n) for n in range(WEEKS)]

    async def render_report(self, pack: Pack, until: date) -> str:
        """Return the page of a week as it was posted, or else as counted now."""
        file = locate_page(self.application.data, pack.id, until)
        if file.is_file():
            text = file.read_text(encoding="utf-8")
            if not await self._names_hidden(pack, text):
                return text
        async with self.lock:
            await collect(self.application, pack)
            return render_page(await count_week(self.application, pack, until))

    async def _names_hidden(self, pack: Pack, text: str) -> bool:
        """Tell whether a kept page names a document that may no longer be seen."""
        members = await self.application.ledger.memberships(pack.id)
        hidden = [m for m in members if m.tags and not opens(m.tags, self._tags)]
        read = unescape(text)
        return any(inert(member.title) in read for member in hidden)
