"""The parts of a question: split by rule, each with the context that it leans on.

What a question mainly asks is its first part. A later part is one only where it asks a
whole thing of its own: "and how fast in children" narrows the part before it and stays
with it, since an answer that leaves a restriction out is an answer to another question
(R-I6, R-A12). What is said before the first question word, and whom it is about, holds
for every part.
"""

from collections.abc import Callable
from dataclasses import dataclass

from engine.patterns import compiled
from engine.question.follow_up import EXPLETIVE, group_of
from engine.question.topic import topic

MOST = 3  # parts; a question in more is judged as a whole alone
LONGEST = 1_000  # characters of a question that is split

_AUXILIARY = (
    r"(?:is|are|was|were|do|does|did|can|could|should|would|will|may|might|must|has|"
    r"have)"
)
_WORD = r"(?:how|what|which|who|when|where|why)"
_ORDER = r"(?:explain|describe|show|tell|list|name|give|define|compare)"
_JOINT = (
    r"([?!.;]+\s+(?:and\s+)?)|"
    rf"(,?\s+and\s+(?:also\s+|then\s+)?)(?:{_WORD}|{_AUXILIARY}|{_ORDER})\b|"
    r"(,\s+)(?:how|what|why)\b"
)
_SENTENCE = 1  # the group that a new sentence begins with
_SUBJECT = (
    r"(?:it|they|this|that|these|those|there|i|you|we|he|she|one|an?|the|any|some|my|"
    r"your|our|his|her|their|its|people|patients)"
)
_ASKS = rf"^(?:and |but |also |so |then )?(?:{_WORD}|{_AUXILIARY}|{_ORDER})\b"
_INVERTED = rf"^(?:(?:do|does|did) [^ ]+|{_AUXILIARY} {_SUBJECT})\b.* [^ ]+"
_DENIED = rf"^{_AUXILIARY} not\b"
_PREPOSITION = (
    r"(?:about|after|at|before|between|by|during|for|from|in|of|on|to|under|until|"
    r"with|without)"
)
# "how fast in children", "which drugs in pregnancy", "when after surgery"
_NARROWING = rf"^{_WORD}(?: [^ ]+){{0,2}} {_PREPOSITION}(?: [^ ]+){{1,3}}$"
_FRAME = (
    r"^(?P<frame>(?:after|as|at|before|during|for|if|in|on|since|under|when|while|"
    rf"with|without) [^,]+, )(?:{_WORD}|{_AUXILIARY})\b"
)
_RELATIVE = ("which", "who", "when", "where")
_POINTER = r"\b(it|its|they|them|their)\b"
_UNCLEAR = (
    rf"\b(?:these|those|this|that)(?: {_AUXILIARY}\b|$)|"
    rf"\b{_AUXILIARY} (?:this|that)\b|\b(?:this|these|those) [^ ]+|"
    r"\bthe (?:other|former|latter|same)\b|\b(?:do|does) so\b|\bboth\b|\b(?:he|she|"
    r"him|her|his|hers|there|ones?)$"
)
_MARKS = " ?!;.,"


@dataclass(frozen=True, slots=True)
class Part:
    """One part: as it was asked, and as it is meant when it stands alone.

    `named` is what its answer has to speak of although the part does not say it.
    """

    asked: str
    meant: str
    named: str = ""


def split(question: str) -> list[str]:
    """The parts of a question in order, in its own words."""
    text = question[:LONGEST]
    pieces: list[str] = []
    begin = 0
    for match in compiled(_JOINT).finditer(text):
        joint = next(number for number in (1, 2, 3) if match.group(number))
        start = match.end(joint)
        right = text[start:].split("?")[0].strip(_MARKS)
        if joint == _SENTENCE:
            pieces.append(text[begin : match.start() + 1])  # with its mark
        elif _is_whole(right, text[begin : match.start()].lstrip()):
            pieces.append(text[begin : match.start()])
        else:
            continue
        begin = start
    pieces = [piece.strip() for piece in (*pieces, question[begin:])]
    asked = _questions([piece for piece in pieces if piece]) or [question]
    return [bare for piece in asked if (bare := piece.strip(_MARKS))]


