"""What a pack spent, put into the ledger as a delivery does."""

from datetime import date

from adapters.ledger import mail_places
from adapters.ledger.mailbox import Mailbox


async def spend(mailbox: Mailbox, day: date, pack: str, millionths: int) -> int:
    """Add to what a pack spent on a day; the sum, in millionths."""
    return await mailbox.transactions.write(
        lambda c: mail_places.spend(c, day, pack, millionths)
    )
