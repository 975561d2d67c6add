"""The index on a Weaviate server put aside and brought back by the server itself.

    python -m scripts.weaviate_backup create NAME
    python -m scripts.weaviate_backup list
    python -m scripts.weaviate_backup restore NAME

The index can always be made from the ledger again (`python -m bot reindex`), so this
only saves the time that takes; the ledger's own backup is `python -m bot backup`. The
server keeps backups where BACKUP_FILESYSTEM_PATH says. Stop the bot before a restore
and run `python -m bot reindex` after it: what the ledger has since is then put in.
"""

import argparse
import sys

from weaviate import WeaviateClient
from weaviate.backup.backup import BackupListReturn, BackupStatus, BackupStorage

from adapters.index.weaviate_calls import Server
from config.settings import SettingsError, read
from engine.errors import GroundruleError, UsageError
from scripts.weaviate_roles import OURS, configured, connected

STORE = BackupStorage.FILESYSTEM


def create(server: Server, name: str) -> list[str]:
    """Put every collection of ours aside; their names.

    Raises:
        EnvironmentFailed: the server cannot be reached, or refuses.
    """
    with connected(server) as client:
        done = client.backup.create(
            backup_id=name,
            backend=STORE,
            include_collections=[OURS],
            wait_for_completion=True,
        )
    return done.collections


def backups(server: Server) -> list[BackupListReturn]:
    """What was put aside, the oldest first.

    Raises:
        EnvironmentFailed: the server cannot be reached, or refuses.
    """
    with connected(server) as client:
        return client.backup.list_backups(STORE, sort_by_starting_time_asc=True)


def restore(server: Server, name: str) -> list[str]:
    """Replace the collections that a backup holds by what it holds; their names.

    Raises:
        UsageError: there is no whole backup of that name.
        EnvironmentFailed: the server cannot be reached, or refuses.
    """
    with connected(server) as client:
        collections = _held(client, name)
        for collection in collections:
            client.collections.delete(collection)
        client.backup.restore(
            backup_id=name,
            backend=STORE,
            wait_for_completion=True,
            overwrite_alias=True,
        )
    return collections


def _held(client: WeaviateClient, name: str) -> list[str]:
    """The collections of a backup that is whole."""
    for backup in client.backup.list_backups(STORE):
        if backup.backup_id == name and backup.status is BackupStatus.SUCCESS:
            return backup.collections
    raise UsageError(f"there is no whole backup {name!r}: see `list`")


def run(command: str, name: str, server: Server) -> None:
    """Do what the command line asks, and say what was done.

    Raises:
        GroundruleError: it cannot be done.
    """
    if command == "list":
        for backup in backups(server):
            sys.stdout.write(
                f"{backup.backup_id}  {backup.status.value}  {backup.started_at}  "
                f"{len(backup.collections)} collections\n"
            )
        return
    done = {"create": create, "restore": restore}[command](server, name)
    sys.stdout.write(f"{command}: {name}, {', '.join(done) or 'no collections'}\n")


def main() -> None:
    """Run the command line and exit."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="what was put aside")
    for command in ("create", "restore"):
        one = commands.add_parser(command)
        one.add_argument("name", help="small letters, digits, - and _")
    options = parser.parse_args()
    try:
        run(options.command, getattr(options, "name", ""), configured(read()))
    except (GroundruleError, SettingsError) as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(2)


if __name__ == "__main__":
    main()
