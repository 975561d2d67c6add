"""What a question cannot do without, and which sentences hold it."""

import pytest
from hypothesis import given, strategies

from engine.text.kinds import detect_kind, list_insisted
from engine.text.required import LONGEST, Needed, find_requirement, holds, is_opposite
from tests.growth import linear

QUESTION, SENTENCE = 20_000, 1_800  # characters

# Kind, question, sentences that answer it, sentences that do not.
KINDS = [
    (
        "comparison",
        "Is a lidar better than a camera?",
        ["A lidar is slower than a camera."],
        ["A lidar and a camera are mounted on the head."],
    ),
    (
        "most",
        "Which machines have the most parts?",
        [
            "Among the machines the lathe has the most parts.",
            "Of all machines, lathes have more parts than saws.",
        ],
        ["The machines have parts.", "All parts are of category 2A."],
    ),
    (
        "temperature",
        "What temperature counts as fever?",
        ["A fever is 38 °C or more.", "It is kept at room temperature."],
        ["A fever comes with chills.", "Call from day 38 on."],
    ),
    (
        "money",
        "How much does a scan cost?",
        [
            "A scan is $40.",
            "The scan is free.",
            "It costs 40.00.",
            "Scan | 40.00 Price",
        ],
        ["A scan takes 40 minutes.", "The ratio was 0.75.", "In 2019 fee rules went."],
    ),
    (
        "deadline",
        "What is the deadline for an appeal?",
        ["An appeal is filed within 15 days.", "It is filed before the end of May."],
        ["An appeal is filed with the court of section 15."],
    ),
    (
        "hours",
        "visiting hours",
        ["Visits are from 9 am to 8:30 pm.", "For 2 hours a day."],
        ["Visits are in room 9."],
    ),
    ("year", "Which year was it founded?", ["In 1962."], ["In week 62."]),
    (
        "dose",
        "What is the usual dose of it?",
        ["Take 20 mg.", "Take 2 tablets."],
        ["Take it twice a day with food."],
    ),
    (
        "frequency",
        "How many times a day is it taken?",
        ["Take it twice a day.", "It is taken three times.", "One every morning."],
        ["Take it with water."],
    ),
    (
        "time",
        "How many weeks does it last?",
        ["It lasts 2 to 4 weeks.", "Six long weeks.", "It lasts two or more weeks."],
        ["It lasts for weeks.", "It starts in room 4."],
    ),
    (
        "figure",
        "What is the maximum depth of a queue?",
        ["A queue has a depth of 10.", "Its depth is unlimited."],
        ["A queue has a depth.", "ISO 10218 and ROS 2 speak of the depth of a queue."],
    ),
    (
        "date",
        "When was Jazzy released?",
        ["Jazzy came out in May 2024."],
        ["Jazzy came out on 23 May."],
    ),
    (
        "count",
        "How many joints does the arm have?",
        ["The arm has 6 joints.", "Both joints bend."],
        [
            "The arm has joints.",
            "The arm has 6 motors.",
            "One of the joints bends.",
            "It bends if one or more joints are free.",
            "Joints last for 5 to 14 years.",
        ],
    ),
    (
        "share",
        "What percentage of people recover?",
        ["About 40% recover.", "1 in 10 recovers.", "Half of them recover."],
        ["Most recover.", "40 people recover."],
    ),
    (
        "remedy",
        "What is used to treat a rash?",
        ["Zinc relieves it.", "Oil is used for dry skin.", "Cold water helps."],
        ["Some soaps cause a rash.", "A rash is red."],
    ),
]


def needed(question: str) -> Needed:
    """What a question requires; it must require something."""
    found = find_requirement(question)
    assert found is not None
    return found


def test_the_greatest_of_what_is_measured_is_a_figure_R_V4() -> None:
    asked = needed("What is the maximum contact force on the hand in ISO/TS 15066?")
    assert asked.kind == "figure"
    assert not holds(asked, "ISO/TS 15066 and ISO 10218 deal with contact force.", 3)
    assert holds(asked, "The contact force on the hand is at most 140 newtons.", 3)


def test_every_kind_is_tested() -> None:
    assert [kind for kind, *_ in KINDS] == [kind.name for kind in list_insisted()]


