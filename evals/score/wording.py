"""Which lines a reply may hold beside quotations: fixed texts, sources, the question.

A row brings the pack's texts and templates. What stands in the places of a template is
of a closed kind: a date, a number, a title or a name of the record, words of the
question. A line is one of them, or several, one behind the other.

The record of a reply may say anything. So titles, headings and addresses are those of
the document versions that the ledger holds, and a question is put in words of those who
asked.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from urllib.parse import unquote_to_bytes

from evals.forms import Case, Row, Source
from evals.reading import SEPARATOR, record, visible

CHOSE = "\n» "  # between what was asked and what was chosen below its refusal
CUT = 160  # characters that are shown of the question before
_LINES = re.compile(r"(.+):\d+(?:-\d+)?")  # a file of code with its lines
_PAGE = re.compile(r"(?:^| > )page \d+$")  # of a file that has pages
_PAGE_OF = re.compile(r"#page=\d+$")  # the same, in its address
_MARK = re.compile(r"#[\w-]+")  # lines or a heading, behind an address
_SLOT = re.compile(r"(\{[a-z]+\})")
_WORD = re.compile(r"\w+")
_DAY = r"\d{4}-\d\d-\d\d"
_NOTHING = r"(?!)"  # matches no text


def fixed(row: Row) -> Callable[[str], bool]:
    """Says of a line whether the pack of a row words it so."""
    slots = _slots(row)
    texts = (_template(text, slots) for text in row.worded.get("texts", ()))
    one = _any_of(texts)
    whole = re.compile(f"{one}(?: {one})*")
    return lambda line: whole.fullmatch(unmarked(line)) is not None


def unmarked(line: str) -> str:
    """A line without the mark of a list, which each platform writes its own way."""
    text = visible(line)
    return text[2:] if text.startswith(("- ", "\u2022 ")) else text


def _template(text: str, slots: dict[str, str]) -> str:
    parts = _SLOT.split(unmarked(text))
    return "".join(slots.get(part, re.escape(part)) for part in parts)


def _slots(row: Row) -> dict[str, str]:
    held, worded = record(row), row.worded
    trace = held.get("retrieval") or {}
    titles = {p["title"] for p in held["sources"]}
    title = _one_of(titles)
    names = [thing["name"] for thing in trace.get("things", ())]
    things = _one_of(names)
    publisher = _one_of(worded.get("publishers", {}).values())
    wanted = rf"(?:\d+|none) of \d+ passages? from {_list(publisher, ' or ')}"
    age = rf"(?:(?:published|retrieved) {_DAY}|undated)"
    lacking = rf"{_one_of(worded.get('lacking', ()))}(?: \({_list(title, '; ')}\))?"
    return {
        "{date}": _DAY,
        "{basis}": "(?:today|application_date|explicit_as_of)",
        **dict.fromkeys(("{found}", "{shown}"), r"\d+"),
        "{url}": r"https?://\S+",
        "{title}": _one_of((*_places(row), *worded.get("titles", ()))),
        "{publisher}": publisher,
        "{days}": rf"(?:from {_DAY} on|for other days|(?:from {_DAY} )?until {_DAY})",
        "{kind}": _one_of(worded.get("kinds", ())),
        "{kinds}": _list(_one_of(worded.get("kinds", ()))),
        "{fields}": _list(_one_of(worded.get("fields", ()))),
        "{name}": _one_of((*names, *titles)),
        "{topics}": _list(_one_of(worded.get("topics", ())), "; "),
        "{facts}": _list(_one_of(held["intent"]["missing_facts"])),
        "{lacking}": _list(lacking),
        "{requirement}": _list(wanted, "; "),
        "{others}": _list(rf"(?:{things}|\+\d+)"),
        "{sources}": _list(rf"{title} \({publisher}(?:, tier \d)?, {age}\)", "; "),
        **dict.fromkeys(("{missing}", "{phrase}"), _asked(row)),
    }


def _places(row: Row) -> Iterator[str]:
    """The titles of what is cited, and the places in it, by their headings."""
    for part in record(row)["sources"]:
        title, section = part["title"], part.get("section") or ""
        path = section.split(SEPARATOR) if section else []
        below = [each for each in path if each.casefold() != title.casefold()]
        yield from (title, SEPARATOR.join(below), SEPARATOR.join((title, *below)))


def _asked(row: Row) -> str:
    """Words of the question alone, in whatever order, with marks between them."""
    held = record(row)
    intent = held["intent"]
    told = [held.get("question"), held.get("previous"), held.get("selection")]
    read = [intent.get("text"), *(right for _, right in intent["corrections"])]
    words = set(_WORD.findall(" ".join(filter(None, (*told, *read))).casefold()))
    words.update(_WORD.findall(" ".join(intent["missing_facts"]).casefold()))
    word = rf"(?:\b{_one_of(words)}\b)"
    return rf"(?i:[^\w\s]*{word}(?:[\W_]+{word})*[^\w\s]*)" if words else _NOTHING


def _list(one: str, mark: str = ", ") -> str:
    return f"(?:{one}(?:{mark}{one})*)"


def _one_of(values: Iterable[str]) -> str:
    return _any_of(re.escape(visible(value)) for value in values if visible(value))


def _any_of(patterns: Iterable[str]) -> str:
    longest = sorted(set(patterns), key=lambda each: (-len(each), each))
    return f"(?:{'|'.join(longest)})" if longest else _NOTHING


# --- sources and the question ----------------------------------------------------


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
    if "\f" in held.text:
        section = _PAGE.sub("", section)
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
    if "\f" in held.text and _PAGE_OF.sub("", url) == held.url:
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
    return visible(line) in map(visible, (*worded, *_headings(row)))


def _headings(row: Row) -> Iterator[str]:
    """The headings of an answer that its page has, or that a question names itself.

    Two things that are compared stand each under its name.
    """
    of_pages = {
        heading
        for part in record(row)["sources"]
        for heading in (part.get("section") or "").split(SEPARATOR)
    }
    asked = re.compile(_asked(row))
    for section in row.sections:
        if section["heading"] in of_pages or asked.fullmatch(section["heading"]):
            yield section["heading"]


def _words(text: str) -> set[str]:
    return set(_WORD.findall(visible(text).casefold()))


def _is_one(word: str) -> bool:
    return _WORD.fullmatch(word) is not None
