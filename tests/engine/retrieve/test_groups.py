"""What is measured of a document's passages together: subject, kind, names, rivals."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, strategies

from engine.corpus_records import BlockKind
from engine.ports import Candidate, CorpusStatistics
from engine.retrieve.calibration import Linear
from engine.retrieve.features import NAMES, measure
from engine.retrieve.groups import (
    ABOUT,
    LEAST_HELD,
    RIVALRY,
    UNASKED,
    WIDEST,
    Group,
    group,
)
from engine.retrieve.view import view
from tests.engine.retrieve.chunks import chunk_of
from tests.engine.retrieve.chunks import words as line_words
from tests.engine.retrieve.test_features import encoded, stored
from tests.growth import linear

NOTHING_COMMON = CorpusStatistics(documents=30, chunks=900, chunk_frequency={})
ORDER = Linear(
    names=NAMES,
    mean=(0.0,) * len(NAMES),
    scale=(1.0,) * len(NAMES),
    weights=tuple(float(name == "words_own") for name in NAMES),
)
FIGURE = "What is the maximum depth of the well?"


def grouped(
    question: str,
    documents: Sequence[Sequence[str]],
    statistics: CorpusStatistics = NOTHING_COMMON,
    **chunk: object,
) -> list[Group]:
    """The groups of documents that are given as paragraphs, in their order."""
    chunks = [
        chunk_of(
            [(line, BlockKind.PARAGRAPH) for line in lines],
            id=f"c{number}",
            document=f"d{number}",
            **chunk,
        )
        for number, lines in enumerate(documents)
    ]
    candidates = [Candidate(one, None, 0.5) for one in chunks]
    seen = view(question, encoded(question), statistics, {})
    scored = measure(seen, candidates, {c.id: stored(c.text) for c in chunks})
    made = group(seen, candidates, scored, ORDER)
    return sorted(made, key=lambda one: one.document)


def feature(one: Group, name: str) -> float:
    return float(one.features[(*NAMES, *ABOUT).index(name)])


def known(*stems: str) -> CorpusStatistics:
    """A corpus that holds these words, rarely."""
    return CorpusStatistics(30, 900, dict.fromkeys(stems, 3))


# --- a figure with its subject ----------------------------------------------------


def test_a_figure_stands_with_its_subject_or_is_none_R_G6() -> None:
    """In the subject's sentence it is held; one word of it is not enough."""
    here, elsewhere, nowhere = grouped(
        FIGURE,
        [
            ["The maximum depth of the well is 40 metres."],
            ["The maximum depth of the well is great.", "A well has 8 stones."],
            ["The maximum depth of the well is great.", "A spider has 8 legs."],
        ],
        known("maximum", "depth", "well"),
    )
    assert feature(here, "held") > LEAST_HELD > feature(elsewhere, "held") > 0
    assert feature(nowhere, "held") == 0
    assert [g.vetoed for g in (here, elsewhere, nowhere)] == [False, True, True]


def test_a_heading_names_the_subject_half_R_G6() -> None:
    """Under "Depth of the well" its figure counts, less than in one sentence."""
    text = [["The maximum is 40 metres."]]
    words = known("maximum", "depth", "well")
    (bare,) = grouped(FIGURE, text, words)
    (headed,) = grouped(FIGURE, text, words, section=("Depth of the well",))
    (whole,) = grouped(FIGURE, [["The maximum depth of the well is 40."]], words)
    assert feature(bare, "held") < feature(headed, "held") < feature(whole, "held")
    assert bare.vetoed
    assert not headed.vetoed


def test_a_question_that_requires_nothing_is_not_held_against_R_G6() -> None:
    """Neither more nor less than any other."""
    (one,) = grouped("What is tf2?", [["tf2 keeps track of frames."]], known("tf2"))
    assert feature(one, "held") == pytest.approx(UNASKED)
    assert not one.vetoed


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        (FIGURE, "The maximum depth of the well is 40.", "There are 40 of them."),
        (
            "Is the well deeper or better than the pond?",
            "The well is better than the pond.",
            "That is better than nothing.",
        ),
    ],
)
def test_common_words_are_a_subject_too_R_G6(
    question: str, right: str, wrong: str
) -> None:
    """In a small corpus on one subject none of its words is rare."""
    stems = ("maximum", "depth", "well", "deeper", "pond")
    common = CorpusStatistics(4, 12, dict.fromkeys(stems, 7))
    here, elsewhere = grouped(question, [[right], [wrong]], common)
    assert not here.vetoed
    assert elsewhere.vetoed


def test_the_numbers_of_the_question_are_no_subject_R_G6() -> None:
    """ "4" in a sentence does not tie its figure to anything."""
    asked = "What is the maximum depth of well 4?"
    (one,) = grouped(asked, [["It rained 90 times in 4 years."]], known("4", "well"))
    assert one.vetoed


