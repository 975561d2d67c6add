"""Close a gap when the gate opens for its questions, and not before."""

from collections.abc import Sequence

from adapters.ledger.gaps import Board, Gap, GapState, Member
from adapters.ledger.history import Stored
from adapters.ledger.mail_outbox import Reply
from adapters.ledger.mail_records import Claimed, Letter, PostedReply
from adapters.mail import Action, Incoming
from adapters.reply import many
from bot.console import say
from bot.gaps.collecting import collect
from bot.messages import wording
from bot.messages.standing import find_reply_place, place_of, within_reach
from bot.replay.run import Replay, question_of
from bot.wiring import RENDERERS, Application
from engine.model.answer import Answer
from engine.model.frozen import Frozen
from engine.model.gate import Closed
from engine.model.outcome import Outcome
from engine.policy.pack import Pack

NO_WORDS = "no question of it is known any more"
ANSWERED = "the gate opens for every question of it"


class Checked(Frozen):
    """The result for a gap: closed, with so many told; or open, and why."""

    gap: str
    closed: bool
    why: str
    told: int = 0


class Closing:
    """Tries the questions of gaps on the corpus of today.

    Args:
        application: the parts of the process.
        pack: whose gaps.
    """

    def __init__(self, application: Application, pack: Pack) -> None:
        self._board = Board(application.ledger)
        self._clock = application.clock
        self._replay = Replay(application, pack)
        self._pack = pack

    async def check_all(self) -> Sequence[Checked]:
        """Check every open gap of the pack; return what closed and what stays open.

        Raises:
            EnvironmentFailed: ledger, index or embedder failed.
        """
        found = await self._board.gaps(self._pack.id)
        return [await self.check(gap) for gap in found if gap.state is GapState.OPEN]

    async def check(self, gap: Gap) -> Checked:
        """Close a gap where the gate opens for every question of it that is known."""
        members = (await self._board.members([gap]))[gap.id]
        stored = await self._board.stored([member.audit_id for member in members])
        known = [one for one in stored if one.record.question]
        why = NO_WORDS if not known else None
        for one in known:
            why = why or await self._explain_lack(one)
        if why is not None:
            await self._board.explain(gap.id, why)
            return Checked(gap=gap.id, closed=False, why=why)
        tell = _select_asking(members)
        number = await self._board.close(gap.id, ANSWERED, tell, self._make_letter)
        return Checked(gap=gap.id, closed=True, why=ANSWERED, told=number or 0)

    async def _explain_lack(self, stored: Stored) -> str | None:
        """Say why a question is not answered today; None where it is.

        An answer that did not help has to be another one.
        """
        outcome = await self._replay.ask(question_of(stored))
        result = outcome.result
        if not isinstance(result, Answer):
            return _explain_refusal(outcome)
        if not stored.record.was_refusal and _list_cited(result) <= _list_cited_before(
            stored
        ):
            return "the answer rests on the same passages as the one that did not help"
        return None

    def _make_letter(self, posts: Sequence[PostedReply]) -> Reply | None:
        """Make a line in the thread of a reply; None where none of it can be
        reached.
        """
        here = [post for post in posts if within_reach(place_of(post))]
        if not here or not here[0].asker:
            return None
        post = here[0]
        place = find_reply_place(post)
        incoming = Incoming(
            event=f"gap:{post.audit_id}",
            platform=post.platform,
            action=Action.ASK,
            place=place,
            person="",
            received=self._clock.now(),
        )
        parts = RENDERERS[post.platform].told(wording.GAP_CLOSED, incoming)
        claimed = Claimed(incoming=incoming, asker=post.asker, worker="", attempts=1)
        return Reply(claimed, Letter(place=place, parts=parts), callback=False)


def _select_asking(members: Sequence[Member]) -> Sequence[str]:
    """Select those who asked to be told, or said that a reply did not help."""
    return [m.audit_id for m in members if m.wishes or m.unhelpful]


def _explain_refusal(outcome: Outcome) -> str:
    gate = outcome.gate
    if isinstance(gate, Closed):
        numbers = ", ".join(f"{n} {v:.2f}" for n, v in sorted(gate.numbers.items()))
        return f"the gate stays closed: {gate.reason}" + (numbers and f" ({numbers})")
    result = outcome.result
    reason = "" if isinstance(result, Answer) else result.reason
    return f"it is still refused: {reason}"


def _list_cited(answer: Answer) -> set[tuple[str, str, int]]:
    return {(c.document, c.version, c.start) for c in answer.citations}


def _list_cited_before(stored: Stored) -> set[tuple[str, str, int]]:
    return {(s.document_id, s.version, s.start) for s in stored.record.sources}


# --- after documents changed -----------------------------------------------------


async def check_gaps(application: Application, pack: Pack) -> None:
    """Close the gaps of a pack for which the gate opens now, and say how many.

    Raises:
        EnvironmentFailed: ledger, index or embedder failed.
    """
    await collect(application, pack)
    gaps = await Board(application.ledger).gaps(pack.id)
    if not any(gap.state is GapState.OPEN for gap in gaps):
        return
    checked = await Closing(application, pack).check_all()
    closed = [one for one in checked if one.closed]
    if closed:
        told = many(sum(one.told for one in closed), "asker")
        say(f"{many(len(closed), 'gap')} closed, {told} told; see `gaps list`")
