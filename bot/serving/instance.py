"""One serving process per data folder and platform, and a name its successors know.

One process may serve Slack and another Discord from one data folder. Where several
machines share one database, each has a data folder of its own with a copy of the file
`pseudonym.key` (bot/messages/pseudonym.py): with another key a person is a stranger
to it, and neither their threads nor "forget me" reach across. Whatever else is copied
with the folder does no harm.
"""

import hashlib
import platform as machine
import uuid
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from adapters.mail import Platform
from bot.documents.writing import try_lock
from engine.model.errors import EnvironmentFailed

BOOT = Path("/proc/sys/kernel/random/boot_id")  # where the system has one


@contextmanager
def one_server(
    data: Path, platforms: Collection[Platform]
) -> Iterator[tuple[str, ...]]:
    """Hold the right to serve platforms from a data folder.

    Yields:
        A name for each platform, the same for each process that serves it from this
        folder on this machine, until it boots again. Only its workers have names that
        begin with it, so whatever such a worker had claimed can be given back: it ended
        with the process that served before. After a boot, and in a copy of the
        folder, the name is another: claims of before are free when their leases end.

    Raises:
        EnvironmentFailed: another process serves one of them from it, or the folder
            cannot be written.
    """
    with ExitStack() as held:
        yield tuple(_lock(data, platform, held) for platform in sorted(platforms))


def _lock(data: Path, platform: Platform, held: ExitStack) -> str:
    """Lock one platform for as long as `held` is open, and return its name."""
    path = data / f"serve-{platform}.lock"
    try:
        file = held.enter_context(open(path, "a"))  # noqa: SIM115 (see held)
    except OSError as error:
        raise EnvironmentFailed(f"cannot write {path} ({error.strerror})") from error
    if not try_lock(file):
        raise EnvironmentFailed(
            f"another process serves {platform.capitalize()} from {data}: end that one "
            "first, or choose another --data folder"
        )
    return f"{_name_instance(path)}/"


def _name_instance(lock: Path) -> str:
    """Join host, boot and file into one word; a copied file is another one."""
    host, boot, held = machine.node(), "", lock.stat()
    with suppress(OSError):
        boot = BOOT.read_text(encoding="ascii").strip()
    named = f"{host}|{uuid.getnode()}|{boot}|{held.st_dev}|{held.st_ino}"
    return f"{host[:40]}-{hashlib.sha256(named.encode()).hexdigest()[:16]}"
