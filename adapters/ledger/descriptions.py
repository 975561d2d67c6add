"""What is said of document versions, bound to the chain by its hash (R-D3).

Source, URL, dates and access tags (`description`), the folded text and the layout may
change without a new version, and decide what is trusted and who may read it. Each write
of them is an entry of the chain. Selected texts have none: who selected one may have it
forgotten, hash and all.
"""

import hashlib
import json
from collections.abc import Collection, Mapping

from sqlalchemy import Connection, RowMapping, select

from adapters.ledger import chain
from adapters.ledger.entries import DescriptionEntry
from adapters.ledger.schema import memberships
from adapters.ledger.sealing import Version
from engine.model.document import Description, shelves_of
from engine.model.errors import LedgerFailed
from engine.model.question import Scope
from engine.policy.access import opens

COLUMNS = ("folded", "layout", "description")  # of `document_versions`
SAID = (*COLUMNS, "questions")  # the last of `passage_questions`
_FIELDS = frozenset(Description.model_fields)


def hashes(row: Mapping[str, object] | RowMapping) -> Mapping[str, str]:
    """Column -> SHA-256 of what stands there, of those that this row has.

    Entries of the chain add to one another: each says what was written with it.
    """
    return {name: _hash(row[name]) for name in SAID if name in row}


def note(
    connection: Connection,
    version: Version,
    said: Mapping[str, object],
    created: str,
    pack: str | None = None,
) -> None:
    """Say in the chain what was written of a version, by column; in a pack, if any."""
    entry = DescriptionEntry(
        created=created,
        pack=pack,
        document=version.document,
        version=version.version,
        hashes=hashes(said),
    )
    chain.append(connection, entry)


def told(
    connection: Connection, scope: Scope, versions: Collection[tuple[str, str]]
) -> Mapping[tuple[str, str], Description]:
    """What is said of versions, by the first shelf that shows them in this scope.

    Raises:
        LedgerFailed: what is stored cannot be read.
    """
    held, shelves = memberships.c, shelves_of(scope.pack, scope.tenant)
    query = select(held.pack, held.document, held.version, held.description).where(
        held.pack.in_(shelves), held.document.in_({name for name, _ in versions})
    )
    found: dict[tuple[str, str], Description] = {}
    rows = connection.execute(query).all()
    for row in sorted(rows, key=lambda row: shelves.index(row.pack)):
        this = (row.document, row.version)
        if this not in versions or this in found:
            continue
        try:
            said = Description.model_validate(
                {k: v for k, v in json.loads(row.description).items() if k in _FIELDS}
            )
        except (ValueError, AttributeError) as error:
            raise LedgerFailed(f"{row.document}: membership is damaged") from error
        if opens(said.tags, scope.tags):
            found[this] = said
    return found


def _hash(value: object) -> str:
    """Of text or bytes; of nonsense that stands in a column, of how it is written."""
    if isinstance(value, str):
        value = value.encode("utf-8", "surrogatepass")
    return hashlib.sha256(
        value if isinstance(value, bytes) else repr(value).encode()
    ).hexdigest()
