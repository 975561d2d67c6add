"""Tags that a site's generator acts on, in Markdown: Hugo, Jekyll and their like.

What a tag shows that can be known here stays: the title of a box, code, a caption, what
stands between two tags. For a value that the site would put in stands UNKNOWN. What
stands in backticks is left alone.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import re2

UNKNOWN = "\u2026"
NEAR = 200  # characters around a tag that say where it stands
LONGEST_CODE = 5_000  # characters of code inside a line
MOST_CHOSEN = 50  # tags, to the one that closes another
OPEN, CLOSE = "::: box", ":::"  # what boxes become, each on a line of its own

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
    """One tag: where it stands, its name, what it says, and whether it closes one."""

    start: int
    end: int
    name: str
    said: str = ""
    closes: bool = False
    shown: str | None = None


def without_tags(text: str) -> str:
    """A text, not code, with what its tags show."""
    if "{{" not in text and "{%" not in text and "{#" not in text:
        return text
    tags = list(_tags(text))
    closed = {tag.name for tag in tags if tag.closes}
    return _Reading(text, closed).read(tags)


def _tags(text: str) -> Iterator[_Tag]:
    """The tags of a text that stand in no backticks, in order."""
    until = 0
    for found in _TAG.finditer(text):
        start, end = found.span()
        if start < until:
            continue
        if found["code"]:
            closing = closing_of(text, end, str(found["code"]))
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


def closing_of(text: str, start: int, ticks: str) -> int:
    """Where the code ends that these backticks open, in its paragraph; 0: nowhere."""
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
    """Puts what tags show in their places."""

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
            self.parts.append(self._chosen(tags, number) or self._shown(tag))
            if tag.name in _CODE and not tag.closes:
                self._code(tags, number)
        return "".join((*self.parts, self.text[self.at :]))

    def _chosen(self, tags: Sequence[_Tag], number: int) -> str:
        """What stands for a choice that is made inside a line; "" where it is none.

        Which of its branches the page shows is not known.
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

    def _code(self, tags: Sequence[_Tag], number: int) -> None:
        """Leave the code that a tag opens alone."""
        for other in tags[number + 1 : number + MOST_CHOSEN]:
            if other.closes and other.name == tags[number].name:
                self.parts.append(self.text[self.at : other.start])
                self.at = other.start
                return

    def _shown(self, tag: _Tag) -> str:
        if tag.shown is not None:
            return tag.shown
        alone = self._alone(tag)
        if tag.name == "=":
            return self._value(tag, alone=alone)
        if tag.name in _CHOOSES or tag.name in _SILENT or tag.name not in self.closed:
            return self._single(tag, alone=alone)
        if not alone and tag.name not in _CODE:
            return self._in_one_line(tag)
        if not alone:
            return ""
        if tag.name in _CODE:
            language = tag.said.split()[:1]
            return "```" if tag.closes else f"```{''.join(language)}"
        return CLOSE if tag.closes else f"{OPEN} {_title(tag.said)}".rstrip()

    def _in_one_line(self, tag: _Tag) -> str:
        """What stands for one tag of a box that opens and ends in one line."""
        before = self.text[max(0, tag.start - LONGEST_CODE) : tag.start]
        after = self.text[tag.end : tag.end + LONGEST_CODE]
        opens, ends = before.rpartition("\n")[2], after.partition("\n")[0]
        if (ends if tag.closes else opens).strip():
            return ""
        line = opens + self.text[tag.start : tag.end] + ends
        pair = [each for each in _tags(line) if each.name == tag.name]
        whole = len(pair) == 2 and not pair[0].closes and pair[1].closes
        if not whole or line[: pair[0].start].strip() or line[pair[1].end :].strip():
            return ""
        title = _title(pair[0].said)
        if not title:
            return ""
        indent = line[: pair[0].start]
        return f"\n{indent}{CLOSE}" if tag.closes else f"{OPEN} {title}\n{indent}"

    def _value(self, tag: _Tag, *, alone: bool) -> str:
        told = _SAID.match(tag.said.strip())
        if told:
            return str(told.group())[1:-1]
        return "" if alone or self._in_target(tag) else UNKNOWN

    def _single(self, tag: _Tag, *, alone: bool) -> str:
        named = {str(key): str(value)[1:-1] for key, value in _NAMED.findall(tag.said)}
        told = next((named[key] for key in _SHOWN if named.get(key)), "")
        if told and not tag.closes:
            return told
        silent = tag.closes or tag.name in _SILENT or tag.name in _CHOOSES
        return "" if alone or silent or self._in_target(tag) else UNKNOWN

    def _alone(self, tag: _Tag) -> bool:
        """Whether nothing but marks of quotes and lists stands on its line."""
        before = self.text[max(0, tag.start - NEAR) : tag.start]
        line = before.rpartition("\n")[2]
        after = self.text[tag.end : tag.end + NEAR].partition("\n")[0]
        return not line.strip(" \t>*-") and len(line) < NEAR and not after.strip()

    def _in_target(self, tag: _Tag) -> bool:
        """Whether it is a part of where a link leads."""
        before = self.text[max(0, tag.start - NEAR) : tag.start]
        opened = max(before.rfind("]("), before.rfind('="'), before.rfind("]: "))
        return opened >= 0 and not any(c in before[opened + 2 :] for c in ')">\n')


def _title(said: str) -> str:
    """The title of a box among what its tag says."""
    named = {str(key): str(value)[1:-1] for key, value in _NAMED.findall(said)}
    for key in _TITLES:
        if named.get(key):
            return named[key]
    free = [str(told)[1:-1] for told in _SAID.findall(str(_NAMED.sub("", said)))]
    return next((told for told in free if any(map(str.isalpha, told))), "")
