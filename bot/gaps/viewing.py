"""The gap board as one person may see it: masked, without the askers."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Protocol

from adapters.ledger.gaps import Board, Gap, GapState, Member
from adapters.ledger.history import Stored
from adapters.ledger.mail_records import NONE_OF_THESE
from bot.gaps.collecting import hide_choice
from engine.model.errors import UsageError
from engine.model.frozen import Frozen
from engine.model.outcome import Nearest
from engine.policy.access import opens
from engine.text.masking import mask, preview

MOST_PAGES = 5  # that came near, of a gap
FORGOTTEN = "(the question's text was deleted)"


class Viewer(Frozen):
    """The access tags that a viewer holds, and their tenant; None for all.

    A question is shown to people with every tag that its asker held: its words may
    repeat what the asker was shown.
    """

    tags: frozenset[str] = frozenset()
    tenant: str | None = None

    def sees(self, gap: Gap) -> bool:
        """Tell whether a gap may be shown."""
        return gap.tags <= self.tags and self.tenant in (None, gap.tenant)


class Sees(Protocol):
    """A viewer of gaps."""

    def sees(self, gap: Gap) -> bool: ...


class Asked(Frozen):
    """One question of a gap, masked."""

    audit_id: str
    asked: str
    text: str
    refused: str | None
    said: str | None = None


class Line(Frozen):
    """One gap on the board; `near` are the pages that came nearest, best first."""

    gap: Gap
    questions: int
    known: int
    newest: str
    text: str
    reasons: Mapping[str, int]
    near: tuple[Nearest, ...] = ()


class Some(Frozen):
    """A stretch of the board: so many gaps there are, so many open ones hidden."""

    lines: tuple[Line, ...]
    of: int
    hidden: int


class Shown(Frozen):
    """One gap with its questions and the pages that came nearest."""

    line: Line
    asked: tuple[Asked, ...]

    @property
    def nearest(self) -> tuple[str, ...]:
        """The pages that came nearest, in words, best first."""
        return tuple(
            f"{page.title} > {page.section} ({page.relevance:.2f})"
            for page in self.line.near
        )


class View:
    """The board of one pack, for one viewer.

    Args:
        board: of the ledger.
        pack: its id.
        viewer: who looks.
    """

    def __init__(self, board: Board, pack: str, viewer: Sees) -> None:
        self._board = board
        self._pack = pack
        self._viewer = viewer

    async def lines(
        self, *states: GapState, most: int | None = None
    ) -> tuple[Line, ...]:
        """Return the gaps in these states, or in any; the one asked last first."""
        return (await self.some(states, most=most)).lines

    async def some(
        self,
        states: Collection[GapState] = (),
        at: int = 0,
        most: int | None = None,
        *,
        often: bool = False,
        holds: Callable[[str], bool] | None = None,
    ) -> Some:
        """Return `most` gaps in these states from a place on.

        The one asked last first, or the one asked most `often`; those alone whose
        newest question `holds` what is looked for. Else only ids are read of the gaps
        that are not shown, so that a long board is quick to page.
        """
        every = await self._board.gaps(self._pack)
        found = self._select(every, states)
        members = await self._board.members(found)
        found = sorted(
            found, key=lambda gap: _find_newest(members[gap.id]), reverse=True
        )
        if often:
            found.sort(key=lambda gap: -len(members[gap.id]))
        stretch = slice(at, None if most is None else at + most)
        chosen = found if holds else found[stretch]
        stored = await self._read_stored({gap.id: members[gap.id] for gap in chosen})
        shown = [_make_line(gap, members[gap.id], stored) for gap in chosen]
        if holds:
            shown = [line for line in shown if holds(line.text)]
            found = [line.gap for line in shown]
            shown = shown[stretch]
        lines = [await self._restrict(line) for line in shown]
        opened = [gap for gap in every if gap.state is GapState.OPEN]
        hidden = sum(not self._viewer.sees(gap) for gap in opened)
        return Some(lines=tuple(lines), of=len(found), hidden=hidden)

    def _select(self, gaps: Sequence[Gap], states: Collection[GapState]) -> list[Gap]:
        return [
            gap
            for gap in gaps
            if self._viewer.sees(gap) and (not states or gap.state in states)
        ]

    async def gap(self, name: str) -> Gap:
        """Find a gap by a beginning of its id.

        Raises:
            UsageError: none that may be seen has it, or more than one.
        """
        found = [
            gap
            for gap in await self._board.gaps(self._pack)
            if name and gap.id.startswith(name) and self._viewer.sees(gap)
        ]
        if len(found) != 1:
            many = "more than one gap begins" if found else "no gap that you may see is"
            raise UsageError(f"{many} with {name!r}: see `gaps list {self._pack}`")
        return found[0]

    async def show(self, name: str) -> Shown:
        """Return one gap with all that may be shown of it.

        Raises:
            UsageError: none that may be seen has it, or more than one.
        """
        gap = await self.gap(name)
        members = await self._board.members([gap])
        stored = await self._read_stored(members)
        asked = tuple(_make_asked(member, stored) for member in members[gap.id])
        line = await self._restrict(_make_line(gap, members[gap.id], stored))
        return Shown(line=line, asked=asked)

    async def _restrict(self, line: Line) -> Line:
        """Return a gap with the pages that all askers may see today, by their names.

        What was near and is gone, or was closed to them since, is not named.
        """
        if not line.near:
            return line
        known = await self._board.documents(self._pack, line.gap.tenant)
        near = tuple(
            page.model_copy(update={"title": known[page.document_id].title})
            for page in line.near
            if page.document_id in known
            and opens(known[page.document_id].tags, line.gap.tags)
        )
        return line.model_copy(update={"near": near[:MOST_PAGES]})

    async def _read_stored(
        self, members: Mapping[str, Sequence[Member]]
    ) -> Mapping[str, Stored]:
        ids = [member.audit_id for each in members.values() for member in each]
        return {one.audit_id: one for one in await self._board.stored(ids)}


def _find_newest(members: Sequence[Member]) -> int:
    """Return the place of the newest question of a gap in the chain."""
    return members[0].sequence if members else 0


def _make_line(
    gap: Gap, members: Sequence[Member], stored: Mapping[str, Stored]
) -> Line:
    asked = [_make_asked(member, stored) for member in members]
    known = [one for one in asked if one.text != FORGOTTEN]
    reasons: dict[str, int] = {}
    for one in asked:
        reason = one.said or one.refused or "not helpful"
        reasons[reason] = reasons.get(reason, 0) + 1
    return Line(
        gap=gap,
        questions=len(asked),
        known=len(known),
        newest=asked[0].asked if asked else gap.created[:10],
        text=known[0].text if known else FORGOTTEN,
        reasons=reasons,
        near=_find_nearest(
            [stored[m.audit_id] for m in members if m.audit_id in stored]
        ),
    )


def _find_nearest(found: Sequence[Stored]) -> tuple[Nearest, ...]:
    """Find the pages that came nearest to these questions, each once, best first."""
    pages = [page for one in found for page in one.record.nearest]
    best: dict[tuple[str, str], Nearest] = {}
    for page in sorted(pages, key=lambda page: -page.relevance):
        best.setdefault((page.document_id, page.section), page)
    return tuple(best.values())


def _make_asked(member: Member, stored: Mapping[str, Stored]) -> Asked:
    one = stored.get(member.audit_id)
    text = hide_choice(one.record) if one else ""
    said = None
    if member.unhelpful:
        plain = member.reason in (None, NONE_OF_THESE)
        said = member.reason if plain else f"not helpful: {mask(member.reason or '')}"
        said = said or "not helpful"
    return Asked(
        audit_id=member.audit_id,
        asked=member.created[:10],
        text=preview(text) if text else FORGOTTEN,
        refused=member.refused,
        said=said,
    )
