"""Follow-ups, put into words that stand alone."""

import pytest

from engine.question.follow_up import resolve

EFFECTS = "What are the side effects of tamoxifen?"
DURATION = "How long does fatigue last after chemotherapy?"
THING = "What is mucositis?"
CAUSE = "Does tamoxifen cause hot flashes?"
ADULTS = "How is nausea treated in adults?"


def meaning(asked: str, previous: str | None) -> str | None:
    """The question as it is meant, None where it stands alone."""
    resolved = resolve(asked, previous)
    return None if resolved is None else resolved.text


@pytest.mark.parametrize(
    ("previous", "asked", "meant"),
    [
        (
            EFFECTS,
            "what about anastrozole?",
            "What are the side effects of anastrozole?",
        ),
        (
            EFFECTS,
            "And in children?",
            "What are the side effects of tamoxifen in children?",
        ),
        (
            EFFECTS,
            "and the dose?",
            "What are the side effects of tamoxifen? And the dose?",
        ),
        (
            DURATION,
            "what about after radiation?",
            "How long does fatigue last after radiation?",
        ),
        (
            DURATION,
            "for children?",
            "How long does fatigue last after chemotherapy for children?",
        ),
        (DURATION, "and what is tamoxifen?", "What is tamoxifen?"),
        (THING, "How long does it last?", "How long does mucositis last?"),
        (THING, "and how do you prevent it?", "How do you prevent mucositis?"),
        (THING, "Is it safe for children?", "Is mucositis safe for children?"),
        (CAUSE, "Why?", "Does tamoxifen cause hot flashes? Why?"),
        (
            CAUSE,
            "Are they permanent?",
            "Does tamoxifen cause hot flashes? Are they permanent?",
        ),
        (
            CAUSE,
            "What about headaches?",
            "Does tamoxifen cause hot flashes? What about headaches?",
        ),
        (ADULTS, "and for children?", "How is nausea treated for children?"),
        (
            ADULTS,
            "and with steroids?",
            "How is nausea treated in adults with steroids?",
        ),
        (ADULTS, "In older people?", "How is nausea treated in older people?"),
        (THING, "and a stoma?", "What is a stoma?"),
        (
            ADULTS,
            "what about if it comes back?",
            "How is nausea treated in adults? What about if it comes back?",
        ),
        (
            "How many parameters does OpenVLA have?",
            "And how many does RT-2 have?",
            "How many parameters does RT-2 have?",
        ),
        (
            "How do I write a publisher with rclpy?",
            "And how do I do that in C++?",
            "How do I write a publisher in C++?",
        ),
        (
            "How do I record a bag?",
            "and how do I play it again?",
            "How do I play a bag again?",
        ),
        (THING, "Which causes can it have?", "Which causes can mucositis have?"),
        (
            "What does ROS_DOMAIN_ID do?",
            "what is its default value?",
            "What is ROS_DOMAIN_ID's default value?",
        ),
        (
            "What does colitis on a checkpoint inhibitor look like?",
            "How is it treated?",
            "What does colitis on a checkpoint inhibitor look like? How is it treated?",
        ),
    ],
)
def test_follow_ups_are_resolved_by_rule_R_A11(
    previous: str, asked: str, meant: str
) -> None:
    """Where no rule finds the place, both questions stand together."""
    assert meaning(asked, previous) == meant


@pytest.mark.parametrize(
    "asked",
    [
        "Is it safe to fly after surgery?",
        "How long does fatigue last and how can I treat it?",
        "What is neuropathy?",
        "tamoxifen dose?",
        "Does this textbook cover Nav2?",
        "In which file do I set the rate?",
        "",
        "???",
    ],
)
def test_what_stands_alone_stays_alone_R_A11(asked: str) -> None:
    assert resolve(asked, THING) is None


@pytest.mark.parametrize(
    "asked",
    [
        "How much does a wig cost?",
        "How much is the biometrics fee for a family?",
        "Is it risky to swim with a port?",
        "Will it take long to get a study permit?",
        "Why do they give steroids before paclitaxel?",
        "What is that implant under the collarbone called?",
        "Those tablets that melt on the tongue, what are they for?",
        "Does a tumour ever change its receptors?",
        "When do patients lose their eyebrows?",
        "Is it fine for a node to block in its callback?",
    ],
)
def test_a_message_with_its_own_subject_leans_on_nothing_R_A11(asked: str) -> None:
    """Whatever was asked before, "it" and "they" are explained where they stand."""
    for before in (EFFECTS, "How many cycles are given?", DURATION, THING):
        assert resolve(asked, before) is None


@pytest.mark.parametrize(
    ("previous", "asked", "meant"),
    [
        (EFFECTS, "How much do I take?", f"{EFFECTS} How much do I take?"),
        (
            "How many cycles are given before surgery?",
            "And how many are given after surgery?",
            "How many cycles are given after surgery?",
        ),
        (THING, "Is it used in children?", "Is mucositis used in children?"),
        (THING, "Can it come back?", "Can mucositis come back?"),
        (THING, "Does that hurt?", "Does mucositis hurt?"),
        (EFFECTS, "Will they go away?", f"{EFFECTS} Will they go away?"),
        (THING, "What are its stages?", "What are mucositis's stages?"),
        (
            "What does a lifecycle node do?",
            "How do I change its state?",
            "How do I change a lifecycle node's state?",
        ),
        (CAUSE, "Can these be prevented?", f"{CAUSE} Can these be prevented?"),
        (ADULTS, "What about the elderly?", f"{ADULTS} What about the elderly?"),
    ],
)
def test_what_points_at_the_question_before_still_leans_on_it_R_A11(
    previous: str, asked: str, meant: str
) -> None:
    assert (meaning(asked, previous) or "").startswith(meant)


