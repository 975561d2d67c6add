"""What a signature is asked with: rules, an intent's own lines, examples (R-A1)."""

from collections.abc import Sequence

import dspy

from engine.answer.demonstrations import demonstrations
from engine.answer.signatures import SIGNATURES, SectionOut, ruled
from engine.policy.programs import Demonstration, Program

INPUTS = ("question", "passages", "headings", "fixed_texts", "feedback")


def program(
    name: str, own: Program | None = None, *, analyse_only: bool = False
) -> dspy.Predict:
    """What a signature is asked with: a pack's own program, or the built-in one."""
    lines = own.instructions if own else SIGNATURES[name].instructions
    examples = own.demonstrations if own else demonstrations(name)
    shown = [shown_as(each) for each in examples]
    return asked_with(name, lines, shown, analyse_only=analyse_only)


def asked_with(
    name: str,
    lines: str,
    examples: Sequence[dspy.Example],
    *,
    analyse_only: bool = False,
) -> dspy.Predict:
    """A signature with an intent's own lines, the rules of all below them (R-A5)."""
    told = ruled(lines, analyse_only=analyse_only)
    made = dspy.Predict(SIGNATURES[name].with_instructions(told))
    made.demos = [_analysing(each) if analyse_only else each for each in examples]
    return made


def _analysing(example: dspy.Example) -> dspy.Example:
    """An example that says no as an analysis has to: by its gaps."""
    no = example.status == "not_found"
    return example.copy(status="insufficient") if no else example


def shown_as(demonstration: Demonstration) -> dspy.Example:
    """A demonstration as DSPy shows it to a model."""
    fields = demonstration.model_dump(mode="json", exclude={"reviewed", "sections"})
    sections = [
        SectionOut.model_validate(part.model_dump(mode="json"))
        for part in demonstration.sections
    ]
    return dspy.Example(**fields, sections=sections).with_inputs(*INPUTS)
