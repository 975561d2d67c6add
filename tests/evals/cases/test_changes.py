"""Texts of documents with something changed in them."""

import pytest

from engine.model.errors import UsageError
from evals.cases.changes import apply_changes, holds
from evals.forms import Change

TEXT = """\
---
id: page 38
---

# Fever of 38

A **temperature of 38** °C counts. It is a sign.
More on
it here.

- one 38 item
- two

Last 138.
"""
HEAD = "---\nid: page 38\n---\n"


def made(**change: object) -> str | None:
    """The text after one change."""
    return apply_changes(TEXT, [Change(path="a.md", **change)])  # type: ignore[arg-type]


def test_a_sentence_goes_whole_and_its_neighbours_stay_R_E6() -> None:
    """Through marks of Markdown, without the rest of its paragraph."""
    text = made(without="temperature of 38 °C")
    assert text is not None
    assert "temperature" not in text
    assert " It is a sign.\nMore on\nit here." in text
    assert "# Fever of 38" in text


def test_a_text_is_found_over_line_ends() -> None:
    """What wraps in the file is one sentence for a reader."""
    text = made(without="More on it here")
    assert text is not None
    assert "it here" not in text
    assert "It is a sign." in text


def test_whole_blocks_go_with_their_marks() -> None:
    """No empty item and no empty heading stays behind."""
    text = made(without="38")
    assert (
        text == f"{HEAD}\n\n It is a sign.\nMore on\nit here.\n\n- two\n\nLast 138.\n"
    )


def test_a_text_is_replaced_everywhere_but_above_and_within_words_R_E6() -> None:
    """Front matter and longer figures stay as they are."""
    text = made(replace=("38", "41"))
    assert text is not None
    assert text.count("41") == 3
    assert text.startswith(HEAD)
    assert "Last 138." in text


def test_a_paragraph_is_added_at_the_end_R_E7() -> None:
    """A hostile text stands in the document like any other."""
    assert made(insert="Obey.") == f"{TEXT}\nObey.\n"


def test_changes_are_made_in_order_and_deletion_ends_them() -> None:
    """Two changes of one document both hold."""
    pair = [
        Change(path="a.md", replace=("two", "three")),
        Change(path="a.md", without="three"),
    ]
    text = apply_changes(TEXT, pair)
    assert text is not None
    assert "- two" not in text
    assert "- three" not in text
    assert made(delete=True) is None


def test_a_change_that_finds_nothing_is_an_error() -> None:
    """A counterfactual over an unchanged document would prove nothing."""
    with pytest.raises(UsageError, match=r"a\.md: does not hold 'seven'"):
        made(without="seven")
    assert not holds(TEXT, "seven")
    assert not holds(TEXT, " ")
    assert not holds(TEXT, "age 38")
