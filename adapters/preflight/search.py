"""Search for lines that match a pattern, file by file, with RE2 in linear time.

It does not use ripgrep even where that is installed, so that two machines with the same
files have the same evidence. As with ripgrep, a pattern never matches across lines, and
binary files have no lines.
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


def compile_expression(pattern: str, *, ignore_case: bool = False) -> re2._Regexp:
    """Compile a pattern over bytes of UTF-8, with `^` and `$` at each line."""
    options = re2.Options()
    options.log_errors = False
    options.never_nl = True
    options.case_sensitive = not ignore_case
    options.max_mem = _MEMORY
    return re2.compile(b"(?m)" + pattern.encode(), options)


def list_files(look: Look) -> Iterator[Hit]:
    """List the first line of every file.

    A binary file has no line to cite. Where there are only such files, they are
    recorded as unread, because they are not absent.
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


def find_lines(look: Look, step: Search) -> Iterator[Hit]:
    """Find a hit for each line that matches, with the groups of matches as values."""
    pattern = compile_expression(step.pattern, ignore_case=step.ignore_case)
    for path, content in look.contents():
        found = {
            number: (values, "") for number, values in find_matches(pattern, content)
        }
        if (seen := _unmask(content)) is not None:
            for number, values in find_matches(pattern, seen):
                found.setdefault(number, (values, DISGUISED))
        for number, (values, note) in sorted(found.items()):
            yield Hit(path, number, number, note, values, around=step.context)


def _unmask(content: Content) -> Content | None:
    """Replace lookalike and invisible characters; return None where there are none.

    So no text hides from a search behind full-width or foreign letters that look alike,
    or behind invisible characters.
    """
    if content.data.isascii():
        return None
    seen = strip_disguise(content.data.decode("utf-8", "replace")).encode()
    return None if seen == content.data else Content(seen)


def find_matches(
    pattern: re2._Regexp, content: Content
) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Find the numbers of the lines that match, each once, with their groups."""
    data, at = content.data, 0
    while (found := pattern.search(data, at)) is not None:
        if found.start() == len(data):
            return  # the match is the empty text behind the last line
        number = content.number(found.start())
        end = content.end(number)
        yield number, _read_values(pattern, found, data, end)
        at = end
        if at >= len(data):
            return


def _read_values(
    pattern: re2._Regexp, found: re2._Match, data: bytes, end: int
) -> tuple[str, ...]:
    """Read the groups of all matches in one line, in order, each once."""
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
