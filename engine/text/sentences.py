"""Sentences of one block: exact spans that hold all but the white space around them.

nupunkt finds the ends. Its own list of abbreviations, learnt from statutes and scans,
holds words such as "cancer" and "chest", so one for our fields replaces it. A tail that
cannot begin a sentence is joined to the text before it: a sentence too long is the safe
error, because a quote of it cuts no qualifier off.
"""

from collections.abc import Iterator
from functools import lru_cache

import re2
from nupunkt import PunktSentenceTokenizer
from nupunkt.core.parameters import PunktParameters
from nupunkt.models import get_default_model_path

from engine.model.frozen import Span

# fmt: off
ABBREVIATIONS = frozenset({
    # people and bodies
    "mr", "mrs", "ms", "dr", "drs", "prof", "st", "jr", "sr", "hon", "gov", "sen",
    "inc", "ltd", "corp", "co", "bros", "dept", "univ", "assn", "assoc", "ph.d", "m.d",
    "b.a", "m.a", "b.s", "m.s", "b.sc", "m.sc", "r.n", "p.a", "u.s", "u.k", "u.n",
    "d.c",
    # reading aids
    "e.g", "i.e", "a.k.a", "n.b", "cf", "vs", "v", "viz", "al", "ca", "approx", "incl",
    "excl", "resp", "a.m", "p.m",
    "jan", "feb", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec",
    # references
    "fig", "figs", "tbl", "ref", "refs", "eq", "eqs", "suppl", "supp", "vol", "pp",
    "eds", "chap", "para", "paras", "subs",
    # medicine and engineering
    "b.i.d", "t.i.d", "q.i.d", "q.d", "q.h.s", "p.r.n", "a.c", "p.c", "p.o", "i.v",
    "i.m", "s.c", "i.p", "i.t", "chr", "wk", "wks", "yr", "yrs", "pt", "pts", "temp",
    "conc", "var", "spp", "ver", "vers",
})
# fmt: on
NEAR = 60  # characters on either side of a cut that decide on it
OPENING = "([{\"'`\u201c\u2018*_"
# After these a number still belongs to the sentence, after the second kind a name too.
NUMBERED = re2.compile(
    r"(?i)(^|[^\w.])(nos?|chr|wk|ch|secs?|arts?|cl|c|ss?|grade|pp?|types?|item|step)"
    r"\.$"
)
LABEL = re2.compile(
    r"(?i)(^|[^\w.])(suppl|supp|figs?|refs?|eqs?|tab|tbl|vol|ver|vers|approx|ca|cf)\.$"
)
ORDINAL = re2.compile(r"^\(?(\d{1,4}|[A-Za-z]|[ivxIVX]{1,5})[.)]$")
CLOSING_ONLY = re2.compile(r"^[\W_]+$")
# A bracket of reference numbers belongs to the sentence before: "in most series.[1,2]".
# So does the mark of a note: "stay overnight.[note 1]".
BRACKET = re2.compile(r"^(?:(?:\[note \d+\])+|\[?[\d,;\s\x{2013}-]+\])(\s|$)")
REFERENCES = re2.compile(
    r"[.!?]\s?((?:\[note \d+\])+|\[?[\d,;\s\x{2013}-]+\])\s+[\"(\x{201c}]?\p{Lu}"
)


@lru_cache(maxsize=1)
def _tokenizer() -> PunktSentenceTokenizer:
    parameters = PunktParameters.load(get_default_model_path())
    parameters.abbrev_types = set(ABBREVIATIONS)
    return PunktSentenceTokenizer(parameters)


def split_sentences(text: str) -> tuple[Span, ...]:
    """Return the sentence spans of `text`, in order; white space is between them.

    Empty for a text of white space only. A code block, heading or table row is one unit
    and not to be passed in.
    """
    starts = [0]
    for start in _find_starts(text):
        before = text[max(starts[-1], start - NEAR) : start].rstrip()
        if before.strip() and not _continues(before, text[start : start + NEAR]):
            starts.append(start)
    ends = (*starts[1:], len(text))
    spans = (_trim(text, a, b) for a, b in zip(starts, ends, strict=True))
    return tuple(span for span in spans if span.start < span.end)


def _find_starts(text: str) -> Iterator[int]:
    """Return the possible starts of sentences, in order."""
    starts = {start for start, _ in _tokenizer().span_tokenize(text)}
    starts |= {found.end(1) for found in REFERENCES.finditer(text)}
    return iter(sorted(starts))


def _trim(text: str, start: int, end: int) -> Span:
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    return Span(start=start + left, end=start + max(left, len(piece.rstrip())))


def _continues(before: str, tail: str) -> bool:
    """Return whether `tail` cannot begin a sentence after `before`."""
    start = tail.lstrip()
    closing = len(tail) < NEAR and CLOSING_ONLY.match(tail)
    if closing or ORDINAL.match(before.lstrip()) or BRACKET.match(start):
        return True
    first = start.lstrip(OPENING)[:1]
    if first.islower():
        return True
    if first.isdigit() and NUMBERED.search(before):
        return True
    return first.isalnum() and bool(LABEL.search(before))
