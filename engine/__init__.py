"""The door of the core: the engine, what goes in and what comes out."""

from engine.model.answer import Answer, Citation, Claim, Quote
from engine.model.codes import FailureState, Reason, RefusalReason
from engine.model.gate import Closed, Open
from engine.model.outcome import Outcome, Refusal
from engine.model.question import Question
from engine.model.record import Record, record_of
from engine.parse.urgency import Urgency
from engine.pipeline.ask import Engine, Ports
from engine.policy.pack import Pack
from engine.rank.calibration import Calibration

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
