"""What is measured of a document's quotations together: subject, kind, names."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, strategies

from engine.model.document import BlockKind
from engine.model.ports import Candidate, CorpusStatistics
from engine.policy.records import RetrievalRules
from engine.rank.calibration import Linear
from engine.rank.features import NAMES, UNASKED, measure
from engine.rank.groups import ABOUT, FEW, USUAL, WIDEST, Group, group_passages
from engine.rank.view import make_view
from tests.engine.rank.chunks import chunk_of
from tests.engine.rank.chunks import words as line_words
from tests.engine.rank.embedded import encoded, stored
from tests.engine.small_pack import intent
from tests.growth import linear

EMPTY = CorpusStatistics(documents=0, chunks=0, chunk_frequency={})
ORDER = Linear(names=("words_context",), mean=(0.0,), scale=(1.0,), weights=(1.0,))
FIGURE = "What is the maximum depth of the tunnel?"


def grouped(
    question: str, documents: Sequence[Sequence[str]], **chunk: object
) -> list[Group]:
    """The groups of documents that are given as paragraphs, in their order."""
    chunks = [
        chunk_of(
            [(line, BlockKind.PARAGRAPH) for line in lines],
            **{"id": repr((lines, chunk)), "document": f"d{number}", **chunk},
        )
        for number, lines in enumerate(documents)
    ]
    candidates = [Candidate(one, None, 0.5) for one in chunks]
    asked = intent(text=question)
    seen = make_view(asked, encoded(question), EMPTY, RetrievalRules())
    measured = measure(seen, candidates, {c.id: stored(c.text) for c in chunks})
    made = group_passages(seen, candidates, measured, ORDER)
    return sorted(made, key=lambda one: one.document)


def feature(one: Group, name: str) -> float:
    return float(one.features[(*NAMES, *ABOUT).index(name)])


# --- a figure with its subject ----------------------------------------------------


def test_a_figure_stands_with_its_subject_or_is_none_R_G6() -> None:
    """In the subject's sentence it is held; one word of it is not enough."""
    here, elsewhere, nowhere = grouped(
        FIGURE,
        [
            ["The maximum depth of the tunnel is 40 metres."],
            ["A tunnel has 8 stones."],
            ["A spider has 8 legs."],
        ],
    )
    assert feature(here, "held") > feature(elsewhere, "held")
    assert feature(elsewhere, "held") > feature(nowhere, "held") == 0


def test_a_heading_names_the_subject_half_R_G6() -> None:
    """Under "Depth of the tunnel" its figure counts, less than in one sentence."""
    text = [["The maximum is 40 metres."]]
    (bare,) = grouped(FIGURE, text)
    (headed,) = grouped(FIGURE, text, section=("Depth of the tunnel",))
    (whole,) = grouped(FIGURE, [["The maximum depth of the tunnel is 40."]])
    held = [feature(one, "held") for one in (bare, headed, whole)]
    assert held == sorted(set(held))


def test_a_question_that_requires_nothing_is_not_held_against_R_G6() -> None:
    """Neither more nor less than any other."""
    (one,) = grouped("What is tf2?", [["tf2 keeps track of frames."]])
    assert feature(one, "held") == pytest.approx(UNASKED)
    assert feature(one, "lacking") == 0


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        (FIGURE, "The maximum depth of the tunnel is 40.", "The maximum is great."),
        (
            "Is the tunnel deeper or better than the pond?",
            "The tunnel is better than the pond.",
            "The tunnel and the pond are old.",
        ),
    ],
)
def test_what_no_answer_can_do_without_is_lacking_R_G6(
    question: str, right: str, wrong: str
) -> None:
    """A figure, or a comparison: without one a document answers less."""
    here, elsewhere = grouped(question, [[right], [wrong]])
    assert feature(here, "lacking") == 0
    assert feature(elsewhere, "lacking") == 1


def test_the_numbers_of_the_question_are_no_subject_R_G6() -> None:
    """ "4" in a sentence does not tie its figure to anything."""
    asked = "What is the maximum depth of tunnel 4?"
    (one,) = grouped(asked, [["It rained 90 times in 4 years."]])
    assert feature(one, "held") == 0


# --- names that nobody wrote down -------------------------------------------------


