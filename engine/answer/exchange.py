"""An order as a model reads it, and what it selected as the corridor takes it."""

from collections.abc import Iterator, Mapping, Sequence

import dspy

from engine.drafts.orders import Order, Passage, Written
from engine.drafts.prompts import Prompt
from engine.records import Draft, DraftClaim, DraftSection, Selected
from engine.validate.citations import statements

LONGEST_NUMBER = 6  # digits of a sentence's number
UNKNOWN = 0  # stands for a number that was not offered


def inputs(order: Order) -> dict[str, object]:
    """The fields of a signature that an order fills."""
    return {
        "question": as_data(order.question),
        "passages": "\n\n".join(_shown(p) for p in order.passages),
        "headings": list(order.headings),
        "fixed_texts": [f"{name}: {text}" for name, text in order.texts.items()],
        "feedback": [as_data(text) for text in order.feedback],
    }


def written(said: dspy.Prediction | None, prompt: Prompt, order: Order) -> Written:
    """What a model said as what the corridor takes; None: it said nothing readable."""
    if said is None:
        return Written(draft=None, prompt=prompt)
    given = {s.number: s.selected for p in order.passages for s in p.sentences}
    sections = tuple(
        DraftSection(
            heading=section.heading,
            claims=tuple(_claims(section.sentences, given)),
        )
        for section in said.sections
    )
    texts = tuple(said.texts)
    draft = Draft(sections=sections, texts=texts, mode="llm", model=prompt.model)
    gaps = tuple(said.not_found)
    return Written(draft=draft, prompt=prompt, gaps=gaps, status=said.status)


def _claims(
    sentences: Sequence[int | str], given: Mapping[int, Selected]
) -> Iterator[DraftClaim]:
    """What was selected; prose as a pointer into the passages that it cites.

    A number that was not offered is kept as one that no passage has, and rejects the
    draft (R-V1).
    """
    for each in sentences:
        plain = str(each).strip().strip("[]().")
        if plain.isdecimal() and len(plain) <= LONGEST_NUMBER:
            selected = given.get(int(plain))
            if selected is None:
                yield DraftClaim(text=f"sentence {plain}", citations=(UNKNOWN,))
            else:
                yield DraftClaim(sentences=(selected,))
            continue
        for statement in statements(str(each), ()):
            chunks = [
                given[n].chunk if n in given else UNKNOWN for n in statement.citations
            ]
            yield DraftClaim(
                text=statement.text, citations=tuple(dict.fromkeys(chunks))
            )


def as_data(text: str) -> str:
    """Text that cannot pass for the markers between the fields of a prompt (R-S2)."""
    return text.replace("[[", "[ [").replace("]]", "] ]")


def _shown(passage: Passage) -> str:
    """A passage as the model reads it: place, date, and its sentences by number.

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
