"""Alembic's entry: migrate on the connection that adapters/ledger/migrate.py gives."""

from alembic import context

from adapters.ledger.schema import metadata

context.configure(
    connection=context.config.attributes["connection"], target_metadata=metadata
)
with context.begin_transaction():
    context.run_migrations()
