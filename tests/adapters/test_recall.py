"""A stored reply is made of what its present reader may see (R-C5, R-D5, R-V7)."""

from collections.abc import Sequence

import pytest

from adapters.recall import Reader, recall
from adapters.reply import Reply
from engine.model.answer import Answer
from engine.model.document import Document
from engine.model.outcome import Nearest, Outcome
from engine.model.record import Record, record_of
from tests.adapters.ledger.samples import REST, answered, document, refused
from tests.adapters.outcomes import TODAY
from tests.engine.small_pack import small_pack, source

SECRET = "Secret leave plan for the Zentauria takeover"
PACK = small_pack(
    sources=[source("clinic", url_prefixes=["https://example.org/"], publisher="Ours")]
)
OPEN = document()
HIDDEN = document(
    "Rest never. Drink nothing.", id="plan", title=SECRET, tags=("board",)
)
BOARD = frozenset({"board"})


def both() -> Outcome:
    """An answer from both documents, which disagree, as who holds the tag gets it."""
    first = answered(OPEN, [REST], tags=BOARD)
    second = answered(HIDDEN, [REST], tags=BOARD)
    assert isinstance(first.result, Answer)
    assert isinstance(second.result, Answer)
    (claim,) = second.result.sections[0].claims
    (cited,) = second.result.citations
    other = cited.model_copy(update={"number": 2})
    section = first.result.sections[0]
    claims = (*section.claims, claim.model_copy(update={"citations": (2,)}))
    result = first.result.model_copy(
        update={
            "sections": (section.model_copy(update={"claims": claims}),),
            "citations": (*first.result.citations, other),
        }
    )
    told = (f"The sources disagree: About rest; {SECRET} (clinic)",)
    corrected = first.intent.model_copy(
        update={"corrections": (("zentuaria", "zentauria"), ("slep", "rest"))}
    )
    assert first.gate is not None
    gate = first.gate.model_copy(
        update={"documents": 2, "numbers": {"needed": 0.77}, "tier_one": False}
    )
    update = {"result": result, "notices": told, "intent": corrected, "gate": gate}
    return first.model_copy(update=update)


def read(outcome: Outcome, seen: Sequence[Document], *tags: str) -> Reply:
    """A stored outcome as a reader of these documents and tags gets it."""
    return recall(stored(outcome), reader(seen, *tags), PACK)


def reader(seen: Sequence[Document], *tags: str) -> Reader:
    return Reader({one.id: one for one in seen}, frozenset(tags), TODAY)


def stored(outcome: Outcome) -> Record:
    return record_of(outcome)


def test_who_may_see_all_reads_all_R_D5() -> None:
    """Notices, corrections and numbers as the asker got them."""
    told = read(both(), [OPEN, HIDDEN], "board").model_dump_json()
    assert SECRET in told
    assert "zentauria" in told
    assert "0.77" in told
    assert "Two documents" in told


def test_a_notice_tells_of_no_hidden_document_R_C5() -> None:
    """Nor does its number, nor that there were two."""
    told = read(both(), [OPEN]).model_dump_json()
    assert "Rest often." in told
    for secret in (SECRET, "Secret", "disagree", "0.77", "Two documents"):
        assert secret not in told


def test_a_spelling_tells_no_word_of_hidden_documents_R_C5() -> None:
    """One that stands in what the reader sees is told."""
    told = read(both(), [OPEN]).model_dump_json()
    assert "zentauria" not in told.casefold()
    assert '\\"slep\\" as \\"rest\\"' in told


@pytest.mark.parametrize("tags", [(), ("staff",)])
def test_a_spelling_is_not_told_beside_open_documents_R_C5(
    tags: tuple[str, ...],
) -> None:
    """The asker's tags put it right; every document of the reply may be seen."""
    outcome = answered(OPEN, [REST], tags=BOARD)
    corrected = {"corrections": (("zentuaria", "zentauria"),), "text": "Zentauria?"}
    intent = outcome.intent.model_copy(update={**corrected, "follow_up": True})
    outcome = outcome.model_copy(update={"intent": intent})
    told = read(outcome, [OPEN], *tags).model_dump_json()
    assert "zentauria" not in told.casefold()


def test_it_is_not_told_once_the_document_was_closed_R_C5() -> None:
    """Whoever asked without a tag has none of it later either."""
    outcome = answered(OPEN, [REST])
    intent = outcome.intent.model_copy(
        update={"corrections": (("zentuaria", "zentauria"),)}
    )
    outcome = outcome.model_copy(update={"intent": intent})
    assert "zentauria" not in read(outcome, [OPEN]).model_dump_json()


def test_a_refusal_is_worded_again_for_who_sees_less_R_C5() -> None:
    """Without numbers, names or what came near and is hidden."""
    near = Nearest(
        document_id="plan",
        title=SECRET,
        section="",
        url="https://example.org/plan",
        relevance=0.9,
    )
    outcome = refused(tags=BOARD).model_copy(
        update={"nearest": (near,), "notices": (f"See {SECRET}.", "Demo texts.")}
    )
    assert isinstance(outcome.result.model_dump(), dict)
    result = outcome.result.model_copy(
        update={"fallback": f"Nothing but {SECRET}.", "explanation": f"{SECRET}: 0.21"}
    )
    outcome = outcome.model_copy(update={"result": result})
    told = read(outcome, [])
    assert SECRET not in told.model_dump_json()
    assert "0.21" not in told.model_dump_json()
    assert "This is not on file." in told.model_dump_json()
    assert SECRET in read(outcome, [HIDDEN], "board").model_dump_json()


def test_links_are_those_of_the_register_R_V7() -> None:
    """Also of a document that was taken in before that was looked at."""
    foreign = document(url="https://example.org@evil.example/")
    told = read(answered(foreign), [foreign])
    assert [one.url for one in told.sources] == [None] * len(told.sources)
    linked = read(answered(OPEN), [OPEN])
    assert {one.url for one in linked.sources} == {"https://example.org/rest"}
