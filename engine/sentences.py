"""Sentences of one block: exact spans that hold all but the white space around them.

nupunkt finds the ends; it was trained on law, so abbreviations of medicine and
engineering are added, and a tail that cannot begin a sentence is joined to what it was
cut from. A sentence too long is the safe error: a quote from it cuts no qualifier off.
"""

from functools import lru_cache

import re2
from nupunkt import PunktSentenceTokenizer
from nupunkt.core.parameters import PunktParameters
from nupunkt.models import get_default_model_path

from engine.corpus_records import Span

# fmt: off
ABBREVIATIONS = frozenset({
    "approx", "b.i.d", "t.i.d", "q.i.d", "q.d", "p.r.n", "a.c", "p.c", "p.o", "i.v",
    "i.m", "s.c", "i.p", "i.t", "chr", "wk", "wks", "yr", "yrs", "pt", "pts", "resp",
    "suppl", "supp", "tbl", "ref", "refs", "fig", "figs", "eq", "eqs", "no", "nos",
    "vs", "cf", "ca", "al", "e.g", "i.e", "incl", "excl", "max", "min", "avg", "temp",
    "conc", "vol", "dept", "vers", "ver", "ext", "config", "param", "std", "dev",
})
# fmt: on
OPENING = "([{\"'`\u201c\u2018*_"
# A word after which a number or a capitalised label still belongs to the sentence.
LABEL = re2.compile(
    r"(?i)(^|[^\w.])(suppl|supp|figs?|refs?|eqs?|tab|tbl|nos?|vol|chr|wk|ch|sec|ver|"
    r"vers|approx|ca|grade|cf|pp?)\.[\"')\]]*$"
)
ORDINAL = re2.compile(r"^\(?(\d{1,4}|[A-Za-z]|[ivxIVX]{1,5})[.)]$")
CLOSING_ONLY = re2.compile(r"^[\W_]+$")


@lru_cache(maxsize=1)
def _tokenizer() -> PunktSentenceTokenizer:
    parameters = PunktParameters.load(get_default_model_path())
    parameters.abbrev_types |= ABBREVIATIONS
    return PunktSentenceTokenizer(parameters)


def split_sentences(text: str) -> tuple[Span, ...]:
    """Sentence spans of `text`, in order; white space lies between them.

    Empty for a text of white space only. A code block, heading or table row is one
    unit and not to be handed in.
    """
    joined: list[Span] = []
    for start, end in _tokenizer().span_tokenize(text):
        span = _trimmed(text, start, end)
        if span.start == span.end:
            continue
        if joined and _continues(joined[-1].of(text), span.of(text)):
            joined[-1] = Span(start=joined[-1].start, end=span.end)
        else:
            joined.append(span)
    return _closed(text, joined)


def _trimmed(text: str, start: int, end: int) -> Span:
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    return Span(start=start + left, end=start + max(left, len(piece.rstrip())))


def _continues(before: str, tail: str) -> bool:
    """Whether `tail` cannot begin a sentence after `before`."""
    if ORDINAL.match(before) or CLOSING_ONLY.match(tail):
        return True
    first = tail.lstrip(OPENING)[:1]
    if first.islower():
        return True
    return bool(LABEL.search(before)) and (first.isdigit() or first.isupper())


def _closed(text: str, spans: list[Span]) -> tuple[Span, ...]:
    """`spans` stretched over what the tokenizer left between them, if it left any."""
    closed: list[Span] = []
    for index, span in enumerate(spans):
        limit = spans[index + 1].start if index + 1 < len(spans) else len(text)
        start = 0 if index == 0 else span.start
        closed.append(_trimmed(text, start, limit))
    return tuple(closed)
