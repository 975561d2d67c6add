"""Document versions, which pack's corpus they belong to, and what is said of them.

A version is its document and the SHA-256 of its canonical text, and is kept for good:
answers are verified against it after it was withdrawn. What a loader or the register
says of it (title, source, URL, dates, access tags, layout, folded text) may change
without a new version, and differ between packs. It decides what is trusted and who may
read it, so each write of it is an entry of the chain, by its hash (R-D3). Selected
texts have none: who selected one may have it forgotten, hash and all.
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
    canonical,
    instant,
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
)  # of what a shelf says of it
ROWS = 20  # at a time: the whole corpus is never in memory
COLUMNS = ("folded", "layout", "description")  # of `document_versions`
SAID = (*COLUMNS, "questions")  # the last of `passage_questions`
_FIELDS = frozenset(Description.model_fields)


@dataclass(frozen=True, slots=True)
class Packed:
    """A document as its row holds it, made before the transaction opens."""

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
    """Compress a document, with its text folded as quotes are compared (R-I7).

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
    same = keep(connection, packed, now)
    held = {row.version: row for row in _held(connection, pack, packed.document)}
    current = [v for v, row in held.items() if row.state == VersionState.CURRENT]
    change = MembershipEntry(
        created=instant(now),
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


def keep(
    connection: Connection, packed: Packed, now: datetime, *, selection: bool = False
) -> bool:
    """Keep a version; tell whether its text and layout were there already.

    Args:
        connection: a writing transaction.
        packed: the version.
        now: when it came.
        selection: it is a text that somebody selected, and may be deleted.

    Raises:
        DocumentError: the id already names a selection, or the other way round.
    """
    key = document_versions.c
    version = Version(packed.document, packed.version)
    this = _version(packed.document, packed.version)
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
            "created": instant(now),
            "ephemeral": selection,
            "text": packed.text,
        }
        connection.execute(insert(document_versions).values(**fixed, **fields))
        if not selection:
            note(connection, version, fields, instant(now))
        return False
    if row.ephemeral != selection:
        raise DocumentError(f"{packed.document}: both a document and a selected text")
    same_layout = _same(row.layout, packed.layout)
    if not same_layout or row.description != packed.description:
        connection.execute(update(document_versions).where(this).values(**fields))
        if not selection:
            note(connection, version, fields, instant(now))
    return same_layout


def withdraw(
    connection: Connection, pack: str, document: str, state: VersionState, now: datetime
) -> tuple[str, ...]:
    """Take every version of a document out of a pack; return those that changed.

    What an administrator withdrew is not pruned any more.
    """
    withdrawn = []
    for row in _held(connection, pack, document):
        if row.state in (state, VersionState.WITHDRAWN):
            continue
        entry = MembershipEntry(
            created=instant(now),
            pack=pack,
            document=document,
            version=row.version,
            state=state,
        )
        _move(connection, entry)
        withdrawn.append(row.version)
    return tuple(withdrawn)


def members(connection: Connection, pack: str) -> tuple[Membership, ...]:
    """List every version that is or was in a pack, by document."""
    query = select(memberships).where(memberships.c.pack == pack)
    order = (memberships.c.document, memberships.c.changed, memberships.c.version)
    return tuple(
        _member(row) for row in connection.execute(query.order_by(*order)).mappings()
    )


def shelves(connection: Connection) -> tuple[str, ...]:
    """List the packs, and the packs of tenants, that have or had a document."""
    pack = memberships.c.pack
    return tuple(connection.scalars(select(pack).distinct().order_by(pack)))


def current(connection: Connection, pack: str) -> Mapping[str, str]:
    """Map document ids to the version that is current in a pack."""
    return {
        member.document: member.version
        for member in members(connection, pack)
        if member.state == VersionState.CURRENT
    }


def load(
    connection: Connection, document: str, version: str, pack: str
) -> Document | None:
    """Read a stored version, whatever its state, as `pack` describes it.

    None where it never held it. A selected text stands in no pack, describes itself.

    Raises:
        LedgerFailed: what is stored is damaged, or not what the version names.
    """
    query = select(document_versions).where(_version(document, version))
    row = connection.execute(query).mappings().one_or_none()
    if row is None:
        return None
    own = select(memberships.c.description).where(_row(pack, document, version))
    told: str | None = connection.execute(own).scalar()
    description = row["description"] if row["ephemeral"] else told
    if description is None:
        return None
    try:
        return Document(
            id=document,
            version=version,
            text=_intact(document, version, row["text"]),
            **json.loads(_whole(document, row["layout"])),
            **json.loads(description),
        )
    except (ValueError, TypeError) as error:
        raise LedgerFailed(f"{document}: its stored version is damaged") from error


