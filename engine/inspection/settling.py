"""From a verdict to what came of a question: status, text and findings (R-P2)."""

from collections.abc import Iterator

from engine.inspection.contract import CITATIONS, GAPS, VERDICT
from engine.inspection.question_pack import Inquiry
from engine.inspection.records import (
    INSUFFICIENT,
    NOT_FOUND,
    Decided,
    Finding,
    Status,
)

MOST_CITED = 50  # blocks of one answer; the evidence holds all


def status_of(inquiry: Inquiry, decided: Decided) -> Status:
    """What a verdict comes to."""
    if decided.verdict in (NOT_FOUND, INSUFFICIENT) and inquiry.must_find:
        return Status.FAILED
    if decided.verdict == INSUFFICIENT:
        return Status.INCONCLUSIVE
    if not inquiry.judged:
        return Status.UNJUDGED
    return Status.MET if _expected(inquiry, decided) else Status.FAILED


def why_of(inquiry: Inquiry, decided: Decided) -> str:
    """Why a question failed or could not be told, or what its verdict rests on."""
    if decided.verdict in (NOT_FOUND, INSUFFICIENT):
        missing = "; ".join(decided.gaps) or "nothing answers the question"
        if inquiry.must_find:
            return f"{missing} (must_find)"
        failed = decided.verdict == NOT_FOUND and not _expected(inquiry, decided)
        wanted = " or ".join(inquiry.expect)
        return f"{missing}, and {wanted} is expected" if failed else missing
    if not _expected(inquiry, decided):
        wanted = " or ".join(inquiry.expect)
        told = f": {decided.why}" if decided.why else ""
        return f"{decided.verdict}, and {wanted} is expected{told}"
    return decided.why


def answer_of(decided: Decided, fields: tuple[tuple[str, str], ...] = ()) -> str:
    """What is shown: the contract's lines, then the files' own lines with places."""
    shown = decided.shown[:MOST_CITED]
    cited = ", ".join(str(block.place) for block in shown)
    lines = [f"{VERDICT}={decided.verdict}", f"{CITATIONS}={cited or 'none'}"]
    lines += [f"{name}={value}" for name, value in fields]
    if decided.gaps:
        lines.append(f"{GAPS}={'; '.join(decided.gaps)}")
    for block in shown:
        note = f"  {block.note}" if block.note else ""
        lines += ["", f"{block.place}{note}"]
        lines += [f"{line.number:>6} | {line.text}" for line in block.lines]
    left = len(decided.shown) - len(shown)
    if left:
        lines += ["", f"and {left} more places, in evidence.json"]
    return "\n".join(lines) + "\n"


def findings_of(inquiry: Inquiry, decided: Decided) -> Iterator[Finding]:
    """A finding at each place that shows an unexpected verdict."""
    unsaid = decided.verdict in (NOT_FOUND, INSUFFICIENT)
    if unsaid or _expected(inquiry, decided):
        return
    for block in decided.shown:
        note = f" ({block.note})" if block.note else ""
        yield Finding(
            question=inquiry.id,
            rule=inquiry.id,
            severity=inquiry.severity,
            message=f"{inquiry.question} {decided.verdict}{note}",
            path=block.path,
            first=block.first,
            last=block.last,
        )


def _expected(inquiry: Inquiry, decided: Decided) -> bool:
    """Whether a verdict meets the question; NOT FOUND only where it says so (R-P2)."""
    if decided.verdict == NOT_FOUND and inquiry.must_find is False:
        return True
    return not inquiry.expect or decided.verdict in inquiry.expect
