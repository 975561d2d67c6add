"""A small prompt program, for tests that read, write or ask with one."""

from datetime import date
from typing import Any

from engine.policy.programs import Demonstration, Origin, Part, Program

REVIEWED = date(2026, 6, 1)
LAMP = "The lamp > Light\n[1] The lamp is green."


def demonstration(**changes: Any) -> Demonstration:
    """One that answers a part and says that the other is missing."""
    base = {
        "question": "What colour is the lamp, and what does it cost?",
        "passages": LAMP,
        "sections": (Part(sentences=(1,)),),
        "not_found": ("what does it cost",),
        "status": "answered",
        "reviewed": REVIEWED,
    }
    return Demonstration.model_validate(base | changes)


def program(
    signature: str = "general", pack: str = "oncology", **changes: Any
) -> Program:
    """A program with that one demonstration, as it was compared for a pack."""
    origin = Origin(
        optimiser="bootstrap",
        model="openai/test",
        training=("a",),
        compared=(),
        against="0" * 64,
        figures={},
    )
    base = {
        "signature": signature,
        "instructions": "Say what the passages say, briefly.",
        "demonstrations": (demonstration(),),
        "reviewed": REVIEWED,
        "by": "a test",
        "origin": origin,
    }
    made = Program.model_validate(base | changes)
    return made.compared_on(
        pack, ["b", "c"], {"facts": "facts: 50 % before, 100 % now."}
    )
