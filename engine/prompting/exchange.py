"""An order as a model reads it, and what it selected as the corridor takes it."""

from collections.abc import Iterable

import dspy

from engine.model.draft import Draft, DraftClaim, DraftSection, Order, Passage, Written
from engine.model.prompt import Failure, Prompt
from engine.prompting.numbers import read


def inputs(order: Order) -> dict[str, object]:
    """Return the fields of a signature that an order fills."""
    return {
        "question": as_data(order.question),
        "passages": "\n\n".join(_shown(p) for p in order.passages),
        "headings": list(order.headings),
        "fixed_texts": [f"{name}: {text}" for name, text in order.texts.items()],
        "feedback": [as_data(text) for text in order.feedback],
    }


def written(said: dspy.Prediction | None, prompt: Prompt, order: Order) -> Written:
    """Return the numbers of sentences in what a model said, in whatever form.

    Args:
        said: the fields that were asked for; None where its answer has another form.
        prompt: the call, with the answer as it came.
        order: what was offered.
    """
    whole = read(prompt.answer)
    if said is not None:
        parts = ((part.heading, _named(part.sentences)) for part in said.sections)
        draft = _draft(parts, order, prompt.model, whole.discarded, said.texts)
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
    draft = _draft([("", whole.named)], order, prompt.model, whole.discarded)
    return Written(draft=draft, prompt=prompt.model_copy(update={"failure": None}))


def _named(entries: Iterable[int | str]) -> Iterable[int]:
    return (number for each in entries for number in read(str(each)).named)


def _draft(
    parts: Iterable[tuple[str, Iterable[int]]],
    order: Order,
    model: str,
    discarded: int,
    texts: Iterable[str] = (),
) -> Draft:
    """Return a draft of the numbers under each heading; those that were not offered
    apart.
    """
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


def as_data(text: str) -> str:
    """Text that cannot pass for the markers between the fields of a prompt."""
    return text.replace("[[", "[ [").replace("]]", "] ]")


def _shown(passage: Passage) -> str:
    """Return a passage as the model reads it: place, date, and its sentences by number.

    What a sentence leans on stands before it where the passage does not show it.
    """
    place = " > ".join((passage.title, *passage.section))
    dated = f" ({passage.dated.isoformat()})" if passage.dated else ""
    lines = [f"{as_data(place)}{dated}"]
    told: set[str] = set()
    for sentence in passage.sentences:
        lines += [
            f"({as_data(before)})" for before in sentence.before if before not in told
        ]
        told |= {*sentence.before, sentence.text}
        lines.append(f"[{sentence.number}] {as_data(sentence.text)}")
    return "\n".join(lines)
