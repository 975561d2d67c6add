"""The deterministic answer: verbatim passages of the evidence, in a reader's order."""

from itertools import combinations, pairwise

import pytest
from hypothesis import given, strategies

from engine.draft.extract import (
    BEHIND,
    FARTHEST_BEHIND,
    LONGEST_ANSWER,
    complete_rows,
    join_runs,
    make_passages,
    write,
)
from engine.model.document import BlockKind
from engine.model.draft import Draft
from engine.model.frozen import Span
from engine.model.gate import Open
from engine.model.passage import Chunk, Pick
from engine.text.closure import is_selectable
from engine.text.quotable import Range, render_quotation
from tests.engine.rank.chunks import chunk_of, chunks
from tests.engine.small_pack import intent, small_pack

PLAIN, ITEM = BlockKind.PARAGRAPH, BlockKind.LIST_ITEM
PACK = small_pack()


def picked(chunk: Chunk, relevance: float, *sentences: int) -> Chunk:
    """A judged chunk: the sentences that speak to the question, best first."""
    picks = tuple(
        Pick(sentence=at, score=10.0 - place, relevance=relevance)
        for place, at in enumerate(sentences)
    )
    return chunk.model_copy(update={"relevance": relevance, "picks": picks})


def opened(*evidence: Chunk, documents: int = 1, citations: int = 1) -> Open:
    """A gate that opened on these chunks."""
    return Open(
        rule="test",
        chunks=evidence,
        documents=len({chunk.document for chunk in evidence}),
        required_documents=documents,
        tier_one=False,
        minimum_citations=citations,
    )


def spans(gate: Open, draft: Draft) -> list[tuple[str, int, int]]:
    """Where the claims of a draft stand; each is verbatim in its chunk."""
    found = []
    for section in draft.sections:
        for claim in section.claims:
            (number,) = {each.chunk for each in claim.sentences}
            chunk = gate.chunks[number - 1]
            chosen = [chunk.sentences[each.sentence] for each in claim.sentences]
            found.append((chunk.document, chosen[0].start, chosen[-1].end))
    return found


@given(chunks, strategies.data(), strategies.booleans())
def test_a_draft_is_verbatim_and_repeats_nothing_R_A3(
    chunk: Chunk, data: strategies.DataObject, sensitive: bool
) -> None:
    """Any picks of any chunk: sentences of it that may be shown, none twice."""
    at = strategies.integers(0, len(chunk.sentences) - 1)
    picks = data.draw(strategies.lists(at, min_size=1, max_size=4, unique=True))
    gate = opened(picked(chunk, 0.9, *picks), citations=2)
    draft = write(gate, intent(sensitive=sensitive), PACK)
    claims = [claim for section in draft.sections for claim in section.claims]
    may = any(is_selectable(chunk.sentences[pick]) for pick in picks)
    assert claims or not may
    assert draft.mode == "deterministic"
    chosen = [each for claim in claims for each in claim.sentences]
    assert len(set(chosen)) == len(chosen)
    assert all(is_selectable(chunk.sentences[each.sentence]) for each in chosen)


def two_documents(relevance: float) -> tuple[Chunk, Chunk]:
    first = chunk_of([("Rinse with salt.", PLAIN), ("Rest often.", PLAIN)])
    second = chunk_of([("Drink a lot of water.", PLAIN)])
    second = second.model_copy(update={"id": "e", "document": "e"})
    return picked(first, 0.9, 0), picked(second, relevance, 0)


def test_as_many_documents_are_quoted_as_opened_the_gate_R_I3() -> None:
    """Even where the second is far less relevant."""
    gate = opened(*two_documents(0.55), documents=2, citations=2)
    draft = write(gate, intent(sensitive=True), PACK)
    assert {document for document, _, _ in spans(gate, draft)} == {"d", "e"}


def test_a_document_far_behind_adds_nothing_R_A3() -> None:
    """Where the gate opened on one, only what is close is quoted beside it."""
    gate = opened(*two_documents(0.55))
    draft = write(gate, intent(), small_pack(citations={"minimum_sensitive": 2}))
    assert {document for document, _, _ in spans(gate, draft)} == {"d"}


def test_one_passage_is_quoted_in_two_parts_where_two_are_asked_R_I3() -> None:
    """Cut at a sentence end; the parts follow each other and do not overlap."""
    lines = [("Rinse with salt.", PLAIN), ("Rest for an hour.", PLAIN)]
    gate = opened(picked(chunk_of(lines), 0.9, 0), citations=2)
    found = spans(gate, write(gate, intent(sensitive=True), PACK))
    assert len(found) == 2
    assert found[0][2] <= found[1][1]


