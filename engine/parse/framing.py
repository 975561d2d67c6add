"""The text around a question: greeting, courtesy, the asker and the reason.

It is removed from the text that is searched for and judged, but not for emergencies and
scope. Facts of a story are kept beside the question: `told`.
"""

import re
import unicodedata
from dataclasses import dataclass

from engine.parse.parts import is_question
from engine.text.english import find, form, words
from engine.text.patterns import compile_pattern
from engine.text.talk import classify_talk

LONGEST = 4_000  # characters that are looked at
MOST = 20  # rounds of stripping a sentence
_STRAIGHT = str.maketrans("\N{LEFT SINGLE QUOTATION MARK}\u2019", "''")
_END = re.compile(r"[?!.;]+[\"')\]]*(?=\s|$)|\n+")
_INITIALS = re.compile(r"(?:[A-Z]\.)*[A-Z]")
_SHORT = re.compile(r"[a-z]{1,3}")  # an abbreviation
_MARKS = " ,;:!.-\n"


@dataclass(frozen=True, slots=True)
class Framed:
    """The parts of a message.

    `asked` is the question, the whole message where nothing asks; `told` the sentences
    that only state; `framing` text with courtesy around it.
    """

    asked: str
    told: tuple[str, ...] = ()
    framing: tuple[str, ...] = ()


def unframe(text: str) -> Framed:
    """Split a message into its question and the text around it.

    `asked` is never empty where the text is not: pure framing counts as the question.
    """
    plain = " ".join(text[:LONGEST].translate(_STRAIGHT).split(" "))
    asked: list[str] = []
    told: list[str] = []
    framing: list[str] = []
    for sentence in _split_sentences(plain):
        before, question = _split_statement(sentence)
        for piece, may_ask in ((before, False), (question, True)):
            bare = _strip_courtesy(piece)
            framing += [] if bare == piece.strip() else [piece.strip()]
            if not bare.strip(_MARKS + "?") or classify_talk(bare) is not None:
                continue
            (asked if may_ask and _asks(bare, piece) else told).append(bare)
    if not asked:  # "I have looked everywhere. Tamoxifen side effects"
        asked = [piece for piece in told if not _is_about_asker(piece)] or told
        told = [piece for piece in told if piece not in asked]
    if not asked:
        return Framed(text)
    return Framed(" ".join(asked), tuple(told), tuple(framing))


def _is_about_asker(piece: str) -> bool:
    """Return whether a piece that asks nothing is about the asker, and no elliptic
    question.
    """
    return find("states", piece) is not None or find("on_behalf", piece) is not None


def _split_sentences(text: str) -> list[str]:
    """Split a text into sentences with their marks; "e.g." ends none."""
    found, begin = [], 0
    for match in _END.finditer(text):
        last = text[begin : match.start()].rsplit(None, 1)[-1:]
        numbered = text[match.end() :].lstrip()[:1].isdigit()
        if last and _continues(last[0].lstrip("("), numbered=numbered):
            continue
        found.append(text[begin : match.end()].strip())
        begin = match.end()
    return [sentence for sentence in (*found, text[begin:].strip()) if sentence]


def _continues(word: str, *, numbered: bool) -> bool:
    """Return whether the full stop behind a word ends no sentence: "e.g.", "U.S.", "s.
    36".

    Args:
        word: before the full stop.
        numbered: a number follows, as behind "s.", "ss.", "art.", "reg." or "p.".
    """
    if numbered and _SHORT.fullmatch(word):
        return True
    return word.lower() in words("no_sentence_end") or bool(_INITIALS.fullmatch(word))


def _split_statement(sentence: str) -> tuple[str, str]:
    """Split a sentence into a statement and the question behind it; often one is empty.

    "If I miss a dose, what should I do?" is all question.
    """
    if find("framed", sentence) and not find("who", sentence.split(",")[0]):
        return "", sentence
    lead, colon, question = sentence.partition(": ")
    if colon and find("lead_in", _strip_courtesy(lead)):
        told, question = _split_statement(question)
        return (f"{lead}; {told}" if told else lead), question
    for match in compile_pattern(form("turn")).finditer(sentence):
        left, right = sentence[: match.start()], sentence[match.start() + 1 :]
        bare = _strip_courtesy(left)
        if bare and is_question(bare):
            break
        relative = find("relative_clause", right.strip())
        if not relative or sentence.endswith("?"):
            return left, right
    ends = str.rpartition if sentence.endswith("?") else str.partition
    left, comma, right = ends(sentence, ",")
    return (
        (left, right)
        if comma and find("who", _strip_courtesy(left))
        else ("", sentence)
    )


def _strip_courtesy(piece: str) -> str:
    """Strip greeting, courtesy and "can you tell me" from a sentence."""
    bare = _strip_smileys(piece.strip())
    for _ in range(MOST):
        left = str(compile_pattern(form("opener")).sub("", bare)).strip()
        left = str(compile_pattern(form("requested")).sub("", left)).strip()
        mark = "?" if left.endswith("?") else ""
        left = str(compile_pattern(form("closer")).sub(mark, left)).strip()
        if left == bare or not left.strip(_MARKS + "?"):
            return bare if left == bare else ""
        bare = left
    return bare


def _strip_smileys(piece: str) -> str:
    return "".join(
        c for c in piece if unicodedata.category(c) not in ("So", "Sk") or c == "°"
    ).strip()


def _asks(bare: str, piece: str) -> bool:
    """Return whether a sentence asks: by its mark, its beginning, or a request."""
    begins = find("begins", bare) and not find("elided", bare)
    if "?" in bare or begins or find("begins_loose", bare):
        return True
    return find("requested", piece.strip(_MARKS)) is not None
