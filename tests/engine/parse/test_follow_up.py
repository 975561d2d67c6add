"""Follow-ups, put into words that stand alone."""

import pytest

from engine.parse.follow_up import exchanges, put_in, resolve, together

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


@pytest.mark.parametrize(
    ("before", "asked", "together_with", "added"),
    [
        (
            "182 Restoration of status",
            "and how long does he have to apply?",
            "182 Restoration of status: How long does he have to apply?",
            "apply",
        ),
        (
            "How are mouth sores treated?",
            "Can she drink wine?",
            "How are mouth sores treated? Can she drink wine?",
            "drink wine",
        ),
        ("Fees", "what is the deadline?", "Fees: What is the deadline?", "deadline"),
        ("Fees", "why", None, ""),
        ("Fees", "and then?", None, ""),
        ("Fees", "Which countries border the Baltic Sea?", None, ""),
        ("", "and how long does he have to apply?", None, ""),
    ],
)
def test_what_may_lean_is_read_with_what_went_before_R_U14(
    before: str, asked: str, together_with: str | None, added: str
) -> None:
    """A new subject is read alone; what is added has to be answered."""
    found = together(asked, before)
    assert (found.text if found else None) == together_with
    assert found is None or found.added == added


@pytest.mark.parametrize(
    ("previous", "asked", "meant"),
    [
        (
            "what does ESMO say about ctDNA in colon cancer",
            "and NCCN?",
            "what does NCCN say about ctDNA in colon cancer?",
        ),
        (
            "what does ESMO say about ctDNA in colon cancer",
            "what about rectal cancer?",
            "what does ESMO say about ctDNA in rectal cancer?",
        ),
        ("What is a ROS 2 service?", "and actions?", "What is ROS 2 actions?"),
        (
            "Does Medicare cover Signatera?",
            "Guardant Reveal?",
            "Does Medicare cover Guardant Reveal?",
        ),
        (
            "How much does a study permit cost?",
            "and a work permit?",
            "How much does a work permit cost?",
        ),
    ],
)
def test_another_thing_may_take_the_place_of_each_R_U14(
    previous: str, asked: str, meant: str
) -> None:
    """Which one is meant the documents tell: "and NCCN?" left ESMO where it stood."""
    assert meant in [one.text for one in exchanges(asked, previous)]


@pytest.mark.parametrize(
    "asked",
    ["and the dose?", "and in children?", "and why?", "and what is tamoxifen?", "ok"],
)
def test_a_side_or_a_detail_takes_no_place_R_U14(asked: str) -> None:
    assert exchanges(asked, EFFECTS) == ()


@pytest.mark.parametrize(
    ("asked", "before", "meant"),
    [
        ("and a listener?", "what is a tf2 broadcaster", "What is a tf2 listener?"),
        ("and an action?", "what is a ROS 2 service?", "What is a ROS 2 action?"),
        ("and a port?", "what is a pump?", "What is a port?"),
    ],
)
def test_another_thing_keeps_the_name_before_it_R_U14(
    asked: str, before: str, meant: str
) -> None:
    """Other pages have listeners, too."""
    found = resolve(asked, before)
    assert found is not None
    assert found.text == meant


@pytest.mark.parametrize("asked", ["and today?", "What about now?", "and these days?"])
def test_the_same_is_asked_again_for_today_R_U14(asked: str) -> None:
    """It was greeted."""
    assert meaning(asked, EFFECTS) == EFFECTS


def test_what_others_say_leans_on_nothing_R_U14() -> None:
    """ "They" of what is told are no side effects."""
    for told in (
        "they say they are going to take my breast",
        "they told me to stop",
        "they said the scan was clear",
    ):
        assert resolve(told, EFFECTS) is None


@pytest.mark.parametrize(
    ("before", "asked", "meant"),
    [
        (
            "How often is a port flushed?",
            "can i swim with it?",
            "Can i swim with a port?",
        ),
        (
            "What causes mouth sores?",
            "how long do they last?",
            "How long do mouth sores last?",
        ),
        (
            "What helps with hot flashes?",
            "how do i stop them?",
            "How do i stop hot flashes?",
        ),
        (
            "How is capecitabine taken? What if i miss one?",
            "when should it be stopped?",
            "When should capecitabine be stopped?",
        ),
        ("What is a port?", "will it rain tomorrow?", None),
        ("What should I do?", "is it safe?", None),
    ],
)
def test_a_pronoun_gives_way_to_what_it_stands_for_R_U14(
    before: str, asked: str, meant: str | None
) -> None:
    """Anywhere in the question, and however many questions ago it was named."""
    assert put_in(asked, before) == meant


def test_a_long_conversation_keeps_its_first_and_its_last_question_R_U14() -> None:
    told = resolve("why is that?", "What is a port? Who puts one in? Is that painful?")
    assert told is not None
    assert told.text == "What is a port? Is that painful? Why is that?"


def test_several_are_asked_about_in_english_R_U14() -> None:
    before = "What is a ROS 2 service?"
    assert "What are actions?" in {
        told.text for told in exchanges("and actions?", before)
    }
