"""What a person reads of the messages that are posted, with rules of its own.

Nothing here uses how messages are made: a block, field or markup that is not known here
is an error, so that nothing reaches a reader unseen by a test.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from adapters.mail import Part
from tests.loopback.slack_state import Json


@dataclass
class Read:
    """What one reply shows.

    `lines` are those outside of quotations, `quotations` the pieces of each, `previews`
    what a notification shows of either, `links` where something can be followed to.
    """

    lines: list[str] = field(default_factory=list)
    quotations: list[list[str]] = field(default_factory=list)
    previews: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)


# --- Slack ------------------------------------------------------------------------

_FIELDS = {
    *("text", "blocks", "metadata", "parse", "link_names", "unfurl_links"),
    *("unfurl_media", "response_type", "replace_original"),
}


def slack(parts: Sequence[Part]) -> Read:
    """Block Kit, and the text that stands in a notification."""
    read = Read()
    for part in parts:
        payload: Json = part.model_dump(mode="json")["payload"]
        assert set(payload) <= _FIELDS, set(payload)
        text = payload["text"]
        for escape, character in (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")):
            text = text.replace(escape, character)
        read.previews += text.split("\n")
        for block in payload["blocks"]:
            _block(block, read)
    return read


def _block(block: Json, read: Read) -> None:
    match block["type"]:
        case "header":
            read.lines.append(block["text"]["text"])
        case "context":
            read.lines += [element["text"] for element in block["elements"]]
        case "actions":
            read.lines += [button["text"]["text"] for button in block["elements"]]
        case "context_actions":
            for thumbs in block["elements"]:
                for name in ("positive_button", "negative_button"):
                    read.lines.append(thumbs[name]["text"]["text"])
        case "rich_text":
            _rich(block["elements"], read)
        case unknown:
            raise AssertionError(f"a block of Slack: {unknown}")


def _rich(elements: Sequence[Json], read: Read) -> None:
    """A block of rich text; all of its quotes and code are one quotation."""
    quoted: list[str] = []
    for element in elements:
        runs = "".join(_run(run, read) for run in element["elements"])
        match element["type"]:
            case "rich_text_section":
                read.lines += runs.split("\n")
            case "rich_text_quote":
                quoted += runs.split("\n")
            case "rich_text_preformatted":
                quoted.append(runs)
            case unknown:
                raise AssertionError(f"an element of rich text: {unknown}")
    if quoted:
        read.quotations.append(quoted)


def _run(run: Json, read: Read) -> str:
    match run["type"]:
        case "text":
            return str(run["text"])
        case "link":
            read.links.append(run["url"])
            return str(run["text"])
        case "emoji":
            return ""
        case unknown:
            raise AssertionError(f"a run of rich text: {unknown}")


# --- Discord ----------------------------------------------------------------------

_FENCE = "```"
_LINK = re.compile(r"(?<!\\)\[((?:\\.|[^\]\\])*)\]\((\S*?)\)")
_ESCAPED = re.compile(r"\\([^0-9A-Za-z\s])")


def discord(parts: Sequence[Part]) -> Read:
    """Markdown of text displays, and the labels of buttons."""
    read = Read()
    for part in parts:
        payload: Json = part.model_dump(mode="json")["payload"]
        assert set(payload) == {"flags", "components", "allowed_mentions"}
        assert payload["allowed_mentions"] == {"parse": []}
        for component in _components(payload["components"]):
            _component(component, read)
    return read


def _components(found: Sequence[Json]) -> Iterator[Json]:
    for component in found:
        yield component
        yield from _components(component.get("components", []))


def _component(component: Json, read: Read) -> None:
    match component["type"]:
        case 1 | 14 | 17:  # a row, a line, the box
            assert not {"content", "label", "text"} & set(component)
        case 2:
            read.lines.append(component["label"])
        case 10:
            _markdown(component["content"], read)
        case unknown:
            raise AssertionError(f"a component of Discord: {unknown}")


def _markdown(content: str, read: Read) -> None:
    quoted: list[str] = []
    code: list[str] | None = None
    for line in content.split("\n"):
        if not line.startswith("> "):
            assert code is None, "code is open behind its quotation"
            if quoted:
                read.quotations.append(quoted)
                quoted = []
            read.lines.append(_plain(re.sub(r"^(?:-# |### )", "", line), read))
            continue
        bare = line.removeprefix("> ")
        if bare == _FENCE:
            if code is not None:
                quoted.append("\n".join(code))
            code = [] if code is None else None
        elif code is not None:
            code.append(bare)
        else:
            quoted.append(_plain(bare, read))
    if quoted:
        read.quotations.append(quoted)


def _plain(line: str, read: Read) -> str:
    """A line without what sets it; where its links lead is kept."""
    read.links += [url for _, url in _LINK.findall(line)]
    text = _LINK.sub(r"\1", line)
    text = re.sub(r"(?<!\\)`(\[[\d, ]+\])(?<!\\)`", r"\1", text)
    text = re.sub(r"(?<!\\)\*\*(.+?)(?<!\\)\*\*", r"\1", text)
    return _ESCAPED.sub(r"\1", text)
