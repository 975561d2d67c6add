"""Markdown with components (.mdx), converted to Markdown.

A component with a title becomes a box, one inside a line its words; imports, exports
and comments are dropped. A value or part that the site would compute becomes `…`. Code
is left alone.
"""

from collections.abc import Iterator, Sequence

import re2

from adapters.loaders import markdown
from adapters.loaders.limits import Limits
from adapters.loaders.readers import make_loader_name
from adapters.loaders.site_tags import CLOSE, OPEN, UNKNOWN
from engine.model.document import Parsed

NAME = make_loader_name("mdx")
COMPUTED = "has components whose words the site computes, which are not read"
_FENCE = re2.compile(r"^[ \t>]*(`{3,}|~{3,})")
_MODULE = re2.compile(r"^(?:import|export)\b")
_CODE = re2.compile(r"(`+)")
_TITLES = ("title", "label", "summary", "heading", "header", "name", "term", "question")
_SHOWN = re2.compile(rf"\b(?:{'|'.join(_TITLES)})=(?:\"([^\"]*)\"|'([^']*)')")
_DESCRIBED = re2.compile(
    r"\b(?:description|text|content|caption)=(?:\"([^\"]*)\"|'([^']*)')"
)
_NAME = re2.compile(r"^</?\s*([A-Za-z][\w.:-]*)?")
_ITEM = re2.compile(r"^\s*(?:[-*+]|\d{1,9}[.)])\s")
_SAID = re2.compile(r"^\{\s*(?:\"([^\"\n]*)\"|'([^'\n]*)'|`([^`$\n]*)`)\s*\}$")
_ATTRIBUTE = re2.compile(r"\s[\w:-]+=\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}")


def parse(text: str, path: str, limits: Limits) -> Parsed:
    """Parse one page of MDX with optional front matter, as Markdown."""
    parsed = markdown.parse(to_markdown(text), path, limits)
    computed = parsed.text.count(UNKNOWN) > text.count(UNKNOWN)
    remarks = (*parsed.remarks, COMPUTED) if computed else parsed.remarks
    return parsed.model_copy(update={"loader": NAME, "remarks": remarks})


def to_markdown(text: str) -> str:
    """Convert the syntax of MDX to Markdown."""
    matter, body = _split_matter(text)
    parts: list[str] = []
    for lines, code in _split_code(body.split("\n")):
        if code:
            parts.append("\n".join(lines))
        else:
            prose = _read_prose("\n".join(_strip_modules(lines)))
            parts.append("\n".join(_outdent(prose.split("\n"))))
    return matter + "\n".join(parts)


def _split_matter(text: str) -> tuple[str, str]:
    """Split front matter from the text below it."""
    if not text.startswith("---"):
        return "", text
    end = text.find("\n---", 3)
    end = text.find("\n", end + 1) if end >= 0 else -1
    return (text[: end + 1], text[end + 1 :]) if end >= 0 else ("", text)


def _split_code(lines: Sequence[str]) -> Iterator[tuple[list[str], bool]]:
    """Split lines into runs of code and of other text."""
    run: list[str] = []
    marks = ""
    for line in lines:
        fence = _FENCE.match(line)
        if not marks and fence:
            if run:
                yield run, False
            run, marks = [line], str(fence.group(1))
        elif marks and fence and str(fence.group(1)).startswith(marks):
            yield [*run, line], True
            run, marks = [], ""
        else:
            run.append(line)
    if run:
        yield run, bool(marks)


def _strip_modules(lines: Sequence[str]) -> Iterator[str]:
    """Strip imports and exports, which end with a blank line."""
    inside, before = False, ""
    for line in lines:
        if not inside and not before.strip() and _MODULE.match(line):
            inside = True
        elif inside and not line.strip():
            inside = False
        if not inside:
            yield line
        before = "" if inside else line


