"""Who owns a pack in a workspace or server, and what of its gap board they see.

An owner is named in the binding of a channel, or of every channel, by who runs the bot.
They see what was asked of that pack in their workspace with no access tags but those
that they hold there. It is looked up at every action, so it ends with the binding.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from adapters.gap_board import MOST_GAPS, BoardPanel, GapLine, GapPanel
from adapters.ledger.board import Board
from adapters.ledger.gaps import Gap, GapState
from adapters.ledger.mailbox import Mailbox
from adapters.ledger.store import SqlLedger
from adapters.mail import Incoming, Place
from adapters.reply import many
from bot.gaps.viewing import Line, View
from bot.messages.premises import Premises
from bot.messages.steps import Library
from engine.documents.records import Frozen
from engine.policy.pack import Pack

MOST_ASKED = 5  # other questions of a gap


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

    owned: Owned
    gap: Gap


class Owners:
    """Finds what somebody owns.

    Every method raises LedgerFailed where the database does not say.

    Args:
        mailbox: knows the bindings.
        library: the packs.
        premises: which of them may answer where.
        ledger: whose gaps they are.
    """

    def __init__(
        self, mailbox: Mailbox, library: Library, premises: Premises, ledger: SqlLedger
    ) -> None:
        self._mailbox = mailbox
        self._library = library
        self._premises = premises
        self._board = Board(ledger)

    async def of(
        self, place: Place, person: str, roles: Collection[str] = ()
    ) -> Sequence[Owned]:
        """The packs that somebody owns in the workspace or server of a place."""
        held: dict[str, list[frozenset[str]]] = {}
        offered = set(self._premises.offered(place))
        for binding in await self._mailbox.bindings(place.platform):
            here = binding.tenant == place.tenant and person in binding.owners
            if not here or binding.pack is None or binding.pack not in offered:
                continue
            given = (binding.role_tags.get(role, frozenset()) for role in roles)
            held.setdefault(binding.pack, []).append(binding.tags.union(*given))
        tenant = f"{place.platform}:{place.tenant}"
        return [
            Owned(
                self._library.pack(name),
                View(self._board, name, Owner(tenant=tenant, held=tuple(tags))),
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
        lines: list[tuple[Pack, Line]] = []
        number = 0
        for one in owned:
            number += len(await one.view.seen(GapState.OPEN))
            shown = await one.view.lines(GapState.OPEN, most=MOST_GAPS)
            lines += [(one.pack, line) for line in shown]
        lines.sort(key=lambda pair: pair[1].newest, reverse=True)
        kept = tuple(gap_line(*pair) for pair in lines[:MOST_GAPS])
        return BoardPanel(gaps=kept, more=number - len(kept))

    async def open(self, incoming: Incoming) -> Opened | None:
        """The gap that an event names; None where its person may not see one so named.

        A gap of others is as one that is not.
        """
        for owned in await self.of(incoming.place, incoming.person, incoming.roles):
            for gap in await owned.view.seen():
                if gap.id == incoming.gap:
                    return Opened(owned, gap)
        return None


def gap_line(pack: Pack, line: Line) -> GapLine:
    """A gap in a few words."""
    reasons = ", ".join(
        f"{number} {reason.replace('_', ' ').lower()}"
        for reason, number in line.reasons.items()
    )
    counted = f"{many(line.questions, 'question')}, the last on {line.newest}"
    gap = line.gap
    why = f"Still open: {gap.why}." if gap.why else ""
    if gap.wanted:
        why = f"{why} A document was asked for on {gap.wanted[:10]}.".strip()
    told = f"{pack.title} · {counted} · {reasons}"
    return GapLine(gap=gap.id, pack=pack.title, text=line.text, counted=told, why=why)


async def gap_panel(opened: Opened) -> GapPanel:
    """One gap with its other questions and the pages that came nearest.

    Raises:
        UsageError: it is gone.
    """
    shown = await opened.owned.view.show(opened.gap.id)
    asked = dict.fromkeys(one.text for one in shown.asked)
    others = [text for text in asked if text != shown.line.text]
    return GapPanel(
        line=gap_line(opened.owned.pack, shown.line),
        asked=tuple(others[:MOST_ASKED]),
        near=shown.nearest,
    )
