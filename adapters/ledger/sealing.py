"""Personal fields: stored apart with a salt, so that they can be deleted for good.

The chain holds for each the SHA-256 of salt (128 random bits in hexadecimal), line
feed, field name, line feed, value as canonical JSON. Once text and salt are deleted,
the commitment reveals nothing and the chain still verifies. Personal are the question
and whatever may repeat it: pseudonym, session, selection, the parsed question, the
answer's prose, a validator's objections, a model's prompts and drafts. Quotes of stored
documents are not personal; quotes of a selected text are, with their source.
"""

import hashlib
import json
import secrets
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from adapters.ledger.entries import Json, dump_canonical
from engine.model.errors import VerificationFailed
from engine.model.outcome import Outcome
from engine.model.record import Record, SourceRecord

# Paths into a record; each is blank in the chain.
PERSONAL = (
    "question",
    "answer",
    "explanation",
    "notices",
    "findings",
    "prompts",
    "intent.text",
    "intent.named",
    "intent.conditions",
    "intent.framing",
    "intent.missing_facts",
    "intent.corrections",
    "intent.things",
    "intent.day_phrase",
    "previous",
    "selection",
    "tags",
    "gate.explanation",
)
SOURCES = "sources."  # + position, for a source that is a selected text
SELECTION = "selection"  # replaces the document of such a source


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a document."""

    document: str
    version: str


@dataclass(frozen=True, slots=True)
class Personal:
    """One deletable field: `value` is canonical JSON."""

    field: str
    salt: str
    value: str

    @property
    def commitment(self) -> str:
        """Return the hash of this field that the chain holds."""
        named = f"{self.salt}\n{self.field}\n{self.value}"
        return hashlib.sha256(named.encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def content(self) -> Json:
        """Return the decoded value."""
        return read_content(self.value)


@dataclass(frozen=True, slots=True)
class Sealed:
    """A record with its personal fields blank, and those fields."""

    record: Record
    fields: tuple[Personal, ...]


def read_content(value: str) -> Json:
    """Decode the stored value of a personal field.

    Raises:
        VerificationFailed: it cannot be read.
    """
    try:
        content: Json = json.loads(value)
    except (ValueError, RecursionError) as error:
        raise VerificationFailed("a personal field cannot be read") from error
    return content


def seal(record: Record, outcome: Outcome, selections: Collection[Version]) -> Sealed:
    """Take the personal fields out of a record.

    Args:
        record: the full record of `outcome`.
        outcome: the outcome, which has asker and session too.
        selections: the cited versions that are selected texts.
    """
    content = _dump(record)
    taken: dict[str, Json] = {
        "asker": outcome.question.asker,
        "session": outcome.question.session,
    }
    for path in PERSONAL:
        taken[path] = _swap(content, path, None)
    for at, source in enumerate(record.sources):
        if Version(source.document_id, source.version) in selections:
            stub: Json = _dump(_make_stub(source))
            taken[f"{SOURCES}{at}"] = _swap(content, f"{SOURCES}{at}", stub)
    fields = tuple(
        Personal(field, secrets.token_hex(16), dump_canonical(value))
        for field, value in taken.items()
        if value not in (None, "", [], {})
    )
    return Sealed(Record.model_validate(content), fields)


def unseal(record: Record, fields: Mapping[str, Json]) -> Record:
    """Put the personal fields back that are given; the others stay blank."""
    content = _dump(record)
    for path, value in fields.items():
        if path in PERSONAL or path.startswith(SOURCES):
            _swap(content, path, value)
    return Record.model_validate(content)


def _dump(model: Record | SourceRecord) -> dict[str, Json]:
    content: dict[str, Json] = model.model_dump(mode="json")
    return content


def _make_stub(source: SourceRecord) -> SourceRecord:
    """Make a source with number, score and offsets alone, for a selected passage."""
    return SourceRecord(
        number=source.number,
        chunk_id="",
        score=source.score,
        section="",
        document_id=SELECTION,
        version="",
        source=source.source,
        title="",
        url=None,
        start=source.start,
        end=source.end,
    )


def _swap(content: dict[str, Json], path: str, value: Json) -> Json:
    """Put `value`, or a blank for None, at a path and return the old value."""
    *parents, last = path.split(".")
    holder: Json = content
    for name in parents:
        holder = holder[name] if isinstance(holder, dict) else None
    if isinstance(holder, list):
        held, holder[int(last)] = holder[int(last)], value
        return held
    if not isinstance(holder, dict):
        return None
    held = holder[last]
    blank: Json = type(held)() if isinstance(held, list | dict) else ""
    holder[last] = blank if value is None else value
    return held
