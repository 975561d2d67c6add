"""The part of an answer that is shown at once; "Show more" reveals the rest.

Whole claims, in their order. What must be read together is never separated: the
citations and documents that an answer needs, sources that disagree, and the fields of a
record card, with the lines for fields that the source does not state.
"""

from collections.abc import Collection, Sequence

from engine.model.answer import Answer, Claim

WORDS = 120  # shown at once, about
FEWEST = 30  # words that are worth a press; fewer are shown at once, too


def mark_more(answer: Answer, documents: int, together: Collection[int] = ()) -> Answer:
    """Mark the claims of an answer that "Show more" reveals.

    Args:
        answer: what passed every validator.
        documents: how many a sensitive answer has to cite.
        together: numbers of citations that are only shown side by side.
    """
    cited = [c for s in answer.sections for c in s.claims if c.citations]
    count = max(
        _count_readable(cited), _count_required(answer, cited, documents, together)
    )
    if sum(_count_words(claim) for claim in cited[count:] if not claim.row) < FEWEST:
        return answer
    at = 0
    sections = []
    for section in answer.sections:
        claims = []
        for claim in section.claims:
            at += bool(claim.citations)
            behind = at > count and bool(claim.citations) and not claim.row
            claims.append(claim.model_copy(update={"more": behind}))
        sections.append(section.model_copy(update={"claims": tuple(claims)}))
    return answer.model_copy(update={"sections": tuple(sections)})


def _count_readable(claims: Sequence[Claim]) -> int:
    """Count the claims that come nearest to WORDS, one at least."""
    shown = 0
    for count, claim in enumerate(claims):
        if count and shown + _count_words(claim) / 2 > WORDS:
            return count
        shown += _count_words(claim)
    return len(claims)


def _count_required(
    answer: Answer,
    claims: Sequence[Claim],
    documents: int,
    together: Collection[int],
) -> int:
    """Count the first claims that must be read together; all where fewer do not
    suffice.
    """
    source = {citation.number: citation.document for citation in answer.citations}
    wanted = documents if any(claim.sensitive for claim in claims) else 1
    seen: set[int] = set()
    for count, claim in enumerate(claims, start=1):
        seen.update(claim.citations)
        enough = len(seen) >= answer.minimum_citations
        spread = len({source[number] for number in seen}) >= wanted
        if enough and spread and seen.issuperset(together):
            return count
    return len(claims)


def _count_words(claim: Claim) -> int:
    return len(claim.text.split())
