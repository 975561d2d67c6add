"""Whether each platform quotes what the answer quotes: every letter, and all of it.

The quote blocks of the payloads are read without a line of what renders them, and held
against the quotations of the outcome. Blanks, bullets, the numbers of sources and the
mark of what is left out are no part of a quotation.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from adapters.inert import inert
from adapters.mail import Platform
from engine.model.answer import Answer
from engine.model.outcome import Outcome
from evals.recording.rendering import Rendered
from evals.served.reading import OMITTED, visible

MOST = 3  # faults that are told of a reply
_BARRED = frozenset({"rich_text_quote", "rich_text_preformatted"})
_ASIDE = frozenset({"handover"})  # also quotes the question
_FIRST, _REST = "mention", "more"  # together they show all of an answer
_NUMBERS = re.compile(r"(?:\[\d+(?:,\d+)*\])+\Z")
_SET = re.compile(r"\\([^0-9A-Za-z\s])|\*\*|`(?=\[[\d, ]+\]`)|(?<=\])`")
_LAST = re.compile(r"`\[[\d, ]+\]`\Z")
_FENCE = "```"


def faults(outcome: Outcome, every: Iterable[Rendered]) -> tuple[str, ...]:
    """What platforms quote that the outcome does not, and what of it none shows."""
    quoted = dict.fromkeys(_quotations(outcome))
    asked = _bare(inert(outcome.question.text))
    seen: dict[Platform, set[str]] = {}
    found: list[str] = []
    for one in every:
        shown = [_bare(text) for part in one.parts for text in blocks(part.payload)]
        for text in filter(None, shown):
            if text not in quoted and not (one.way in _ASIDE and text in asked):
                found.append(f"{one.platform} {one.way} quotes “{text[:60]}”")
        if one.way in (_FIRST, _REST):
            seen.setdefault(one.platform, set()).update(shown)
    for platform, texts in seen.items():
        lost = (text for text in quoted if text not in texts)
        found += (f"{platform} does not show “{text[:60]}”" for text in lost)
    return tuple(found[:MOST])


def _quotations(outcome: Outcome) -> Iterator[str]:
    result = outcome.result
    for section in result.sections if isinstance(result, Answer) else ():
        for claim in section.claims:
            if claim.quotation and claim.quotes:
                yield _bare(inert("".join(quote.text for quote in claim.quotes)))


def _bare(text: str) -> str:
    """A quotation without what is no part of it, and without blanks."""
    said = "".join(visible(text.replace("\u2022", " ").replace(OMITTED, " ")).split())
    return _NUMBERS.sub("", said)


def blocks(payload: Any) -> Iterator[str]:
    """The texts of the quote blocks of a payload, of Slack or of Discord."""
    if isinstance(payload, Mapping):
        held = payload.get("elements")
        if payload.get("type") == "rich_text" and isinstance(held, list):
            barred = [each for each in held if each.get("type") in _BARRED]
            yield "\n".join("".join(_runs(each)) for each in barred)
        elif payload.get("type") not in ("plain_text", "mrkdwn"):
            for value in payload.values():
                yield from blocks(value)
    elif isinstance(payload, list | tuple):
        for value in payload:
            yield from blocks(value)
    elif isinstance(payload, str):
        yield from _lines(payload)


def _runs(block: Mapping[str, Any]) -> Iterator[str]:
    for each in block.get("elements", ()):
        yield str(each.get("text", ""))


def _lines(text: str) -> Iterator[str]:
    """The runs of quoted lines of Markdown; one also ends behind its numbers."""
    held: list[str] = []
    fenced = False
    for line in (*text.split("\n"), ""):
        inside = line.startswith(">") and line[1:2] in ("", " ")
        said = line[2:]
        if inside and said == _FENCE:
            fenced = not fenced
        elif inside:
            held.append(said if fenced else _SET.sub(r"\1", said))
        if held and (not inside or (not fenced and _LAST.search(said))):
            yield "\n".join(held)
            held = []
