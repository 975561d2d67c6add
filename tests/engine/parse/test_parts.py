"""A question falls into its parts by rule, and no restriction is lost on the way."""

import pytest

from engine.parse.parts import MOST, Part, divide, side_by_side, split


def parts(question: str, *, named: bool = True) -> list[str]:
    """The parts as they are meant."""
    return [part.meant for part in divide(question, lambda _: named)]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is a topic?", ["What is a topic"]),
        (
            "What are its side effects and how much does it cost?",
            ["What are its side effects", "how much does it cost"],
        ),
        ("Is it safe? Who pays?", ["Is it safe", "Who pays"]),
        ("nausea and vomiting after chemo", ["nausea and vomiting after chemo"]),
        ("I sleep a lot. Why am I tired?", ["I sleep a lot. Why am I tired"]),
        ("Explain SLAM, and does it drift?", ["Explain SLAM", "does it drift"]),
        ("", []),
    ],
)
def test_a_question_falls_into_its_parts_R_A12(
    question: str, expected: list[str]
) -> None:
    """Only a whole question after "and", or a new sentence, opens a part."""
    assert split(question) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (
            "How is capecitabine taken and what is its price?",
            ["How is capecitabine taken?", "what is capecitabine's price?"],
        ),
        (
            "What is SLAM? And who invented it?",
            ["What is SLAM?", "who invented SLAM?"],
        ),
        (
            "How does scalp cooling work, and which hospitals offer it?",
            ["How does scalp cooling work?", "which hospitals offer scalp cooling?"],
        ),
        (
            "How is nausea treated in adults and how long does it last?",
            [
                "How is nausea treated in adults?",
                "how long does nausea last in adults?",
            ],
        ),
        (
            "In children, how is pain treated and what does codeine do?",
            [
                "In children, how is pain treated?",
                "In children, what does codeine do?",
            ],
        ),
    ],
)
def test_a_part_keeps_its_context_R_A12(question: str, expected: list[str]) -> None:
    """Names stand for pronouns; frame and group hold for every part."""
    assert parts(question) == expected


@pytest.mark.parametrize(
    "question",
    [
        "How fast does hair grow and how fast in children?",
        "When is it given and when after surgery?",
        "Which drugs are given before surgery and are safe for children?",
        "Which drugs make you tired and can cause fever?",
        "Which nodes are there which publish and which subscribe to it?",
        "If I miss a dose, what should I do?",
        "How do I record a bag? How do I play one? I use ROS 1 Noetic.",
        "Can two nodes publish on one topic and is that a problem?",
        "What is a node? And a topic?",
        "Do I need a wig? Where can I get one?",
        "What drugs are in FOLFOX, and do they cause nausea?",
        "What is a? What is b? What is c? What is d?",
    ],
)
def test_what_is_no_part_of_its_own_stays_with_the_whole_R_I6(question: str) -> None:
    """A restriction, a pointer at nothing certain, more than MOST parts."""
    assert divide(question, lambda _: True) == ()
    assert MOST == 3


def test_a_part_without_a_name_is_about_the_first_R_I6() -> None:
    """Another drug's dose is no answer to "and what is the usual dose?"."""
    asked = "How is capecitabine taken and what is the usual dose?"
    later = divide(asked, lambda _: False)[1]
    assert later == Part(
        "what is the usual dose",
        "what is the usual dose for capecitabine?",
        "capecitabine",
    )
    assert not divide("What is in FOLFOX and what is the dose?", lambda _: False)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (
            "How do NCCN and ESMO guidelines differ on ctDNA?",
            [
                "How do NCCN guidelines differ on ctDNA?",
                "How do ESMO guidelines differ on ctDNA?",
            ],
        ),
        ("nccn, asco, and esmo on MRD", ["nccn on MRD", "asco on MRD", "esmo on MRD"]),
        ("NCCN vs. ESMO on MRD", ["NCCN on MRD", "ESMO on MRD"]),
        ("Does NCCN differ from ESMO?", ["Does NCCN?", "Does ESMO?"]),
        ("NCCN and NCCN on MRD", []),
        ("NCCN on MRD, and ESMO not", []),
        ("NCCN and trials on MRD", []),
    ],
)
def test_names_in_a_row_are_asked_for_one_by_one_R_A12_R_R11(
    question: str, expected: list[str]
) -> None:
    """Each part's answer has to speak of its own name."""
    parts = side_by_side(question, ("NCCN", "ASCO", "ESMO"))
    assert [part.meant for part in parts] == expected
    assert all(part.named in part.meant for part in parts)
    assert side_by_side(question, ()) == ()