# --- names that nobody wrote down -------------------------------------------------


def test_a_name_that_corpus_and_passages_lack_is_vetoed_R_G6() -> None:
    """Known to the corpus, or standing in the title, it is none."""
    asked, text = "How does the Zanzibot7 pump its well?", [["A pump fills the well."]]
    words = known("pump", "well")
    (strange,) = grouped(asked, text, words)
    (titled,) = grouped(asked, text, words, title="The Zanzibot7")
    (elsewhere,) = grouped(asked, text, known("pump", "well", "zanzibot7"))
    assert [g.vetoed for g in (strange, titled, elsewhere)] == [True, False, False]


# --- the kind of answer with the subject ------------------------------------------


def test_the_kind_counts_where_the_subject_stands_R_G6() -> None:
    """A duration in another sentence covers less of the question; without one, none."""
    words = known("charg", "batteri")
    beside, apart, lacking = grouped(
        "How long does charging the battery last?",
        [
            ["Charging the battery lasts 90 minutes."],
            ["Charging the battery matters.", "x" * 700, "Lunch lasts 90 minutes."],
            ["Charging the battery matters."],
        ],
        words,
    )
    covered = [feature(g, "best_kind_covered") for g in (beside, apart, lacking)]
    assert covered[0] > covered[1] >= covered[2] == 0


def test_any_sentence_is_covered_where_no_kind_is_asked_for_R_G6() -> None:
    (one,) = grouped("Tell me about the well.", [["A well is dug."]], known("well"))
    assert feature(one, "kind_covered") > 0


# --- rivals -----------------------------------------------------------------------


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
def test_the_margin_counts_as_far_as_the_words_match_R_G6(
    texts: list[list[str]],
) -> None:
    """Bounded, never negative, and nothing where the weakest word is not matched."""
    for one in grouped("How to rinse the mouth?", texts):
        margin = min(max(feature(one, "margin"), 0.0), WIDEST)
        expected = margin * feature(one, "best_weakest")
        assert feature(one, "matched_margin") == pytest.approx(expected, abs=1e-5)
        assert 0 <= feature(one, "matched_margin") <= WIDEST * 1.01


def test_without_a_rival_the_margin_is_one() -> None:
    (one,) = grouped("Where is the well?", [["The well is here."]])
    assert feature(one, "margin") == pytest.approx(1.0)


BOTH = ["The old well holds water.", "Cats sleep."]


def margins(question: str, *documents: Sequence[str]) -> list[float]:
    return [feature(one, "margin") for one in grouped(question, documents)]


def test_documents_that_agree_do_not_make_each_other_doubtful_R_G6() -> None:
    """One that lacks a word of the question stays a rival, and has rivals."""
    other = ["Water that wells hold may be brown and not for drinking."]
    lacking = ["Water is wet."]
    asked = "Does the well hold water?"
    assert margins(asked, BOTH, other) == pytest.approx([1.0, 1.0])
    both, agreeing, rival = margins(asked, BOTH, other, lacking)
    alone, behind = margins(asked, BOTH, lacking)
    assert both == pytest.approx(alone)
    assert agreeing > 0
    assert rival <= 0
    assert behind < 0


@pytest.mark.parametrize(
    ("asked", "text", "agrees"),
    [("Explain water", "Rain brings water.", False), ("/use_sim", "/use_sim", True)],
)
def test_one_everyday_word_is_nothing_to_agree_on_R_G6(
    asked: str, text: str, agrees: bool
) -> None:
    """An identifier is."""
    found = margins(asked, [f"{text} {asked}."], [f"{asked} and nothing else at all."])
    assert (max(found) == pytest.approx(1.0)) is agrees


def test_only_rivalry_depends_on_rivals_R_G6() -> None:
    """So what is fitted without it judges a document by itself."""
    text = ["The maximum depth of the well is 40 metres."]
    (alone,) = grouped(FIGURE, [text])
    among, *_ = grouped(FIGURE, [text, ["A well is deep."], ["The depth is 9."]])
    names = (*NAMES, *ABOUT)
    differing = {
        name
        for name, one, other in zip(names, alone.features, among.features, strict=True)
        if not np.isclose(one, other)
    }
    assert differing
    assert differing <= set(RIVALRY)


# --- bounds -----------------------------------------------------------------------


def test_a_long_question_is_held_in_linear_time_R_E7() -> None:
    """Four times the words take at most about four times as long."""
    text = [" ".join(f"w{n} 12" for n in range(300))[:1_700]]

    def held(size: int) -> None:
        question = "how many " + " ".join(f"w{n}" for n in range(size))
        grouped(question[:20_000], [text])

    assert linear(held, 2_000)
