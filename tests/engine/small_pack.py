"""A small valid pack, and evidence to go with it, for tests of the rules."""

from collections.abc import Sequence
from datetime import date
from typing import Any

from engine.model.codes import FailureState, Reason
from engine.model.document import BlockKind, Sentence
from engine.model.evidence import Evidence, Trace
from engine.model.passage import Chunk
from engine.model.question import Intent, Question
from engine.policy.pack import Pack

TODAY = date(2026, 11, 22)
SHOWN = {FailureState.STALE_VOLATILE_SOURCE, FailureState.NO_BINDING_AUTHORITY}


def source(name: str, **changes: Any) -> dict[str, Any]:
    """A trusted source of tier 2 that is no guideline."""
    return {
        "id": name,
        "publisher": f"Publisher of {name}",
        "type": "page",
        "tier": 2,
        "trusted": True,
        "homepage": "https://example.org/",
        **changes,
    }


def data(**changes: Any) -> dict[str, Any]:
    """A medical pack with R-G1's openings, as plain tables."""
    return {
        "id": "small",
        "title": "Small",
        "version": "1.0.0",
        "date": date(2026, 1, 1),
        "owner": "o",
        "contact": "c",
        "status": "active",
        "domain": "medical",
        "changelog": [
            {"version": "1.0.0", "date": date(2026, 1, 1), "change": "First."}
        ],
        "intents": [
            {
                "name": "INFORMATIONAL_TREATMENT",
                "query_type": "treatment",
                "patterns": [r"\btreat"],
                "sensitive": True,
                "minimum_chunks": 2,
            },
            {"name": "OTHER", "query_type": "general"},
        ],
        "gate": {
            "openings": [
                {
                    "name": "guideline",
                    "documents": 1,
                    "relevance": 0.7,
                    "tier": 1,
                    "guideline": True,
                },
                {"name": "two", "documents": 2, "relevance": 0.5},
            ],
            "recency_days": 100,
        },
        "citations": {"minimum_sensitive": 2},
        "answer": {
            "attribution": "From {title}:",
            "selection_attribution": "Selected:",
        },
        "sensitive": {"terms": ["aspirin"], "patterns": [r"\bsymptom\w*"]},
        "notices": {
            state: {
                "text": f"Notice {state}.",
                "severity": "info",
                "show_body": state in SHOWN,
            }
            for state in FailureState
            if state not in {FailureState.NONE, FailureState.OUT_OF_SCOPE_SOURCE}
        },
        "wording": {
            "acknowledgement": "Thank you.",
            "lacks": "This is not on file.",
            "turn_to": "Ask the team.",
            "links": [{"title": "Home", "url": "https://example.org/"}],
            "reasons": {r: f"Because {r.name}." for r in Reason},
            "emergencies": [
                {
                    "kind": "self_harm",
                    "patterns": [r"\bsuicid"],
                    "text": "You are not alone.",
                },
                {
                    "kind": "collapse",
                    "patterns": [r"\bunresponsive\b"],
                    "text": "Call for help.",
                },
                {"text": "Call somebody."},
            ],
            "distress": {
                "acknowledgement": "I am here.",
                "turn_to": "Call the team.",
            },
            "unsupported_language": {"de": "Nur Englisch.", "en": "English only."},
            "first_use": "Stored.",
            "demo_label": "Demo.",
            "not_found": "Not found: {missing}",
        },
        "sources": [
            source("one", tier=1, guideline=True),
            source("two"),
            source("news", trusted=False),
        ],
        **changes,
    }


def small_pack(**changes: Any) -> Pack:
    """The pack of `data`."""
    return Pack.model_validate(data(**changes))


def question(text: str = "How is it treated?", **changes: Any) -> Question:
    return Question(id="q", session="s", text=text, pack="small", **changes)


def intent(**changes: Any) -> Intent:
    """A general, in-scope question of today."""
    return Intent.model_validate(
        {
            "query_type": "general",
            "name": "OTHER",
            "text": "How is it treated?",
            "sensitive": False,
            "as_of": TODAY,
            **changes,
        }
    )


def chunk(relevance: float, document: str = "d1", **changes: Any) -> Chunk:
    """A chunk of source `two`, published today, by its relevance."""
    text = "It is treated."
    return Chunk.model_validate(
        {
            "id": f"{document}-{relevance}-{len(changes)}",
            "document": document,
            "version": "v",
            "source": "two",
            "title": f"Title of {document}",
            "section": ("Section",),
            "ordinal": 0,
            "start": 0,
            "end": len(text),
            "line_start": 1,
            "text": text,
            "sentences": (Sentence(start=0, end=len(text), kind=BlockKind.PARAGRAPH),),
            "published": TODAY,
            "relevance": relevance,
            **changes,
        }
    )


def evidence(chunks: Sequence[Chunk] = (), **changes: Any) -> Evidence:
    """Evidence that answers, with a trace that found as many candidates as chunks."""
    trace = {"query_type": "general", "candidates": len(chunks)}
    return Evidence.model_validate(
        {
            "chunks": tuple(chunks),
            "nearest": (),
            "answerability": 0.9,
            **changes,
            "trace": Trace.model_validate(trace | changes.pop("trace", {})),
        }
    )
