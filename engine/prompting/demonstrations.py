"""Worked examples for the signatures: one where data are missing, one that answers.

A signature without its own gets those of `general`. Their passages are made up, so that
no example can be mistaken for evidence. A reviewer sets the date of the review.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Literal, Self

import re2
from pydantic import model_validator

from engine.model.frozen import Frozen

FILE = "engine/prompting/demonstrations.py"
_WRITTEN = date(2026, 11, 23)  # the day on which all of them were last read
_NUMBERED = re2.compile(r"(?m)^\[(\d{1,4})\] ")  # where a sentence begins


class Part(Frozen):
    """Numbers of sentences under one heading."""

    heading: str = ""
    sentences: tuple[int, ...]


class Demonstration(Frozen):
    """One worked example: the fields of a signature, filled in.

    Attributes:
        reviewed: the day on which a person last read it.
    """

    question: str
    passages: str
    headings: tuple[str, ...] = ()
    fixed_texts: tuple[str, ...] = ()
    feedback: tuple[str, ...] = ()
    sections: tuple[Part, ...] = ()
    texts: tuple[str, ...] = ()
    not_found: tuple[str, ...] = ()
    status: Literal["answered", "insufficient", "not_found"]
    reviewed: date

    @model_validator(mode="after")
    def _offered(self) -> Self:
        """Refuse an example that selects a sentence which its passages lack."""
        shown = {int(number) for number in _NUMBERED.findall(self.passages)}
        for section in self.sections:
            for number in section.sentences:
                if number not in shown:
                    raise ValueError(f"selects [{number}], which is no sentence of it")
        return self


_PASSAGES = (
    "Brevonil > How it is taken\n"
    "[1] Brevonil tablets are taken twice a day with water.\n"
    "[2] Do not take Brevonil with milk, because milk may lower its effect.\n\n"
    "Brevonil > Side effects\n"
    "[3] Some people have a dry mouth while they take Brevonil.\n"
    "[4] Headache is rare."
)
_ROBOT = (
    "Drive node > Parameters\n"
    "[1] The parameter `max_speed` limits the speed of the drive node in metres per "
    "second.\n"
    "(The parameter `max_speed` limits the speed of the drive node in metres per "
    "second.)\n"
    "[2] Its default is 0.5.\n\n"
    "Drive node > Starting\n"
    "[3] Start the drive node with `drive start --slow`.\n"
    "[4] The node must be stopped before its parameters are changed."
)

_TRIALS = ("CLINICAL TRIALS", "SUPPORTING EVIDENCE", "GUIDELINE CONTEXT", "LIMITATIONS")
_TRIAL = (
    "LANTERN trial record > Design\n"
    "[1] LANTERN (register number NCT00000000) is a randomised phase 2 trial.\n"
    "[2] Its primary endpoint is recurrence-free survival at 2 years.\n"
    "[3] It is planned to enrol 200 patients and is recruiting.\n\n"
    "First results of LANTERN > Results\n"
    "[4] In LANTERN, the marker was found in 30 of the first 100 patients.\n"
    "[5] Follow-up was too short to say anything of survival.\n\n"
    "Guideline of a society > Testing\n"
    "[6] The society recommends the test only within a clinical trial."
)
_GUIDELINES = ("GUIDELINE RECOMMENDATIONS", "CROSS-GUIDELINE COMPARISON", "LIMITATIONS")
_SOCIETIES = (
    "Guideline of society A, version 2.2021 > Testing\n"
    "[1] The marker is not recommended outside clinical trials (category 2A).\n\n"
    "Guideline of society B, 2022 > Testing\n"
    "[2] The marker may be considered after surgery (level of evidence III).\n"
    "[3] No randomised trial has tested the marker."
)
_PAYER = (
    "Policy of a payer > Coverage\n"
    "[1] The Lumen test is covered after surgery for stage II disease.\n"
    "[2] It is covered at most once in 90 days."
)


def _example(
    question: str,
    passages: str,
    sentences: Sequence[int],
    not_found: Sequence[str] = (),
    reviewed: date = _WRITTEN,
) -> Demonstration:
    return Demonstration(
        question=question,
        passages=passages,
        status="answered" if sentences else "not_found",
        sections=(Part(sentences=tuple(sentences)),) if sentences else (),
        not_found=tuple(not_found),
        reviewed=reviewed,
    )


_TAKEN = _example(
    "How is Brevonil taken, and what does it cost?",
    _PASSAGES,
    [1, 2],
    ["what does it cost"],
)
_EFFECTS = _example("Does Brevonil cause a dry mouth?", _PASSAGES, [3])
_UNKNOWN = _example(
    "Can children take Brevonil?", _PASSAGES, [], ["Can children take Brevonil"]
)
_SPEED = _example("What is max_speed?", _ROBOT, [1, 2])
_START = _example(
    "How do I start the drive node, and how do I stop it?",
    _ROBOT,
    [3],
    ["how do I stop it"],
)
_BETTER = _example(
    "Is the drive node faster than the wheel node?",
    _ROBOT,
    [],
    ["Is the drive node faster than the wheel node"],
)

# The feedback names the fault of the last draft, and the sections are without it.
_WRONG_FIRST = Demonstration(
    question="What is the endpoint of LANTERN?",
    passages=_TRIAL,
    headings=_TRIALS,
    feedback=(
        "the first section has to be CLINICAL TRIALS: GUIDELINE CONTEXT",
        "says what answers to such questions do not say unless asked: "
        "The society recommends the test only within a clinical trial.",
    ),
    status="answered",
    sections=(Part(heading="CLINICAL TRIALS", sentences=(2,)),),
    reviewed=_WRITTEN,
)
_WRONG_TRIAL = _WRONG_FIRST.model_copy(
    update={
        "question": "What has LANTERN shown, and has it improved survival?",
        "sections": (
            Part(heading="CLINICAL TRIALS", sentences=(1,)),
            Part(heading="SUPPORTING EVIDENCE", sentences=(4,)),
            Part(heading="LIMITATIONS", sentences=(5,)),
        ),
        "not_found": ("has it improved survival",),
    }
)
_NO_TRIAL = Demonstration(
    question="Which trials test the marker in children?",
    passages=_TRIAL,
    headings=_TRIALS,
    status="not_found",
    not_found=("Which trials test the marker in children",),
    reviewed=_WRITTEN,
)
_SAID = Demonstration(
    question="What do societies say about the marker, and what does it cost?",
    passages=_SOCIETIES,
    headings=_GUIDELINES,
    status="answered",
    sections=(
        Part(heading="GUIDELINE RECOMMENDATIONS", sentences=(1,)),
        Part(heading="CROSS-GUIDELINE COMPARISON", sentences=(2,)),
        Part(heading="LIMITATIONS", sentences=(3,)),
    ),
    not_found=("what does it cost",),
    reviewed=_WRITTEN,
)
_COVERED = Demonstration(
    question="Is Lumen covered for stage II, and for stage IV?",
    passages=_PAYER,
    headings=("COVERAGE POLICY", "LIMITATIONS"),
    status="answered",
    sections=(Part(heading="COVERAGE POLICY", sentences=(1, 2)),),
    not_found=("for stage IV",),
    reviewed=_WRITTEN,
)

# The one that answers comes last: a small model imitates the last example.
DEMONSTRATIONS: Mapping[str, Sequence[Demonstration]] = {
    "general": (_UNKNOWN, _TAKEN),
    "symptoms": (_UNKNOWN, _EFFECTS),
    "treatment": (_UNKNOWN, _TAKEN),
    "side_effects": (_UNKNOWN, _EFFECTS),
    "support": (_UNKNOWN, _EFFECTS),
    "concept": (_BETTER, _SPEED),
    "how_to": (_BETTER, _START),
    "comparison": (_BETTER, _SPEED),
    "clinical_trials": (_NO_TRIAL, _WRONG_FIRST),
    "trial_evidence": (_NO_TRIAL, _WRONG_TRIAL),
    "guidelines": (_SAID,),
    "coverage": (_COVERED,),
}


def find_demonstrations(signature: str) -> Sequence[Demonstration]:
    """Return the built-in examples of a signature."""
    return DEMONSTRATIONS.get(signature, DEMONSTRATIONS["general"])