def test_one_sentence_cannot_be_two_citations_R_I3() -> None:
    """It is left to the validators to reject what has too few."""
    gate = opened(picked(chunk_of([("Rinse.", PLAIN)]), 0.9, 0), citations=2)
    assert len(spans(gate, write(gate, intent(sensitive=True), PACK))) == 1


def apart(behind: float) -> Chunk:
    """Two passages of one sentence each; the second has `behind` less of a score."""
    lines = [(f"{word * 90} counts.", PLAIN) for word in ("fever", "salve", "chill")]
    chunk = picked(chunk_of(lines), 0.9, 0, 2)
    best, other = chunk.picks
    far = other.model_copy(update={"score": best.score - behind})
    return chunk.model_copy(update={"picks": (best, far)})


def test_what_is_far_behind_in_its_document_is_not_quoted_R_A3() -> None:
    """A passage that hardly speaks to the question is only more to read."""
    pack = small_pack(domain="technical", citations={"minimum_sensitive": 1})
    for behind, quoted in ((BEHIND - 0.1, 2), (BEHIND + 0.1, 1)):
        gate = opened(apart(behind))
        assert len(spans(gate, write(gate, intent(), pack))) == quoted


def test_what_is_far_behind_is_quoted_where_two_are_asked_R_I3() -> None:
    """One sentence gets its second citation, unless that says nothing at all of it."""
    for behind, quoted in ((BEHIND + 0.1, 2), (FARTHEST_BEHIND + 0.1, 1)):
        gate = opened(apart(behind), citations=2)
        found = spans(gate, write(gate, intent(sensitive=True), PACK))
        assert len(found) == quoted


def test_the_second_document_is_not_cut_where_the_first_has_much_R_I3() -> None:
    """How far behind a passage is counts within its own document."""
    first, second = two_documents(0.55)
    (pick,) = second.picks
    weak = pick.model_copy(update={"score": pick.score - 3 * BEHIND})
    second = second.model_copy(update={"picks": (weak,)})
    gate = opened(first, second, documents=2, citations=2)
    draft = write(gate, intent(sensitive=True), PACK)
    assert {document for document, _, _ in spans(gate, draft)} == {"d", "e"}


def test_what_answers_best_comes_first_and_the_rest_in_order_R_A3() -> None:
    """The passage with the best score opens the answer; the others follow the page."""
    chunk = chunk_of([(f"{letter * 420} is said.", PLAIN) for letter in "abcdef"])
    gate = opened(picked(chunk, 0.9, 4, 0, 2))
    found = spans(gate, write(gate, intent(), PACK))
    assert len(found) > 2
    best, *rest = found
    assert best[1] == chunk.sentences[4].start
    for before, after in pairwise(rest):
        assert before[2] <= after[1]


def test_an_item_is_quoted_with_its_lead_in_R_A3() -> None:
    items = [(item, ITEM) for item in ("fever", "chills", "a rash")]
    chunk = chunk_of([("Call about any of these:", PLAIN), *items])
    gate = opened(picked(chunk, 0.9, 2))
    draft = write(gate, intent(), PACK)
    claims = draft.sections[0].claims
    chosen = [each.sentence for claim in claims for each in claim.sentences]
    text = render_quotation(chunk, chosen).text
    assert "Call about any of these:" in text
    assert "chills" in text


def test_an_answer_stays_readable_R_A3() -> None:
    """All quotations together have their most, but for what the gate asks for."""
    lines = [(f"{'abcdefghij'[n] * 500} ends here.", PLAIN) for n in range(10)]
    gate = opened(picked(chunk_of(lines), 0.9, 0, 3, 6, 9))
    found = spans(gate, write(gate, intent(), PACK))
    assert sum(end - start for _, start, end in found) <= LONGEST_ANSWER
    for one, other in combinations(found, 2):
        assert one[2] <= other[1] or other[2] <= one[1]


def test_each_part_has_a_section_of_its_own_R_A12() -> None:
    """What both parts found is quoted once."""
    one = chunk_of([("Tamoxifen is taken once a day.", PLAIN), ("Swallow it.", PLAIN)])
    other = chunk_of(
        [("It costs a lot.", PLAIN), ("Ask about help.", PLAIN)], id="other"
    )
    first, second = picked(one, 0.9, 0), picked(other, 0.8, 0)
    joined = opened(first, second).model_copy(
        update={
            "parts": (opened(first), opened(second, first)),
            "missing": ("who invented it",),
        }
    )
    draft = write(joined, intent(text="How, what, and who invented it?"), PACK)
    quoted = [
        {each.chunk for claim in s.claims for each in claim.sentences}
        for s in draft.sections
    ]
    assert quoted == [{1}, {2}]


