"""What is said of documents is bound to the chain; what stands there is adopted."""

from contextlib import suppress
from datetime import UTC, datetime

from alembic import op

from adapters.ledger import descriptions
from engine.model.errors import LedgerFailed

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Append an entry for each; a damaged chain is left as it is, for `verify`."""
    with suppress(LedgerFailed):
        descriptions.adopt(op.get_bind(), datetime.now(UTC))


def downgrade() -> None:
    """Nothing: entries of the chain stay."""
