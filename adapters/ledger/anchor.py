"""The anchor: a copy of the chain's head outside the database, written after a commit.

A crash between commit and anchor leaves the anchor behind the chain, which is no fault.
A chain that ends before its anchor, or differs from it, was cut or rewritten. To hold
against somebody who can write here, copy the file elsewhere from time to time.
"""

import json
import os
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from adapters.ledger.chain import Head
from engine.model.errors import VerificationFailed

_HEAD: TypeAdapter[Head] = TypeAdapter(Head)


def write(path: Path, head: Head) -> None:
    """Replace the anchor in one step.

    Raises:
        OSError: it cannot be written; the entry itself is committed all the same.
    """
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    draft.write_text(_HEAD.dump_json(head).decode("ascii") + "\n", encoding="ascii")
    draft.chmod(0o600)
    draft.replace(path)


def read(path: Path) -> Head | None:
    """The anchor, or None where none was ever written.

    Raises:
        VerificationFailed: there is one, and it cannot be read.
    """
    try:
        return _HEAD.validate_python(json.loads(path.read_text(encoding="ascii")))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, ValidationError) as error:
        raise VerificationFailed(f"the anchor {path.name} cannot be read") from error
