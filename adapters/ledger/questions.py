"""Questions that passages answer, by shelf and version.

Each version of a shelf has one row with all its questions, as canonical JSON. They
decide what a search finds, so each write is an entry of the chain, as for a version's
description (versions.py). A row is emptied when its version is withdrawn.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import ColumnElement, Connection, and_, insert, select, update

from adapters.ledger import versions
from adapters.ledger.entries import Json, dump_canonical, format_instant
from adapters.ledger.schema import memberships, passage_questions
from adapters.ledger.sealing import Version
from engine.model.document import VersionState
from engine.model.errors import DocumentError, LedgerFailed
from engine.questions.records import MOST, PassageQuestion, Questions

_QUESTIONS: TypeAdapter[Questions] = TypeAdapter(Questions)
_HELD = memberships.c
SAME = and_(
    *(_HELD[name] == passage_questions.c[name] for name in ("pack", "document")),
    _HELD.version == passage_questions.c.version,
)


def store(
    connection: Connection,
    pack: str,
    version: Version,
    questions: Sequence[PassageQuestion],
    now: datetime,
) -> bool:
    """Set the questions of a version on a shelf; return whether that changed them.

    Raises:
        DocumentError: the shelf never held that version, a question belongs to
            another one, or there are too many.
    """
    named = f"{version.document} {version.version[:12]}"
    if any(Version(q.document, q.version) != version for q in questions):
        raise DocumentError(f"{named}: a question belongs to another version")
    if len(questions) > MOST:
        raise DocumentError(f"{named}: more than {MOST} questions; leave some out")
    content: list[Json] = [q.model_dump(mode="json") for q in questions]
    said = dump_canonical(content)
    before = _read_questions(connection, pack, version)
    if said == ("[]" if before is None else before):
        return False
    member = select(_HELD.state).where(_match_row(memberships.c, pack, version))
    if connection.execute(member).one_or_none() is None:
        raise DocumentError(f"{named}: {pack} does not hold this version")
    values = {"questions": said}
    if before is None:
        key = {"pack": pack, "document": version.document, "version": version.version}
        connection.execute(insert(passage_questions).values(**key, **values))
    else:
        this = _match_row(passage_questions.c, pack, version)
        connection.execute(update(passage_questions).where(this).values(values))
    versions.append_description(connection, version, values, format_instant(now), pack)
    return True


def withdraw(
    connection: Connection,
    now: datetime,
    pack: str,
    document: str,
    *,
    pruned: bool = False,
) -> Sequence[str]:
    """Withdraw a document with its questions from a pack; return the versions.

    The next `ingest` leaves it out, unless it was pruned because its file was gone.
    """
    state = VersionState.PRUNED if pruned else VersionState.WITHDRAWN
    gone = versions.withdraw(connection, pack, document, state, now)
    for version in gone:
        store(connection, pack, Version(document, version), (), now)
    return gone


def load(connection: Connection, pack: str, document: str, version: str) -> Questions:
    """Read the questions of a version on a shelf; there may be none.

    Raises:
        LedgerFailed: they cannot be read.
    """
    said = _read_questions(connection, pack, Version(document, version))
    return () if said is None else _parse(document, said)


def load_current(connection: Connection, pack: str) -> Mapping[str, Questions]:
    """Map the current documents of a shelf to their questions, if they have any.

    Raises:
        LedgerFailed: they cannot be read.
    """
    row = passage_questions.c
    query = (
        select(row.document, row.questions)
        .join_from(passage_questions, memberships, SAME)
        .where(row.pack == pack, _HELD.state == VersionState.CURRENT.value)
        .order_by(row.document)
    )
    found = {
        document: _parse(document, said)
        for document, said in connection.execute(query).all()
    }
    return {document: questions for document, questions in found.items() if questions}


def _read_questions(connection: Connection, pack: str, version: Version) -> str | None:
    query = select(passage_questions.c.questions)
    found = connection.execute(
        query.where(_match_row(passage_questions.c, pack, version))
    )
    content: str | None = found.scalar_one_or_none()
    return content


def _match_row(key: object, pack: str, version: Version) -> ColumnElement[bool]:
    return and_(
        key.pack == pack,  # type: ignore[attr-defined]  # columns of either table
        key.document == version.document,  # type: ignore[attr-defined]
        key.version == version.version,  # type: ignore[attr-defined]
    )


def _parse(document: str, said: str) -> Questions:
    try:
        return _QUESTIONS.validate_python(json.loads(said))
    except (ValueError, RecursionError, ValidationError) as error:
        raise LedgerFailed(f"{document}: its questions are damaged") from error
