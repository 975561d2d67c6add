"""Mark posted answers that cite what is gone: each once, through the outbox.

The poster keeps to the platforms' limits and repeats what failed; what a kill left
undone is done by the next run, because mark and letter are one transaction.
"""

from collections.abc import Iterator, Sequence
from functools import partial

from adapters.ledger import recalls
from adapters.ledger.mail_outbox import Reply as Post
from adapters.ledger.mail_records import Claimed, Letter, PostedReply
from adapters.ledger.recalls import Affected
from adapters.mail import Action, Incoming, Place
from adapters.message import with_notice
from adapters.reply import Button, Reply, many
from bot.console import say
from bot.messages import wording
from bot.messages.recollection import Recollection
from bot.messages.standing import is_changeable, place_of
from bot.wiring import RENDERERS, Application
from engine.model.question import Scope
from engine.policy.pack import Pack


class Marking:
    """Finds and marks the answers of a pack.

    Args:
        application: the parts of the process.
        pack: whose answers.
    """

    def __init__(self, application: Application, pack: Pack) -> None:
        self._transactions = application.ledger.transactions
        self._clock = application.clock
        self._recollection = Recollection(application.ledger, application.clock)
        self._pack = pack

    async def find_affected(self, document: str | None = None) -> Sequence[Affected]:
        """Find answers that cite what is gone, oldest first; of one document or all.

        Raises:
            LedgerFailed: the ledger cannot be read.
        """
        return await self._transactions.read(
            lambda c: recalls.find_affected(c, self._pack.id, document)
        )

    async def mark(self, one: Affected) -> bool:
        """Mark a visible answer; False where it is marked, or is visible nowhere.

        Raises:
            LedgerFailed: it was not marked; another run will.
        """
        posts = list_changeable(one)
        if one.marked is not None or not posts:
            return False
        reply = await self._rebuild(one)
        letters = [*self._make_letters(one, posts, reply)]
        now = self._clock.now()
        marking = partial(recalls.mark, replies=letters, now=now)
        return await self._transactions.append(lambda c: marking(c, one.audit_id))

    async def _rebuild(self, one: Affected) -> Reply:
        """Rebuild the answer with a notice on top and a button to ask again."""
        stored = one.stored
        scope = Scope(pack=self._pack.id, tenant=stored.tenant, tags=stored.tags)
        reply = await self._recollection.reply(stored.record, self._pack, scope)
        latest = max(one.gone, key=lambda gone: gone.changed)
        text = wording.recalled(latest.state, latest.changed[:10])
        buttons = [b for b in reply.buttons if b.action != "ask_again"]
        if stored.record.question:
            buttons.append(Button(action="ask_again", label=wording.ASK_AGAIN))
        reply = reply.model_copy(update={"buttons": tuple(buttons)})
        return with_notice(reply, text, "notice")

    def _make_letters(
        self, one: Affected, posts: Sequence[PostedReply], reply: Reply
    ) -> Iterator[Post]:
        """Make a letter for each place in which the answer is visible."""
        by_place: dict[Place, list[PostedReply]] = {}
        for post in posts:
            by_place.setdefault(place_of(post), []).append(post)
        for number, (place, here) in enumerate(by_place.items()):
            first = here[0]
            asked = place.model_copy(update={"message": first.question})
            incoming = Incoming(
                event=f"recall:{one.audit_id}:{number}",
                platform=place.platform,
                action=Action.ASK,
                place=asked,
                person="",
                text=one.stored.record.question,
                received=self._clock.now(),
            )
            messages = [post.message for post in here]
            parts = RENDERERS[place.platform].edited(reply, incoming, messages)
            claimed = Claimed(
                incoming=incoming, asker=first.asker, worker="", attempts=1
            )
            letter = Letter(place=asked, parts=parts)
            yield Post(claimed, letter, callback=False, about=first)


def list_changeable(one: Affected) -> Sequence[PostedReply]:
    """List the messages of an answer that can be changed."""
    return [post for post in one.posts if is_changeable(place_of(post), post.message)]


# --- told after documents went ---------------------------------------------------


async def say_recalled(
    application: Application, pack: Pack, document: str | None = None
) -> None:
    """Say how many visible answers are not marked yet, if any.

    Raises:
        LedgerFailed: the ledger cannot be read.
    """
    found = await Marking(application, pack).find_affected(document)
    waiting = [one for one in found if one.marked is None and list_changeable(one)]
    if waiting:
        say(
            f"{many(len(waiting), 'posted answer')} cite what is gone: see "
            f"`recall show {pack.id}`, and `recall mark {pack.id}` says so on them"
        )
