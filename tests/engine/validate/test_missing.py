"""Which later parts of a question the quotations leave open."""

from engine.validate.missing import not_found


def test_a_later_part_without_its_rare_word_is_named_R_A12() -> None:
    """What the evidence lacks is said in the question's own words."""
    question = "What helps against nausea and how much does ondansetron cost?"
    quoted = ["Antiemetics such as ondansetron help against nausea."]
    assert list(not_found(question, ["cost"], quoted, [])) == [
        "how much does ondansetron cost"
    ]
    assert not list(not_found(question, ["cost"], [*quoted, "The cost is low."], []))


def test_a_part_in_everyday_words_is_left_alone_R_A12() -> None:
    """Its answer may be there in other words, so nothing is claimed."""
    question = "Can cornstarch be used, and are there places it should not go?"
    assert not list(not_found(question, ["cornstarch"], ["Not on moist skin."], []))


def test_the_first_part_is_never_named_R_A12() -> None:
    """It was answered, or the whole question refused."""
    assert not list(not_found("What about zoledronate?", ["zoledronate"], ["x"], []))
