"""A shape is what a message is built of; what it says is a hash beside it."""

from evals.record.platforms import draw_outline, draw_shape

BUTTON = {"type": "button", "action_id": "why", "text": {"type": "plain_text"}}
BLOCKS = {
    "text": "A fallback.",
    "blocks": [
        {"type": "section", "text": {"type": "mrkdwn", "text": "38 °C"}},
        {"type": "section", "text": {"type": "mrkdwn", "text": "39 °C"}},
        {"type": "actions", "elements": [BUTTON]},
    ],
}
COMPONENTS = {
    "flags": 64,
    "components": [{"type": 2, "style": 2, "label": "Why?", "custom_id": "why:abc"}],
}


def test_other_words_are_the_same_shape_R_C4() -> None:
    said = {**BLOCKS, "text": "Another one."}
    assert draw_shape(said) == draw_shape(BLOCKS)
    asked = {**COMPONENTS, "components": [{**COMPONENTS["components"][0]}]}  # type: ignore[index]
    asked["components"][0] |= {"label": "How so?", "custom_id": "why:def"}
    assert draw_shape(asked) == draw_shape(COMPONENTS)


def test_a_lost_block_a_style_and_another_button_are_seen_R_C4() -> None:
    lost = {**BLOCKS, "blocks": BLOCKS["blocks"][1:]}
    other = {
        **BLOCKS,
        "blocks": [
            *BLOCKS["blocks"][:2],
            {"type": "actions", "elements": [{**BUTTON, "action_id": "more"}]},
        ],
    }
    flagged = {**COMPONENTS, "flags": 0}
    styled = {"components": [{"type": 2, "style": 4, "custom_id": "why:abc"}]}
    for changed, before in (
        (lost, BLOCKS),
        (other, BLOCKS),
        (flagged, COMPONENTS),
        (styled, COMPONENTS),
    ):
        assert draw_shape(changed) != draw_shape(before)


def test_an_outline_names_types_and_buttons() -> None:
    assert draw_outline(BLOCKS) == "[2x section, actions[button why]]"
    assert draw_outline(COMPONENTS) == "[2 why]"
