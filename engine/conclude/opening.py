"""What of an answer is shown at once; the rest stands behind "Show more".

Whole claims, in their order. What must be read together is never parted: the citations
and documents that R-I3 asks for, sources that disagree, and the fields of a block,
where one that the source does not state stands in its place.
"""

from collections.abc import Collection, Sequence

from engine.model.answer import Answer, Claim

WORDS = 120  # about so many are shown at once
FEWEST = 30  # words that are worth a press; fewer are shown at once, too


def opening(answer: Answer, documents: int, together: Collection[int] = ()) -> Answer:
    """Return the answer with those claims marked that stand behind "Show more".

    Args:
        answer: what passed every validator.
        documents: how many a sensitive answer has to cite.
        together: numbers of citations that are only shown side by side.
    """
    cited = [c for s in answer.sections for c in s.claims if c.citations]
    count = max(_readable(cited), _required(answer, cited, documents, together))
    if sum(_words(claim) for claim in cited[count:] if not claim.row) < FEWEST:
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


def _readable(claims: Sequence[Claim]) -> int:
    """Return how many come nearest to WORDS, one at least."""
    shown = 0
    for count, claim in enumerate(claims):
        if count and shown + _words(claim) / 2 > WORDS:
            return count
        shown += _words(claim)
    return len(claims)


def _required(
    answer: Answer,
    claims: Sequence[Claim],
    documents: int,
    together: Collection[int],
) -> int:
    """Return how many hold what must be read together; all where nothing less does."""
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


def _words(claim: Claim) -> int:
    return len(claim.text.split())
