"""Decide what to do about a message.

`Conversation.hear` turns one event into a step; bot/delivery.py does the step and
commits it. A step words nothing for a platform and asks no engine. bot/routing.py says
which pack answers, and how much may be asked; messages/replies.py handles buttons.

What was asked in private stays there: a public question never leans on it, and it makes
no thread the bot's.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol
from uuid import NAMESPACE_URL, uuid5

from adapters.ledger.mail_records import Claimed, PostedReply, Thread
from adapters.ledger.mailbox import Mailbox
from adapters.mail import (
    PRESSED_QUESTIONS,
    Action,
    Incoming,
    Place,
)
from bot.messages import wording
from bot.messages.administration import Administration
from bot.messages.recollection import Recollection
from bot.messages.replies import Replies
from bot.messages.wording import spoken
from bot.routing import (
    Ask,
    Ignore,
    Library,
    Limits,
    Remove,
    Route,
    Router,
    Rules,
    Say,
    Step,
    Wait,
)
from engine.model.ports import Clock, Observer
from engine.model.question import Question
from engine.model.record import Record
from engine.parse.context import join_context
from engine.pipeline.choices import apply_choice
from engine.search.selection import LONGEST
from engine.text.patterns import take_from_below
from engine.text.talk import Talk, classify_talk, reads_as_question


class Files(Protocol):
    """Reads the file that came with a question."""

    async def read(self, incoming: Incoming) -> str | None:
        """Read its text; None where there is not one that can be read."""
        ...


MOMENT_S = 1.0  # until a reply that is being posted is visible


class _Before(NamedTuple):
    """The question before; None where there is none, or it was forgotten.

    `title` is that of the document that answered it, empty where none did.
    """

    question: str | None = None
    title: str = ""


class Conversation:
    """Decides what an event asks for.

    Args:
        mailbox: what is known of channels, threads and replies.
        library: the packs.
        router: knows which pack answers where.
        recollection: what was answered before.
        administration: handles what is no matter of a pack's.
        rules: what the settings say.
        clock: tells the time.
        observer: counts refusals whose offers were not meant.
        files: reads what comes with a question; without it nothing is read.
    """

    def __init__(  # noqa: PLR0913 (the seams of one room, named at the one call)
        self,
        mailbox: Mailbox,
        library: Library,
        router: Router,
        *,
        recollection: Recollection,
        administration: Administration,
        rules: Rules,
        clock: Clock,
        observer: Observer,
        files: Files | None = None,
    ) -> None:
        self._mailbox = mailbox
        self._recollection = recollection
        self._rules = rules
        self._library = library
        self._router = router
        self._files = files
        self._limits = Limits(mailbox, rules, clock)
        self._replies = Replies(
            mailbox, recollection, self._router, self._limits, observer
        )
        order, press = administration.hear, self._replies.hear
        self._ways: Mapping[Action, Callable[[Claimed], Awaitable[Step]]] = {
            Action.ASK: self._ask,
            Action.EDITED: self._ask_edited,
            Action.DELETED: self._remove,
            Action.STOP: self._stop,
            Action.MORE: press,
            Action.SOURCES: press,
            Action.WHY: press,
            Action.ASK_AGAIN: self._ask_again,
            Action.CHOOSE: self._choose,
            Action.NONE_OF_THESE: press,
            Action.TELL_ME: press,
            Action.HELPFUL: press,
            Action.NOT_HELPFUL: press,
            Action.ASK_PERSON: press,
            Action.BIND: order,
            Action.PAUSE: order,
            Action.RESUME: order,
            Action.MY_DATA: order,
            Action.FORGET: order,
        }

    async def hear(self, claimed: Claimed) -> Step:
        """Decide what to do about an event.

        Raises:
            LedgerFailed: the database did not say what is known.
        """
        return await self._ways[claimed.incoming.action](claimed)

    # --- questions --------------------------------------------------------------------

    async def _ask(self, claimed: Claimed) -> Step:
        """Ask a question; ignore what was said to others, and what was deleted."""
        incoming = claimed.incoming
        if await self._mailbox.taken_away(incoming.place):
            return Ignore(incoming)
        ours = _is_for_us(incoming)
        if not incoming.addressed:
            ours = ours and await self._mailbox.owns(incoming.place)
        return await self._ask_here(claimed) if ours else Ignore(incoming)

    async def _ask_here(
        self, claimed: Claimed, *, again: bool = False
    ) -> Say | Ask | Ignore:
        """Ask it in its place; `again`: in place of an earlier answer."""
        route = await self._router.route_question(claimed)
        incoming = claimed.incoming
        kind = classify_talk(incoming.text, files=incoming.files)
        if isinstance(route, Say):
            notice = route
        elif kind is None:
            return await self._make_step(claimed, route, incoming.text, again=again)
        else:
            notice = self._talk(route, kind)
        if again or await self._limits.of_others(claimed) is None:
            return notice
        return Ignore(incoming)

    def _talk(self, route: Route, kind: Talk) -> Say:
        """Answer talk in the pack's words, with questions that it can answer."""
        first = self._library.first_questions(route.pack.id)
        return self._router.word(route, spoken(route.pack, kind, first))

    async def _ask_again(self, claimed: Claimed) -> Step:
        """Ask the question of a refusal, for the sources' own words."""
        route = await self._router.route_question(claimed)
        if isinstance(route, Say):
            return route
        record = await self._replies.record(claimed, route)
        if isinstance(record, Say):
            return record
        text = _find_meant(record)
        if text is None:
            return Say(claimed.incoming, wording.NOT_KNOWN, aside=True)
        return await self._make_step(claimed, route, text)

    async def _choose(self, claimed: Claimed) -> Step:
        """Ask what a refusal offered, as the one who pressed, with their rights."""
        route = await self._router.route_question(claimed)
        if isinstance(route, Say):
            return route
        record = await self._replies.record(claimed, route)
        if isinstance(record, Say):
            return record
        number = claimed.incoming.choice or 0
        if not 0 < number <= len(record.choices):
            return Say(claimed.incoming, wording.NOT_KNOWN, aside=True)
        choice = record.choices[number - 1]
        step = await self._make_step(claimed, route, choice.label)
        if not isinstance(step, Ask):
            return step
        changed = apply_choice(choice, record.intent) | {
            "chosen_from": record.audit_id,
            "previous": record.question or None,
        }
        return replace(step, question=step.question.model_copy(update=changed))

    async def _ask_edited(self, claimed: Claimed) -> Step:
        """Answer an edited question in the place of its answer.

        It is a new question where there is no answer yet. An answer makes way for a
        notice too, and goes where nothing is asked any more.
        """
        incoming = claimed.incoming
        posted = await self._find_replies(claimed)
        if isinstance(posted, Wait):
            return posted
        if await self._mailbox.taken_away(incoming.place):
            return Ignore(incoming)
        if not posted:
            return await self._ask(claimed)
        messages = tuple(post.message for post in posted)
        if not _is_for_us(incoming):
            return Remove(incoming, messages)
        step = await self._ask_here(claimed, again=True)
        return step if isinstance(step, Ignore) else replace(step, replaces=messages)

    async def _stop(self, claimed: Claimed) -> Step:
        """Ignore it: whoever answers in that thread has seen it (bot/delivery.py)."""
        return Ignore(claimed.incoming)

    async def _remove(self, claimed: Claimed) -> Step:
        posted = await self._find_replies(claimed)
        if isinstance(posted, Wait):
            return posted
        incoming = claimed.incoming
        thread = incoming.place.thread or incoming.about
        place = incoming.place.model_copy(update={"thread": thread})
        await self._mailbox.leave(place)
        return Remove(incoming, tuple(post.message for post in posted))

    async def _find_replies(self, claimed: Claimed) -> Sequence[PostedReply] | Wait:
        """Find the visible replies to the message that an event is about."""
        incoming = claimed.incoming
        place, message = incoming.place, incoming.about
        if message is None:
            return ()
        deleted = incoming.action is Action.DELETED
        if await self._mailbox.hold_back(place, message, deleted=deleted):
            return Wait(MOMENT_S)
        return await self._mailbox.posts_of(place, message)

    async def _make_step(
        self, claimed: Claimed, route: Route, text: str, *, again: bool = False
    ) -> Say | Ask | Ignore:
        """Make the step that asks, unless too much was asked."""
        incoming, pack = route.incoming, route.pack
        excess = await self._limits.of_questions(claimed)
        if excess is not None:
            due = excess.due or again
            return self._router.word(route, excess.notice) if due else Ignore(incoming)
        greeting = None
        if await self._mailbox.greet(claimed.model_copy(update={"incoming": incoming})):
            kept = wording.kept(self._rules.retention_days, incoming.place.platform)
            greeting = f"{pack.wording.first_use} {kept}"
        selected, read = await self._read_file(route)
        # What is stored of it is what is read of it, so that both can be forgotten.
        selection = (selected or "")[:LONGEST].strip() or None
        greeting = " ".join(filter(None, (read, greeting))) or None
        question = await self._make_question(claimed, route, text)
        return Ask(
            incoming,
            question.model_copy(update={"selection": selection}),
            pack,
            greeting=greeting,
            remember=_find_thread(incoming),
            people=bool(route.people),
        )

    async def _read_file(self, route: Route) -> tuple[str | None, str | None]:
        """Return the text that is asked about, and a remark on the file beside it.

        What was selected or forwarded is what is asked about.
        """
        incoming = route.incoming
        selected = incoming.selection
        if not incoming.files:
            return selected, None
        if self._files is None or not route.pack.answer.files or selected is not None:
            return selected, wording.FILE_LEFT
        text = await self._files.read(incoming)
        return text, wording.FILE_UNREAD if text is None else wording.file_read(text)

    async def _make_question(
        self, claimed: Claimed, route: Route, text: str
    ) -> Question:
        incoming, place = route.incoming, route.incoming.place
        held = f"{claimed.asker}/{place.channel}/{place.thread}"
        before = await self._find_previous(claimed, route)
        return Question(
            id=uuid5(NAMESPACE_URL, f"{place.platform}:{incoming.event}").hex,
            session=uuid5(NAMESPACE_URL, held).hex,
            text=text,
            pack=route.pack.id,
            asker=claimed.asker,
            tenant=route.tenant,
            tags=route.tags,
            selection=incoming.selection,
            previous=before.question,
            about=before.title,
            verbatim=incoming.action is Action.ASK_AGAIN,
        )

    # --- what a question leans on -----------------------------------------------------

    async def _find_previous(self, claimed: Claimed, route: Route) -> _Before:
        """Find the question before: of the reply replied to, else of the thread.

        Of an edit it is the one before the question that was edited.
        """
        incoming, place = claimed.incoming, route.incoming.place
        if incoming.action in PRESSED_QUESTIONS:
            return _Before()  # asked as it was understood, or offered
        if incoming.action is Action.ASK and incoming.about is not None:
            post = await self._mailbox.post_of(
                place.platform, place.tenant, place.channel, incoming.about
            )
            if post is not None and post.audit_id is not None:
                open_to_us = _may_lean(claimed, place, post)
                if not open_to_us or post.pack != route.pack.id:
                    return _Before()
                return await self._recall(post.audit_id, route)
        thread = await self._mailbox.thread(place)
        if thread is None or thread.pack != route.pack.id:
            return _Before()
        if not _may_lean(claimed, place, thread):
            return _Before()
        if incoming.action is not Action.EDITED:
            if not thread.previous or thread.audit_id is None:
                return _Before(thread.previous or None)
            last = await self._recall(thread.audit_id, route)
            return last._replace(question=thread.previous) if last.question else last
        if thread.before is None or thread.message != incoming.about:
            return _Before()
        return await self._recall(thread.before, route)

    async def _recall(self, audit_id: str, route: Route) -> _Before:
        """Return a stored question as it was understood, with what answered it.

        Nothing of one that names a title to somebody who may see less.
        """
        record = await self._recollection.record(audit_id)
        question = _restore(record)
        may_see = {*record.tags} <= {*route.tags} and record.tenant == route.tenant
        titled = take_from_below(record.about, record.intent.text)
        if question is None or (titled and not may_see):
            return _Before()
        return _Before(question, _find_title(record) if may_see else "")


