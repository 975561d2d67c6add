"""Which pack answers in a channel is bound to the chain; what stands is adopted."""

from contextlib import suppress
from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

from adapters.ledger import mail_bindings
from engine.model.errors import LedgerFailed

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Append an entry for each; a damaged chain is left as it is, for `verify`."""
    salt = sa.Column("salt", sa.String(32), nullable=False, server_default="")
    op.add_column("bindings", salt)
    with suppress(LedgerFailed):
        mail_bindings.adopt(op.get_bind(), datetime.now(UTC))


def downgrade() -> None:
    """Take the column down; entries of the chain stay."""
    op.drop_column("bindings", "salt")
