"""The door of the core: the engine, what goes in and what comes out."""

from engine.ask import Engine, Ports
from engine.audit.record import Record, record_of
from engine.policy.pack import Pack
from engine.records import (
    Answer,
    Citation,
    Claim,
    Closed,
    FailureState,
    Open,
    Outcome,
    Question,
    Quote,
    Reason,
    Refusal,
    RefusalReason,
)
from engine.retrieve.calibration import Calibration
from engine.urgency import Urgency

__all__ = [
    "Answer",
    "Calibration",
    "Citation",
    "Claim",
    "Closed",
    "Engine",
    "FailureState",
    "Open",
    "Outcome",
    "Pack",
    "Ports",
    "Question",
    "Quote",
    "Reason",
    "Record",
    "Refusal",
    "RefusalReason",
    "Urgency",
    "record_of",
]