def read_text(connection: Connection, document: str, version: str) -> str | None:
    """Read the canonical text of a stored version.

    Raises:
        LedgerFailed: it cannot be read, or is not what the version names.
    """
    query = select(document_versions.c.text).where(_version(document, version))
    content = connection.execute(query).scalar_one_or_none()
    return None if content is None else _intact(document, version, content)


def find_passage(connection: Connection, pack: str, folded: str) -> Version | None:
    """Find the first of `find_passages`; None where none is."""
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
            if folded in _whole(row.document, row.folded):
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


def _intact(document: str, version: str, content: bytes) -> str:
    text = _whole(document, content)
    if digest(text) != version:
        raise LedgerFailed(
            f"{document}: its stored text was changed and is no longer the version "
            f"{version[:12]}; restore a backup"
        )
    return text


def _whole(document: str, content: bytes) -> str:
    try:
        return unpack(content)
    except ValueError as error:
        raise LedgerFailed(f"{document}: its stored version is damaged") from error


def _compress(path: str, text: str) -> bytes:
    content = text.encode("utf-8")
    if len(content) > LARGEST:
        raise DocumentTooLarge(f"{path}: more than {LARGEST} bytes of text")
    return zlib.compress(content)


def _same(stored: bytes, packed: bytes) -> bool:
    """Tell whether two columns hold one text; a damaged one holds none."""
    try:
        return unpack(stored) == unpack(packed)
    except ValueError:
        return False


def _version(document: str, version: str) -> ColumnElement[bool]:
    key = document_versions.c
    return and_(key.document == document, key.version == version)


def _row(pack: str, document: str, version: str) -> ColumnElement[bool]:
    key = memberships.c
    return and_(key.pack == pack, key.document == document, key.version == version)


def _held(
    connection: Connection, pack: str, document: str
) -> Sequence[Row[str, str, str]]:
    key = memberships.c
    query = select(key.version, key.state, key.description)
    this = (key.pack == pack, key.document == document)
    return connection.execute(query.where(*this).order_by(key.changed)).all()


def _move(
    connection: Connection, entry: MembershipEntry, description: str | None = None
) -> None:
    """Put a version into a state, and append that to the chain.

    `description` is needed for a version that is new to the pack.
    """
    values = {"state": entry.state.value, "changed": entry.created}
    this = _row(entry.pack, entry.document, entry.version)
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
    """Write what a pack says of a version, and say in the chain what that is."""
    said = {"description": description}
    this = _row(entry.pack, entry.document, entry.version)
    connection.execute(update(memberships).where(this).values(said))
    version = Version(entry.document, entry.version)
    note(connection, version, said, entry.created, entry.pack)


def _member(row: RowMapping) -> Membership:
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

    Covered is each version that is or was in it, with its state, what is said of it and
    how it is laid out, and the questions that it answers; not where its file lies. No
    text is read: its hash is its version.

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
            said = _described(row.document, row.description)
            line: list[Json] = [row.document, row.version, row.state, said, layout]
            if row.questions not in (None, "[]"):
                line.append(hashlib.sha256(row.questions.encode()).hexdigest())
            whole.update(f"{canonical(line)}\n".encode())
    return whole.hexdigest()


def _described(document: str, description: str) -> Json:
    """Read what is said of a version, but for its path."""
    try:
        said: Json = json.loads(description)
    except ValueError as error:
        raise LedgerFailed(f"{document}: membership is damaged") from error
    if isinstance(said, dict):
        said.pop("path", None)
    return said


def hashes(row: Mapping[str, object] | RowMapping) -> Mapping[str, str]:
    """Map those columns that this row has to the SHA-256 of what they hold.

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
    """Append to the chain what was written of a version, by column and pack."""
    entry = DescriptionEntry(
        created=created,
        pack=pack,
        document=version.document,
        version=version.version,
        hashes=hashes(said),
    )
    chain.append(connection, entry)


def described(
    connection: Connection, scope: Scope, wanted: Collection[tuple[str, str]]
) -> Mapping[tuple[str, str], Description]:
    """Read what is said of versions, by the first shelf that shows them in a scope.

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


def _hash(value: object) -> str:
    """Hash text or bytes; of any other value in a column, how it is written."""
    if isinstance(value, str):
        value = value.encode("utf-8", "surrogatepass")
    return hashlib.sha256(
        value if isinstance(value, bytes) else repr(value).encode()
    ).hexdigest()