def _outdent(lines: Sequence[str]) -> Iterator[str]:
    """Remove the indent of the tags around lines, as MDX has no indented code."""
    cut, listed, before = 0, False, ""
    for line in lines:
        own = len(line) - len(line.lstrip(" \t"))
        if line.strip():
            begins = not before.strip() and not (listed and own > cut)
            cut = own if begins or own < cut else cut
            listed = bool(_ITEM.match(line)) or (listed and not begins)
        yield line[cut:] if line.strip() else ""
        before = line


def _read_prose(text: str) -> str:
    """Replace components and expressions in text outside of code."""
    parts: list[str] = []
    at = 0
    while at < len(text):
        character = text[at]
        end = at + 1
        if character == "`":
            end = _find_code_end(text, at)
            parts.append(text[at:end])
        elif character == "\\" and text[at + 1 : at + 2] in {"{", "}", "<"}:
            end = at + 2
            parts.append("&lt;" if text[at + 1] == "<" else text[at + 1])
        elif character == "{":
            end = _find_brace_end(text, at)
            parts.append(_read_expression(text[at:end]))
        elif character == "<" and _is_tag(text, at):
            end = _find_tag_end(text, at)
            parts.append(_read_component(text, at, end))
        else:
            parts.append(character)
        at = end
    return "".join(parts)


def _find_code_end(text: str, at: int) -> int:
    """Find the end of code inside a line."""
    marks = len(str(_CODE.match(text[at : at + 20]).group(1)))
    end = text.find("`" * marks, at + marks)
    return end + marks if end >= 0 else at + marks


def _find_brace_end(text: str, at: int) -> int:
    """Find the end of an expression in braces, with strings inside it skipped."""
    depth, quote = 0, ""
    for place in range(at, len(text)):
        character = text[place]
        if quote:
            quote = "" if character == quote or character == "\n" != quote else quote
        elif character in '"`':
            quote = character
        elif character in "{}":
            depth += 1 if character == "{" else -1
            if depth == 0:
                return place + 1
    return at + 1


def _read_expression(said: str) -> str:
    """Return an expression's text, "" for a comment, or else UNKNOWN."""
    if said == "{" or said[1:].lstrip().startswith("/*"):
        return said if said == "{" else ""
    text = _SAID.match(said)
    return next((g for g in text.groups() if g is not None), "") if text else UNKNOWN


def _is_tag(text: str, at: int) -> bool:
    following = text[at + 1 : at + 3].lstrip("/")
    return following[:1].isalpha() or text[at + 1 : at + 3].startswith((">", "/>"))


def _find_tag_end(text: str, at: int) -> int:
    """Find the end of a tag, with braces and strings inside it skipped."""
    place, quote = at + 1, ""
    while place < len(text):
        character = text[place]
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character == "{":
            place = _find_brace_end(text, place) - 1
        elif character == ">":
            return place + 1
        place += 1
    return at + 1


def _read_component(text: str, at: int, end: int) -> str:
    """Replace a tag by a box or by its words; keep a tag of HTML."""
    tag = text[at:end]
    name = str(_NAME.match(tag).group(1) or "")
    if name and name[0].islower() and "." not in name:
        return str(_ATTRIBUTE.sub("", tag))
    alone = not text[text.rfind("\n", 0, at) + 1 : at].strip()
    after = text.find("\n", end)
    alone &= not text[end : after if after >= 0 else len(text)].strip()
    title, more = _read_attribute(tag, _SHOWN), _read_attribute(tag, _DESCRIBED)
    if tag.endswith("/>"):
        words = " ".join(filter(None, (title, more)))
        words = words or UNKNOWN
        return f"\n\n{words}\n\n" if alone else words
    if not alone or not name:
        return "" if tag.startswith("</") or not title else f"{title} "
    if tag.startswith("</"):
        return f"\n\n{CLOSE}\n\n"
    return f"\n\n{OPEN} {title}\n\n{more}\n\n"


def _read_attribute(tag: str, pattern: re2._Regexp) -> str:
    found = pattern.search(tag)
    return next((str(g) for g in found.groups() if g is not None), "") if found else ""
