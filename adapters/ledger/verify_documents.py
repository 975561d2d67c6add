"""Verification of documents: their texts, what is said of them, and their packs."""

from collections.abc import Mapping

from sqlalchemy import Connection, select

from adapters.ledger import descriptions, questions
from adapters.ledger.report import Fault
from adapters.ledger.schema import (
    document_versions,
    memberships,
    passage_questions,
)
from adapters.ledger.sealing import Version
from adapters.ledger.versions import digest, unpack
from adapters.ledger.walk import BATCH, Walk


def check(walk: Walk) -> None:
    """Check every version, then every membership."""
    _memberships(walk, _versions(walk))


def text(connection: Connection, version: Version) -> str | Fault:
    """A version's text, if it is there and hashes to the version."""
    key = document_versions.c
    query = select(key.text).where(
        key.document == version.document, key.version == version.version
    )
    content = connection.execute(query).scalar_one_or_none()
    return Fault.VERSION_MISSING if content is None else _checked(content, version)


def _checked(content: bytes, version: Version) -> str | Fault:
    try:
        text = unpack(content)
    except ValueError:
        return Fault.VERSION_CHANGED
    return text if digest(text) == version.version else Fault.VERSION_CHANGED


def _versions(walk: Walk) -> set[Version]:
    """Check every version, and what is said of each that is no selection."""
    key, found = document_versions.c, set()
    columns = (key[name] for name in descriptions.COLUMNS)
    fixed = (key.document, key.version, key.ephemeral, key.created, key.text)
    query = select(*fixed, *columns)
    rows = walk.connection.execute(query.execution_options(yield_per=20)).mappings()
    for row in rows:
        version = Version(row["document"], row["version"])
        found.add(version)
        detail = f"{version.document} {version.version}"
        if isinstance(_checked(row["text"], version), Fault):
            walk.findings.add(Fault.VERSION_CHANGED, detail)
        written = {} if row["ephemeral"] else descriptions.hashes(row)
        known = walk.said.get((version.document, version.version), {})
        _said(walk, Fault.VERSION_CHANGED, detail, (written, known))
        came = walk.came.get((version.document, version.version))
        if came is not None and not row["ephemeral"] and row["created"] != came:
            walk.findings.add(Fault.VERSION_CHANGED, f"{detail}: created")
    walk.findings.versions = len(found)
    return found


def _memberships(walk: Walk, versions: set[Version]) -> None:
    """Memberships stand as the chain left them, and their versions are there."""
    key, asked = memberships.c, passage_questions.c.questions
    query = select(
        *(key.pack, key.document, key.version, key.state, key.changed),
        *(key.description, asked),
    ).outerjoin_from(memberships, passage_questions, questions.SAME)
    held = {}
    for row in walk.connection.execute(query.execution_options(yield_per=BATCH)):
        name = tuple(row[:3])
        held[name] = tuple(row[3:5])
        said = {"description": row.description, "questions": row.questions}
        written = descriptions.hashes({k: v for k, v in said.items() if v is not None})
        known = walk.said.get(name, {})
        detail = " ".join(map(str, name))
        _said(walk, Fault.MEMBERSHIP_CHANGED, detail, (written, known))
    for name in held.keys() | walk.states.keys():
        if held.get(name) != walk.states.get(name):
            walk.findings.add(Fault.MEMBERSHIP_CHANGED, " ".join(map(str, name)))
    for version in {
        Version(*name[-2:]) for name in walk.states.keys() | walk.said.keys()
    }:
        if version not in versions:
            detail = f"{version.document} {version.version}"
            walk.findings.add(Fault.VERSION_MISSING, detail)


def _said(
    walk: Walk,
    fault: Fault,
    detail: str,
    hashes: tuple[Mapping[str, str], Mapping[str, str]],
) -> None:
    """What stands in these columns is what the chain says was written last."""
    written, known = hashes
    for name in sorted(written.keys() | known.keys()):
        if written.get(name) != known.get(name):
            walk.findings.add(fault, f"{detail}: {name}")
