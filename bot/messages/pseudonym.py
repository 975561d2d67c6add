"""Pseudonyms of askers: a keyed hash in the place of a platform's id.

The key lies in the data folder, readable by its owner alone. Without it a pseudonym
cannot be traced to a person; once it is deleted, earlier pseudonyms match no person.
Processes on several machines that share one database need the same key file.
"""

import hashlib
import hmac
import os
import secrets
import tempfile
from pathlib import Path

from adapters.mail import Incoming, Platform
from adapters.owner import OTHERS
from engine.model.errors import EnvironmentFailed

FILE = "pseudonym.key"
KEY = 32  # bytes
LENGTH = 32  # hexadecimal digits: 128 bits


class Pseudonyms:
    """Pseudonyms under one key.

    Args:
        key: KEY random bytes.
    """

    def __init__(self, key: bytes) -> None:
        self._key = key

    def of(self, incoming: Incoming) -> str:
        """Return the pseudonym of whoever did this."""
        return self.of_person(
            incoming.place.platform, incoming.place.tenant, incoming.person
        )

    def of_person(self, platform: Platform, tenant: str, person: str) -> str:
        """Return the pseudonym of a person.

        A Discord id names one person in every guild, a Slack id one of a workspace.
        """
        home = tenant if platform is Platform.SLACK else ""
        return self._hash(f"{platform}\n{home}\n{person}")

    def of_login(self, name: str) -> str:
        """Return the pseudonym of a login to the administrators' pages."""
        return self._hash(f"login\n{name}")

    def _hash(self, named: str) -> str:
        content = named.encode("utf-8", "surrogatepass")
        return hmac.new(self._key, content, hashlib.sha256).hexdigest()[:LENGTH]


def open_pseudonyms(data: Path) -> Pseudonyms:
    """Open the pseudonyms of a data folder, with a new key where there is none.

    Raises:
        EnvironmentFailed: the key cannot be read or written, is damaged, or others may
            read it.
    """
    file = data / FILE
    try:
        if not file.exists():
            _make_key(file)
        mode = file.stat().st_mode
        key = file.read_bytes()
    except OSError as error:
        raise EnvironmentFailed(f"cannot use {file} ({error.strerror})") from error
    if mode & OTHERS:
        raise EnvironmentFailed(f"others may read {file}: run `chmod 600 {file}`")
    if len(key) != KEY:
        raise EnvironmentFailed(f"{file} is damaged: restore it from a backup")
    return Pseudonyms(key)


def _make_key(file: Path) -> None:
    """Write a new key; of several processes at once, one key wins whole."""
    descriptor, draft = tempfile.mkstemp(dir=file.parent)  # mode 0600
    try:
        with os.fdopen(descriptor, "wb") as out:
            out.write(secrets.token_bytes(KEY))
            out.flush()
            os.fsync(out.fileno())
        os.link(draft, file)
    except FileExistsError:
        return
    finally:
        Path(draft).unlink()
