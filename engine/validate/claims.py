"""Whether a sentence of a draft says what one sentence of its source says (R-V3, R-V4).

No model and no similarity: SUPPORTED is a sentence that keeps its source's words in
their order, with every figure, negation, modal verb and qualifier. Free are words of
grammar, endings of number and tense, a parenthesis left out, a clause left off at the
end, a phrase moved to the other end, list items joined, and an "it" replaced by the
name in the title or heading. So two sentences cannot be spliced, and who does what to
whom cannot be turned round.

Measured on sentences of real pages and thousands of altered ones: a share of 0.9 of the
words, in any order, lets 71 % of the altered sentences pass and a share of 1.0 still
18 %; the rule above lets none. At PARTIAL_SHARE and without a conflict the verdict is
PARTIAL, and the source is quoted instead of the claim: 99 % of altered sentences lead
there to the sentence that they were made from, 0.5 % of unrelated ones to any.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import re2

from engine.corpus_records import BlockKind, Sentence
from engine.records import Chunk
from engine.validate.figures import FIGURES, MARKS, Kind, Row, Token, marks, tokens

PARTIAL_SHARE = 0.6
LONGEST_NAME = 4  # words of a title or heading that may stand for "it"
LONGEST_PARENTHESIS = 8  # words that may be left out between two commas

_LEANS = re2.compile(r"(?i)^\W*(?:it|they|its|their|this|these|that|those|such)\b")
_REPORTS = re2.compile(
    r"(?i)^\W*(?:according to (?P<to>[^,:;]{1,120})[,:]"
    r"|(?P<by>[^,:;.]{1,120}?) (?:says|states|explains|notes|writes|describes|reports|"
    r"mentions)(?: that\b|[:,]))\s*"
)
_SOURCE_WORDS = """
    source text textbook page document passage guideline guide chapter section article
    website course material selected
"""
_MOVABLE = frozenset({Kind.ORDER, Kind.QUALIFIER})
_AND = Token(Kind.LINK, "and")

Fold = Callable[[str], str]
Tokens = frozenset[Token]


class Verdict(StrEnum):
    SUPPORTED = "SUPPORTED"
    PARTIAL = "PARTIAL"
    UNSUPPORTED = "UNSUPPORTED"


@dataclass(frozen=True, slots=True)
class Ground:
    """Sentences `first` to `last` of a chunk, which a claim may restate.

    `context` holds the words of title and headings, where the sentence leans on what
    it does not name itself.
    """

    first: int
    last: int
    row: Row
    context: Tokens = frozenset()


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict with the ground it rests on (None where no sentence comes near)."""

    verdict: Verdict
    explanation: str
    ground: Ground | None = None
    share: float = 0.0


@dataclass(frozen=True, slots=True)
class _List:
    """A lead-in with the items of one chunk below it, by index of their sentence."""

    lead: int
    items: tuple[tuple[int, Row], ...]


@dataclass(frozen=True, slots=True)
class Grounds:
    """Everything in one chunk that a claim may restate, and how the chunk is called."""

    sentences: tuple[Ground, ...]
    lists: tuple[_List, ...]
    names: Tokens

    def of(self, claim: Row) -> Iterator[Ground]:
        """The sentences, then each list cut down to the items that the claim names."""
        yield from self.sentences
        wanted = set(claim)
        for listed in self.lists:
            chosen = [item for item in listed.items if _named(item[1], wanted)]
            if not chosen:
                continue
            lead = self.sentences[listed.lead]
            last = chosen[-1][0]
            ahead = lead.row + tuple(t for _, row in chosen[:-1] for t in row)
            final = chosen[-1][1]
            yield replace(lead, last=last, row=ahead + final)
            if len(chosen) > 1:
                yield replace(lead, last=last, row=(*ahead, _AND, *final))


def grounds(chunk: Chunk, fold: Fold) -> Grounds:
    """The grounds of a chunk; `fold` is the presentation folding of R-I7."""
    called = _tokens_of(fold, (chunk.title, *chunk.section))
    publisher = _tokens_of(fold, (chunk.publisher or "", chunk.source, _SOURCE_WORDS))
    rows = [_row(chunk, sentence, fold) for sentence in chunk.sentences]
    found = tuple(
        Ground(at, at, row, called if _leans(chunk, sentence) else frozenset())
        for at, (sentence, row) in enumerate(zip(chunk.sentences, rows, strict=True))
    )
    return Grounds(found, tuple(_lists(chunk.sentences, rows)), called | publisher)


def unframed(text: str, names: Tokens) -> str:
    """The text without an opening like "According to NCI," that names its own source.

    An opening that names anything but `names` stays, and is judged with the sentence.
    """
    match = _REPORTS.match(text)
    if match is None:
        return text
    reporter = tokens(match.group("to") or match.group("by"))
    return text[match.end() :] if names.issuperset(reporter) else text


def judge(claim: Row, lexicon: Tokens, cited: Grounds) -> Judgement:
    """The best verdict that a cited chunk allows.

    Args:
        claim: tokens of the sentence, without its frame and its citation markers.
        lexicon: the pack's drugs and terms; like a figure, one that the source does not
            hold makes the sentence UNSUPPORTED.
        cited: the grounds of the chunk.
    """
    best = Judgement(Verdict.UNSUPPORTED, "no cited sentence speaks of it")
    if not claim:
        return replace(best, explanation="says nothing that could be checked")
    for ground in cited.of(claim):
        share = _share(claim, ground)
        if share < PARTIAL_SHARE:
            continue
        judgement = _compare(claim, lexicon, ground, share)
        if judgement.verdict is Verdict.SUPPORTED:
            return judgement
        partial = judgement.verdict is Verdict.PARTIAL
        if (partial, share) > (best.verdict is Verdict.PARTIAL, best.share):
            best = judgement
    return best