def test_without_a_question_before_nothing_follows_R_A11() -> None:
    assert resolve("and for children?", None) is None
    assert resolve("and for children?", " ?! ") is None


@pytest.mark.parametrize(
    ("asked", "things"),
    [
        ("and for children?", ("children",)),
        ("and with steroids?", ("steroids",)),
        ("what about pregnant women?", ("pregnant", "women")),
        ("and the dose?", ("dose",)),
        ("what about 5-FU?", ("5-FU",)),
        ("Is it safe for children?", ("children",)),
        ("and how long does it last in adults?", ("adults",)),
        ("and for my mother?", ()),
        ("and in general?", ()),
        ("Why?", ()),
        ("How long does it last?", ()),
        ("and what is tamoxifen?", ()),
        ("what about the pain in my arm since the last infusion?", ()),
    ],
)
def test_the_thing_that_a_follow_up_adds_is_known_R_A11(
    asked: str, things: tuple[str, ...]
) -> None:
    """Of a whole question only whom it is about; nothing that no passage names."""
    resolved = resolve(asked, THING)
    assert resolved is not None
    assert resolved.things == things


@pytest.mark.parametrize("left", ["", "?", "and?", "What about?"])
def test_another_date_alone_asks_the_same_again_R_A11_R_F5(left: str) -> None:
    """Only where a date was taken out of the follow-up."""
    again = resolve(left, "What is mucositis", dated=True)
    assert again is not None
    assert again.text == "What is mucositis?"
    assert resolve(left, "What is mucositis") is None


SHOWN = [  # forty follow-ups: a sentence that a person would say, or none
    ("bed 12 38.4 and rigors. what do i do", "and for kids?", None),
    ("the difference between a topic and a service", "and an action?", None),
    ("What differs between a topic and a service?", "and an action?", None),
    ("explain kalman filter like im 5", "and the extended one?", None),
    ("COBRA trial why stopped", "and in rectal cancer?", None),
    ("when should i use which", "why do we mix them", None),
    ("What does the photo studio cost an hour?", "What must it be kept for?", None),
    ("How is nausea treated?", "And for adults?", "How is nausea treated for adults?"),
    ("How is nausea treated in adults?", "and in children?", "treated in children?"),
    ("What is a ROS 2 topic?", "and an action?", "What is an action?"),
    ("What is colitis?", "how is it treated?", "How is colitis treated?"),
    ("How do I write a node?", "How do I do that in Python?", "write a node in Python"),
    ("Can she eat sushi while neutropenic?", "and soft cheese?", None),
    ("What is the deadline of lab 3?", "and lab 4?", "What is the deadline of lab 4?"),
    ("How many hours may a student work?", "what about a visitor?", None),
    ("dependent child age limit", "and for adults?", None),
    ("What is the fee for a study permit?", "and a work permit?", "a work permit?"),
    ("Why does fatigue not go away with sleep?", "how long?", None),
    ("What helps against mouth sores?", "and when swallowing hurts?", None),
    ("Which pain killer is allowed?", "how often?", None),
    ("How does a quaternion work?", "is it better than euler angles?", "quaternion"),
    ("GALAXY results", "and VEGA?", None),
    ("What are its side effects?", "and of oxaliplatin?", None),
    ("Is hair loss permanent?", "when does it grow back?", None),
    ("what is nav2", "who maintains it?", "Who maintains nav2?"),
    ("What does Kp do?", "and Ki?", None),
    ("How do I launch gazebo?", "with a robot", "How do I launch gazebo with a robot?"),
    ("Can I drink alcohol?", "on chemo", "Can I drink alcohol on chemo?"),
    ("What is the sauna fee? And for kids?", "for guests", None),
    ("tell me about PID", "why does it overshoot?", None),
    ("The pump beeps, why?", "what do I do with it?", None),
    ("How long does the nausea last?", "and the fatigue?", None),
    ("Are flu shots allowed?", "what about shingles?", None),
    ("When are neutrophils lowest?", "what does that mean?", None),
    ("How is the sensitivity measured?", "and its specificity?", None),
    ("May the hall be used for weddings?", "How big is it?", "How big is the hall?"),
    ("Must the key be returned?", "where is it kept?", "Where is the key kept?"),
    ("is it normal", "and at night?", None),
    ("my dad had chemo and now his feet tingle", "for how long?", None),
    ("Which one?", "and for guests?", None),
]


@pytest.mark.parametrize(("previous", "text", "shown"), SHOWN)
def test_a_restatement_is_a_sentence_that_a_person_would_say_R_A16(
    previous: str, text: str, shown: str | None
) -> None:
    """Where the rules make none, nothing is shown as one."""
    resolved = resolve(text, previous)
    told = resolved.text if resolved and resolved.restated else None
    assert (told is None) == (shown is None), told
    assert shown is None or shown in str(told)
