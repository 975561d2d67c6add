"""What a pack's corpus holds, as one hash, so that a batch knows when to ask again."""

import hashlib
import json

from sqlalchemy import Connection, and_, select

from adapters.ledger.entries import Json, canonical
from adapters.ledger.schema import document_versions, memberships, passage_questions
from engine.model.errors import LedgerFailed

ROWS = 20  # at a time: the whole corpus is never in memory


def corpus_hash(connection: Connection, pack: str) -> str:
    """SHA-256 over everything of a pack's corpus that may change an answer.

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
    """What is said of a version, but for its path."""
    try:
        said: Json = json.loads(description)
    except ValueError as error:
        raise LedgerFailed(f"{document}: membership is damaged") from error
    if isinstance(said, dict):
        said.pop("path", None)
    return said
