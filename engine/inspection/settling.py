"""From a verdict to the result of a question: status, text, findings, and the cause of
an empty one.
"""

from collections.abc import Iterator, Sequence

from engine.inspection.contract import CITATIONS, GAPS, VERDICT
from engine.inspection.question_pack import Inquiry
from engine.inspection.records import (
    INSUFFICIENT,
    NOT_FOUND,
    Decided,
    Finding,
    Gathered,
    Status,
    collect_blocks,
)

MOST_CITED = 50  # blocks of one answer; the evidence holds all


def find_status(inquiry: Inquiry, decided: Decided) -> Status:
    """Return the status of a question with this verdict."""
    if decided.verdict in (NOT_FOUND, INSUFFICIENT) and inquiry.must_find:
        return Status.FAILED
    if decided.verdict == INSUFFICIENT:
        return Status.INCONCLUSIVE
    if not inquiry.judged:
        return Status.UNJUDGED
    return Status.MET if _is_expected(inquiry, decided) else Status.FAILED


def explain(inquiry: Inquiry, decided: Decided) -> str:
    """Explain why a question failed or is unknown, or what its verdict rests on."""
    if decided.verdict in (NOT_FOUND, INSUFFICIENT):
        missing = "; ".join(decided.gaps) or "nothing answers the question"
        if inquiry.must_find:
            return f"{missing} (must_find)"
        failed = decided.verdict == NOT_FOUND and not _is_expected(inquiry, decided)
        wanted = " or ".join(inquiry.expect)
        return f"{missing}, and {wanted} is expected" if failed else missing
    if not _is_expected(inquiry, decided):
        wanted = " or ".join(inquiry.expect)
        told = f": {decided.why}" if decided.why else ""
        return f"{decided.verdict}, and {wanted} is expected{told}"
    return decided.why


def format_answer(decided: Decided, fields: tuple[tuple[str, str], ...] = ()) -> str:
    """Format the contract's lines, then the files' lines with their places."""
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


def make_findings(inquiry: Inquiry, decided: Decided) -> Iterator[Finding]:
    """Yield a finding at each place that shows an unexpected verdict."""
    unsaid = decided.verdict in (NOT_FOUND, INSUFFICIENT)
    if unsaid or _is_expected(inquiry, decided):
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


def _is_expected(inquiry: Inquiry, decided: Decided) -> bool:
    """Return whether a verdict meets the question; NOT FOUND only if listed."""
    if decided.verdict == NOT_FOUND and inquiry.must_find is False:
        return True
    return not inquiry.expect or decided.verdict in inquiry.expect


def diagnose(
    verdict: str, inquiry: Inquiry, gathered: Sequence[Gathered], offered: int
) -> str:
    """Name the cause of an empty verdict as `name: explanation`; "" for any other
    verdict.

    Args:
        verdict: that was given.
        inquiry: the question.
        gathered: its evidence.
        offered: how many blocks a model was shown; all of them without one.
    """
    if verdict not in (NOT_FOUND, INSUFFICIENT):
        return ""
    if not any(found.blocks for found in gathered):
        return _diagnose_empty(gathered)
    held = len(collect_blocks(gathered))
    beyond = sum(found.beyond for found in gathered)
    if offered < held:
        return f"top_k: {offered} of {held} blocks were shown (top_k {inquiry.top_k})"
    if beyond:
        return f"top_k: {beyond} hits lie beyond the limit of a preflight"
    missed = sum(found.missed + found.dropped for found in gathered)
    if missed:
        return f"unread: {missed} places could not be read"
    if any(line.cut for block in collect_blocks(gathered) for line in block.lines):
        return "chunking: lines of the evidence are cut"
    return "evidence_and_prompt: there is evidence, and it was not taken as an answer"


def _diagnose_empty(gathered: Sequence[Gathered]) -> str:
    """Name the preflights without a hit, and where they searched."""
    blind = [found.preflight for found in gathered if not found.files]
    if blind:
        return f"preflight: no file is in the scope of {', '.join(blind)}"
    missed = sum(found.missed for found in gathered)
    if missed:
        return f"unread: {missed} files could not be read"
    looked = ", ".join(f"{f.preflight} ({f.files} files)" for f in gathered)
    return f"preflight: nothing matched in {looked}"
