"""The parts of a question: split by rule, each with the context that it leans on.

What a question mainly asks is its first part. A later part is one only where it asks a
whole thing of its own: "and how fast in children" narrows the part before it and stays
with it, since an answer that leaves a restriction out is an answer to another question.
What is said before the first question word, and whom it is about, holds for every part.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.parse.follow_up import group_of
from engine.parse.topic import topic
from engine.text.english import find, form, read_groups
from engine.text.patterns import build_word_pattern, compile_pattern

MOST = 3  # parts; a question in more is judged as a whole alone
LONGEST = 1_000  # characters of a question that is split
_SENTENCE = 1  # the group of `joint` that a new sentence begins with
_RELATIVE = ("which", "who", "when", "where")
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
    """Return the parts of a question in order, in its own words."""
    text = question[:LONGEST]
    pieces: list[str] = []
    begin = 0
    for match in compile_pattern(form("joint")).finditer(text):
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
    """Return the parts of a question with their context; none where it has one, or too
    many.

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


def side_by_side(question: str, names: Sequence[str]) -> tuple[Part, ...]:
    """Return one part for each of the pack's names that stand in a row: "NCCN and
    ESMO".

    None where fewer than two do, or too many.
    """
    text = question[:LONGEST]
    one = build_word_pattern(names)
    if one is None:
        return ()
    joint = form("row_joint")
    row = compile_pattern(rf"{one}(?:{joint}{one})+").search(text)
    if row is None:
        return ()
    found = dict.fromkeys(
        match.group() for match in compile_pattern(one).finditer(row.group())
    )
    if not 2 <= len(found) <= MOST:
        return ()
    before, after = text[: row.start()], text[row.end() :]
    return tuple(Part(name, f"{before}{name}{after}", name) for name in found)


def _part(text: str, thing: str | None, is_named: Callable[[str], bool]) -> Part | None:
    """Return a later part in words that stand alone, None where it cannot."""
    body = text.removeprefix("and ").removeprefix("also ")
    if find("unclear", body):
        return None
    pointer = find("pointer", body)
    if pointer is not None and not find("expletive", body):
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
    """Return the pieces that ask; what is only said goes with the question after it.

    None where something is said after the last question: it may be of all of them.
    """
    found = []
    said = ""
    for piece in pieces:
        if asks(piece):
            found.append(f"{said}{piece}")
            said = ""
        else:
            said = f"{said}{piece} "
    return [] if said else found


def asks(piece: str) -> bool:
    """Return whether a sentence asks: it begins so, or ends so and holds a question
    word.
    """
    if find("begins", piece) or find("fronted", piece):
        return True
    return piece.endswith("?") and find("question_inside", piece) is not None


def _is_whole(right: str, left: str) -> bool:
    """Return whether what follows a question and an "and" asks a whole thing of its
    own.
    """
    said = right.split()
    first = said[0].lower() if said else ""
    if len(said) < 3 or not asks(left) or find("denied", right):
        return False
    if find("ordered", right):
        return True
    if find("verb_first", right):
        return find("inversion", right) is not None
    inside = [word.lower() for word in left.split()[1:]]
    if first in _RELATIVE and first in inside:
        return False  # "nodes which publish and which subscribe"
    return not find("narrowing", right) or find("has_verb", right) is not None


def _frame(text: str) -> str:
    """Return what is said before the question itself, with the space behind it."""
    match = find("fronted", text)
    if match is not None:
        return read_groups(match, "frame")[0]
    said, stop, _ = text.rpartition(". ")
    return f"{said}{stop}"
