"""How a decision came about, in words for people (R-D5).

A sentence says which rule decided, pages that came close follow, numbers stand last.
Codes are for records; `Why.code` is shown where the person runs the program.
"""

from collections.abc import Iterator, Mapping
from math import floor

from adapters.authorship import drafting
from adapters.inert import Line
from engine.model.answer import Answer
from engine.model.codes import Reason
from engine.model.frozen import Frozen
from engine.model.gate import Open
from engine.model.outcome import Nearest, Outcome, Refusal
from engine.search.selection import SOURCE as SELECTION

SHOWN = 0.005  # a passage below would be listed with a relevance of 0.00

_ABOUT = 'a document of a registered source that answers in plain words: "{question}"'
_HELPS = {
    Reason.LOW_TRUST: "the same statement in a source that the pack's register trusts",
    Reason.RECENCY_FAIL: "a newer version of the pages named here",
    Reason.LOW_DIVERSITY: "a second document, from another page, that says it too",
    Reason.INSUFFICIENT_CITATIONS: "a second passage that supports the same statement",
    Reason.OUT_OF_SCOPE: None,
    Reason.UNSUPPORTED_LANGUAGE: None,
    Reason.INSUFFICIENT_FACTS: None,
    Reason.BUDGET_EXCEEDED: None,
    Reason.BUSY: None,
    Reason.PROVIDER_FAILED: None,
    Reason.INTERNAL: None,
    Reason.AUDIT_FAILED: None,
    Reason.STOPPED: None,
}
# Numbers of the gate by name, in words; one with what was needed makes one of both.
_NAMES = {
    "answerability": "how surely it answers",
    "best": "how close",
    "chunks": "passages",
    "passages": "passages that came close",
    "passages_with_it": "of these speak of it",
    "removed": "passages that safety rules removed",
    "untrusted": "passages of sources that I do not trust",
    "window_days": "days that count as current",
}
_NEEDED = {
    "answerability": "needed",
    "best": "needed",
    "chunks": "chunks_needed",
    "documents": "documents_needed",
}
_MEASURES = frozenset({"answerability", "best"})
_COUNTED = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")


class Pointer(Frozen):
    """A page that came near: title, section and link, never its text (R-D5)."""

    title: Line
    section: Line
    url: Line | None
    relevance: float


class Why(Frozen):
    """How the decision came about: the rule, what came near, the gate's numbers.

    `verdict` is a sentence for anybody, `code` the name of the rule or reason for who
    runs the program.
    """

    verdict: Line
    code: Line | None = None
    nearest: tuple[Pointer, ...]
    helps: Line | None = None
    numbers: tuple[tuple[Line, Line], ...]


def why(outcome: Outcome) -> Why:
    """What decided an outcome."""
    result = outcome.result
    came = () if outcome.spoken else outcome.nearest  # nothing was looked up for it
    near = tuple(_pointer(n) for n in came if n.relevance >= SHOWN)
    if isinstance(result, Answer):
        opened = outcome.gate if isinstance(outcome.gate, Open) else None
        return Why(
            verdict=_answered(outcome, result, opened),
            code=opened and opened.rule,
            nearest=near,
            numbers=(
                *_closeness(outcome, result, opened),
                *_withheld(outcome),
                *drafting(outcome),
            ),
        )
    bound = outcome.question.evidence is not None
    about = None if bound else _ABOUT.format(question=outcome.intent.text)
    return Why(
        verdict=_refused(result),
        code=result.reason,
        nearest=near,
        helps=_helps(result, about),
        numbers=(
            *_numbers(result.numbers),
            *_withheld(outcome),
            *_choosing(outcome),
            *drafting(outcome),
        ),
    )


# --- the sentence -----------------------------------------------------------------