@pytest.mark.parametrize(("kind", "question", "right", "wrong"), KINDS)
def test_only_what_holds_the_kind_answers_R_G6(
    kind: str, question: str, right: list[str], wrong: list[str]
) -> None:
    """The question is told by its kind, and each sentence by what it holds."""
    found = needed(question)
    assert found.kind == kind
    assert [s for s in right if not holds(found, s, 2)] == []
    assert [s for s in wrong if holds(found, s, 2)] == []


@pytest.mark.parametrize("question", ["What is tf2?", "Tell me about sleep.", ""])
def test_most_questions_need_nothing_special_R_G6(question: str) -> None:
    assert find_requirement(question) is None


@pytest.mark.parametrize(
    "question",
    [
        "Can I take more than one tablet?",
        "May it run for less than 5 minutes?",
        "Does it need fewer than 3 people or is there a helper?",
        "Can it last longer than two weeks?",
    ],
)
def test_more_than_a_number_is_no_comparison_R_G6(question: str) -> None:
    assert find_requirement(question) is None


def test_a_comparison_needs_both_things_in_one_sentence_R_G6() -> None:
    found = needed("Is a lidar better than a camera?")
    sentence = "A lidar is better than nothing."
    assert not holds(found, sentence, 1)
    assert holds(found, sentence, 2)


def test_a_figure_needs_something_of_its_subject_R_G6() -> None:
    """A number in a sentence that names nothing of the question is any number."""
    found = needed("What is the maximum depth of a queue?")
    assert not holds(found, "There are 10 of them.", 0)
    assert holds(found, "There are 10 of them.", 1)


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("What was the study permit fee?", "money"),
        ("study permit fee", "money"),
        ("fee for a study permit", "money"),
        ("Which fee applied?", "money"),
        ("What is the right of permanent residence fee?", "money"),
        ("How much is the citizenship fee for an adult?", "money"),
        ("What did a study permit cost?", "money"),
        ("What is the time limit for an appeal?", "deadline"),
        ("What is the deadline to pay the fee?", "deadline"),
        ("How long do I have to appeal?", "deadline"),
        ("off-campus work hours", "hours"),
        ("What are the work hours of a student?", "hours"),
    ],
)
def test_a_noun_asks_for_its_figure_R_G6_R_V4(question: str, kind: str) -> None:
    """With and without a verb; "fee", "deadline" and "hours" are of every subject."""
    assert needed(question).kind == kind


@pytest.mark.parametrize(
    "question",
    [
        "What happens if the fee is not paid?",
        "What is the purpose of the fee?",
        "Who pays the fee?",
        "Is there a fee?",
        "Which documents prove the fee?",
        "Can the deadline be extended?",
        "I missed the deadline",
    ],
)
def test_what_only_speaks_of_a_fee_asks_for_no_figure_R_G6(question: str) -> None:
    assert find_requirement(question) is None


# --- counting ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "sentence", "answers"),
    [
        ("How many people get it?", "5 men in 100 get it.", True),
        ("How many women get it?", "About 12 patients get it.", True),
        ("How many patients get it?", "5 of the clinics have it.", False),
        ("How many kinds of joints are there?", "There are six joints.", True),
        ("How many different types of joints are there?", "Six joints bend.", True),
        ("How many kinds of joints are there?", "There are six kinds.", False),
        ("How many of the joints bend?", "Two joints bend.", True),
        ("How many X-rays are needed?", "Two X-rays are needed.", True),
        ("How many X-rays are needed?", "Two rays are needed.", False),
        ("How many should I take?", "Take two.", True),
        ("How many of these may I take?", "Take two.", True),
        ("How many are there?", "There are two.", True),
        ("How many are there?", "There they are.", False),
    ],
)
def test_what_is_counted_must_be_named_R_G6(
    question: str, sentence: str, answers: bool
) -> None:
    """People are people, a kind of thing is the thing; nothing where no noun is."""
    assert holds(needed(question), sentence, 1) is answers


# --- the numbers of the question --------------------------------------------------


@pytest.mark.parametrize(
    ("question", "echo", "answer"),
    [
        (
            "What is the maximum size of 12 messages?",
            "The size of 12 messages is limited.",
            "The size of 12 messages is 64 kB.",
        ),
        (
            "What is the maximum number of nodes if more than 4 machines run?",
            "The number of nodes grows with 4 machines.",
            "The number of nodes is 90.",
        ),
        (
            "Of 12 joints, how many joints bend?",
            "The 12 joints are made of steel.",
            "Of the 12 joints, 8 bend.",
        ),
        (
            "How many days after week 2 does it heal?",
            "It hurts 2 days.",
            "It hurts 2 days and heals in 9 days.",
        ),
        ("Which year after 2020 was it?", "It began in 2020.", "In 2020 or 2022."),
        ("What date in 2024 was it?", "It was in 2024.", "It was in 2024, not 2023."),
    ],
)
def test_the_numbers_of_the_question_answer_nothing_R_G6(
    question: str, echo: str, answer: str
) -> None:
    """Where a number is asked for, it has to be another one."""
    assert not holds(needed(question), echo, 2)
    assert holds(needed(question), answer, 2)