def divide(question: str, is_named: Callable[[str], bool]) -> tuple[Part, ...]:
    """The parts of a question with their context; none where it has one, or too many.

    None either where a part points at something that no rule tells.

    Args:
        question: as understood.
        is_named: whether a text holds a word that tells what it is about.
    """
    asked = split(question)
    if not 2 <= len(asked) <= MOST:
        return ()
    first = asked[0]
    frame = _frame(first)
    plain = first.removeprefix(frame)
    group = group_of(plain)
    found = [Part(first, f"{first}?")]
    thing = topic(plain)
    for text in asked[1:]:
        part = _part(text, thing, is_named)
        if part is None:
            return ()
        told = group if group and not group_of(part.meant) else ""
        meant = f"{frame}{part.meant} {told}".strip()
        found.append(Part(text, f"{meant}?", f"{part.named} {told}".strip()))
        thing = topic(part.meant) or thing
    return tuple(found)


def _part(text: str, thing: str | None, is_named: Callable[[str], bool]) -> Part | None:
    """A later part in words that stand alone, None where it cannot."""
    body = text.removeprefix("and ").removeprefix("also ")
    if compiled(_UNCLEAR).search(body) is not None:
        return None
    pointer = compiled(_POINTER).search(body)
    if pointer is not None and compiled(EXPLETIVE).search(body) is None:
        if thing is None:
            return None
        own = str(pointer.group(1)).lower() in ("its", "their")
        start, end = pointer.span(1)
        said = f"{thing}'s" if own else thing
        return Part(text, f"{body[:start]}{said}{body[end:]}")
    if is_named(body):
        return Part(text, body)
    # "and what is the usual dose" asks for that of the thing, whatever else has one.
    return None if thing is None else Part(text, f"{body} for {thing}", thing)


def _questions(pieces: list[str]) -> list[str]:
    """The pieces that ask; what is only said goes with the question after it.

    None where something is said after the last question: it may be of all of them.
    """
    found = []
    said = ""
    for piece in pieces:
        if _asks(piece):
            found.append(f"{said}{piece}")
            said = ""
        else:
            said = f"{said}{piece} "
    return [] if said else found


def _asks(piece: str) -> bool:
    """Whether a sentence asks: it begins so, or ends so and holds a question word."""
    if any(compiled(begins).match(piece) is not None for begins in (_ASKS, _FRAME)):
        return True
    return piece.endswith("?") and compiled(rf"\b{_WORD}\b").search(piece) is not None


def _is_whole(right: str, left: str) -> bool:
    """Whether what follows a question and an "and" asks a whole thing of its own."""
    words = right.split()
    first = words[0].lower() if words else ""
    if len(words) < 3 or not _asks(left) or compiled(_DENIED).match(right) is not None:
        return False
    if compiled(rf"^{_ORDER}\b").match(right) is not None:
        return True
    if compiled(rf"^{_AUXILIARY}\b").match(right) is not None:
        return compiled(_INVERTED).match(right) is not None
    inside = [word.lower() for word in left.split()[1:]]
    if first in _RELATIVE and first in inside:
        return False  # "nodes which publish and which subscribe"
    return compiled(_NARROWING).match(right) is None or _has_verb(right)


def _has_verb(text: str) -> bool:
    """Whether a verb that is told as one, or a pronoun it goes with, is in a text."""
    return compiled(rf"\b(?:{_AUXILIARY}|it|they|them)\b").search(text) is not None


def _frame(text: str) -> str:
    """What is said before the question itself, with the space behind it."""
    match = compiled(_FRAME).match(text)
    if match is not None:
        return str(match.group("frame"))
    said, stop, _ = text.rpartition(". ")
    return f"{said}{stop}"
