"""Template tags of site generators in Markdown: Hugo, Jekyll and similar ones.

Text that a tag certainly shows is kept: the title of a box, code, a caption, the text
between two tags. A value that the site would insert becomes UNKNOWN. Text in backticks
is left alone.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import re2

UNKNOWN = "\u2026"
NEAR = 200  # characters around a tag that decide its context
LONGEST_CODE = 5_000  # characters of code inside a line
MOST_CHOSEN = 50  # tags searched for the one that closes another
OPEN, CLOSE = "::: box", ":::"  # the fences of boxes, each on a separate line

_QUOTED = r"\"[^\"]*\"|'[^']*'|\x{201c}[^\x{201d}]*\x{201d}"
_TAG = re2.compile(
    r"(?s)(?P<code>`+)|(?P<note>\{\{-?\s*/\*.*?\*/\s*-?\}\}|\{#\s.*?\s#\}|\{%-?\s*comment\b"
    r".*?endcomment\s*-?%\}|\{\{[<%]\s*comment\b.*?/\s*comment\s*[>%]\}\})"
    r"|\{%-?\s*raw\s*-?%\}(?P<raw>.*?)\{%-?\s*endraw\s*-?%\}"
    r"|\{\{[<%]-?\s*(?P<shut>/?)\s*(?P<hugo>[\w./-]+)(?P<hugo_said>(?:"
    + _QUOTED
    + r"|[^\"'<>%{}]|['])*?)/?\s*-?[>%]\}\}"
    r"|\{%-?\s*(?P<liquid>[\w-]+)(?P<liquid_said>(?:"
    + _QUOTED
    + r"|[^\"'%{}]|['])*?)-?%\}"
    r"|\{\{-?(?P<value>[^{}\n<%][^{}\n]*?)-?\}\}"
)
_NAMED = re2.compile(rf"([\w-]+)\s*[=:]\s*({_QUOTED})")
_SAID = re2.compile(_QUOTED)
_TITLES = ("title", "name", "label", "header", "heading", "summary")
_SHOWN = ("caption", "content", "text", "message", "body")
_CODE = frozenset({"highlight", "code", "codeblock"})
_CHOOSES = frozenset({"if", "ifversion", "unless", "case", "for"})
_SILENT = frozenset(
    {
        *(
            "include",
            "include_relative",
            "include_cached",
            "link",
            "post_url",
            "assign",
        ),
        *("set", "capture", "layout", "extends", "else", "elsif", "elif", "when"),
        *("ref", "relref", "block", "import", "cycle", "asset", "break", "continue"),
    }
)


@dataclass(frozen=True, slots=True)
class _Tag:
    """One tag: its place, name and arguments, and whether it closes another."""

    start: int
    end: int
    name: str
    said: str = ""
    closes: bool = False
    shown: str | None = None


def replace_tags(text: str) -> str:
    """Replace the tags of a text by the text that they show."""
    if "{{" not in text and "{%" not in text and "{#" not in text:
        return text
    tags = list(_find_tags(text))
    closed = {tag.name for tag in tags if tag.closes}
    return _Reading(text, closed).read(tags)


def _find_tags(text: str) -> Iterator[_Tag]:
    """Find the tags of a text outside of backticks, in order."""
    until = 0
    for found in _TAG.finditer(text):
        start, end = found.span()
        if start < until:
            continue
        if found["code"]:
            closing = find_closing(text, end, str(found["code"]))
            until = closing if closing > 0 else end
            continue
        until = end
        if found["note"] is not None:
            yield _Tag(start, end, "", shown="")
        elif found["raw"] is not None:
            yield _Tag(start, end, "", shown=str(found["raw"]))
        elif found["hugo"] is not None:
            name, said = str(found["hugo"]), str(found["hugo_said"])
            yield _Tag(start, end, name, said, bool(found["shut"]))
        elif found["liquid"] is not None:
            name, said = str(found["liquid"]), str(found["liquid_said"])
            closes = name.startswith("end") and len(name) > 3
            yield _Tag(start, end, name[3:] if closes else name, said, closes)
        else:
            yield _Tag(start, end, "=", str(found["value"]))


def find_closing(text: str, start: int, ticks: str) -> int:
    """Find the end of the code that backticks open, in its paragraph; 0 for none."""
    stop = text.find("\n\n", start, start + LONGEST_CODE)
    stop = min(len(text), start + LONGEST_CODE) if stop < 0 else stop
    at = text.find(ticks, start, stop)
    while at >= 0:
        end = at + len(ticks)
        if text[at - 1] != "`" and text[end : end + 1] != "`":
            return end
        at = text.find(ticks, end, stop)
    return 0


@dataclass(slots=True)
class _Reading:
    """The replacement of tags in one text."""

    text: str
    closed: set[str]
    parts: list[str] = field(default_factory=list)
    at: int = 0

    def read(self, tags: Sequence[_Tag]) -> str:
        for number, tag in enumerate(tags):
            if tag.start < self.at:
                continue
            self.parts.append(self.text[self.at : tag.start])
            self.at = tag.end
            self.parts.append(self._read_choice(tags, number) or self._show(tag))
            if tag.name in _CODE and not tag.closes:
                self._keep_code(tags, number)
        return "".join((*self.parts, self.text[self.at :]))

    def _read_choice(self, tags: Sequence[_Tag], number: int) -> str:
        """Return UNKNOWN for a choice inside a line; "" where it is not one.

        The branch that the page shows is not known.
        """
        tag = tags[number]
        if tag.name not in _CHOOSES or tag.closes:
            return ""
        for other in tags[number + 1 : number + MOST_CHOSEN]:
            if "\n" in self.text[tag.end : other.end]:
                break
            if other.closes and other.name == tag.name:
                self.at = other.end
                return UNKNOWN
        return ""

    def _keep_code(self, tags: Sequence[_Tag], number: int) -> None:
        """Keep the code that a tag opens unchanged."""
        for other in tags[number + 1 : number + MOST_CHOSEN]:
            if other.closes and other.name == tags[number].name:
                self.parts.append(self.text[self.at : other.start])
                self.at = other.start
                return

    def _show(self, tag: _Tag) -> str:
        if tag.shown is not None:
            return tag.shown
        alone = self._is_alone(tag)
        if tag.name == "=":
            return self._show_value(tag, alone=alone)
        if tag.name in _CHOOSES or tag.name in _SILENT or tag.name not in self.closed:
            return self._show_single(tag, alone=alone)
        if not alone and tag.name not in _CODE:
            return self._show_in_line(tag)
        if not alone:
            return ""
        if tag.name in _CODE:
            language = tag.said.split()[:1]
            return "```" if tag.closes else f"```{''.join(language)}"
        return CLOSE if tag.closes else f"{OPEN} {_read_title(tag.said)}".rstrip()

    def _show_in_line(self, tag: _Tag) -> str:
        """Replace one tag of a box that opens and closes in one line."""
        before = self.text[max(0, tag.start - LONGEST_CODE) : tag.start]
        after = self.text[tag.end : tag.end + LONGEST_CODE]
        opens, ends = before.rpartition("\n")[2], after.partition("\n")[0]
        if (ends if tag.closes else opens).strip():
            return ""
        line = opens + self.text[tag.start : tag.end] + ends
        pair = [each for each in _find_tags(line) if each.name == tag.name]
        whole = len(pair) == 2 and not pair[0].closes and pair[1].closes
        if not whole or line[: pair[0].start].strip() or line[pair[1].end :].strip():
            return ""
        title = _read_title(pair[0].said)
        if not title:
            return ""
        indent = line[: pair[0].start]
        return f"\n{indent}{CLOSE}" if tag.closes else f"{OPEN} {title}\n{indent}"

    def _show_value(self, tag: _Tag, *, alone: bool) -> str:
        told = _SAID.match(tag.said.strip())
        if told:
            return str(told.group())[1:-1]
        return "" if alone or self._is_in_target(tag) else UNKNOWN

    def _show_single(self, tag: _Tag, *, alone: bool) -> str:
        named = {str(key): str(value)[1:-1] for key, value in _NAMED.findall(tag.said)}
        told = next((named[key] for key in _SHOWN if named.get(key)), "")
        if told and not tag.closes:
            return told
        silent = tag.closes or tag.name in _SILENT or tag.name in _CHOOSES
        return "" if alone or silent or self._is_in_target(tag) else UNKNOWN

    def _is_alone(self, tag: _Tag) -> bool:
        """Tell whether a tag is alone on its line, marks of quotes and lists aside."""
        before = self.text[max(0, tag.start - NEAR) : tag.start]
        line = before.rpartition("\n")[2]
        after = self.text[tag.end : tag.end + NEAR].partition("\n")[0]
        return not line.strip(" \t>*-") and len(line) < NEAR and not after.strip()

    def _is_in_target(self, tag: _Tag) -> bool:
        """Tell whether a tag is part of a link's target."""
        before = self.text[max(0, tag.start - NEAR) : tag.start]
        opened = max(before.rfind("]("), before.rfind('="'), before.rfind("]: "))
        return opened >= 0 and not any(c in before[opened + 2 :] for c in ')">\n')


def _read_title(said: str) -> str:
    """Read the title of a box from its tag's arguments."""
    named = {str(key): str(value)[1:-1] for key, value in _NAMED.findall(said)}
    for key in _TITLES:
        if named.get(key):
            return named[key]
    free = [str(told)[1:-1] for told in _SAID.findall(str(_NAMED.sub("", said)))]
    return next((told for told in free if any(map(str.isalpha, told))), "")
