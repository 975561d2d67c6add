"""The report of a verification: counts, the chain's head, and named failures."""

from enum import StrEnum

from engine.model.frozen import Frozen

MOST_FAILURES = 1_000  # listed; the rest are counted


class Fault(StrEnum):
    """The kinds of failure of a ledger."""

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
    GUARD_ADDED = "GUARD_ADDED"  # a trigger or rule that is not ours
    TABLE_ADDED = "TABLE_ADDED"  # a table, view or index that is not ours
    ROW_CHANGED = "ROW_CHANGED"  # a queried row differs from its entry
    ROW_MISSING = "ROW_MISSING"
    ROW_UNKNOWN = "ROW_UNKNOWN"  # a row without an entry
    PERSONAL_CHANGED = "PERSONAL_CHANGED"
    PERSONAL_MISSING = (
        "PERSONAL_MISSING"  # gone, and no entry says that it was forgotten
    )
    PERSONAL_LEFT = "PERSONAL_LEFT"  # forgotten, and still there
    # A text that does not hash to its version, or a description that is not the one
    # that the chain names.
    VERSION_CHANGED = "VERSION_CHANGED"
    VERSION_MISSING = "VERSION_MISSING"
    QUOTE_MISPLACED = "QUOTE_MISPLACED"  # not word for word at its offsets
    MEMBERSHIP_CHANGED = "MEMBERSHIP_CHANGED"  # its state, or its description in a pack


class Failure(Frozen):
    """One failure, with its entry, its answer and the detail."""

    fault: Fault
    sequence: int | None = None
    audit_id: str | None = None
    detail: str


class Report(Frozen):
    """The result of a verification; note `head` elsewhere to compare it later."""

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
        """Tell whether there was no failure."""
        return not self.failures


class Findings:
    """The counts and failures of a verification, with at most MOST_FAILURES listed."""

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
        """Make the report of everything found."""
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
