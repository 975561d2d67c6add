"""What is said to talk, on every surface: the pack's words and first questions."""

from collections.abc import Mapping, Sequence

from engine.policy.pack import Pack
from engine.text.talk import Talk


def spoken(pack: Pack, kind: Talk, first: Sequence[str]) -> str:
    """The pack's answer to talk, with questions to choose from (R-U10)."""
    said = pack.wording.answer_to(kind).replace("{title}", pack.title)
    if len(first) == 1:
        return f"{said}\nFor example: {first[0]}"
    return "\n".join((said, *(f"• {question}" for question in first)))


def as_record(
    pack: Pack, kind: Talk, first: Sequence[str], question: str, name: str
) -> Mapping[str, object]:
    """Talk as JSON: no outcome, so nothing of a record but what a reader looks for."""
    return {
        "question_id": name,
        "pack": pack.id,
        "question": question,
        "talk": kind,
        "answer": spoken(pack, kind, ()),
        "first_questions": list(first),
        "was_refusal": False,
        "reason_code": None,
    }
