"""The entries of the audit chain, one kind for each event, and their canonical form.

Canonical JSON, which is hashed: keys sorted by code point, no white space, ASCII only
(everything else as \\uXXXX escapes), integers in decimal, floating-point numbers as
STRINGS of the shortest digits that read back equal (Python's `repr`: "0.1", "1e-07"),
dates in ISO 8601, instants in UTC with six decimals, absent values as null. The bytes
as stored are what `verify` hashes, so a later release that adds a field breaks nothing.
"""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter, ValidationError

from engine.model.document import VersionState
from engine.model.errors import VerificationFailed
from engine.model.frozen import Frozen
from engine.model.record import Record

Json = dict[str, "Json"] | list["Json"] | str | int | float | bool | None


class OutcomeEntry(Frozen):
    """One question's record, its personal fields blank and committed to.

    `commitments` maps a field of `personal` to the salted SHA-256 of its value.
    """

    kind: Literal["outcome"] = "outcome"
    created: str
    tenant: str
    tags: tuple[str, ...]
    record: Record
    commitments: Mapping[str, str]


class MembershipEntry(Frozen):
    """The new state of a document version in a pack's corpus."""

    kind: Literal["membership"] = "membership"
    created: str
    pack: str
    document: str
    version: str
    state: VersionState


class DescriptionEntry(Frozen):
    """The description of a document version was written, in a pack or of itself.

    `hashes` maps a column of `memberships` or `passage_questions`, or without a pack of
    `document_versions`, to the SHA-256 of its value. An `adopted` value was there
    before the chain held such entries, right or wrong.
    """

    kind: Literal["description", "adopted"] = "description"
    created: str
    pack: str | None = None
    document: str
    version: str
    hashes: Mapping[str, str]


class BindingEntry(Frozen):
    """A channel was bound or its binding changed, or removed: `commitment` is None.

    Platform, tenant and channel are as in the row of `bindings`. A binding names
    people, so the chain holds a commitment to it, as for the personal fields of an
    outcome. An `adopted_binding` was there before the chain held such entries, right or
    wrong.
    """

    kind: Literal["binding", "adopted_binding"] = "binding"
    created: str
    platform: str
    tenant: str
    channel: str
    pack: str | None = None
    commitment: str | None = None

    @property
    def key(self) -> tuple[str, str, str]:
        """Return the key of its row."""
        return (self.platform, self.tenant, self.channel)


class RowsEntry(Frozen):
    """Rows of a table came, changed or went, each named by its commitment.

    `adopted_rows` were there before the chain held such entries, right or wrong.
    """

    kind: Literal["rows", "adopted_rows"] = "rows"
    created: str
    table: str
    came: tuple[str, ...] = ()
    went: tuple[str, ...] = ()


class ForgottenEntry(Frozen):
    """The personal fields of these outcomes were deleted, for this reason.

    Where `fields` names some, only those were deleted: of other people's follow-ups to
    a question that was forgotten.
    """

    kind: Literal["forgotten"] = "forgotten"
    created: str
    why: Literal["asker", "retention", "restored"]
    sequences: tuple[int, ...]
    fields: tuple[str, ...] = ()


class RestoredEntry(Frozen):
    """The ledger was restored from a backup; entries after the backup were dropped.

    `sequence` and `hash` name the head that was replaced.
    """

    kind: Literal["restored"] = "restored"
    created: str
    sequence: int
    hash: str


class AdministeredEntry(Frozen):
    """An administrator's act about a pack on the administration pages.

    It is recorded before it is done; its result shows in the rows that it changed.
    `who` is a pseudonym, or a fixed word where the pages ask for no login.
    """

    kind: Literal["administered"] = "administered"
    created: str
    who: str
    action: str
    pack: str
    subject: str


class ReportedEntry(Frozen):
    """The weekly report of a pack, up to a day, was put into the outbox."""

    kind: Literal["reported"] = "reported"
    created: str
    pack: str
    until: str


Entry = (
    OutcomeEntry
    | MembershipEntry
    | DescriptionEntry
    | BindingEntry
    | RowsEntry
    | ForgottenEntry
    | RestoredEntry
    | AdministeredEntry
    | ReportedEntry
)
_ENTRY: TypeAdapter[Entry] = TypeAdapter(Annotated[Entry, Field(discriminator="kind")])


def format_instant(moment: datetime) -> str:
    """Write a moment as UTC with six decimals, so that text order is time order."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def dump_canonical(value: Json) -> str:
    """Write a value as canonical JSON (see the module's docstring)."""
    return json.dumps(
        _write_floats(value),
        sort_keys=True,
        separators=(",", ":"),
        ensure_ascii=True,
        allow_nan=False,
    )


def write(entry: Entry) -> str:
    """Write an entry as canonical JSON."""
    return dump_canonical(entry.model_dump(mode="json"))


def read(text: str) -> Entry:
    """Read an entry from its stored text.

    Raises:
        VerificationFailed: the text is no entry of a known kind.
    """
    try:
        return _ENTRY.validate_python(json.loads(text))
    except (ValueError, RecursionError, ValidationError) as error:
        raise VerificationFailed("an audit entry cannot be read") from error


def _write_floats(value: Json) -> Json:
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, dict):
        return {key: _write_floats(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_write_floats(item) for item in value]
    return value
