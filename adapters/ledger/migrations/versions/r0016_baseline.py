"""The schema that migrations begin with; adapters/ledger/migrate.py creates it."""

revision = "0016"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Do nothing: a new ledger is created whole and stamped with the newest schema."""