def test_what_stands_around_two_picks_is_quoted_once_R_A3() -> None:
    """A lead-in was quoted alone, and again above its list."""
    lines = [("Rinse with salt.", PLAIN), ("Take also:", PLAIN)]
    items = [("Sleep eight hours.", ITEM), ("Walk after lunch.", ITEM)]
    for picks in ((1, 2), (1, 3), (2, 1), (3, 2)):
        chunk = chunk_of([*lines, *items])
        gate = opened(picked(chunk, 0.9, *picks), citations=2)
        draft = write(gate, intent(sensitive=True), PACK)
        quoted = [
            each.sentence
            for section in draft.sections
            for claim in section.claims
            for each in claim.sentences
        ]
        assert sorted(set(quoted)) == sorted(quoted)


def test_few_rows_are_not_cut_out_between_those_shown_R_A3() -> None:
    """Of three days the middle one comes too; of one day in five the others do not."""
    row = BlockKind.TABLE_ROW
    days = ("Wednesday", "Saturday", "Sunday", "Monday", "Tuesday")
    rows = [(f"{day} from ten o'clock.", row) for day in days]
    three = picked(chunk_of(rows[:3]), 0.9, 0, 2)
    gate = opened(three)
    draft = write(gate, intent(), PACK)
    claims = [claim for section in draft.sections for claim in section.claims]
    shown = {each.sentence for claim in claims for each in claim.sentences}
    assert shown == {0, 1, 2}
    five = write(opened(picked(chunk_of(rows), 0.9, 3)), intent(), PACK)
    few = [claim for section in five.sections for claim in section.claims]
    assert len([each for claim in few for each in claim.sentences]) <= 2


def test_a_row_that_was_left_out_joins_the_one_nearest_to_it_R_A3() -> None:
    """In the order of the table, and none that is shown already."""
    days = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
    rows = [(f"{day} from ten o'clock.", BlockKind.TABLE_ROW) for day in days]
    gate = opened(picked(chunk_of(rows), 0.9, 1, 2, 3))
    chosen = [next(make_passages(gate, 1, Range(at, at), 1.0)) for at in (3, 1, 2)]
    came = [passage.sentences for passage in complete_rows(gate, chosen)]
    assert came == [(3, 4), (0, 1), (2,)]
    two = [next(make_passages(gate, 1, Range(at, at), 1.0)) for at in (3, 4)]
    later = complete_rows(gate, two, chosen[1:])
    assert [passage.sentences for passage in later] == [(0, 3), (4,)]
    assert [p.sentences for p in complete_rows(gate, two)] == [(3,), (4,)]


@pytest.mark.parametrize(
    ("picks", "needed", "came"),
    [
        ((3, 1), 1, [(1, 3)]),
        ((3, 1), 2, [(3,), (1,)]),
        ((4, 1, 2), 2, [(4,), (1,), (2,)]),
        ((4, 1, 2), 1, [(1, 2, 4)]),
    ],
)
def test_rows_of_a_table_are_one_quotation_R_A3_R_I3(
    picks: tuple[int, ...], needed: int, came: list[tuple[int, ...]]
) -> None:
    """Apart, each would repeat the head; all of them or none, and enough citations."""
    days = ("Day", "Monday", "Tuesday", "Wednesday", "Sunday")
    made = chunk_of([(f"{day} and hours.", BlockKind.TABLE_ROW) for day in days])
    head, *rows = made.sentences
    above = (Span(start=head.start, end=head.end),)
    rows = [row.model_copy(update={"leans_on": above}) for row in rows]
    chunk = made.model_copy(update={"sentences": (head, *rows)})
    gate = opened(picked(chunk, 0.9, *picks))
    apart = [next(make_passages(gate, 1, Range(at, at), 1.0)) for at in picks]
    assert [passage.sentences for passage in join_runs(gate, apart, needed)] == came


def test_what_stands_between_two_rows_keeps_them_apart_R_A3() -> None:
    """A quotation within another one would be no citation of its own."""
    kinds = (BlockKind.TABLE_ROW, BlockKind.TABLE_ROW, PLAIN, BlockKind.TABLE_ROW)
    made = chunk_of([(f"Sentence {n} of it.", kind) for n, kind in enumerate(kinds)])
    head, *rows = made.sentences
    above = (Span(start=head.start, end=head.end),)
    rows = [
        row if row.kind is PLAIN else row.model_copy(update={"leans_on": above})
        for row in rows
    ]
    chunk = made.model_copy(update={"sentences": (head, *rows)})
    gate = opened(picked(chunk, 0.9, 3, 1, 2))
    apart = [next(make_passages(gate, 1, Range(at, at), 1.0)) for at in (3, 1, 2)]
    assert [p.sentences for p in join_runs(gate, apart, 1)] == [(3,), (1,), (2,)]
