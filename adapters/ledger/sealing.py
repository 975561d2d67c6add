"""Personal fields: kept apart with a salt, so that they can be deleted for good.

The chain holds, of each, the SHA-256 of salt (128 random bits in hexadecimal), line
feed, field name, line feed, value as canonical JSON. With text and salt deleted the
commitment says nothing, and the chain still verifies. Personal is what somebody asked
and whatever may repeat it: question, pseudonym, session, selection, our reading of the
question, the answer's prose, what a validator objected to, what a model was asked and
what it wrote. Quotes of stored documents are not; quotes of a selected text are, with
their source.
"""

import hashlib
import json
import secrets
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from adapters.ledger.entries import Json, canonical
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
SELECTION = "selection"  # stands in place of such a source's document


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
        """The hash that the chain holds of this field."""
        named = f"{self.salt}\n{self.field}\n{self.value}"
        return hashlib.sha256(named.encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def content(self) -> Json:
        """The value itself."""
        return content_of(self.value)


@dataclass(frozen=True, slots=True)
class Sealed:
    """A record with its personal fields blank, and those fields."""

    record: Record
    fields: tuple[Personal, ...]


def content_of(value: str) -> Json:
    """A personal field as it was before it was stored.

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
        outcome: gives the asker and the session as well.
        selections: the cited versions that are selected texts.
    """
    content = _content(record)
    taken: dict[str, Json] = {
        "asker": outcome.question.asker,
        "session": outcome.question.session,
    }
    for path in PERSONAL:
        taken[path] = _swap(content, path, None)
    for at, source in enumerate(record.sources):
        if Version(source.document_id, source.version) in selections:
            stub: Json = _content(_stub(source))
            taken[f"{SOURCES}{at}"] = _swap(content, f"{SOURCES}{at}", stub)
    fields = tuple(
        Personal(field, secrets.token_hex(16), canonical(value))
        for field, value in taken.items()
        if value not in (None, "", [], {})
    )
    return Sealed(Record.model_validate(content), fields)


def unseal(record: Record, fields: Mapping[str, Json]) -> Record:
    """Put back those personal fields that are still there; the others stay blank."""
    content = _content(record)
    for path, value in fields.items():
        if path in PERSONAL or path.startswith(SOURCES):
            _swap(content, path, value)
    return Record.model_validate(content)


def _content(model: Record | SourceRecord) -> dict[str, Json]:
    content: dict[str, Json] = model.model_dump(mode="json")
    return content


def _stub(source: SourceRecord) -> SourceRecord:
    """Number, score and offsets of a selected passage, and nothing of its text."""
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
    """Put `value` at a path, or the blank of what stands there; what stood there."""
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
