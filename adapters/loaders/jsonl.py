"""JSON Lines: one document a line; a bad line is reported by number and left out."""

from collections.abc import Mapping

from adapters.loaders.canonical import CanonicalText, make_storable
from adapters.loaders.fields import read_json
from adapters.loaders.front_matter import read_details
from adapters.loaders.limits import Limits
from adapters.loaders.loaded import Loaded
from adapters.loaders.readers import make_loader_name
from adapters.loaders.text import append_text
from engine.model.document import Parsed
from engine.model.errors import DocumentError

NAME = make_loader_name("jsonl")


def parse(text: str, path: str, limits: Limits) -> Loaded:
    """Parse every line with a `text` field (plain text); report the other lines.

    Other fields are those of front matter, with `date` for `published`. A document
    without an id or a URL is identified by the number of its line.
    """
    documents: list[Parsed] = []
    problems: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            documents.append(_read_line(line, f"{path}#{number}", limits))
        except DocumentError as error:
            problems.append(str(error))
    return Loaded(documents=tuple(documents), problems=tuple(problems))


def _read_line(line: str, path: str, limits: Limits) -> Parsed:
    """Parse one line; `path` includes its number.

    Raises:
        DocumentError: the line is too long, no JSON object, or holds no text.
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
    out = CanonicalText(path, limits)
    append_text(out, make_storable(fields["text"]))
    if not out.blocks:
        raise DocumentError(f'{path}: "text" is empty; remove the line or add its text')
    return Parsed(
        path=path,
        text=out.text,
        blocks=tuple(out.blocks),
        loader=NAME,
        **read_details(fields, path).of(out.text, out.blocks),
    )
