"""An order as a model reads it, and the model's selection as the pipeline reads it."""

from collections.abc import Iterable

import dspy

from engine.model.draft import Draft, DraftClaim, DraftSection, Order, Passage, Written
from engine.model.prompt import Failure, Prompt
from engine.prompting.numbers import read_numbers


def make_inputs(order: Order) -> dict[str, object]:
    """Fill the input fields of a signature from an order."""
    return {
        "question": escape_markers(order.question),
        "passages": "\n\n".join(_render_passage(p) for p in order.passages),
        "headings": list(order.headings),
        "fixed_texts": [f"{name}: {text}" for name, text in order.texts.items()],
        "feedback": [escape_markers(text) for text in order.feedback],
    }


def read_reply(said: dspy.Prediction | None, prompt: Prompt, order: Order) -> Written:
    """Read the numbers of sentences in a model's reply, in whatever form.

    Args:
        said: the fields that were asked for; None where the reply has another form.
        prompt: the call, with the raw reply.
        order: what was offered.
    """
    whole = read_numbers(prompt.answer)
    if said is not None:
        parts = (
            (part.heading, _read_numbers(part.sentences)) for part in said.sections
        )
        draft = _make_draft(parts, order, prompt.model, whole.discarded, said.texts)
        refused = said.status != "answered" or said.not_found
        named = draft.unknown or any(section.claims for section in draft.sections)
        return Written(
            draft=draft if named or refused else None,
            prompt=prompt,
            gaps=tuple(said.not_found),
            status=said.status,
        )
    if prompt.failure is not Failure.UNREADABLE or not whole.named:
        return Written(draft=None, prompt=prompt)
    draft = _make_draft([("", whole.named)], order, prompt.model, whole.discarded)
    return Written(draft=draft, prompt=prompt.model_copy(update={"failure": None}))


def _read_numbers(entries: Iterable[int | str]) -> Iterable[int]:
    return (number for each in entries for number in read_numbers(str(each)).named)


def _make_draft(
    parts: Iterable[tuple[str, Iterable[int]]],
    order: Order,
    model: str,
    discarded: int,
    texts: Iterable[str] = (),
) -> Draft:
    """Make a draft of the numbers under each heading; list unknown ones apart."""
    given = {s.number: s.selected for p in order.passages for s in p.sentences}
    sections: list[DraftSection] = []
    unknown: list[int] = []
    for heading, numbers in parts:
        claims: list[DraftClaim] = []
        for number in numbers:
            if number in given:
                claims.append(DraftClaim(sentences=(given[number],)))
            else:
                unknown.append(number)
        sections.append(DraftSection(heading=heading, claims=tuple(claims)))
    return Draft(
        sections=tuple(sections),
        texts=tuple(texts),
        unknown=tuple(unknown),
        discarded=discarded,
        mode="llm",
        model=model,
    )


def escape_markers(text: str) -> str:
    """Break the markers between the fields of a prompt, wherever a text has them."""
    return text.replace("[[", "[ [").replace("]]", "] ]")


def _render_passage(passage: Passage) -> str:
    """Render a passage as the model reads it: place, date, and its sentences by number.

    Dependencies of a sentence precede it where the passage does not show them.
    """
    place = " > ".join((passage.title, *passage.section))
    dated = f" ({passage.dated.isoformat()})" if passage.dated else ""
    lines = [f"{escape_markers(place)}{dated}"]
    told: set[str] = set()
    for sentence in passage.sentences:
        lines += [
            f"({escape_markers(before)})"
            for before in sentence.before
            if before not in told
        ]
        told |= {*sentence.before, sentence.text}
        lines.append(f"[{sentence.number}] {escape_markers(sentence.text)}")
    return "\n".join(lines)