def test_a_dose_may_be_confirmed_R_G6() -> None:
    """ "Is 20 mg the usual dose?" is answered by that very number."""
    assert holds(needed("Is 20 mg the usual dose?"), "The usual dose is 20 mg.", 1)


# --- bounds -----------------------------------------------------------------------

PARTS = [
    "a",
    "1 ",
    "1",
    ".",
    " ",
    "€1",
    "\u6f22",
    "e\u0301",
    "how many ",
    "how many other kinds of ",
    "how many\n",
    "more than 1 ",
    "which a b c better ",
    "which a-b-",
    "what is the max a b ",
    "how much does ",
    "when was ",
    "two a b c ",
    "two a b c days ",
    "lower ",
    "what a/b.c-",
    "Aa Aa ",
]


@pytest.mark.parametrize("part", PARTS, ids=repr)
@pytest.mark.parametrize("opening", ["", "how many joints ", "Which year ", "what is "])
def test_hostile_text_is_read_in_linear_time_R_E7(part: str, opening: str) -> None:
    """Question and sentence alike, for every kind."""
    text = opening + part * QUESTION
    assert linear(lambda n: detect_kind(text[:n]), QUESTION)
    assert linear(lambda n: find_requirement(text[:n]), LONGEST)
    for kind in list_insisted():
        for figures in (frozenset[str](), frozenset({"1"})):
            asked = Needed(kind.name, frozenset({"joint"}), figures)
            assert linear(lambda n, asked=asked: holds(asked, text[:n], 2), SENTENCE)


def test_what_lies_beyond_the_bound_requires_nothing_R_E7() -> None:
    assert find_requirement("?" * LONGEST + " how many joints are there?") is None


@given(strategies.text(max_size=300), strategies.text(max_size=300))
def test_no_text_breaks_the_rules_R_E7(question: str, sentence: str) -> None:
    for kind in list_insisted():
        for asked in (Needed(kind.name), find_requirement(question)):
            assert asked is None or holds(asked, sentence, 2) in (True, False)


@pytest.mark.parametrize(
    ("sentence", "counts"),
    [
        ("It is found in about 200 children a year.", True),
        ("Some 30 kids aged 2 get it.", True),
        ("It is found in children aged 5 to 14 years.", False),
        ("It is rare in kids younger than 2.", False),
        ("One of the children may have one or more signs.", False),
    ],
)
def test_an_age_counts_nobody_R_V4(sentence: str, counts: bool) -> None:
    """A number of years is no number of children, and "one of" is none at all."""
    needed = find_requirement("How many kids get it every year?")
    assert needed is not None
    assert holds(needed, sentence, 1) is counts


@pytest.mark.parametrize(
    ("question", "sentence", "answers"),
    [
        ("Which medicines are given against nausea?", "Cisplatin causes it.", False),
        ("What drugs are used to treat a rash?", "Some pills cause a rash.", False),
        ("What helps against noise?", "Loose screws lead to noise.", False),
        ("What helps against noise?", "A soft mat reduces noise.", True),
        ("Which medicines are given against nausea?", "Ginger helps some.", True),
    ],
)
def test_what_brings_it_about_is_no_remedy_R_V4(
    question: str, sentence: str, answers: bool
) -> None:
    """Who asks what works against something is not told what causes it."""
    needed = find_requirement(question)
    assert needed is not None
    assert holds(needed, sentence, 1) is answers
    assert is_opposite(needed, sentence) is not answers


def test_what_causes_is_asked_for_by_itself_R_V4() -> None:
    """Nor does a count, a comparison or a cause ask for a remedy."""
    for question in (
        "Which drugs cause constipation?",
        "At which count is a transfusion given to prevent bleeding?",
        "How many pills are used to treat it?",
    ):
        needed = find_requirement(question)
        assert needed is None or needed.kind != "remedy"
        assert not is_opposite(needed, "Loose screws lead to noise.")