def test_a_name_that_the_passages_lack_is_strange_R_G6() -> None:
    """Standing in the title, or in the text, it is none."""
    asked, text = "How does the Zanzibot pump its tunnel?", "A pump fills the tunnel."
    (strange,) = grouped(asked, [[text]])
    (titled,) = grouped(asked, [[text]], title="The Zanzibot")
    (told,) = grouped(asked, [[text, "The Zanzibot is its pump."]])
    for name in ("least_strange", "least_unnamed"):
        found = [feature(one, name) for one in (strange, titled, told)]
        assert found[0] > 0
        assert found[1:] == [0, 0]


# --- the kind of answer with the subject ------------------------------------------


def test_the_kind_counts_where_the_subject_stands_R_G6() -> None:
    """A duration in another sentence covers less of the question; without one, none."""
    beside, apart, lacking = grouped(
        "How long does charging the battery last?",
        [
            ["Charging the battery lasts 90 minutes."],
            ["Charging the battery matters.", "x" * 700, "Lunch lasts 90 minutes."],
            ["Charging the battery matters."],
        ],
    )
    covered = [feature(g, "best_kind_covered") for g in (beside, apart, lacking)]
    assert covered[0] > covered[1] >= covered[2] == 0


def test_any_sentence_is_covered_where_no_kind_is_asked_for_R_G6() -> None:
    (one,) = grouped("Tell me about the well.", [["A well is dug."]])
    assert feature(one, "kind_covered") > 0


# --- how far ahead of its own document --------------------------------------------


documents = strategies.lists(
    strategies.lists(
        strategies.lists(line_words, min_size=1, max_size=4).map(" ".join),
        min_size=1,
        max_size=3,
    ),
    min_size=1,
    max_size=4,
)


@given(documents)
def test_no_document_depends_on_another_R_G6(texts: list[list[str]]) -> None:
    """The same figures alone and among others, the margin bounded."""
    asked = "How to rinse the mouth?"
    among = {one.document: one.features for one in grouped(asked, texts)}
    for number, lines in enumerate(texts):
        alone = grouped(asked, [lines])
        assert bool(alone) == (f"d{number}" in among)
        for one in alone:
            assert np.allclose(one.features, among[f"d{number}"], atol=1e-5)
            assert -WIDEST <= feature(one, "margin") <= WIDEST


def test_the_margin_is_ahead_of_the_rest_of_the_document_R_G6() -> None:
    """One that answers stands out; of two alike neither does. Alone it is usual."""
    asked = "Where is the well?"
    (single,) = grouped(asked, [["The well is here."]])
    (ahead,) = grouped(asked, [["The well is here.", "Cats sleep."]])
    (alike,) = grouped(asked, [["The well is here."] * (FEW + 1)])
    assert feature(single, "margin") == pytest.approx(USUAL)
    assert feature(ahead, "margin") > feature(alike, "margin") == pytest.approx(0)


def test_a_short_section_is_all_about_one_thing_R_G6() -> None:
    """The fewer sentences it has, the nearer is its margin to the usual one."""
    asked = "Where is the well?"
    margins = [
        feature(one, "margin")
        for count in range(1, FEW + 2)
        for one in grouped(asked, [["The well is here."] * count])
    ]
    assert margins == sorted(margins, reverse=True)
    assert margins == pytest.approx([USUAL * (1 - n / FEW) for n in range(FEW + 1)])


# --- bounds -----------------------------------------------------------------------


def test_a_long_question_is_held_in_linear_time_R_E7() -> None:
    """Four times the words take at most about four times as long."""
    text = [" ".join(f"w{n} 12" for n in range(300))[:1_700]]

    def held(size: int) -> None:
        question = "how many " + " ".join(f"w{n}" for n in range(size))
        grouped(question[:4_000], [text])

    assert linear(held, 700)


def test_no_document_crowds_out_another_before_it_is_weighed_R_R3() -> None:
    """However many pages of one society are nearer, and however long they are."""
    near = "The maximum depth of the tunnel is 40 metres in part {}."
    society = [[near.format(f"{n}-{m}") for m in range(8)] for n in range(20)]
    far = [["The depth was measured."], ["A tunnel was dug."]]
    groups = grouped(FIGURE, [*society, *far])
    assert {one.document for one in groups} == {f"d{n}" for n in range(22)}
