"""What a verification found: counts, the chain's head, and every failure by name."""

from enum import StrEnum

from engine.model.frozen import Frozen

MOST_FAILURES = 1_000  # listed; the rest are counted


class Fault(StrEnum):
    """The names of what can be wrong with a ledger."""

    ENTRY_CHANGED = (
        "ENTRY_CHANGED"  # its bytes, place or predecessor do not give its hash
    )
    ENTRY_MISSING = "ENTRY_MISSING"  # a gap in the sequence
    ENTRY_UNREADABLE = "ENTRY_UNREADABLE"
    TAIL_CUT = "TAIL_CUT"  # the chain ends before its head or its anchor
    HEAD_CHANGED = "HEAD_CHANGED"
    ANCHOR_CHANGED = "ANCHOR_CHANGED"
    ANCHOR_MISSING = "ANCHOR_MISSING"
    GUARD_MISSING = "GUARD_MISSING"  # a trigger that keeps a table append-only
    GUARD_ADDED = "GUARD_ADDED"  # a trigger or rule that is none of ours
    TABLE_ADDED = "TABLE_ADDED"  # a table, view or index that is none of ours
    ROW_CHANGED = "ROW_CHANGED"  # a queried row differs from its entry
    ROW_MISSING = "ROW_MISSING"
    ROW_UNKNOWN = "ROW_UNKNOWN"  # a row without an entry
    PERSONAL_CHANGED = "PERSONAL_CHANGED"
    PERSONAL_MISSING = (
        "PERSONAL_MISSING"  # gone, and no entry says that it was forgotten
    )
    PERSONAL_LEFT = "PERSONAL_LEFT"  # forgotten, and still there
    # A text that does not hash to its version, or what is said of it is not what the
    # chain says was written.
    VERSION_CHANGED = "VERSION_CHANGED"
    VERSION_MISSING = "VERSION_MISSING"
    QUOTE_MISPLACED = "QUOTE_MISPLACED"  # not word for word at its offsets
    MEMBERSHIP_CHANGED = "MEMBERSHIP_CHANGED"  # its state, or what is said in a pack


class Failure(Frozen):
    """One thing that is wrong: in which entry, of which answer, and what exactly."""

    fault: Fault
    sequence: int | None = None
    audit_id: str | None = None
    detail: str


class Report(Frozen):
    """A verification's result. `head` may be noted elsewhere, to compare later."""

    entries: int
    answers: int
    quotes: int
    versions: int
    forgotten: int
    head: str
    failures: tuple[Failure, ...] = ()
    more: int = 0

    @property
    def ok(self) -> bool:
        """Tell whether nothing was wrong."""
        return not self.failures


class Findings:
    """Collects what a verification counts and finds, up to a bound."""

    def __init__(self) -> None:
        self.entries = 0
        self.answers = 0
        self.quotes = 0
        self.versions = 0
        self.forgotten = 0
        self._failures: list[Failure] = []
        self._more = 0

    def add(
        self,
        fault: Fault,
        detail: str,
        sequence: int | None = None,
        audit_id: str | None = None,
    ) -> None:
        """Note a failure."""
        if len(self._failures) == MOST_FAILURES:
            self._more += 1
            return
        self._failures.append(
            Failure(fault=fault, sequence=sequence, audit_id=audit_id, detail=detail)
        )

    def report(self, head: str) -> Report:
        """Everything found."""
        return Report(
            entries=self.entries,
            answers=self.answers,
            quotes=self.quotes,
            versions=self.versions,
            forgotten=self.forgotten,
            head=head,
            failures=tuple(self._failures),
            more=self._more,
        )
