"""The parts of a question: split by rule, each with the context that it depends on.

The main question is the first part. A later part counts only where it is a complete
question: "and how fast in children" narrows the part before it and stays with it, since
an answer that leaves a restriction out answers another question. Text before the first
question word, and the population, apply to every part.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.parse.follow_up import choose_verb, find_group
from engine.parse.shape import read_compared
from engine.parse.topic import find_topic
from engine.text.english import find, form, read_groups, words
from engine.text.patterns import build_word_pattern, compile_pattern, strip_meanings

MOST = 3  # parts; a question in more is judged as a whole alone
LONGEST = 1_000  # characters of a question that is split
_SENTENCE = 1  # the group of `joint` that a new sentence begins with
_RELATIVE = ("which", "who", "when", "where")
_MARKS = " ?!;.,"


@dataclass(frozen=True, slots=True)
class Part:
    """One part: as it was asked, and as it is meant alone.

    `named` is what its answer has to mention although the part does not.
    """

    asked: str
    meant: str
    named: str = ""


def split(question: str) -> list[str]:
    """Split a question into its parts, in order and in its own words."""
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
    asked = _join_statements([piece for piece in pieces if piece]) or [question]
    return [bare for piece in asked if (bare := piece.strip(_MARKS))]


def divide(question: str, is_named: Callable[[str], bool]) -> tuple[Part, ...]:
    """Divide a question into parts with their context; empty for one part, or too many.

    Empty, too, where a part refers to something that no rule resolves.

    Args:
        question: as understood.
        is_named: whether a text names a subject.
    """
    asked = split(question)
    if not 2 <= len(asked) <= MOST:
        return ()
    first = asked[0]
    frame = _find_frame(first)
    plain = first.removeprefix(frame)
    group = find_group(plain)
    found = [Part(first, f"{first}?")]
    thing = find_topic(plain)
    for text in asked[1:]:
        part = _complete_part(text, thing, is_named)
        if part is None:
            return ()
        told = group if group and not find_group(part.meant) else ""
        meant = f"{frame}{part.meant} {told}".strip()
        found.append(Part(text, f"{meant}?", f"{part.named} {told}".strip()))
        thing = find_topic(part.meant) or thing
    return tuple(found)


def side_by_side(question: str, names: Sequence[str]) -> tuple[Part, ...]:
    """Make a part for each of the pack's names in a row: "NCCN and ESMO".

    Empty for fewer than two, or too many.
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


def divide_compared(question: str) -> tuple[Part, ...]:
    """Make a part of each of two things that a question compares: what each is."""
    found = []
    for thing in read_compared(question):
        noun, first = thing.split(" of ")[0], thing.split()[0].lower()
        bare = thing.partition(" ")[2] if first in words("article") else thing
        meant = f"What {choose_verb(noun)} {thing}?"
        found.append(Part(strip_meanings(bare), meant, thing))
    return tuple(found)


def _complete_part(
    text: str, thing: str | None, is_named: Callable[[str], bool]
) -> Part | None:
    """Return a later part in words that are complete alone; None where it cannot be."""
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
    # "and what is the usual dose" asks about the topic, whatever else has a dose.
    return None if thing is None else Part(text, f"{body} for {thing}", thing)


def _join_statements(pieces: list[str]) -> list[str]:
    """Return the pieces that ask, each with the statements before it.

    Empty where a statement follows the last question: it may belong to all.
    """
    found = []
    said = ""
    for piece in pieces:
        if is_question(piece):
            found.append(f"{said}{piece}")
            said = ""
        else:
            said = f"{said}{piece} "
    return [] if said else found


def is_question(piece: str) -> bool:
    """Return whether a sentence begins as a question, or ends and holds a question
    word.
    """
    if find("begins", piece) or find("fronted", piece):
        return True
    return piece.endswith("?") and find("question_inside", piece) is not None


def _is_whole(right: str, left: str) -> bool:
    """Return whether the words behind an "and" are a complete question."""
    said = right.split()
    first = said[0].lower() if said else ""
    if len(said) < 3 or not is_question(left) or find("denied", right):
        return False
    if find("ordered", right):
        return True
    if find("verb_first", right):
        return find("inversion", right) is not None
    inside = [word.lower() for word in left.split()[1:]]
    if first in _RELATIVE and first in inside:
        return False  # "nodes which publish and which subscribe"
    return not find("narrowing", right) or find("has_verb", right) is not None


def _find_frame(text: str) -> str:
    """Return the text before the question itself, with the space behind it."""
    match = find("fronted", text)
    if match is not None:
        return read_groups(match, "frame")[0]
    said, stop, _ = text.rpartition(". ")
    return f"{said}{stop}"
