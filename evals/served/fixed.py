"""Which lines of a reply are fixed texts of its pack, with what may stand in them.

A row brings the pack's texts and templates. What stands in the places of a template is
of a closed kind: a date, a number, a title or a name of the record, words of the
question. A line is one of them, or several, one behind the other.
"""

import re
from collections.abc import Callable, Iterable, Iterator

from evals.forms import Row
from evals.served.reading import record, visible

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
    wanted = rf"\d+ passages of {_list(_one_of(worded.get('requires', ())))}"
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
        "{requirement}": _list(rf"{wanted} \(\d+ found\)", "; "),
        "{others}": _list(rf"(?:{things}|\+\d+)"),
        "{sources}": _list(rf"{title} \({publisher}(?:, tier \d)?, {age}\)", "; "),
        **dict.fromkeys(("{missing}", "{phrase}"), _asked(row)),
    }


def _places(row: Row) -> Iterator[str]:
    """The titles of what is cited, and the places in it, by their headings."""
    for part in record(row)["sources"]:
        title, section = part["title"], part.get("section") or ""
        path = section.split(" > ") if section else []
        below = [each for each in path if each.casefold() != title.casefold()]
        yield from (title, " > ".join(below), " > ".join((title, *below)))


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
