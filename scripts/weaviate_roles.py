"""Two roles for a Weaviate server with RBAC: who reads and who writes the index.

    python -m scripts.weaviate_roles --reader bot --ingester librarian

WEAVIATE_URL, GROUNDRULE_WEAVIATE_GRPC and GROUNDRULE_WEAVIATE_KEY name the server and a
user who may administer roles. A reader searches our collections and sees whether they
are as they should be; an ingester writes them too. Neither reaches any other collection
of the server, its users or its roles.
"""

import argparse
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from weaviate import WeaviateClient, connect_to_custom
from weaviate.classes.init import AdditionalConfig, Auth, Timeout
from weaviate.classes.rbac import Permissions, PermissionsInputType
from weaviate.exceptions import WeaviateBaseError

from adapters.index.weaviate_calls import Server
from config.settings import Settings, SettingsError, read
from engine.errors import EnvironmentFailed, GroundruleError, UsageError

OURS = "Groundrule*"  # every collection and alias of ours
READER, INGESTER = "groundrule-reader", "groundrule-ingester"
SECONDS = 20


def permissions() -> Mapping[str, PermissionsInputType]:
    """What each role may do."""
    reads: PermissionsInputType = [
        Permissions.collections(collection=OURS, read_config=True),
        Permissions.data(collection=OURS, read=True),
        Permissions.tenants(collection=OURS, read=True),
        Permissions.alias(alias=OURS, collection=OURS, read=True),
    ]
    writes: PermissionsInputType = [
        Permissions.collections(
            collection=OURS,
            create_collection=True,
            read_config=True,
            update_config=True,
            delete_collection=True,
        ),
        Permissions.data(
            collection=OURS, create=True, read=True, update=True, delete=True
        ),
        Permissions.tenants(
            collection=OURS, create=True, read=True, update=True, delete=True
        ),
        Permissions.alias(
            alias=OURS,
            collection=OURS,
            create=True,
            read=True,
            update=True,
            delete=True,
        ),
        Permissions.backup(collection=OURS, manage=True),
    ]
    return {READER: reads, INGESTER: writes}


@contextmanager
def connected(server: Server) -> Iterator[WeaviateClient]:
    """A client of a server for the block.

    Raises:
        EnvironmentFailed: the server cannot be reached, or refuses.
    """
    waits = Timeout(init=SECONDS, query=SECONDS, insert=SECONDS)
    try:
        with connect_to_custom(
            http_host=server.host,
            http_port=server.port,
            http_secure=server.secure,
            grpc_host=server.grpc_host,
            grpc_port=server.grpc_port,
            grpc_secure=server.secure,
            auth_credentials=Auth.api_key(server.key) if server.key else None,
            additional_config=AdditionalConfig(timeout=waits),
        ) as client:
            yield client
    except WeaviateBaseError as error:
        raise EnvironmentFailed(f"Weaviate at {server.place}: {error}") from error


def configured(settings: Settings) -> Server:
    """The server that the settings name.

    Raises:
        UsageError: they name none.
    """
    if not settings.weaviate_url:
        raise UsageError("set WEAVIATE_URL to the server's address")
    key = settings.weaviate_key
    return Server(
        str(settings.weaviate_url),
        settings.weaviate_grpc,
        key.get_secret_value() if key else None,
    )


def grant(server: Server, users: Mapping[str, str]) -> None:
    """Make both roles, or bring them up to date, and give them to users.

    Args:
        server: with the key of a user who may administer roles.
        users: user -> role.

    Raises:
        EnvironmentFailed: the server cannot be reached, or refuses.
    """
    with connected(server) as client:
        for role, allowed in permissions().items():
            if client.roles.exists(role):
                client.roles.add_permissions(permissions=allowed, role_name=role)
            else:
                client.roles.create(role_name=role, permissions=allowed)
        for user, role in users.items():
            client.users.db.assign_roles(user_id=user, role_names=role)


def main() -> None:
    """Make the roles, give them to the users that are named, and exit."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--reader", action="append", default=[], metavar="USER")
    parser.add_argument("--ingester", action="append", default=[], metavar="USER")
    options = parser.parse_args()
    users = dict.fromkeys(options.reader, READER)
    users |= dict.fromkeys(options.ingester, INGESTER)
    try:
        grant(configured(read()), users)
    except (GroundruleError, SettingsError) as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(2)
    sys.stdout.write(f"roles {READER} and {INGESTER} are there\n")


if __name__ == "__main__":
    main()