def _tokens_of(fold: Fold, texts: Sequence[str]) -> Tokens:
    found = (token for text in texts for token in tokens(fold(text)))
    return frozenset(token for token in found if token.kind not in MARKS)


def _row(chunk: Chunk, sentence: Sentence, fold: Fold) -> Row:
    """The tokens of a sentence; none of a heading that says nothing."""
    if sentence.kind is BlockKind.HEADING and not sentence.quotable:
        return ()
    return tokens(fold(_text(chunk, sentence)))


def _text(chunk: Chunk, sentence: Sentence) -> str:
    return chunk.text[sentence.start - chunk.start : sentence.end - chunk.start]


def _leans(chunk: Chunk, sentence: Sentence) -> bool:
    """Whether a sentence speaks of what its headings name: "It may also cause …"."""
    prose = sentence.kind is BlockKind.PARAGRAPH
    return prose and bool(_LEANS.search(_text(chunk, sentence)))


def _lists(sentences: Sequence[Sentence], rows: Sequence[Row]) -> Iterator[_List]:
    starts = {sentence.start: at for at, sentence in enumerate(sentences)}
    below: dict[int, list[tuple[int, Row]]] = {}
    for at, sentence in enumerate(sentences):
        lead = sentence.lead_in
        if lead is not None and lead.start in starts:
            below.setdefault(starts[lead.start], []).append((at, rows[at]))
    for lead_at, items in below.items():
        yield _List(lead_at, tuple(items))


def _named(item: Row, wanted: set[Token]) -> bool:
    return 2 * sum(token in wanted for token in item) >= len(item) > 0


def _share(claim: Row, ground: Ground) -> float:
    """The share of the claim's tokens that the ground holds, each used once."""
    left = Counter(ground.row)
    held = 0
    for token in claim:
        if left[token] > 0:
            left[token] -= 1
            held += 1
        elif token in ground.context:
            held += 1
    return held / len(claim)


def _compare(claim: Row, lexicon: Tokens, ground: Ground, share: float) -> Judgement:
    """One claim against one ground that holds enough of its words."""
    row = ground.row
    end = _restated(claim, ground)
    added, lost = marks(claim) - marks(row), marks(row) - marks(claim)
    if end is not None and not added and not lost:
        return Judgement(Verdict.SUPPORTED, "restates its source", ground, share)
    if end is not None and not added and not lost - marks(row[end:]):
        why = "leaves off a condition of its source: " + _listed(lost)
        return Judgement(Verdict.PARTIAL, why, ground, share)
    held = {*row, *ground.context}
    foreign = [
        token
        for token in claim
        if (token.kind in FIGURES or token in lexicon) and token not in held
    ]
    turned = [t for t in (*added, *lost) if t.kind is not Kind.QUALIFIER]
    if foreign or added or turned:
        why = "differs from its source in: " + _listed([*foreign, *added, *lost])
        return Judgement(Verdict.UNSUPPORTED, why, ground, share)
    why = "has words or an order that its source does not have"
    return Judgement(Verdict.PARTIAL, why, ground, share)


def _listed(found: Sequence[Token] | Counter[Token]) -> str:
    return ", ".join(dict.fromkeys(token.key for token in found))


def _restated(claim: Row, ground: Ground) -> int | None:
    """Up to which token of the ground the claim restates it from its start, or None."""
    row = ground.row
    for named in range(min(LONGEST_NAME, len(claim) - 1) + 1):
        if named and claim[named - 1] not in ground.context:
            break
        end = _followed(claim[named:], row)
        if end is not None:
            return end
    return len(row) if _moved(claim, row) else None


def _followed(claim: Row, row: Row) -> int | None:
    """The end of the claim in a row that it follows from the first token, or None."""
    reached = {0} if row[:1] == claim[:1] else set()
    for token in claim[1:]:
        reached = {at for start in reached for at in _next(token, row, start)}
    ends = [at + 1 for at in reached if _may_end(row, at)]
    return max(ends, default=None)


def _next(token: Token, row: Row, at: int) -> Iterator[int]:
    """Where `token` follows position `at`: next to it, or after a parenthesis."""
    if row[at + 1 : at + 2] == (token,):
        yield at + 1
    if at + 1 >= len(row) or not row[at + 1].edge:
        return
    for later in range(at + 1, min(at + 2 + LONGEST_PARENTHESIS, len(row))):
        if later > at + 1 and row[later].edge and row[later] == token:
            yield later
        if row[later].kind is not Kind.WORD:
            return


def _may_end(row: Row, at: int) -> bool:
    """Whether a claim may end with the token at `at`: the last, or before a clause."""
    if at + 1 == len(row):
        return True
    if row[at].kind in FIGURES:
        return False
    return row[at + 1].edge or row[at + 1].kind is Kind.LINK


def _moved(claim: Row, row: Row) -> bool:
    """Whether the claim is the whole row with one phrase moved to the other end.

    The phrase opens with a word that ties it ("after", "if"), and a comma parts it from
    the rest where it stands first: "After X, Y" is "Y after X"; "B is A" is not "A is
    B".
    """
    if Counter(claim) != Counter(row):
        return False
    for at in range(1, len(row)):
        if claim == row[at:] + row[:at]:
            joint = claim[len(row) - at]
            to_front = row[at].kind in _MOVABLE and joint.edge
            to_back = row[0].kind in _MOVABLE and row[at].edge
            if to_front or to_back:
                return True
    return False
