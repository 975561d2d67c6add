"""The workspaces that installed the app; see adapters/ledger/installations.py."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table, unless a restore left it standing."""
    op.create_table(
        "slack_installations",
        sa.Column("team", sa.String(32), nullable=False),
        sa.Column("enterprise", sa.String(32)),
        sa.Column("app", sa.String(32)),
        sa.Column("bot", sa.String(32), nullable=False),
        sa.Column("bot_user", sa.String(32), nullable=False),
        sa.Column("token", sa.Text(), nullable=False),
        sa.Column("scopes", sa.Text(), nullable=False),
        sa.Column("installed", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("team", name="pk_slack_installations"),
        if_not_exists=True,
    )


def downgrade() -> None:
    """Keep it: a restore goes this way, and no backup holds a token."""
