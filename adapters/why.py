"""The explanation of a decision, in words for people.

A sentence names the rule that decided, then follow close pages and numbers. Codes are
for records; `Why.code` is shown to those who run the program.
"""

from collections.abc import Iterator, Mapping
from math import floor

from adapters.authorship import list_drafting
from adapters.inert import Line
from engine.model.answer import Answer
from engine.model.codes import Reason
from engine.model.frozen import Frozen
from engine.model.gate import Open
from engine.model.outcome import Nearest, Outcome, Refusal
from engine.search.selection import SOURCE as SELECTION

SHOWN = 0.005  # least relevance of a listed page, which would be shown as 0.00 below

_ABOUT = 'a page that answers this plainly: "{question}"'
_HELPS = {
    Reason.LOW_TRUST: "the same statement in a source that the pack's register trusts",
    Reason.RECENCY_FAIL: "a newer version of the pages named here",
    Reason.LOW_DIVERSITY: "a second document, from another page, that says it too",
    Reason.INSUFFICIENT_CITATIONS: "a second passage that supports the same statement",
    Reason.FIXED_TEXT: None,
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
# Words for the numbers of the gate; a number and its needed value make one line.
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
    """A close page: title, section and link, without its text."""

    title: Line
    section: Line
    url: Line | None
    relevance: float


class Why(Frozen):
    """The explanation of a decision: the rule, close pages, the gate's numbers.

    `verdict` is a sentence for everybody, `code` the name of the rule or reason for
    those who run the program.
    """

    verdict: Line
    code: Line | None = None
    nearest: tuple[Pointer, ...]
    helps: Line | None = None
    numbers: tuple[tuple[Line, Line], ...]


def explain(outcome: Outcome) -> Why:
    """Explain an outcome."""
    result = outcome.result
    came = () if outcome.spoken else outcome.nearest  # nothing was looked up for it
    near = tuple(_make_pointer(n) for n in came if n.relevance >= SHOWN)
    if isinstance(result, Answer):
        opened = outcome.gate if isinstance(outcome.gate, Open) else None
        return Why(
            verdict=_word_answer(outcome, result, opened),
            code=opened and opened.rule,
            nearest=near,
            numbers=(
                *_list_closeness(outcome, result, opened),
                *_list_withheld(outcome),
                *list_drafting(outcome),
            ),
        )
    bound = outcome.question.evidence is not None
    about = None if bound else _ABOUT.format(question=outcome.intent.text)
    return Why(
        verdict=_word_refusal(result),
        code=result.reason,
        nearest=near,
        helps=_word_help(result, about),
        numbers=(
            *_list_numbers(result.numbers),
            *_list_withheld(outcome),
            *_list_choosing(outcome),
            *list_drafting(outcome),
        ),
    )


# --- the sentence -----------------------------------------------------------------


def _word_answer(outcome: Outcome, answer: Answer, opened: Open | None) -> str:
    if outcome.question.evidence is not None:
        return "You chose this section of a source that I trust, so I quote it."
    chosen = all(citation.source == SELECTION for citation in answer.citations)
    if opened is None or chosen:
        return "The text that you chose answers this, so I may quote it."
    if opened.tier_one:
        return "A source of the first tier answers this, and one of those is enough."
    if opened.documents == 1:
        return "One document of the sources answers this, so I may quote it."
    counted = _count(opened.documents).capitalize()
    return f"{counted} documents of the sources answer this, so I may quote them."


def _word_refusal(refusal: Refusal) -> str:
    if refusal.reason is not Reason.LOW_DIVERSITY:
        return refusal.explanation
    for name, noun in (("documents", "page"), ("chunks", "passage")):
        found = int(refusal.numbers.get(name, 0))
        needed = int(refusal.numbers.get(_NEEDED[name], 0))
        if found == 1 < needed:
            return f"Only one {noun} says this; I need {_count(needed)}."
        if found < needed:
            some = f"Only {_count(found)} {noun}s say" if found else f"No {noun} says"
            return f"{some} this clearly enough; I need {_count(needed)}."
    return refusal.explanation


def _word_help(refusal: Refusal, about: str | None) -> str | None:
    """Say what would help; a second page only where a page is missing."""
    numbers = refusal.numbers
    pages = numbers.get("documents", 0) >= numbers.get("documents_needed", 0)
    if refusal.reason is Reason.LOW_DIVERSITY and pages and "chunks_needed" in numbers:
        return "another passage that says it too"
    return _HELPS.get(refusal.reason, about)


def _count(number: int) -> str:
    return _COUNTED[number] if number < len(_COUNTED) else str(number)


# --- numbers and pages ------------------------------------------------------------


def _list_numbers(numbers: Mapping[str, float]) -> Iterator[tuple[str, str]]:
    paired = {_NEEDED[name] for name in numbers if name in _NEEDED}
    for name, value in numbers.items():
        if name in paired:
            continue
        needed = numbers.get(_NEEDED.get(name, ""))
        shown = _format_measure if name in _MEASURES else _format_number
        told = shown(value)
        if needed is not None and value < needed:
            told = f"{told} of the {shown(needed)} needed"
        yield _NAMES.get(name, name.replace("_", " ")), told


def _list_choosing(outcome: Outcome) -> Iterator[tuple[str, str]]:
    """List the number of choices offered, and the record of a chosen question."""
    if outcome.choices:
        yield "choices offered", str(len(outcome.choices))
    if outcome.question.chosen_from is not None:
        yield "chosen from", outcome.question.chosen_from


def _list_closeness(
    outcome: Outcome, answer: Answer, opened: Open | None
) -> Iterator[tuple[str, str]]:
    yield from _list_choosing(outcome)
    if outcome.question.evidence is not None:
        yield "how close each source is", "chosen"
        return
    each = (f"[{c.number}] {_format_measure(c.relevance)}" for c in answer.citations)
    yield "how close each source is", ", ".join(each)
    needed = opened.numbers.get("needed") if opened else None
    if needed is not None:
        yield "how close they had to be", _format_measure(needed)


def _list_withheld(outcome: Outcome) -> Iterator[tuple[str, str]]:
    """List the number of passages that were withheld, with the reason."""
    number = len(outcome.trace.instructing) if outcome.trace else 0
    if number:
        it = "it gives" if number == 1 else "they give"
        yield "passages withheld", f"{number}, because {it} orders to a machine"


def _format_number(value: float) -> str:
    return f"{value:.0f}" if float(value).is_integer() else f"{value:.2f}"


def _format_measure(value: float) -> str:
    """Format a measure rounded down, so that no threshold seems reached wrongly."""
    return f"{floor(100 * value + 1e-9) / 100:.2f}"


def _make_pointer(near: Nearest) -> Pointer:
    return Pointer(
        title=near.title,
        section=near.section.removeprefix(near.title).removeprefix(" > "),
        url=near.url,
        relevance=near.relevance,
    )
