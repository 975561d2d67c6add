"""Export gaps as eval cases: still to be refused, or to be answered from now on.

And as labelled questions that relevance is fitted on (`evals calibrate --questions`).
"""

import json
from collections.abc import Sequence

import yaml

from adapters.ledger.gaps import GapState
from bot.documents.question_upkeep import Kept
from bot.gaps.viewing import FORGOTTEN, Line

HEAD = """# Made by `gaps export`: questions that people asked, masked.
# Look through them, and say what an answer has to hold (`facts`), before they count.
"""


def write_suite(pack: str, lines: Sequence[Line]) -> str:
    """Write a suite of evals/suites/, one case a gap whose words are known."""
    cases = [_make_case(line) for line in lines if line.text != FORGOTTEN]
    content = {
        "pack": pack,
        "title": f"What people asked the pack {pack} and did not get",
        "corpus": "demo",
        "cases": cases,
    }
    return HEAD + yaml.safe_dump(content, allow_unicode=True, sort_keys=False)


def write_labels(attached: Sequence[Kept], dismissed: Sequence[Line]) -> list[str]:
    """Write labelled questions as JSON lines.

    Args:
        attached: questions that somebody attached to the passage which answers them.
        dismissed: gaps of which somebody said that no document is about them.
    """
    told = []
    for one in attached:
        span, text = one.question.span, one.document.text
        quote = text[span.start : span.end]
        asked = {"question": one.question.text, "page": one.document.id, "quote": quote}
        told.append(asked)
    told += [{"question": one.text} for one in dismissed if one.text != FORGOTTEN]
    return [json.dumps(each, ensure_ascii=False) for each in told]


def _make_case(line: Line) -> dict[str, object]:
    closed = line.gap.state is GapState.CLOSED
    made: dict[str, object] = {
        "id": f"gap-{line.gap.id}",
        "question": line.text,
        "expected": {"outcome": "answer" if closed else "refuse"},
        "shows": ["R-D6"],
        "slices": ["gap", line.gap.state.value],
    }
    if line.gap.tags:
        made["tags"] = sorted(line.gap.tags)
    return made
