"""The prompt of a signature: an intent's own lines, rules, examples."""

import dspy

from engine.prompting.demonstrations import Demonstration, find_demonstrations
from engine.prompting.signatures import SIGNATURES, SectionOut, add_rules

INPUTS = ("question", "passages", "headings", "fixed_texts", "feedback")


def make_program(name: str, *, analyse_only: bool = False) -> dspy.Predict:
    """Make the DSPy program of a signature: its lines, the common rules, examples."""
    told = add_rules(SIGNATURES[name].instructions, analyse_only=analyse_only)
    made = dspy.Predict(SIGNATURES[name].with_instructions(told))
    examples = [make_example(each) for each in find_demonstrations(name)]
    made.demos = [_analyse(each) if analyse_only else each for each in examples]
    return made


def _analyse(example: dspy.Example) -> dspy.Example:
    """Turn an example that says "not found" into one that names its gaps."""
    no = example.status == "not_found"
    return example.copy(status="insufficient") if no else example


def make_example(demonstration: Demonstration) -> dspy.Example:
    """Convert a demonstration to a DSPy example."""
    fields = demonstration.model_dump(mode="json", exclude={"reviewed", "sections"})
    sections = [
        SectionOut.model_validate(part.model_dump(mode="json"))
        for part in demonstration.sections
    ]
    return dspy.Example(**fields, sections=sections).with_inputs(*INPUTS)
