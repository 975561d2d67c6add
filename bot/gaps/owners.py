"""Who owns a pack in a workspace or server, and what of its gap board they see.

An owner is named in the binding of a channel, or of every channel, by who runs the bot.
They see what was asked of that pack in their workspace with no access tags but those
that they hold there. It is looked up at every action, so it ends with the binding.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from adapters.gap_board import MOST_GAPS, BoardPanel, GapLine, NearLine, RestLine
from adapters.ledger.board import Board
from adapters.ledger.gaps import Gap, GapState
from adapters.mail import Incoming, Place
from adapters.reply import many
from bot.gaps.passages import Member, Page, members, pages
from bot.gaps.viewing import Line, View
from bot.wiring import Application
from engine.documents.records import Frozen
from engine.policy.pack import Pack


class Owner(Frozen):
    """Somebody who owns a pack in one tenant; the access tags held, by binding."""

    tenant: str
    held: tuple[frozenset[str], ...]

    def sees(self, gap: Gap) -> bool:
        """Whether a gap may be shown."""
        tagged = any(gap.tags <= tags for tags in self.held)
        return gap.tenant == self.tenant and tagged


@dataclass(frozen=True, slots=True)
class Owned:
    """A pack that somebody owns, and its board as they see it."""

    pack: Pack
    view: View


@dataclass(frozen=True, slots=True)
class Opened:
    """A gap that an owner of its pack may see."""

    pack: Pack
    line: Line


class Owners:
    """Finds what somebody owns.

    Every method raises LedgerFailed where the database does not say.

    Args:
        application: bindings, packs, what may answer where, and the ledger.
    """

    def __init__(self, application: Application) -> None:
        self._application = application
        self._board = Board(application.ledger)

    async def of(
        self, place: Place, person: str, roles: Collection[str] = ()
    ) -> Sequence[Owned]:
        """The packs that somebody owns in the workspace or server of a place."""
        held: dict[str, list[frozenset[str]]] = {}
        offered = set(self._application.premises.offered(place))
        made = self._application
        for binding in await made.mailbox.bindings(place.platform):
            here = binding.tenant == place.tenant and person in binding.owners
            if not here or binding.pack is None or binding.pack not in offered:
                continue
            given = (binding.role_tags.get(role, frozenset()) for role in roles)
            held.setdefault(binding.pack, []).append(binding.tags.union(*given))
        return [
            Owned(
                made.pack(name),
                View(self._board, name, Owner(tenant=_tenant(place), held=tuple(tags))),
            )
            for name, tags in sorted(held.items())
        ]

    async def panel(
        self, place: Place, person: str, roles: Collection[str] = ()
    ) -> BoardPanel | None:
        """The newest open gaps of their packs; None for who owns none."""
        owned = await self.of(place, person, roles)
        if not owned:
            return None
        lines: list[tuple[str, GapLine]] = []
        number = 0
        for one in owned:
            some = await one.view.some((GapState.OPEN,), most=MOST_GAPS)
            number += some.of
            known = await self._members(one.pack, place)
            lines += [
                (line.newest, _line(one.pack, line, known)) for line in some.lines
            ]
        lines.sort(key=lambda pair: pair[0], reverse=True)
        kept = tuple(line for _, line in lines[:MOST_GAPS])
        rest = tuple(self._rest(one.pack) for one in owned)
        return BoardPanel(gaps=kept, more=number - len(kept), rest=rest)

    async def open(self, incoming: Incoming) -> Opened | None:
        """The gap that an event names; None where its person may not see one so named.

        A gap of others is as one that is not.
        """
        for owned in await self.of(incoming.place, incoming.person, incoming.roles):
            for gap in await owned.view.seen():
                if gap.id == incoming.gap:
                    shown = await owned.view.show(gap.id)
                    return Opened(owned.pack, shown.line)
        return None

    async def page(self, opened: Opened, incoming: Incoming) -> Page | None:
        """The page that a button names; None where it is gone or not for all askers."""
        known = await self._members(opened.pack, incoming.place)
        found = (p for p in pages(opened.line, known) if p.name == incoming.passage)
        return next(found, None)

    async def _members(self, pack: Pack, place: Place) -> Mapping[str, Member]:
        return await members(self._application.ledger, pack.id, _tenant(place))

    def _rest(self, pack: Pack) -> RestLine:
        """Where every gap of a pack stands, with all that can be done about it."""
        text = f"All questions of {pack.title}, and what else can be done"
        page = self._application.settings.admin_url
        if page is None:
            return RestLine(text=f"{text}: groundrule gaps list {pack.id}")
        address = str(page).rstrip("/")
        return RestLine(text=text, url=f"{address}/packs/{quote(pack.id)}/gaps")


def _tenant(place: Place) -> str:
    return f"{place.platform}:{place.tenant}"


def _line(pack: Pack, line: Line, known: Mapping[str, Member]) -> GapLine:
    """A gap in a few words, with the page that came nearest."""
    counted = f"{many(line.questions, 'question')}, the last on {line.newest}"
    page = next(pages(line, known), None)
    near = page and NearLine(name=page.name, title=page.title, url=page.near.url)
    told = f"{pack.title} · {counted}"
    return GapLine(gap=line.gap.id, text=line.text, counted=told, near=near)