def _find_title(record: Record) -> str:
    """Return the title of the document that answered a stored question; empty for a
    refusal and for a selected text.
    """
    answered = record.sources and not (record.was_refusal or record.selection)
    return record.sources[0].title if answered else ""


def _may_lean(claimed: Claimed, place: Place, on: Thread | PostedReply) -> bool:
    """Tell whether a question may lean on another: on a private one only in private."""
    return not on.private or (place.private and on.asker == claimed.asker)


def _is_for_us(incoming: Incoming) -> bool:
    """Tell whether something is said to the bot; in its threads, by its form."""
    return incoming.addressed or reads_as_question(incoming.text)


def _restore(record: Record) -> str | None:
    """Return a stored question as it was understood; None where it was forgotten."""
    meant = _find_meant(record)
    asked = record.previous if record.chosen_from is not None else None
    return join_context(meant, asked) if meant else None


def _find_meant(record: Record) -> str | None:
    intent = record.intent
    return (intent.text if intent.follow_up else record.question) or None


def _find_thread(incoming: Incoming) -> Place | None:
    """Return the thread in which a question may lean on this one, or direct messages.

    None for what was asked in private beside a channel's messages: a command, a
    selection.
    """
    place = incoming.place
    if incoming.action is Action.ASK_AGAIN or (place.private and place.message is None):
        return None
    return place if place.thread is not None or place.private else None
