"""Whether each claim is carried by the passages that it cites, word by word."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from evals.forms import Case, Json, Result, Row, Score, Source, Weight
from evals.metrics import specimen
from evals.metrics.metric import NO_ROWS, Mutant, abstained, counted, not_asked, scored
from evals.metrics.specimen import A, B, citation, quoted, said
from evals.served.quotes import OMITTED, fold, stands
from evals.served.reading import Said, cited, claims, passage, passages

# Share of a claim's content words that one cited sentence has to hold: what is put
# together from two sentences stays below it.
CARRIED = 0.75
_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_NEGATIONS = frozenset(
    [
        "not",
        "no",
        "never",
        "none",
        "neither",
        "nor",
        "without",
        "cannot",
        "hardly",
        "scarcely",
        "nothing",
    ]
)
_GRAMMAR = frozenset(
    [
        "a",
        "an",
        "the",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "being",
        "am",
        "has",
        "have",
        "had",
        "do",
        "does",
        "did",
        "of",
        "in",
        "to",
        "for",
        "on",
        "at",
        "as",
        "it",
        "its",
        "they",
        "their",
        "them",
        "this",
        "that",
        "these",
        "those",
        "which",
        "who",
        "you",
        "your",
        "we",
        "our",
        "i",
        "and",
        "or",
        "but",
        "so",
        "also",
        "there",
        "with",
        "by",
        "from",
    ]
)


class Support:
    """R-V4, R-V9: citation recall and precision over claims, lexically.

    A quotation is carried where it stands, with all that it leans on in the document
    that it cites. A statement in own words is carried where a sentence of a cited
    passage holds its words, with the same negations. The pack's fixed sentences claim
    nothing of a source.
    """

    name = "support"
    weight: Weight = "gate"
    requirements = ("R-I5", "R-V4", "R-V9")

    def score(
        self,
        case: Case,
        row: Row,
        sources: Mapping[str, Source],
        *,
        others: Mapping[str, Row] = NO_ROWS,
    ) -> Score:
        """The share of claims that are carried; FAIL too for an unused citation."""
        if row.refused:
            return scored(self.name, row, abstained())
        listed = [claim for claim in claims(row) if not claim.fixed]
        judged = [(claim, _wrong(claim, row, sources)) for claim in listed]
        if not judged:
            return scored(self.name, row, not_asked("the answer claims nothing"))
        marks = [_mark(claim, why) for claim, why in judged if why]
        told = [f"“{mark['claim']}” {mark['wrong']}" for mark in marks]
        used = {number for claim, _ in judged for number in claim.citations}
        unused = [part.number for part in cited(row) if part.number not in used]
        told += [f"[{number}] carries no claim" for number in unused]
        good = len(judged) - len(marks)
        return scored(self.name, row, counted(good, len(judged), told, marks))

    def mutants(self) -> Sequence[Mutant]:
        """Uncited, unsupported and turned claims, unused citations."""
        return tuple(_mutants())


def _mark(claim: Said, why: str) -> Json:
    return {"claim": claim.text[:80], "wrong": why}


def _wrong(claim: Said, row: Row, sources: Mapping[str, Source]) -> str:
    """Why a claim is not carried; empty where it is."""
    if not claim.citations:
        return "cites nothing"
    texts = [text for _, text in passages(claim, row, sources)]
    if claim.quotation:
        carried = any(stands(claim.text, text) for text in texts)
        whole = carried or _assembled(claim, row, sources)
        return "" if whole else "is no quotation of it"
    missing = [s for s in _sentences(claim.text) if not _carried(s, texts)]
    return f"is not carried: “{missing[0][:60]}”" if missing else ""


def _assembled(claim: Said, row: Row, sources: Mapping[str, Source]) -> bool:
    """A quotation of several runs: all of a version that it cites, in its order."""
    known = {p.version for p in cited(row) if p.number in claim.citations}
    places = [(quote.start, quote.end) for quote in claim.quotes]
    apart = all(one[1] <= two[0] for one, two in pairwise(places))
    stand = all(
        quote.version in known and passage(quote, sources) == quote.text
        for quote in claim.quotes
    )
    runs = "\n".join(quote.text for quote in claim.quotes)
    return bool(places) and apart and stand and _bare(runs) == _bare(claim.text)


def _bare(text: str) -> str:
    return fold(text.replace(OMITTED, " ")).text.strip()


def _sentences(text: str) -> list[str]:
    return [part for part in _SENTENCE.split(text) if _words(part)]


def _carried(sentence: str, texts: Iterable[str]) -> bool:
    """Whether the sentence most like it holds enough of its words, and as many "not".

    Sentences that hold equally many are all looked at.
    """
    said, turned = _words(sentence), _negations(sentence)
    wanted = {*said}
    best, ways = CARRIED, set()
    for held in (part for text in texts for part in _SENTENCE.split(text)):
        share = len(wanted & {*_words(held)}) / len(wanted)
        if share > best:
            best, ways = share, {_negations(held)}
        elif share == best:
            ways.add(_negations(held))
    return turned in ways


def _words(text: str) -> list[str]:
    words = _WORD.findall(fold(text).text.casefold())
    return [_stem(w) for w in words if w not in _GRAMMAR and w not in _NEGATIONS]


def _stem(word: str) -> str:
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) > len(ending) + 3:
            return word.removesuffix(ending)
    return word


def _negations(text: str) -> int:
    words = _WORD.findall(fold(text).text.casefold())
    return sum(word in _NEGATIONS or word.endswith("n't") for word in words)


# --- mutants ----------------------------------------------------------------------


def _mutants() -> Iterator[Mutant]:
    for name, row in _healthy():
        yield _mutant(name, row, Result.PASS)
    for name, text in _WRONG.items():
        yield _mutant(name, _row(said(text, 1)), Result.FAIL)
    yield _mutant("no citation", _row(said(_PROSE)), Result.FAIL)
    yield _mutant("swapped source", _row(said(_PROSE, 2)), Result.FAIL)
    turned = {**quoted(A, specimen.DOSE, 1), "text": specimen.DOSE.replace("not ", "")}
    yield _mutant("quotation without not", _row(turned), Result.FAIL)
    torn = specimen.closed(A, (specimen.LEAD, specimen.TIRED), 1)
    torn = {**torn, "text": torn["text"].replace("Common", "Rare")}
    part = [citation(1, A, specimen.TIRED)]
    yield _mutant("lead-in altered", specimen.answer([torn], part), Result.FAIL)
    unused = specimen.answer([quoted(A, specimen.DOSE, 1)])
    yield _mutant("unused citation", unused, Result.FAIL)
    yield _mutant("refused", specimen.refusal(), Result.ABSTAINED)


_PROSE = "A missed dose of veltromab should not be doubled."
_WRONG = {
    "dropped not": "A missed dose of veltromab should be doubled.",
    "added not": "Veltromab tablets are not taken twice a day, about 12 hours apart.",
    "made up": "Veltromab cures the common cold within days.",
    "half made up": f"{_PROSE} Doctors recommend walking along rivers.",
    "stitched": "Missed tablets taken after a meal should be doubled in 30 minutes.",
    "homoglyphs": "A m\u0456ssed d\u043ese should n\u043et be d\u043eubled.",
}


def _healthy() -> Iterator[tuple[str, Row]]:
    yield "as it is", specimen.answer()
    yield "own words", _row(said(_PROSE, 1))
    yield "with its lead-in", specimen.listed()
    fixed = {**said("Ask your care team before you change a dose."), "fixed": True}
    yield "a sentence of the pack", _row(fixed)
    yield "other forms", _row(said("Do not double missed doses of veltromab.", 1))


def _row(claim: Json) -> Row:
    """The claim beside one that uses the second citation."""
    parts = [citation(1, A, specimen.DOSE), citation(2, B, specimen.BLEEDING)]
    rest = quoted(B, specimen.BLEEDING, 2)
    first = quoted(A, specimen.DOSE, 1)
    return specimen.answer([claim, first, rest], parts)


def _mutant(name: str, row: Row, must: Result) -> Mutant:
    return Mutant(
        name=name, case=specimen.case(), row=row, must=must, sources=specimen.SOURCES
    )
