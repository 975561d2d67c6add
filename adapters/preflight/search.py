"""Lines that a pattern matches, file by file, over RE2: linear in what is read.

Always this scanner, also where ripgrep is installed: two machines with the same files
have the same evidence. As with ripgrep, a pattern never matches across lines, and
binary files hold no lines.
"""

from collections.abc import Iterator

import re2

from adapters.preflight.content import Content
from adapters.preflight.hits import BINARY, Hit, Look
from engine.inspection.question_pack import Search
from engine.model.places import encode_path
from engine.text.legible import strip_disguise

_MEMORY = 8 << 20
LONGEST_VALUE = 200
MOST_VALUES = 20  # of one line
DISGUISED = "in letters that only look like these"


def expression(pattern: str, *, ignore_case: bool = False) -> re2._Regexp:
    """A pattern over bytes of UTF-8, with `^` and `$` at each line."""
    options = re2.Options()
    options.log_errors = False
    options.never_nl = True
    options.case_sensitive = not ignore_case
    options.max_mem = _MEMORY
    return re2.compile(b"(?m)" + pattern.encode(), options)


def files(look: Look) -> Iterator[Hit]:
    """The first line of every file; of an empty one that line is empty.

    A binary file has no line to be cited. Where there are only such, they count as
    unread: they are not absent.
    """
    found = False
    for path, content in look.contents():
        found = True
        yield Hit(path, 1, 1, note="" if content.data else "is an empty file")
    if not found and look.files:
        named = {each.path for each in look.unread}
        for path in look.repository.chosen(look.step.include, look.step.exclude):
            if encode_path(path) not in named:
                look.miss(path, BINARY)


def search(look: Look, step: Search) -> Iterator[Hit]:
    """One hit for each line that matches, with the groups of its matches as values."""
    pattern = expression(step.pattern, ignore_case=step.ignore_case)
    for path, content in look.contents():
        found = {number: (values, "") for number, values in matching(pattern, content)}
        if (seen := _by_looks(content)) is not None:
            for number, values in matching(pattern, seen):
                found.setdefault(number, (values, DISGUISED))
        for number, (values, note) in sorted(found.items()):
            yield Hit(path, number, number, note, values, around=step.context)


def _by_looks(content: Content) -> Content | None:
    """What a reader sees: the same lines without letters in disguise; None if alike.

    Nothing hides from a search behind full-width or foreign letters that look alike,
    or behind characters that nobody sees (R-V8).
    """
    if content.data.isascii():
        return None
    seen = strip_disguise(content.data.decode("utf-8", "replace")).encode()
    return None if seen == content.data else Content(seen)


def matching(
    pattern: re2._Regexp, content: Content
) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The numbers of the lines that match, each once, with the groups in them."""
    data, at = content.data, 0
    while (found := pattern.search(data, at)) is not None:
        if found.start() == len(data):
            return  # the empty text behind the last line
        number = content.number(found.start())
        end = content.end(number)
        yield number, _values(pattern, found, data, end)
        at = end
        if at >= len(data):
            return


def _values(
    pattern: re2._Regexp, found: re2._Match, data: bytes, end: int
) -> tuple[str, ...]:
    """The groups of all matches in one line, in order, each once."""
    if not pattern.groups:
        return ()
    told: dict[str, None] = {}
    while found is not None and found.start() < end and len(told) < MOST_VALUES:
        for group in found.groups():
            if group:
                told[group[:LONGEST_VALUE].decode("utf-8", "replace")] = None
        after = max(found.end(), found.start() + 1)
        found = pattern.search(data, after) if after < end else None
    return tuple(told)
