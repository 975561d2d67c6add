"""What a signature is asked with: rules, an intent's own lines, examples."""

import dspy

from engine.prompting.demonstrations import Demonstration, demonstrations
from engine.prompting.signatures import SIGNATURES, SectionOut, ruled

INPUTS = ("question", "passages", "headings", "fixed_texts", "feedback")


def program(name: str, *, analyse_only: bool = False) -> dspy.Predict:
    """Return what a signature is asked with: its lines, the rules of all, examples."""
    told = ruled(SIGNATURES[name].instructions, analyse_only=analyse_only)
    made = dspy.Predict(SIGNATURES[name].with_instructions(told))
    examples = [shown_as(each) for each in demonstrations(name)]
    made.demos = [_analysing(each) if analyse_only else each for each in examples]
    return made


def _analysing(example: dspy.Example) -> dspy.Example:
    """Return an example that says no as an analysis has to: by its gaps."""
    no = example.status == "not_found"
    return example.copy(status="insufficient") if no else example


def shown_as(demonstration: Demonstration) -> dspy.Example:
    """Return a demonstration as DSPy shows it to a model."""
    fields = demonstration.model_dump(mode="json", exclude={"reviewed", "sections"})
    sections = [
        SectionOut.model_validate(part.model_dump(mode="json"))
        for part in demonstration.sections
    ]
    return dspy.Example(**fields, sections=sections).with_inputs(*INPUTS)
