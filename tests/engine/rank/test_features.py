"""Features: finite numbers for every sentence that may be chosen, on any question."""

import numpy as np
import pytest
from hypothesis import given, strategies

from engine.model.document import BlockKind
from engine.model.passage import Chunk
from engine.model.ports import Candidate, CorpusStatistics
from engine.policy.records import RetrievalRules
from engine.rank.features import NAMES, Measured, measure
from engine.rank.matching import ALIKE
from engine.rank.view import make_view
from engine.text.closure import is_selectable
from tests.engine.rank.chunks import PLAIN_LINES, chunk_of, chunks
from tests.engine.rank.embedded import encoded, stored
from tests.engine.small_pack import intent

STATISTICS = CorpusStatistics(documents=1, chunks=9, chunk_frequency={"rins": 2})
ASKED = "How to rinse it?"


def measured(text: str, *candidates: Candidate) -> Measured:
    seen = make_view(intent(text=text), encoded(text), STATISTICS, RetrievalRules())
    tokens = {c.chunk.id: stored(c.chunk.text) for c in candidates}
    return measure(seen, candidates, tokens)


def fresh(chunk: Chunk) -> Chunk:
    """The chunk under an id of its own: a chunk's id stands for its text."""
    return chunk.model_copy(update={"id": repr((chunk.text, chunk.sentences))})


@given(chunks, strategies.text(min_size=1, max_size=40) | strategies.just(ASKED))
def test_every_sentence_that_may_be_chosen_is_measured_R_G6(
    chunk: Chunk, text: str
) -> None:
    """A row each, finite, in the order of NAMES."""
    chunk = fresh(chunk)
    made = measured(text, Candidate(chunk, 3.0, None), Candidate(chunk, None, 0.4))
    units = [at for at, s in enumerate(chunk.sentences) if is_selectable(s)]
    if not text.strip(" "):
        assert not len(made)  # no token: nothing to be near to
        return
    assert [
        (number, unit.quotation.at)
        for number, unit in zip(made.candidate, made.units, strict=True)
    ] == [(number, at) for number in (0, 1) for at in units]
    assert made.features.shape == (len(made), len(NAMES))
    assert np.isfinite(made.features).all()


@given(chunks)
def test_what_else_is_found_does_not_matter_R_G6(chunk: Chunk) -> None:
    """Nor how an index scores it: the same numbers alone and beside others."""
    chunk = fresh(chunk)
    other = chunk_of(PLAIN_LINES, id="beside")
    alone = measured(ASKED, Candidate(chunk, 1.0, 0.5))
    among = measured(ASKED, Candidate(other, 90.0, 0.9), Candidate(chunk, 10.0, 0.5))
    rows = among.candidate == 1
    assert np.allclose(alone.features, among.features[rows], atol=1e-6)


@pytest.mark.parametrize(
    ("near", "expected"),
    [(None, 0.0), (-0.2, 0.0), (ALIKE, 0.0), (0.75, 0.5), (1.0, 1.0)],
)
def test_a_stored_question_that_asks_the_same_counts_R_Q3(
    near: float | None, expected: float
) -> None:
    """From ALIKE on, up to 1 where it is the same question."""
    held = chunk_of(PLAIN_LINES, id="asked")
    made = measured(ASKED, Candidate(held, None, 0.5, question=near))
    assert made.features[:, NAMES.index("asked")] == pytest.approx(expected)


def test_the_words_of_a_stored_question_stand_above_its_passage_R_Q3() -> None:
    """As those of a heading do; without one nothing is different."""
    held = chunk_of(PLAIN_LINES, id="worded")
    asked = "How to soothe gums?"
    at = NAMES.index("passage_weighted")
    found = [
        measured(asked, Candidate(held, None, 0.5, question=0.6, asked=said))
        for said in (None, "Who rents boats?", "What soothes my gums?")
    ]
    none, other, same = (float(made.features[:, at].max()) for made in found)
    assert none == other < same


def test_a_word_of_the_subject_moves_nothing_but_a_little_R_G6() -> None:
    """A passage answers no better for holding what all documents speak of."""
    line = [("The robot stops.", BlockKind.PARAGRAPH)]
    held = Candidate(chunk_of(line, id="subject"), None, 0.5)
    text = "Does the Robot gallop?"
    weighted = NAMES.index("passage_weighted")
    found = []
    for rules in (RetrievalRules(), RetrievalRules(subject=("robot",))):
        seen = make_view(intent(text=text), encoded(text), STATISTICS, rules)
        # No token is near: what is left is which words stand there.
        tokens = {held.chunk.id: stored("")}
        found.append(measure(seen, [held], tokens).features[0, weighted])
    plain, subject = found
    assert subject < 0.5 * plain
