"""The requirement ids that a case or a test may show: R, a letter, a number."""

import re
from collections.abc import Mapping

_LAST = {
    "I": 12,  # invariants
    "R": 11,  # retrieval
    "G": 10,  # gate
    "A": 14,  # answering
    "V": 10,  # validation
    "M": 7,  # medicine
    "F": 9,  # freshness and failure states
    "P": 8,  # code reviews
    "D": 8,  # audit
    "U": 11,  # first use, packs, what people expect
    "O": 4,  # operation
    "C": 6,  # platforms
    "E": 10,  # evaluation
    "S": 8,  # security
    "Q": 6,  # questions that passages answer
}

KNOWN = frozenset(
    f"R-{letter}{number}"
    for letter, last in _LAST.items()
    for number in range(1, last + 1)
)
# What no case and no test can show, because it is not built; a test holds that nothing
# else is bare, and that whatever is shown goes from here.
UNBUILT: Mapping[str, str] = {
    "R-D4": "replay of stored questions and drafts through today's gates",
    "R-D6": "a gap board of refused questions",
    "R-O3": "a weekly report with trends",
    "R-P1": "question packs run against a repository",
    "R-P3": "preflights that gather evidence before a model",
    "R-P5": "plugins for validators and finding extractors",
    "R-P6": "the diagnosis of NOT FOUND in a run log",
    "R-P7": "response schemas of a question pack",
    "R-P8": "preflights through the plugin port",
    "R-Q6": "a gap closed by a document or an attached question",
    "R-R2": "trials as records of their own, counted and found by number",
    "R-R10": "`sources sync PACK --all`",
    "R-V6": "response contracts of code reviews",
}
ID = re.compile(r"R-([A-Z])(\d+)")


def order(requirement: str) -> tuple[str, int]:
    """Sorts ids by letter, then by number.

    Raises:
        ValueError: it is no requirement id.
    """
    found = ID.fullmatch(requirement)
    if found is None:
        raise ValueError(f"{requirement!r} is no requirement id: write R-E6")
    return found[1], int(found[2])
