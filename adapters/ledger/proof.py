"""No answer is recorded that `verify` would not prove (R-I3, R-D3).

An index can be out of step with the ledger, and a stored text can be tampered with: so
what an answer cites is looked up once more, in the transaction that records it.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import Connection

from adapters.ledger import messages, versions
from adapters.ledger.chain import Head
from adapters.ledger.sealing import Version
from engine.model.answer import Answer, Citation, Quote
from engine.model.errors import LedgerFailed, VerificationFailed
from engine.model.outcome import Outcome

MEND = "`groundrule reindex --fresh` makes the index anew from the ledger"


def record(connection: Connection, outcome: Outcome, now: datetime) -> Head:
    """Prove an outcome and append it to the chain; see messages.record.

    Raises:
        VerificationFailed: see `prove`.
        LedgerFailed: it contradicts itself.
    """
    prove(connection, outcome)
    try:
        return messages.record(connection, outcome, now)
    except ValueError as error:
        raise LedgerFailed(
            "the outcome is inconsistent and was not recorded"
        ) from error


def prove(connection: Connection, outcome: Outcome) -> None:
    """Check that an answer's citations and quotes stand in stored versions.

    Raises:
        VerificationFailed: a cited version is not stored, its stored text does not hash
            to it, or a citation or quote does not stand at its place.
    """
    if not isinstance(outcome.result, Answer):
        return
    for version, parts in _cited(outcome.result).items():
        text = _text(connection, version)
        for part in parts:
            if not _stands(part, text):
                raise VerificationFailed(
                    f"{part.document}: what is cited does not stand in the stored text "
                    f"at {part.start} to {part.end}; {MEND}"
                )


def _cited(answer: Answer) -> Mapping[Version, Sequence[Citation | Quote]]:
    """Each version that an answer rests on, with what it takes from it."""
    claims = [claim for section in answer.sections for claim in section.claims]
    quotes = [quote for claim in claims for quote in claim.quotes]
    parts: list[Citation | Quote] = [*answer.citations, *quotes]
    found: defaultdict[Version, list[Citation | Quote]] = defaultdict(list)
    for part in parts:
        found[Version(part.document, part.version)].append(part)
    return found


def _stands(part: Citation | Quote, text: str) -> bool:
    """Whether a citation lies inside a text, or a quote stands there word for word."""
    if isinstance(part, Quote):
        return text[part.start : part.end] == part.text
    return part.start <= part.end <= len(text)


def _text(connection: Connection, version: Version) -> str:
    try:
        text = versions.read_text(connection, version.document, version.version)
    except LedgerFailed as error:
        raise VerificationFailed(str(error)) from error
    if text is None:
        raise VerificationFailed(
            f"{version.document}: version {version.version[:12]} is cited and is not "
            f"stored; {MEND}"
        )
    return text
