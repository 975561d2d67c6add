"""Worked examples for the signatures: one where data are missing, one that answers.

A signature without its own gets those of `general`. Their passages are made up, so that
no example can be mistaken for evidence. Whoever has read one again gives it a new date.
"""

from collections.abc import Mapping, Sequence
from datetime import date

from engine.programs import Demonstration, Part

FILE = "engine/answer/demonstrations.py"
_WRITTEN = date(2026, 11, 23)  # and read on that day; nobody has since (R-E10)

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

# The one that answers stands last: a small model does what it saw last.
DEMONSTRATIONS: Mapping[str, Sequence[Demonstration]] = {
    "general": (_UNKNOWN, _TAKEN),
    "symptoms": (_UNKNOWN, _EFFECTS),
    "treatment": (_UNKNOWN, _TAKEN),
    "side_effects": (_UNKNOWN, _EFFECTS),
    "support": (_UNKNOWN, _EFFECTS),
    "concept": (_BETTER, _SPEED),
    "how_to": (_BETTER, _START),
    "comparison": (_BETTER, _SPEED),
}


def demonstrations(signature: str) -> Sequence[Demonstration]:
    """The built-in examples of a signature."""
    return DEMONSTRATIONS.get(signature, DEMONSTRATIONS["general"])
