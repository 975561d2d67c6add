"""Document versions and which pack's corpus they belong to.

A version is its document and the SHA-256 of its canonical text, and is kept for good:
answers are verified against it after it was superseded or withdrawn. Every change of a
membership is an entry of the audit chain. What a loader or the source register says of a
version (title, dates, tags, blocks, sentences) may change without a new version, and may
differ between packs.
"""

import hashlib
import json
import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePath

from pydantic import ValidationError
from sqlalchemy import Connection, RowMapping, and_, insert, select, update

from adapters.ledger import chain
from adapters.ledger.entries import Json, MembershipEntry, canonical, instant
from adapters.ledger.schema import document_versions, memberships
from engine.corpus_records import Document, IngestAction, Membership, VersionState
from engine.errors import DocumentError, DocumentTooLarge, VerificationFailed

LARGEST = 64 * 1024 * 1024  # bytes of one column, unpacked; a larger one is refused
LONGEST_ID = 1_000  # characters; PostgreSQL indexes hold no more than about 2,700 bytes

_LAYOUT = {"blocks", "sentences"}
_FIXED = {"id", "version", "text"}
_SAME = and_(
    memberships.c.document == document_versions.c.document,
    memberships.c.version == document_versions.c.version,
)


@dataclass(frozen=True, slots=True)
class Packed:
    """A document as its row holds it, made before the transaction opens."""

    document: str
    version: str
    title: str
    text: bytes
    folded: bytes
    layout: bytes
    description: str


def digest(text: str) -> str:
    """The version of a canonical text: its SHA-256 in hexadecimal."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def pack_document(document: Document, folded: str) -> Packed:
    """Compress a document.

    Args:
        document: as ingestion made it.
        folded: its text, folded as quotes are compared (R-I7).

    Raises:
        DocumentError: its version is not the hash of its text, or its id is too long.
        DocumentTooLarge: its text or layout is.
    """
    if document.version != digest(document.text):
        raise DocumentError(f"{document.path}: version is not the hash of the text")
    if len(document.id) > LONGEST_ID:
        raise DocumentError(f"{document.path}: id is longer than {LONGEST_ID}")
    content: dict[str, Json] = document.model_dump(mode="json")
    layout: Json = {key: content[key] for key in sorted(_LAYOUT)}
    description: Json = {
        key: value for key, value in content.items() if key not in _LAYOUT | _FIXED
    }
    return Packed(
        document=document.id,
        version=document.version,
        title=document.title,
        text=_compress(document.path, document.text),
        folded=_compress(document.path, folded),
        layout=_compress(document.path, canonical(layout)),
        description=canonical(description),
    )


def store(
    connection: Connection, pack: str, packed: Packed, now: datetime
) -> IngestAction:
    """Make this the current version of a document in a pack; safe to repeat.

    Returns:
        "added" where the pack had no current version, "changed" where it had another
        one or described this one otherwise, else "unchanged".
    """
    same_layout = _keep(connection, packed, now, ephemeral=False)
    states = _states(connection, pack, packed.document)
    before = next(
        (v for v, s in states.items() if s["state"] == VersionState.CURRENT), None
    )
    if before == packed.version:
        if same_layout and states[before]["description"] == packed.description:
            return "unchanged"
        _describe(connection, pack, packed)
        return "changed"
    if before is not None:
        _move(connection, _entry(pack, packed.document, before, "superseded", now))
    if packed.version in states:
        _describe(connection, pack, packed)
        _move(connection, _entry(pack, packed.document, packed.version, "current", now))
    else:
        _join(connection, pack, packed, now)
    return "added" if before is None else "changed"
