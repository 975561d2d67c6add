"""Delete the events of sessions that the record no longer knows."""

from adapters import event_files
from bot.wiring import Application


async def clean_events(application: Application) -> int:
    """Take out the events of sessions that no record knows; return how many.

    The events are read first: what is written meanwhile belongs to later records.

    Raises:
        LedgerFailed: the ledger cannot be read.
        EnvironmentFailed: a file cannot be read or written.
    """
    named = event_files.read_sessions(application.data)
    if not named:
        return 0
    gone = named - await application.ledger.sessions()
    return event_files.blank_events(application.data, gone)
