"""JSON Lines: one document a line; a bad line is reported by number and left out.

A line may be a section of a law or of rules, with its number and the headings above it.
It becomes the same document as in the files of Justice Laws.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from adapters.loaders.canonical import CanonicalText, make_storable
from adapters.loaders.fields import read_json
from adapters.loaders.front_matter import FIELDS, NOTHING, read_details, read_line
from adapters.loaders.limits import Limits
from adapters.loaders.loaded import Loaded
from adapters.loaders.readers import make_loader_name
from adapters.loaders.sections import Section, append_provisions, is_indented
from adapters.loaders.text import append_text
from engine.model.document import Parsed
from engine.model.errors import DocumentError

NAME = make_loader_name("jsonl")
NOTES = ("marginal_note", "heading")  # what a section is about, by either name
READ = FIELDS | {"text", "section", "headings", *NOTES}
MOST_HEADINGS = 20
MOST_TOLD = 10  # fields that nothing reads
SHORT = 4  # characters of a label without a figure: "IV", "Sch"
LONGEST_LABEL = 40  # characters of a section's number or word


def parse(text: str, path: str, limits: Limits) -> Loaded:
    """Parse every line with a `text` field (plain text); report the other lines.

    Other fields are those of front matter, with `date` for `published`, and those of a
    section. A document without an id or a URL is identified by the number of its line.
    Fields that nothing reads are remarked on once, with the first document.
    """
    documents: list[Parsed] = []
    problems: list[str] = []
    unread: Counter[str] = Counter()
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            fields = _read_fields(line, f"{path}#{number}", limits)
            documents.append(_read_document(fields, f"{path}#{number}", limits))
        except DocumentError as error:
            problems.append(str(error))
        else:
            unread.update(str(name) for name in fields if name not in READ)
    if unread:
        documents[0] = documents[0].model_copy(update={"remarks": (_tell(unread),)})
    return Loaded(documents=tuple(documents), problems=tuple(problems))


def _tell(unread: Counter[str]) -> str:
    named = [
        f"{' '.join(make_storable(name[:40]).split())} "
        f"({count:,} {'line' if count == 1 else 'lines'})"
        for name, count in sorted(unread.items())[:MOST_TOLD]
    ]
    if more := len(unread) - len(named):
        named.append(f"and {more:,} more")
    return f"fields of its file that nothing reads, left out: {', '.join(named)}"


def _read_fields(line: str, path: str, limits: Limits) -> Mapping[Any, Any]:
    """Read the fields of one line; `path` includes its number.

    Raises:
        DocumentError: the line is too long, no JSON object, or has no `text`.
    """
    if len(line) > limits.line_bytes:
        raise DocumentError(
            f"{path}: line of more than {limits.line_bytes:,} characters; split it"
        )
    try:
        fields = read_json(line)
    except ValueError as error:
        raise DocumentError(
            f"{path}: line does not read as JSON ({error}); write one object a line"
        ) from error
    if not isinstance(fields, Mapping) or not isinstance(fields.get("text"), str):
        raise DocumentError(
            f'{path}: line must be an object with a "text" field that holds its text'
        )
    return fields


def _read_document(fields: Mapping[Any, Any], path: str, limits: Limits) -> Parsed:
    """Make the document of a line.

    Raises:
        DocumentError: it holds no text, or a known field is wrong.
    """
    out = CanonicalText(path, limits)
    section, above_it = _read_section(fields, path)
    headings = [*_read_headings(fields, path), *above_it]
    section.append_headings(out, [*enumerate(headings, 1)])
    above = len(out.blocks)
    text = make_storable(fields["text"])
    append = append_provisions if section.label and is_indented(text) else append_text
    append(out, text)
    if len(out.blocks) == above:
        raise DocumentError(f'{path}: "text" is empty; remove the line or add its text')
    told = read_details(fields, path).of(out.text, out.blocks)
    title = told["title"]
    if section.label and title:
        named = section.make_thing((title,), out.text, out.blocks[above:])
        told["things"] = (*told.get("things", ()), named)
        told["title"] = section.write_title(title)
    return Parsed(
        path=path, text=out.text, blocks=tuple(out.blocks), loader=NAME, **told
    )


def _read_section(
    fields: Mapping[Any, Any], path: str
) -> tuple[Section, Sequence[str]]:
    """Read number and marginal note, and a `heading` that stands above such a note.

    A mark of Justice Laws before the number goes. A word without a figure is no number
    by which a section is looked up: it is read as a heading.
    """
    label = _read_one(fields, "section", path).lstrip("*").strip()
    if len(label) > LONGEST_LABEL:
        raise DocumentError(
            f"{path}: section must have at most {LONGEST_LABEL} characters: its number"
        )
    said = [*filter(None, (_read_one(fields, name, path) for name in NOTES))]
    if label and not any(letter.isdigit() for letter in label) and len(label) > SHORT:
        said.append(label)
        label = ""
    return Section(label, next(iter(said), "")), said[1:]


def _read_headings(fields: Mapping[Any, Any], path: str) -> Sequence[str]:
    """Read the headings above a section, the highest first."""
    value = fields.get("headings")
    value = () if value is None else [value] if isinstance(value, str) else value
    if not isinstance(value, list | tuple) or len(value) > MOST_HEADINGS:
        raise DocumentError(
            f"{path}: headings must be a list of at most {MOST_HEADINGS} texts"
        )
    read = (
        read_line(one, "each of headings", path) for one in value if one is not None
    )
    return [" ".join(one.split()) for one in read if one]


def _read_one(fields: Mapping[Any, Any], name: str, path: str) -> str:
    value = fields.get(name)
    empty = value is None or (isinstance(value, str) and value in NOTHING)
    text = "" if empty else read_line(value, name, path) or ""
    return " ".join(text.split())
