"""Document versions, their membership in packs, and their descriptions.

A version is named by its document and the SHA-256 of its canonical text, and is kept
for good: answers are verified against it after its withdrawal. Its description by the
loader or the register (title, source, URL, dates, access tags, layout, folded text) may
change without a new version and differ between packs. It decides what is trusted and
who may read it, so the hash of each write is an entry of the chain. Selected texts have
no entries, because their owner may have them forgotten, hash included.
"""

import hashlib
import json
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    RowMapping,
    and_,
    insert,
    select,
    update,
)

from adapters.ledger import chain
from adapters.ledger.entries import (
    DescriptionEntry,
    Json,
    MembershipEntry,
    dump_canonical,
    format_instant,
)
from adapters.ledger.schema import document_versions, memberships, passage_questions
from adapters.ledger.sealing import Version
from engine.model.document import (
    Description,
    Document,
    IngestAction,
    Membership,
    VersionState,
    shelves_of,
)
from engine.model.errors import DocumentError, DocumentTooLarge, LedgerFailed
from engine.model.question import Scope
from engine.policy.access import opens
from engine.text.folding import fold_presentation, known_words

LARGEST = 64 * 1024 * 1024  # bytes of one column, unpacked; a larger one is refused
LONGEST_ID = 1_000  # characters; PostgreSQL indexes hold no more than about 2,700 bytes

_LAYOUT = {"blocks", "sentences", "things"}
_FIXED = {"id", "version", "text"}
_SAME = and_(
    memberships.c.document == document_versions.c.document,
    memberships.c.version == document_versions.c.version,
)
SHOWN = (
    "title",
    "source",
    "path",
    "tags",
    "demo",
    "loader",
)  # fields of a description that a membership shows
ROWS = 20  # rows at a time, so that the whole corpus is never in memory
COLUMNS = ("folded", "layout", "description")  # in `document_versions`
SAID = (*COLUMNS, "questions")  # the last in `passage_questions`
_FIELDS = frozenset(Description.model_fields)


@dataclass(frozen=True, slots=True)
class Packed:
    """A document in the form of its row, made before the transaction opens."""

    document: str
    version: str
    text: bytes
    folded: bytes
    layout: bytes
    description: str


