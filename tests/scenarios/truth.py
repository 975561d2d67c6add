"""What people see, held against what the bot has on record: event by event.

An outcome is seen once, with the words and the id of its audit record. A fixed text in
its place ("something failed") is counted, for the test to bound. What was edited, taken
away or forgotten need not be seen any more; nothing is ever seen twice. Slack shows one
person a reply without a trace to look for, so that one may be shown again (R-C3); that
is counted by itself.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from adapters.discord.listener import LATE
from adapters.ledger.history import Wanted
from adapters.ledger.schema import State
from adapters.ledger.store import SqlLedger
from adapters.mail import Action, Platform
from adapters.reply import inert
from bot.delivery import WITHHELD
from bot.messages import wording
from engine.conclude.fallback import AUDIT_FAILED_TEXT
from engine.model.record import Record
from tests.scenarios.stage import Heard, Seen, Shown, part

PARTS = 8  # more than any reply has
CHANGES = frozenset({Action.EDITED, Action.DELETED})
FAILURES = {
    "given up": wording.GIVEN_UP,
    "not recorded": AUDIT_FAILED_TEXT,
    "busy": wording.BUSY,
    "late": LATE,
    "not taken": "does not take it. Please ask again",
}


@dataclass
class Findings:
    """What was counted.

    Attributes:
        accepted: events, by platform.
        acts: events, by action.
        outcomes: on record and seen as recorded.
        exempt: outcomes that need not be seen any more.
        failures: fixed texts in place of an outcome.
        twice: seen more than once, by platform; `again` by one person alone on Slack.
        gone: questions that were taken away.
        wrong: what must not be.
    """

    accepted: Counter[Platform] = field(default_factory=Counter)
    acts: Counter[str] = field(default_factory=Counter)
    outcomes: int = 0
    exempt: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    twice: Counter[Platform] = field(default_factory=Counter)
    again: int = 0
    gone: int = 0
    wrong: list[str] = field(default_factory=list)

    def __iadd__(self, other: "Findings") -> "Findings":
        self.accepted += other.accepted
        self.acts += other.acts
        self.outcomes += other.outcomes
        self.exempt += other.exempt
        self.failures += other.failures
        self.twice += other.twice
        self.again += other.again
        self.gone += other.gone
        self.wrong += other.wrong
        return self


class Truth:
    """One life of a bot, looked at when all is done.

    Args:
        heard: every event in the order in which they came.
        seen: what people see.
        ledger: the audit records.
        before: how many of them are older than the first event.
    """

    def __init__(
        self, heard: Sequence[Heard], seen: Seen, ledger: SqlLedger, before: int = 0
    ) -> None:
        self._heard = heard
        self._before = before
        self._seen = seen
        self._ledger = ledger
        self._of_nonce: defaultdict[str, list[Shown]] = defaultdict(list)
        self._of_event: defaultdict[str, list[Shown]] = defaultdict(list)
        self._of_audit: defaultdict[str, list[Shown]] = defaultdict(list)
        for one in seen.messages:
            if one.nonce:
                self._of_nonce[one.nonce].append(one)
            if one.event and one.text != LATE:  # which is no end of anything
                self._of_event[one.event].append(one)
            if one.audit_id:
                self._of_audit[one.audit_id].append(one)
        self._changed = _last_changes(heard)
        self.found = Findings()

    async def told(self) -> Findings:
        """Everything that was found."""
        unseen = 0
        for event in self._heard:
            self.found.accepted[event.platform] += 1
            self.found.acts[event.action] += 1
            unseen += await self._judge(event)
        self._no_strangers()
        self.found.gone = len(self._seen.gone)
        for name, text in FAILURES.items():
            told = (text in one.text for one in self._seen.messages)
            self.found.failures[name] += sum(told)
        asides = [s for s in self._seen.messages if s.platform == "slack" and s.private]
        if unseen > sum(one.audit_id is None for one in asides):
            self._wrong(f"{unseen} asides on Slack, and fewer are seen")
        report = await self._ledger.verify_all()
        answered = sum(event.answered for event in self._heard)
        recorded = await self._ledger.count(Wanted()) - self._before
        if not report.ok:
            self._wrong(f"the ledger does not verify: {report.failures[:3]}")
        if recorded != answered:
            self._wrong(f"{recorded} records of {answered} outcomes")
        return self.found

    async def _judge(self, event: Heard) -> int:
        """Look at one event; 1 where only a nameless aside on Slack shows its end."""
        if len(event.replies) > 1 and event.action is not Action.FORGET:
            self._wrong(f"{event} has {len(event.replies)} replies")
        if not event.replies:
            if not (self._exempt(event) or event.action in CHANGES):
                self._wrong(f"{event} has no reply")
            return 0
        [reply] = event.replies[:1]
        if event.answered != (reply.audit_id is not None):
            self._wrong(f"{event} is answered without a record, or not with one")
        if reply.state is State.BURIED and not self._exempt(event):
            self._wrong(f"{event} was buried: {reply.why}")
        if reply.audit_id is not None:
            await self._outcome(event, reply.audit_id)
            return 0
        return self._aside(event)

    async def _outcome(self, event: Heard, audit_id: str) -> None:
        """Its outcome is seen, once and as it is on record."""
        seen = self._of_audit[audit_id]
        if len(seen) > 1:
            if all(one.private and one.platform == "slack" for one in seen):
                self.found.again += 1
            else:
                self.found.twice[event.platform] += 1
        record = await self._ledger.read(audit_id)
        for one in seen:
            if not _says(one.text, record):
                self._wrong(f"{event} is on record as {record.answer!r}, not {one}")
        if seen:
            self.found.outcomes += 1
        elif self._exempt(event):
            self.found.exempt += 1
        else:
            self._wrong(f"nobody sees the outcome {audit_id} of {event}")

    def _aside(self, event: Heard) -> int:
        """A fixed text, sources or a reason is seen, once."""
        first = part(event.platform, event.event, 0)
        seen = [*self._of_nonce[first], *self._of_event[event.event]]
        if len({one.id for one in seen}) > 1:
            self.found.twice[event.platform] += 1
        done = event.replies[0].state is State.DONE
        if seen or not done or event.action is Action.DELETED or self._exempt(event):
            return 0
        if event.platform is Platform.SLACK:
            return 1
        self._wrong(f"nobody sees what came of {event}")
        return 0

    def _exempt(self, event: Heard) -> bool:
        """Whether nobody need see it any more: forgotten, edited or taken away."""
        if event.forgotten:
            return True
        if event.message is None:
            return False
        asked = (event.platform, *event.message)
        changed = self._changed.get(asked)
        return changed not in (None, event.event) or asked in self._seen.gone

    def _no_strangers(self) -> None:
        """Every part that is seen belongs to an event; none is seen twice."""
        known = {
            part(event.platform, event.event, number)
            for event in self._heard
            for number in (*range(PARTS), WITHHELD)
        }
        for nonce, seen in self._of_nonce.items():
            if nonce not in known and seen[0].text not in FAILURES.values():
                self._wrong(f"nobody asked for {seen[0]}")
            if len(seen) > 1:
                self.found.twice[Platform(seen[0].platform)] += 1

    def _wrong(self, what: str) -> None:
        self.found.wrong.append(what)


def _last_changes(heard: Sequence[Heard]) -> Mapping[tuple[str, ...], str]:
    """The last edit or deletion of each message."""
    return {
        (event.platform, *event.message): event.event
        for event in heard
        if event.action in CHANGES and event.message is not None
    }


def _says(shown: str, record: Record) -> bool:
    """Whether a message says what is on record; what was forgotten is blank there.

    What stands behind "Show more" need not be seen.
    """
    said = _words(shown)
    return all(_words(line) in said for line in _to_be_seen(record))


def _to_be_seen(record: Record) -> list[str]:
    """The lines of an answer, or of what it opens with where there is more."""
    claims = [claim for section in record.sections for claim in section.claims]
    if not (record.answer and any(claim.more for claim in claims)):
        return record.answer.splitlines()
    texts = {
        (source.number, quote.start): quote.text
        for source in record.sources
        for quote in source.quotes
    }
    places = (place for claim in claims if not claim.more for place in claim.quotes)
    quoted = (texts[place.number, place.start] for place in places)
    return [line for text in quoted for line in text.splitlines()]


def _words(text: str) -> str:
    """A text without what a platform marks it up with, and without addresses."""
    return " ".join(
        re.findall(r"[^\W_]+", re.sub(r"https?://[^\s)]+", " ", inert(text)))
    )
