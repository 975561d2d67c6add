"""What stands around a question: greeting, courtesy, who asks and why.

It is taken off what is searched for and judged, never off what emergencies and scope
are read from. What a story tells of facts is kept beside the question: `told`.
"""

import re
import unicodedata
from dataclasses import dataclass

from engine.parse.parts import asks
from engine.text.english import find, form, words
from engine.text.patterns import compile_pattern
from engine.text.talk import classify_talk

LONGEST = 4_000  # characters that are looked at
MOST = 20  # times that words are taken off one end of a sentence
_STRAIGHT = str.maketrans("\N{LEFT SINGLE QUOTATION MARK}\u2019", "''")
_END = re.compile(r"[?!.;]+[\"')\]]*(?=\s|$)|\n+")
_INITIALS = re.compile(r"(?:[A-Z]\.)*[A-Z]")
_SHORT = re.compile(r"[a-z]{1,3}")  # that is written for a longer word
_MARKS = " ,;:!.-\n"


@dataclass(frozen=True, slots=True)
class Framed:
    """A message taken apart.

    `asked` is what it asks, all of it where nothing asks; `told` the sentences that
    only tell; `framing` what was written with courtesy around it.
    """

    asked: str
    told: tuple[str, ...] = ()
    framing: tuple[str, ...] = ()


def unframe(text: str) -> Framed:
    """Return the question of a message without what stands around it.

    Never empty where the text is not: what is nothing but framing asks as it stands.
    """
    plain = " ".join(text[:LONGEST].translate(_STRAIGHT).split(" "))
    asked: list[str] = []
    told: list[str] = []
    framing: list[str] = []
    for sentence in _sentences(plain):
        before, question = _turned(sentence)
        for piece, may_ask in ((before, False), (question, True)):
            bare = _stripped(piece)
            framing += [] if bare == piece.strip() else [piece.strip()]
            if not bare.strip(_MARKS + "?") or classify_talk(bare) is not None:
                continue
            (asked if may_ask and _asks(bare, piece) else told).append(bare)
    if not asked:  # "I have looked everywhere. Tamoxifen side effects"
        asked = [piece for piece in told if not _tells(piece)] or told
        told = [piece for piece in told if piece not in asked]
    if not asked:
        return Framed(text)
    return Framed(" ".join(asked), tuple(told), tuple(framing))


def _tells(piece: str) -> bool:
    """Return whether what asks nothing tells of the asker, and is no shortened
    question.
    """
    return find("states", piece) is not None or find("on_behalf", piece) is not None


def _sentences(text: str) -> list[str]:
    """Return the sentences with their marks; what ends with "e.g." goes on."""
    found, begin = [], 0
    for match in _END.finditer(text):
        last = text[begin : match.start()].rsplit(None, 1)[-1:]
        numbered = text[match.end() :].lstrip()[:1].isdigit()
        if last and _goes_on(last[0].lstrip("("), numbered=numbered):
            continue
        found.append(text[begin : match.end()].strip())
        begin = match.end()
    return [sentence for sentence in (*found, text[begin:].strip()) if sentence]


def _goes_on(word: str, *, numbered: bool) -> bool:
    """Return whether the full stop behind a word ends no sentence: "e.g.", "U.S.", "s.
    36".

    Args:
        word: before the full stop.
        numbered: a number follows, as behind "s.", "ss.", "art.", "reg." or "p.".
    """
    if numbered and _SHORT.fullmatch(word):
        return True
    return word.lower() in words("no_sentence_end") or bool(_INITIALS.fullmatch(word))


def _turned(sentence: str) -> tuple[str, str]:
    """Return what a sentence tells before it asks, and what it asks; often nothing or
    all.

    "If I miss a dose, what should I do?" asks with all that it says.
    """
    if find("framed", sentence) and not find("who", sentence.split(",")[0]):
        return "", sentence
    lead, colon, question = sentence.partition(": ")
    if colon and find("lead_in", _stripped(lead)):
        told, question = _turned(question)
        return (f"{lead}; {told}" if told else lead), question
    for match in compile_pattern(form("turn")).finditer(sentence):
        left, right = sentence[: match.start()], sentence[match.start() + 1 :]
        bare = _stripped(left)
        if bare and asks(bare):
            break
        relative = find("relative_clause", right.strip())
        if not relative or sentence.endswith("?"):
            return left, right
    ends = str.rpartition if sentence.endswith("?") else str.partition
    left, comma, right = ends(sentence, ",")
    return (left, right) if comma and find("who", _stripped(left)) else ("", sentence)


def _stripped(piece: str) -> str:
    """Return a sentence without greeting, courtesy and "can you tell me" around it."""
    bare = _unsmiling(piece.strip())
    for _ in range(MOST):
        left = str(compile_pattern(form("opener")).sub("", bare)).strip()
        left = str(compile_pattern(form("requested")).sub("", left)).strip()
        mark = "?" if left.endswith("?") else ""
        left = str(compile_pattern(form("closer")).sub(mark, left)).strip()
        if left == bare or not left.strip(_MARKS + "?"):
            return bare if left == bare else ""
        bare = left
    return bare


def _unsmiling(piece: str) -> str:
    return "".join(
        c for c in piece if unicodedata.category(c) not in ("So", "Sk") or c == "°"
    ).strip()


def _asks(bare: str, piece: str) -> bool:
    """Return whether a sentence asks: by its mark, its beginning, or how it is asked
    for.
    """
    begins = find("begins", bare) and not find("elided", bare)
    if "?" in bare or begins or find("begins_loose", bare):
        return True
    return find("requested", piece.strip(_MARKS)) is not None
