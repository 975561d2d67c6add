"""The error tree. Every error carries a stable `code` for logs and exit codes.

GroundruleError                 GROUNDRULE
├── UsageError                  USAGE           exit 2: the caller asked wrongly
│   └── PolicyError             POLICY          a pack is wrong: file, field, floor
├── DocumentError               DOCUMENT        exit 1: one is bad, the rest goes in
│   ├── DocumentTooLarge        TOO_LARGE
│   └── UnregisteredSource      UNREGISTERED
├── EnvironmentFailed           ENVIRONMENT     exit 4: index, database, disk, provider
│   ├── IndexFailed             INDEX
│   │   └── IndexAway           INDEX_AWAY
│   │       └── IndexUnread     INDEX_UNREAD
│   ├── LedgerFailed            LEDGER
│   │   ├── LedgerBusy          LEDGER_BUSY
│   │   ├── LedgerFull          LEDGER_FULL
│   │   └── LedgerTooNew        LEDGER_TOO_NEW
│   ├── EmbedderFailed          EMBEDDER
│   ├── ReaderFailed            READER
│   ├── FetchFailed             FETCH
│   └── ModelFailed             MODEL
├── BudgetExceeded              BUDGET          out of time, calls or money
├── Stopped                     STOPPED         a person wants no answer any more
└── VerificationFailed          VERIFICATION    exit 1: an answer does not check out
"""


class GroundruleError(Exception):
    """Base of all our errors; `code` is stable, the message is for people."""

    code = "GROUNDRULE"


class UsageError(GroundruleError):
    code = "USAGE"


class PolicyError(UsageError):
    """A pack, source register or calibration file is wrong.

    The message names the file, the field and, where a floor was passed, the floor.
    """

    code = "POLICY"

    def __init__(self, message: str, *, floor: bool = False) -> None:
        super().__init__(message)
        self.floor = floor


class DocumentError(GroundruleError):
    """One document cannot be ingested; the message names the file and the fix."""

    code = "DOCUMENT"


class DocumentTooLarge(DocumentError):
    code = "TOO_LARGE"


class UnregisteredSource(DocumentError):
    code = "UNREGISTERED"


class EnvironmentFailed(GroundruleError):
    """Something outside failed: index, database, disk, provider."""

    code = "ENVIRONMENT"


class IndexFailed(EnvironmentFailed):
    code = "INDEX"


class IndexAway(IndexFailed):
    """The index cannot be reached, is full or refuses us; its content is whole.

    `told` is the sentence for the asker.
    """

    code = "INDEX_AWAY"
    told = "The index's server did not answer."


class IndexFull(IndexAway):
    """The disk of the index is full; its content is whole."""

    told = "The disk of the index is full."


class IndexUnread(IndexAway):
    """This process has not read all of the index; the next question may be answered."""

    code = "INDEX_UNREAD"
    told = "The index is still being read: ask again in a moment."


class LedgerFailed(EnvironmentFailed):
    code = "LEDGER"


class LedgerBusy(LedgerFailed):
    """The ledger was locked by others for too long; its content is whole."""

    code = "LEDGER_BUSY"


class LedgerFull(LedgerFailed):
    code = "LEDGER_FULL"


class LedgerTooNew(LedgerFailed):
    code = "LEDGER_TOO_NEW"


class EmbedderFailed(EnvironmentFailed):
    code = "EMBEDDER"


class ReaderFailed(EnvironmentFailed):
    """A reader cannot be loaded, built or reached, or gave no score for a passage."""

    code = "READER"


class FetchFailed(EnvironmentFailed):
    """A place or page of a source could not be fetched; the message names it."""

    code = "FETCH"


class NotThere(FetchFailed):
    """A site says that the page does not exist for us: gone, moved or closed."""


class ModelFailed(EnvironmentFailed):
    code = "MODEL"


class BudgetExceeded(GroundruleError):
    code = "BUDGET"


class Stopped(GroundruleError):
    code = "STOPPED"


class VerificationFailed(GroundruleError):
    code = "VERIFICATION"