def digest(text: str) -> str:
    """Hash a canonical text to its version: SHA-256 in hexadecimal."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def pack_document(document: Document) -> Packed:
    """Compress a document, with its text also folded for comparing quotes.

    Raises:
        DocumentError: its text does not hash to its version, or its id is too long.
        DocumentTooLarge: its text or layout is.
    """
    try:
        version = digest(document.text)
    except UnicodeEncodeError as error:
        raise DocumentError(f"{document.path}: holds a lone surrogate") from error
    if document.version != version:
        raise DocumentError(f"{document.path}: version is not the hash of the text")
    if len(document.id) > LONGEST_ID:
        raise DocumentError(f"{document.path}: id is longer than {LONGEST_ID}")
    folded = fold_presentation(document.text, known_words(document.text)).text
    content: dict[str, Json] = document.model_dump(mode="json")
    held = _LAYOUT if document.things else _LAYOUT - {"things"}
    layout: Json = {key: content[key] for key in sorted(held)}
    description: Json = {
        key: value for key, value in content.items() if key not in _LAYOUT | _FIXED
    }
    return Packed(
        document=document.id,
        version=document.version,
        text=_compress(document.path, document.text),
        folded=_compress(document.path, folded),
        layout=_compress(document.path, dump_canonical(layout)),
        description=dump_canonical(description),
    )


def store(
    connection: Connection, pack: str, packed: Packed, now: datetime
) -> IngestAction:
    """Make this the current version of a document in a pack; safe to repeat.

    Returns:
        "added" where the pack had no current version, "changed" where it had another
        one or another description of this one, else "unchanged".
    """
    same = store_version(connection, packed, now)
    held = {row.version: row for row in _list_states(connection, pack, packed.document)}
    current = [v for v, row in held.items() if row.state == VersionState.CURRENT]
    change = MembershipEntry(
        created=format_instant(now),
        pack=pack,
        document=packed.document,
        version=packed.version,
        state=VersionState.CURRENT,
    )
    if current == [packed.version]:
        if same and held[packed.version].description == packed.description:
            return "unchanged"
        _describe(connection, change, packed.description)
        return "changed"
    for version in current:
        superseded = {"version": version, "state": VersionState.SUPERSEDED}
        _move(connection, change.model_copy(update=superseded))
    _move(connection, change, packed.description)
    return "changed" if current else "added"


def store_version(
    connection: Connection, packed: Packed, now: datetime, *, selection: bool = False
) -> bool:
    """Store a version; return whether its text and layout were stored already.

    Args:
        connection: a writing transaction.
        packed: the version.
        now: the time of storing.
        selection: whether it is a text that somebody selected, which may be deleted.

    Raises:
        DocumentError: the id already names a selection, or the other way round.
    """
    key = document_versions.c
    version = Version(packed.document, packed.version)
    this = _match_version(packed.document, packed.version)
    fields = {
        "folded": packed.folded,
        "layout": packed.layout,
        "description": packed.description,
    }
    query = select(key.layout, key.description, key.ephemeral).where(this)
    row = connection.execute(query).one_or_none()
    if row is None:
        fixed = {
            "document": packed.document,
            "version": packed.version,
            "created": format_instant(now),
            "ephemeral": selection,
            "text": packed.text,
        }
        connection.execute(insert(document_versions).values(**fixed, **fields))
        if not selection:
            append_description(connection, version, fields, format_instant(now))
        return False
    if row.ephemeral != selection:
        raise DocumentError(f"{packed.document}: both a document and a selected text")
    same_layout = _is_same_text(row.layout, packed.layout)
    if not same_layout or row.description != packed.description:
        connection.execute(update(document_versions).where(this).values(**fields))
        if not selection:
            append_description(connection, version, fields, format_instant(now))
    return same_layout


def withdraw(
    connection: Connection, pack: str, document: str, state: VersionState, now: datetime
) -> tuple[str, ...]:
    """Withdraw every version of a document from a pack; return those that changed.

    A version that an administrator withdrew keeps that state.
    """
    withdrawn = []
    for row in _list_states(connection, pack, document):
        if row.state in (state, VersionState.WITHDRAWN):
            continue
        entry = MembershipEntry(
            created=format_instant(now),
            pack=pack,
            document=document,
            version=row.version,
            state=state,
        )
        _move(connection, entry)
        withdrawn.append(row.version)
    return tuple(withdrawn)


def list_members(connection: Connection, pack: str) -> tuple[Membership, ...]:
    """List every version that is or was in a pack, by document."""
    query = select(memberships).where(memberships.c.pack == pack)
    order = (memberships.c.document, memberships.c.changed, memberships.c.version)
    return tuple(
        _read_member(row)
        for row in connection.execute(query.order_by(*order)).mappings()
    )


def list_shelves(connection: Connection) -> tuple[str, ...]:
    """List the packs, and the packs of tenants, that have or had a document."""
    pack = memberships.c.pack
    return tuple(connection.scalars(select(pack).distinct().order_by(pack)))


def map_current(connection: Connection, pack: str) -> Mapping[str, str]:
    """Map document ids to the version that is current in a pack."""
    return {
        member.document: member.version
        for member in list_members(connection, pack)
        if member.state == VersionState.CURRENT
    }


def load(
    connection: Connection, document: str, version: str, pack: str
) -> Document | None:
    """Read a stored version in any state, with the description of `pack`.

    Return None where the pack never held it. A selected text belongs to no pack and
    has its own description.

    Raises:
        LedgerFailed: what is stored is damaged, or not what the version names.
    """
    query = select(document_versions).where(_match_version(document, version))
    row = connection.execute(query).mappings().one_or_none()
    if row is None:
        return None
    own = select(memberships.c.description).where(
        _match_membership(pack, document, version)
    )
    told: str | None = connection.execute(own).scalar()
    description = row["description"] if row["ephemeral"] else told
    if description is None:
        return None
    try:
        return Document(
            id=document,
            version=version,
            text=_unpack_intact(document, version, row["text"]),
            **json.loads(_unpack_whole(document, row["layout"])),
            **json.loads(description),
        )
    except (ValueError, TypeError) as error:
        raise LedgerFailed(f"{document}: its stored version is damaged") from error


def read_text(connection: Connection, document: str, version: str) -> str | None:
    """Read the canonical text of a version; return None where it is not stored.

    Raises:
        LedgerFailed: it cannot be read, or is not what the version names.
    """
    query = select(document_versions.c.text).where(_match_version(document, version))
    content = connection.execute(query).scalar_one_or_none()
    return None if content is None else _unpack_intact(document, version, content)


def find_passage(connection: Connection, pack: str, folded: str) -> Version | None:
    """Find the first of `find_passages`; return None where there is none."""
    return next(find_passages(connection, pack, folded), None)


def find_passages(connection: Connection, pack: str, folded: str) -> Iterator[Version]:
    """Find current documents of a pack whose folded text holds `folded`, by id."""
    query = (
        select(
            memberships.c.document, memberships.c.version, document_versions.c.folded
        )
        .join_from(memberships, document_versions, _SAME)
        .where(
            memberships.c.pack == pack,
            memberships.c.state == VersionState.CURRENT.value,
        )
        .order_by(memberships.c.document)
        .execution_options(yield_per=20)
    )
    if not folded:
        return
    with connection.execute(query) as found:
        for row in found:
            if folded in _unpack_whole(row.document, row.folded):
                yield Version(row.document, row.version)


def unpack(content: bytes) -> str:
    """Unpack the text of a compressed column.

    Raises:
        ValueError: it is damaged, or larger than anything that is stored.
    """
    stream = zlib.decompressobj()
    try:
        plain = stream.decompress(content, LARGEST)
    except (zlib.error, TypeError) as error:
        raise ValueError("a stored text cannot be unpacked") from error
    if not stream.eof:
        raise ValueError("a stored text is cut off or too large")
    return plain.decode("utf-8")


def _unpack_intact(document: str, version: str, content: bytes) -> str:
    text = _unpack_whole(document, content)
    if digest(text) != version:
        raise LedgerFailed(
            f"{document}: its stored text was changed and is no longer the version "
            f"{version[:12]}; restore a backup"
        )
    return text


def _unpack_whole(document: str, content: bytes) -> str:
    try:
        return unpack(content)
    except ValueError as error:
        raise LedgerFailed(f"{document}: its stored version is damaged") from error


def _compress(path: str, text: str) -> bytes:
    content = text.encode("utf-8")
    if len(content) > LARGEST:
        raise DocumentTooLarge(f"{path}: more than {LARGEST} bytes of text")
    return zlib.compress(content)


def _is_same_text(stored: bytes, packed: bytes) -> bool:
    """Tell whether two columns hold the same text; a damaged one never does."""
    try:
        return unpack(stored) == unpack(packed)
    except ValueError:
        return False


def _match_version(document: str, version: str) -> ColumnElement[bool]:
    key = document_versions.c
    return and_(key.document == document, key.version == version)


def _match_membership(pack: str, document: str, version: str) -> ColumnElement[bool]:
    key = memberships.c
    return and_(key.pack == pack, key.document == document, key.version == version)


def _list_states(
    connection: Connection, pack: str, document: str
) -> Sequence[Row[str, str, str]]:
    key = memberships.c
    query = select(key.version, key.state, key.description)
    this = (key.pack == pack, key.document == document)
    return connection.execute(query.where(*this).order_by(key.changed)).all()


def _move(
    connection: Connection, entry: MembershipEntry, description: str | None = None
) -> None:
    """Move a version to a state, and append that to the chain.

    `description` is needed for a version that is new to the pack.
    """
    values = {"state": entry.state.value, "changed": entry.created}
    this = _match_membership(entry.pack, entry.document, entry.version)
    if not connection.execute(update(memberships).where(this).values(values)).rowcount:
        key = {
            "pack": entry.pack,
            "document": entry.document,
            "version": entry.version,
            "description": description or "",
        }
        connection.execute(insert(memberships).values(**key, **values))
    chain.append(connection, entry)
    if description is not None:
        _describe(connection, entry, description)


def _describe(connection: Connection, entry: MembershipEntry, description: str) -> None:
    """Write a pack's description of a version, and append its hash to the chain."""
    said = {"description": description}
    this = _match_membership(entry.pack, entry.document, entry.version)
    connection.execute(update(memberships).where(this).values(said))
    version = Version(entry.document, entry.version)
    append_description(connection, version, said, entry.created, entry.pack)


