"""The rows that are kept from commit to commit, and what moved since.

A kept row says in some hundred bytes what came of one case: outcome, reason, states,
the quotations by document, version and place, the choices, a hash of what the reply is
built of, a hash of its words, and what each metric said. Whole runs are not committed:
whoever wants to read one makes it again.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from evals.forms import Case, Json, Result, Row, Score
from evals.store import HASH, StoreFailed, canonical, digest, place_lines, read_lines

ROWS = "rows.jsonl"  # of the suites
MESSAGES = "messages.jsonl"

# A letter for each result; one a metric, in the order of the manifest's names.
_LETTERS = {
    Result.PASS: "p",
    Result.FAIL: "f",
    Result.ABSTAINED: "a",
    Result.NOT_APPLICABLE: "-",
    Result.ERROR: "e",
}
_RESULTS = {letter: result for result, letter in _LETTERS.items()}
# Fields of a case that decide how it is answered and judged.
_ASKED = (
    *("question", "expected", "previous", "selection", "as_of", "tags", "changes"),
    *("chooses", "original"),
)
# A quotation: document, version (its first digits), start, end.
Quoted = tuple[str, str, int, int]


class Kind(StrEnum):
    """The kinds of change, in the order in which a reader notices them."""

    GONE = "no longer asked"
    NEW = "not stored"
    EDITED = "asked otherwise"
    OUTCOME = "outcome"
    REASON = "reason"
    STATES = "states"
    QUOTATIONS = "quotations"
    CHOICES = "choices"
    SLACK = "shape on slack"
    DISCORD = "shape on discord"
    FIELDS = "fields of the record"
    WORDS = "words"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRow:
    """One row, kept.

    Attributes:
        case, repeat, suite: of the row.
        asked: a hash of the case: an edited one is not compared.
        outcome: "answer", "refusal", "talk" or "error".
        reason: the code of a refusal, the kind of talk, what an error says.
        states: failure states, and "EMERGENCY" where the notice opens the reply.
        quotes: in the order in which they are served.
        choices: the labels of what a refusal offers.
        shapes: by platform, a hash of what its messages are built of.
        words: a hash of all that is served.
        results: a letter a metric: p, f, a, e, or - where it did not apply.
        values: of metrics that failed in part, the share that was right.
    """

    case: str
    repeat: int = 0
    suite: str = ""
    asked: str = ""
    outcome: str
    reason: str = ""
    states: tuple[str, ...] = ()
    quotes: tuple[Quoted, ...] = ()
    choices: tuple[str, ...] = ()
    shapes: Mapping[str, str] = field(default_factory=dict)
    words: str = ""
    results: str = ""
    values: Mapping[str, float] = field(default_factory=dict)

    def line(self) -> Json:
        """Return the row as JSON, without its empty fields."""
        every = {one.name: getattr(self, one.name) for one in fields(self)}
        return {name: held for name, held in every.items() if held}

    def scores(self, metrics: Sequence[str]) -> Iterator[Score]:
        """Yield what each metric said, without its reasons; nothing of a row
        unscored."""
        if not self.results:
            return
        for metric, letter in zip(metrics, self.results, strict=True):
            yield Score(
                case=self.case,
                repeat=self.repeat,
                metric=metric,
                result=_RESULTS[letter],
                value=self.values.get(metric),
            )


@dataclass(frozen=True, slots=True)
class Moved:
    """One thing that is not as it was, in words on both sides."""

    case: str
    kind: Kind
    then: str = ""
    now: str = ""


# --- from a row -------------------------------------------------------------------


def store_row(row: Row, case: Case, scores: Iterable[Score] = ()) -> StoredRow:
    """Keep a row, with its scores."""
    by_metric = sorted(scores, key=lambda score: score.metric)
    shown, shapes = row.shown, row.shown.shapes if row.shown else {}
    return StoredRow(
        case=row.case,
        repeat=row.repeat,
        suite=case.suite,
        asked=hash_case(case),
        outcome=_name_outcome(row),
        reason=_find_reason(row),
        states=tuple(_list_states(row.record or {})),
        quotes=tuple(_list_quotes(row.record or {})),
        choices=tuple(each["label"] for each in (row.record or {}).get("choices", ())),
        shapes={name: each.hash for name, each in shapes.items()},
        words=shown.words if shown else digest(row.served),
        results="".join(_LETTERS[score.result] for score in by_metric),
        values={
            score.metric: score.value
            for score in by_metric
            if score.result is Result.FAIL and score.value not in (None, 0)
        },
    )


def hash_case(case: Case) -> str:
    """Hash what of a case decides how it is answered and judged."""
    held = _strip_defaults(case)
    return digest(canonical({name: held[name] for name in _ASKED if name in held}))


def _strip_defaults(value: Any) -> Any:
    """Return a form without its defaults, so that a new field edits no case."""
    if is_dataclass(value) and not isinstance(value, type):
        held = {one: getattr(value, one.name) for one in fields(value)}
        return {
            o.name: _strip_defaults(h) for o, h in held.items() if h != _find_default(o)
        }
    if isinstance(value, list | tuple):
        return [_strip_defaults(held) for held in value]
    return value


def _find_default(one: Field[Any]) -> Any:
    made = one.default_factory
    return one.default if made is MISSING else made()


def _name_outcome(row: Row) -> str:
    if row.talk:
        return "talk"
    if row.record is None:
        return "error"
    return "refusal" if row.refused else "answer"


def _find_reason(row: Row) -> str:
    if row.record is None:
        return row.talk or str(row.error)
    record = row.record
    return str(record.get("reason_code") or record.get("refusal_reason") or "")


def _list_states(record: Json) -> Iterator[str]:
    yield from (state for state in record.get("failure_states", ()) if state != "NONE")
    if record.get("emergency"):
        yield "EMERGENCY"


def _list_quotes(record: Json) -> Iterator[Quoted]:
    sources = {source["number"]: source for source in record.get("sources", ())}
    for section in record.get("sections", ()):
        for claim in section["claims"]:
            for quote in claim["quotes"]:
                of = sources[quote["number"]]
                version = of["version"][:HASH]
                yield (of["document_id"], version, quote["start"], quote["end"])


# --- what moved -------------------------------------------------------------------


def find_moved(then: Iterable[StoredRow], now: Iterable[StoredRow]) -> Iterator[Moved]:
    """Find what differs, case by case; of a case that was edited, that alone."""
    old = {(row.case, row.repeat): row for row in then}
    new = {(row.case, row.repeat): row for row in now}
    for place in sorted(old.keys() | new.keys()):
        before, after = old.get(place), new.get(place)
        if after is None:
            yield Moved(place[0], Kind.GONE)
        elif before is None:
            yield Moved(place[0], Kind.NEW)
        else:
            yield from compare_rows(before, after)


def compare_rows(then: StoredRow, now: StoredRow) -> Iterator[Moved]:
    """Yield what differs between two rows of a case; words where nothing else does."""
    if then.asked != now.asked:
        yield Moved(then.case, Kind.EDITED)
        return
    before, after = _describe(then), _describe(now)
    other = [kind for kind in before if before[kind] != after[kind]]
    for kind in other:
        yield Moved(then.case, kind, before[kind], after[kind])
    if not other and then.words != now.words:
        yield Moved(then.case, Kind.WORDS, then.words, now.words)


def _describe(row: StoredRow) -> Mapping[Kind, str]:
    quotes = (f"{d} {v} [{start}, {end})" for d, v, start, end in row.quotes)
    return {
        Kind.OUTCOME: row.outcome,
        Kind.REASON: row.reason,
        Kind.STATES: ", ".join(row.states),
        Kind.QUOTATIONS: "; ".join(quotes),
        Kind.CHOICES: "; ".join(row.choices),
        Kind.SLACK: row.shapes.get("slack", ""),
        Kind.DISCORD: row.shapes.get("discord", ""),
    }


# --- files ------------------------------------------------------------------------


def write_stored(file: Path, rows: Iterable[StoredRow]) -> None:
    """Write rows, sorted by case and repeat.

    Raises:
        StoreFailed: it cannot be written.
    """
    held = sorted(rows, key=lambda row: (row.case, row.repeat))
    place_lines(file, [canonical(row.line()) for row in held])


def read_stored(file: Path) -> tuple[StoredRow, ...]:
    """Read the rows of a file.

    Raises:
        StoreFailed: it is missing or damaged, or a case is in it twice.
    """
    rows = tuple(read_lines(file, _make_row))
    known: set[tuple[str, int]] = set()
    for row in rows:
        if (row.case, row.repeat) in known:
            raise StoreFailed(f"{file}: {row.case} is there twice")
        known.add((row.case, row.repeat))
    return rows


def _make_row(data: dict[str, Any]) -> StoredRow:
    quotes = tuple((d, v, start, end) for d, v, start, end in data.get("quotes", ()))
    listed = {name: tuple(data.get(name, ())) for name in ("states", "choices")}
    return StoredRow(**(data | listed | {"quotes": quotes}))
