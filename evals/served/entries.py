"""What a reply says of its sources and of the question, held against where it is from.

The record of a reply may say anything. So titles, headings and addresses are those of
the document versions that the ledger holds, and a question is put in words of those who
asked.
"""

import os
import re
from collections.abc import Iterator, Mapping
from urllib.parse import unquote_to_bytes

from evals.forms import Case, Row, Source
from evals.served.reading import record, visible

SEPARATOR = " > "
CHOSE = "\n» "  # between what was asked and what was chosen below its refusal
CUT = 160  # characters that are shown of the question before
_LINES = re.compile(r"(.+):\d+(?:-\d+)?")  # a file of code with its lines
_MARK = re.compile(r"#[\w-]+")  # lines or a heading, behind an address
_WORD = re.compile(r"\w+")


def misnamed(row: Row, sources: Mapping[str, Source]) -> Iterator[str]:
    """What a record says of its sources that their documents do not."""
    for part in record(row)["sources"]:
        held = sources.get(part["version"])
        if held is None:
            yield f"source {part['number']} is of a version that is not known"
            continue
        told = {"title": held.title, "source": held.source}
        for name, value in told.items():
            if part[name] != value:
                yield f"source {part['number']} has the {name} “{part[name]}”"
        if not _is_place(part.get("section") or "", held):
            yield f"source {part['number']} has no heading “{part['section']}”"
        if not _is_address(part.get("url"), held):
            yield f"source {part['number']} has the address {part['url']}"


def _is_place(section: str, held: Source) -> bool:
    if not section or held.sections is None or section in held.sections:
        return True
    first, _, rest = section.partition(SEPARATOR)
    file = _LINES.fullmatch(first)
    written = os.fsdecode(unquote_to_bytes(file[1])) if file is not None else ""
    named = bool(written) and f"/{held.path}".endswith(f"/{written}")
    return named and (not rest or rest in held.sections)


def _is_address(url: str | None, held: Source) -> bool:
    if url is None or held.sections is None or url == held.url:
        return True
    lines = url.removeprefix(held.code)
    return bool(held.code) and lines != url and _MARK.fullmatch(lines) is not None


def is_worded(line: str, row: Row, case: Case) -> bool:
    """Whether a line is one that replies word: how a question was read, who chose."""
    held = record(row)
    intent = held["intent"]
    model = held.get("model") or "a language model"
    asked = (" ".join(each.split()) for each in (case.previous or "").split(CHOSE))
    before = visible(" → ".join(filter(None, asked)))
    short = f"{before[:CUT].rstrip()}…" if before[CUT:] else before
    worded = (
        f"I read this together with: “{short}”",
        f"You chose: {case.question}",
        f"Sentences chosen by {model}, shown word for word from the sources.",
    )
    known = _words(f"{case.question} {case.previous or ''}")
    pairs: list[tuple[str, str]] = intent["corrections"]
    meant = {*row.worded.get("glossary", ())}
    right = all(_is_one(told) or told in meant for _, told in pairs)
    if right and all(_words(wrong) <= known for wrong, _ in pairs):
        told = "|".join(re.escape(visible(f'"{a}" as "{b}"')) for a, b in pairs)
        if pairs and re.fullmatch(
            rf"Read (?:{told})(?:, (?:{told}))*\.", visible(line)
        ):
            return True
    return visible(line) in map(visible, worded)


def _words(text: str) -> set[str]:
    return set(_WORD.findall(visible(text).casefold()))


def _is_one(word: str) -> bool:
    return _WORD.fullmatch(word) is not None
