"""Recall: answers that cite withdrawn or replaced versions, and their marking.

Transactions are the caller's. A version is gone for a person where no shelf that
answers them holds it as current.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import Connection, insert, select

from adapters.ledger import commitments, history, mail_outbox, mail_posts
from adapters.ledger.entries import format_instant
from adapters.ledger.history import Stored
from adapters.ledger.mail_outbox import Reply
from adapters.ledger.mail_records import PostedReply
from adapters.ledger.schema import memberships, message_citations, messages, recalls
from engine.model.document import VersionState, shelves_of
from engine.model.frozen import Frozen

Key = tuple[str, str]  # document, version
BATCH = 500


class Gone(Frozen):
    """A cited version that is no longer in force, with its new state and the time."""

    document: str
    version: str
    state: VersionState
    changed: str


class Affected(Frozen):
    """A stored answer with gone citations; `posts` are its visible messages."""

    stored: Stored
    gone: tuple[Gone, ...]
    posts: tuple[PostedReply, ...]
    marked: str | None = None

    @property
    def audit_id(self) -> str:
        return self.stored.audit_id


def find_affected(
    connection: Connection, pack: str, document: str | None = None
) -> Sequence[Affected]:
    """Find the answers of a pack that cite gone versions, oldest first."""
    shelves = _read_shelves(connection, pack)
    wanted = {key for states in shelves.values() for key in states}
    if document is not None:
        wanted = {key for key in wanted if key[0] == document}
    citing = _map_citing(connection, pack, wanted)
    stored = history.read_by_ids(connection, [*citing])
    marks = _read_marks(connection, [*citing])
    found = []
    for one in stored:
        gone = tuple(
            lost
            for key in citing[one.audit_id]
            if (lost := _find_loss(key, shelves_of(pack, one.tenant), shelves))
            is not None
        )
        if gone:
            posts = tuple(mail_posts.list_showing(connection, one.audit_id))
            mark = marks.get(one.audit_id)
            found.append(Affected(stored=one, gone=gone, posts=posts, marked=mark))
    return found


def mark(
    connection: Connection, audit_id: str, replies: Sequence[Reply], now: datetime
) -> bool:
    """Put the marks of an answer into the outbox; return False if that was done."""
    if _read_marks(connection, [audit_id]):
        return False
    values = {
        "audit_id": audit_id,
        "created": format_instant(now),
        "posts": sum(len(reply.letter.parts) for reply in replies),
        "event": f"recall:{audit_id}",
        "salt": commitments.make_salt(),
    }
    with commitments.note_changes(
        connection, recalls, recalls.c.audit_id == audit_id, now
    ):
        connection.execute(insert(recalls).values(values))
    for reply in replies:
        mail_outbox.put(connection, reply, now)
    return True


def _read_shelves(
    connection: Connection, pack: str
) -> Mapping[str, Mapping[Key, Gone]]:
    """Map each shelf of a pack to all versions ever on it, with their states."""
    row = memberships.c
    alone = row.pack.startswith(f"{pack}@", autoescape=True)
    query = select(row.pack, row.document, row.version, row.state, row.changed)
    found: dict[str, dict[Key, Gone]] = {}
    for shelf, name, version, state, changed in connection.execute(
        query.where((row.pack == pack) | alone)
    ):
        gone = Gone(document=name, version=version, state=state, changed=changed)
        found.setdefault(shelf, {})[name, version] = gone
    return found


def _find_loss(
    key: Key, shelves: Sequence[str], held: Mapping[str, Mapping[Key, Gone]]
) -> Gone | None:
    """Find how a version left a person's shelves; return None where it is current."""
    known = [held[shelf][key] for shelf in shelves if key in held.get(shelf, {})]
    if not known or any(one.state is VersionState.CURRENT for one in known):
        return None
    return max(known, key=lambda one: one.changed)


def _map_citing(
    connection: Connection, pack: str, wanted: set[Key]
) -> Mapping[str, Sequence[Key]]:
    """Map audit ids to the wanted versions that they cite."""
    row, cited = messages.c, message_citations.c
    documents = sorted({document for document, _ in wanted})
    found: dict[str, list[Key]] = {}
    for at in range(0, len(documents), BATCH):
        query = (
            select(row.audit_id, cited.document, cited.version)
            .join(messages, row.sequence == cited.sequence)
            .where(row.pack == pack, cited.document.in_(documents[at : at + BATCH]))
            .distinct()
        )
        for audit_id, document, version in connection.execute(query):
            if (document, version) in wanted:
                found.setdefault(audit_id, []).append((document, version))
    return found


def _read_marks(connection: Connection, audit_ids: Sequence[str]) -> Mapping[str, str]:
    row = recalls.c
    found: dict[str, str] = {}
    for at in range(0, len(audit_ids), BATCH):
        query = select(row.audit_id, row.created)
        these = row.audit_id.in_(audit_ids[at : at + BATCH])
        for audit_id, created in connection.execute(query.where(these)):
            found[audit_id] = created
    return found
