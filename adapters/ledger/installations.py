"""The workspaces that installed the app, with the bot's token in each.

The table is apart from the ledger's: no backup holds a token, and a restore, which
replaces everything else, leaves the installations as they are.
"""

from datetime import datetime
from typing import Annotated

from pydantic import Field
from sqlalchemy import Connection, delete, insert, select

from adapters.ledger.entries import format_instant
from adapters.ledger.schema import slack_installations
from adapters.ledger.transactions import Transactions
from engine.model.frozen import Frozen

Id = Annotated[str, Field(min_length=1, max_length=32)]


class Installation(Frozen):
    """The app as installed in one workspace.

    Attributes:
        team: the workspace.
        enterprise: the organisation that it belongs to.
        app: id of our app.
        bot: id of the bot, as messages name it.
        bot_user: id of the bot's user, as mentions name it.
        token: the bot's token; a secret.
        scopes: what the token may do.
        installed: when.
    """

    team: Id
    enterprise: Id | None = None
    app: Id | None = None
    bot: Id
    bot_user: Id
    token: Annotated[str, Field(min_length=1, repr=False)]
    scopes: tuple[str, ...] = ()
    installed: datetime


class Installations:
    """The store of installations.

    Every method raises LedgerFailed where the database fails.

    Args:
        transactions: those of the ledger in whose database the table is.
    """

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    async def save(self, installation: Installation) -> None:
        """Store an installation, in place of an earlier one of its workspace."""
        row = {
            **installation.model_dump(exclude={"scopes", "installed"}),
            "scopes": " ".join(installation.scopes),
            "installed": format_instant(installation.installed),
        }

        def replace(connection: Connection) -> None:
            _delete(connection, installation.team)
            connection.execute(insert(slack_installations), row)

        await self._transactions.write(replace)

    async def find(self, team: str) -> Installation | None:
        """Find the app in a workspace; return None where it is not installed."""
        table = slack_installations
        query = select(table).where(table.c.team == team)

        def read(connection: Connection) -> Installation | None:
            row = connection.execute(query).mappings().one_or_none()
            if row is None:
                return None
            scopes = tuple(str(row["scopes"]).split())
            return Installation.model_validate({**row, "scopes": scopes})

        return await self._transactions.read(read)

    async def delete(self, team: str) -> None:
        """Delete an installation, if there is one."""
        await self._transactions.write(lambda c: _delete(c, team))


def _delete(connection: Connection, team: str) -> None:
    table = slack_installations
    connection.execute(delete(table).where(table.c.team == team))
