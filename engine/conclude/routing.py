"""What stays on record of the way that a question took: what the gate saw, and whether
the answer keeps the contract of its query type (R-A2, R-D4, R-O1).
"""

from collections.abc import Sequence

from engine.model.answer import Answer, Finding
from engine.model.evidence import Evidence, Seen, Trace
from engine.model.outcome import Refusal
from engine.model.question import Question
from engine.policy.contract import CONTRACT, keeps
from engine.policy.pack import Pack, SectionRule


def traced(question: Question, evidence: Evidence | None, pack: Pack) -> Trace | None:
    """The trace of the search with every passage that the gate judged.

    Passages of a selected text are the asker's, and not kept.
    """
    if evidence is None or question.selection is not None:
        return evidence.trace if evidence else None
    register = pack.register()
    seen = tuple(
        Seen(
            chunk_id=chunk.id,
            document_id=chunk.document,
            source=chunk.source,
            type=register[chunk.source].type if chunk.source in register else "",
            relevance=chunk.relevance,
        )
        for chunk in evidence.chunks
    )
    return evidence.trace.model_copy(update={"seen": seen})


def routed(
    result: Answer | Refusal,
    findings: Sequence[Finding],
    contract: Sequence[SectionRule],
) -> bool:
    """Whether every draft, and what is shown, keeps the contract of its query type.

    A draft that was rejected for it counts, though a second one mended it (R-A2, R-V4).
    """
    shown = result.sections if isinstance(result, Answer) else ()
    kept = not shown or keeps(contract, [section.heading for section in shown])
    rejected = (f for f in findings if f.severity == "reject")
    return kept and all(found.validator != CONTRACT for found in rejected)