def _answered(outcome: Outcome, answer: Answer, opened: Open | None) -> str:
    if outcome.question.evidence is not None:
        return "You chose this section of a source that I trust, so I quote it."
    chosen = all(citation.source == SELECTION for citation in answer.citations)
    if opened is None or chosen:
        return "The text that you chose answers this, so I may quote it."
    if opened.tier_one:
        return "A source of the first tier answers this, and one of those is enough."
    if opened.documents == 1:
        return "One document of the sources answers this, so I may quote it."
    counted = _counted(opened.documents).capitalize()
    return f"{counted} documents of the sources answer this, so I may quote them."


def _refused(refusal: Refusal) -> str:
    if refusal.reason is not Reason.LOW_DIVERSITY:
        return refusal.explanation
    for name, noun in (("documents", "page"), ("chunks", "passage")):
        found = int(refusal.numbers.get(name, 0))
        needed = int(refusal.numbers.get(_NEEDED[name], 0))
        if found == 1 < needed:
            return f"Only one {noun} says this; I need {_counted(needed)}."
        if found < needed:
            some = f"Only {_counted(found)} {noun}s say" if found else f"No {noun} says"
            return f"{some} this clearly enough; I need {_counted(needed)}."
    return refusal.explanation


def _helps(refusal: Refusal, about: str | None) -> str | None:
    """What would help; a second page only where a page is what is missing."""
    numbers = refusal.numbers
    pages = numbers.get("documents", 0) >= numbers.get("documents_needed", 0)
    if refusal.reason is Reason.LOW_DIVERSITY and pages and "chunks_needed" in numbers:
        return "another passage that says it too"
    return _HELPS.get(refusal.reason, about)


def _counted(number: int) -> str:
    return _COUNTED[number] if number < len(_COUNTED) else str(number)


# --- numbers and pages ------------------------------------------------------------


def _numbers(numbers: Mapping[str, float]) -> Iterator[tuple[str, str]]:
    paired = {_NEEDED[name] for name in numbers if name in _NEEDED}
    for name, value in numbers.items():
        if name in paired:
            continue
        needed = numbers.get(_NEEDED.get(name, ""))
        shown = _measured if name in _MEASURES else _number
        told = shown(value)
        if needed is not None and value < needed:
            told = f"{told} of the {shown(needed)} needed"
        yield _NAMES.get(name, name.replace("_", " ")), told


def _choosing(outcome: Outcome) -> Iterator[tuple[str, str]]:
    """What a refusal offered instead, and what the question was chosen from (R-Q5)."""
    if outcome.choices:
        yield "choices offered", str(len(outcome.choices))
    if outcome.question.chosen_from is not None:
        yield "chosen from", outcome.question.chosen_from


def _closeness(
    outcome: Outcome, answer: Answer, opened: Open | None
) -> Iterator[tuple[str, str]]:
    yield from _choosing(outcome)
    if outcome.question.evidence is not None:
        yield "how close each source is", "chosen"
        return
    each = (f"[{c.number}] {_measured(c.relevance)}" for c in answer.citations)
    yield "how close each source is", ", ".join(each)
    needed = opened.numbers.get("needed") if opened else None
    if needed is not None:
        yield "how close they had to be", _measured(needed)


def _withheld(outcome: Outcome) -> Iterator[tuple[str, str]]:
    """How many passages could not be quoted, and why (R-G12)."""
    number = len(outcome.trace.instructing) if outcome.trace else 0
    if number:
        it = "it gives" if number == 1 else "they give"
        yield "passages withheld", f"{number}, because {it} orders to a machine"


def _number(value: float) -> str:
    return f"{value:.0f}" if float(value).is_integer() else f"{value:.2f}"


def _measured(value: float) -> str:
    """Rounded down, so that nothing seems reached that was not."""
    return f"{floor(100 * value + 1e-9) / 100:.2f}"


def _pointer(near: Nearest) -> Pointer:
    return Pointer(
        title=near.title,
        section=near.section.removeprefix(near.title).removeprefix(" > "),
        url=near.url,
        relevance=near.relevance,
    )
