"""Matching as arrays says the same as a plain loop over sentences and tokens."""

import numpy as np
from hypothesis import given, strategies

from engine.model.document import BlockKind
from engine.model.passage import Chunk
from engine.model.ports import Candidate, CorpusStatistics, Floats
from engine.policy.records import RetrievalRules
from engine.rank.matching import LEXICAL, Matches, Rows, match
from engine.rank.outline import make_outline
from engine.rank.view import QuestionView, make_view
from tests.engine.rank.chunks import chunk_of, chunks
from tests.engine.rank.embedded import encoded, stored
from tests.engine.small_pack import intent

PLAIN = BlockKind.PARAGRAPH
NOWHERE = CorpusStatistics(documents=0, chunks=0, chunk_frequency={})
QUESTION = "How to rinse the mouth twice?"


def asked(text: str = QUESTION) -> QuestionView:
    return make_view(intent(text=text), encoded(text), NOWHERE, RetrievalRules())


def matched(found: QuestionView, *held: Chunk) -> tuple[Matches, Rows]:
    rows = Rows.of([make_outline(chunk) for chunk in held])
    candidates = [Candidate(chunk, None, 0.5) for chunk in held]
    return match(found, candidates, [stored(c.text) for c in held], rows), rows


def plainly(chunk: Chunk, question: QuestionView) -> list[Floats]:
    """The best similarity of each token of the question, for each row of one chunk."""
    tokens, size = stored(chunk.text), len(question.encoded.tokens)
    best = [np.zeros(size, np.float32) for _ in (None, *chunk.sentences)]
    for values, (start, _) in zip(tokens.values, tokens.spans, strict=True):
        row = sum(s.start - chunk.start <= start for s in chunk.sentences)
        near = question.encoded.tokens @ (values.astype(np.float32) / 127)
        best[row] = np.maximum(best[row], near)
    return best


@given(strategies.lists(chunks, min_size=1, max_size=3))
def test_every_row_is_matched_as_in_a_plain_loop_R_G6(made: list[Chunk]) -> None:
    """Tokens, words, and what stands in a quotation or above it."""
    held = [c.model_copy(update={"id": repr(c)}) for c in made]
    outlines = [make_outline(chunk) for chunk in held]
    if not any(one.units for one in outlines):
        return
    question = asked()
    found, rows = matched(question, *held)
    expected = [row for chunk in held for row in plainly(chunk, question)]
    assert np.allclose(found.tokens, expected, atol=1e-5)
    texts = [text for one in outlines for text in (one.above, *one.stems)]
    for row, text in enumerate(texts):
        for at, word in enumerate(question.words):
            stands = any(form in text for form in word.forms)
            near = expected[row][list(word.tokens)].mean()
            assert found.lexical[row, at] == stands
            assert np.isclose(found.words[row, at], max(near, LEXICAL * stands))
    for at, unit in enumerate(rows.units):
        one = outlines[rows.candidate[at]]
        shown = (one.above, unit.outside, *(one.stems[n] for n in unit.quotation.rows))
        for column, word in enumerate(question.words):
            there = any(form in text for form in word.forms for text in shown)
            assert found.there[at, column] == there


def test_the_rows_of_two_chunks_stay_apart_R_G6() -> None:
    """A row for what stands above each, and no neighbour beyond its own chunk."""
    one = chunk_of([("Rinse.", PLAIN), ("Twice.", PLAIN)], id="rows-one")
    other = chunk_of([("Mouth.", PLAIN)], id="rows-other")
    found, rows = matched(asked(), one, other)
    assert list(rows.base) == [0, 3]
    assert rows.size == 5
    assert list(rows.own) == [1, 2, 4]
    assert list(rows.above) == [0, 0, 3]
    first, last = rows.within(3)
    assert list(zip(first, last, strict=True)) == [(1, 2), (1, 2), (4, 4)]
    said = [word.text for word in asked().words]
    here = found.lexical[rows.own]
    assert here[0].tolist() == [float(word == "rinse") for word in said]
    assert here[2].tolist() == [float(word == "mouth") for word in said]


def test_a_code_is_matched_by_itself_alone_R_G6() -> None:
    """As tokens two codes are near to each other, and mean other things."""
    found, _ = matched(
        asked("What means error E112?"),
        chunk_of([("Error E112 is a timeout.", PLAIN), ("Error E301.", PLAIN)]),
    )
    words = asked("What means error E112?").words
    column = next(n for n, word in enumerate(words) if word.text == "E112")
    assert found.words[:, column].tolist() == [0.0, np.float32(LEXICAL), 0.0]