def _read_member(row: RowMapping) -> Membership:
    try:
        described = json.loads(row["description"])
        return Membership(
            pack=row["pack"],
            document=row["document"],
            version=row["version"],
            state=row["state"],
            **{name: described[name] for name in SHOWN},
        )
    except (ValueError, TypeError, KeyError) as error:
        raise LedgerFailed(f"{row['document']}: membership is damaged") from error


def corpus_hash(connection: Connection, pack: str) -> str:
    """Hash everything of a pack's corpus that may change an answer (SHA-256).

    It covers each version that is or was in the pack, with state, description, layout
    and questions, but not the path of its file. No text is read, because a version is
    the hash of its text.

    Raises:
        LedgerFailed: a membership is damaged.
    """
    held = memberships.c
    stored = document_versions.c
    same = and_(held.document == stored.document, held.version == stored.version)
    asked = passage_questions.c
    own = and_(
        asked.pack == held.pack,
        asked.document == held.document,
        asked.version == held.version,
    )
    query = (
        select(
            *(held.document, held.version, held.state, held.description),
            *(stored.layout, asked.questions),
        )
        .join_from(memberships, document_versions, same)
        .outerjoin(passage_questions, own)
        .where(held.pack == pack)
        .order_by(held.document, held.version)
        .execution_options(yield_per=ROWS)
    )
    whole = hashlib.sha256()
    with connection.execute(query) as found:
        for row in found:
            layout = hashlib.sha256(row.layout).hexdigest()
            said = _parse_description(row.document, row.description)
            line: list[Json] = [row.document, row.version, row.state, said, layout]
            if row.questions not in (None, "[]"):
                line.append(hashlib.sha256(row.questions.encode()).hexdigest())
            whole.update(f"{dump_canonical(line)}\n".encode())
    return whole.hexdigest()


def _parse_description(document: str, description: str) -> Json:
    """Parse a description and drop its path."""
    try:
        said: Json = json.loads(description)
    except ValueError as error:
        raise LedgerFailed(f"{document}: membership is damaged") from error
    if isinstance(said, dict):
        said.pop("path", None)
    return said


def hash_columns(row: Mapping[str, object] | RowMapping) -> Mapping[str, str]:
    """Map the described columns of a row to the SHA-256 of their values.

    A row may have some of them: an entry names only the columns that were written.
    """
    return {name: _hash_value(row[name]) for name in SAID if name in row}


def append_description(
    connection: Connection,
    version: Version,
    said: Mapping[str, object],
    created: str,
    pack: str | None = None,
) -> None:
    """Append the hashes of written columns of a version to the chain."""
    entry = DescriptionEntry(
        created=created,
        pack=pack,
        document=version.document,
        version=version.version,
        hashes=hash_columns(said),
    )
    chain.append(connection, entry)


def read_descriptions(
    connection: Connection, scope: Scope, wanted: Collection[tuple[str, str]]
) -> Mapping[tuple[str, str], Description]:
    """Read descriptions of versions from the first shelf that shows them in a scope.

    Raises:
        LedgerFailed: what is stored cannot be read.
    """
    held, shelves = memberships.c, shelves_of(scope.pack, scope.tenant)
    query = select(held.pack, held.document, held.version, held.description).where(
        held.pack.in_(shelves), held.document.in_({name for name, _ in wanted})
    )
    found: dict[tuple[str, str], Description] = {}
    rows = connection.execute(query).all()
    for row in sorted(rows, key=lambda row: shelves.index(row.pack)):
        this = (row.document, row.version)
        if this not in wanted or this in found:
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


def _hash_value(value: object) -> str:
    """Hash text or bytes, or the `repr` of any other value in a column."""
    if isinstance(value, str):
        value = value.encode("utf-8", "surrogatepass")
    return hashlib.sha256(
        value if isinstance(value, bytes) else repr(value).encode()
    ).hexdigest()
