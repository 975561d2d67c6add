"""The loaders by file extension; this runs in the parser's child process."""

import os
import stat
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from adapters.loaders import (
    asciidoc,
    csv_table,
    epub,
    html,
    jsonl,
    justice_laws,
    markdown,
    mdx,
    pdf,
    rst,
    slides,
    source_code,
    text,
    trials,
    word,
    xlsx,
)
from adapters.loaders.canonical import UNSHOWN, is_damaged, make_storable
from adapters.loaders.decoding import decode
from adapters.loaders.limits import Limits
from adapters.loaders.loaded import Loaded
from engine.model.document import Parsed
from engine.model.errors import DocumentError, DocumentTooLarge

TextLoader = Callable[[str, str, Limits], Parsed]
BytesLoader = Callable[[bytes, str, Limits], Parsed]
RecordLoader = Callable[[str, str, Limits], Loaded]

TEXT_LOADERS: dict[str, TextLoader] = {
    ".md": markdown.parse,
    ".markdown": markdown.parse,
    ".mdx": mdx.parse,
    ".html": html.parse,
    ".htm": html.parse,
    ".rst": rst.parse,
    ".adoc": asciidoc.parse,
    ".asciidoc": asciidoc.parse,
    ".txt": text.parse,
    ".csv": csv_table.parse,
    ".tsv": csv_table.parse,
}
# Binary files.
BYTES_LOADERS: dict[str, BytesLoader] = {
    ".pdf": pdf.parse,
    ".docx": word.parse,
    ".epub": epub.parse,
    ".pptx": slides.parse,
    ".xlsx": xlsx.parse,
}
# Files with several documents.
RECORD_LOADERS: dict[str, RecordLoader] = {
    ".jsonl": jsonl.parse,
    ".json": trials.parse,
    ".xml": justice_laws.parse,
}
EXTENSIONS = frozenset(
    {*TEXT_LOADERS, *BYTES_LOADERS, *RECORD_LOADERS, *source_code.EXTENSIONS}
)


def load(file: Path, path: str, limits: Limits) -> Loaded:
    """Read and parse one file.

    Args:
        file: the file to read.
        path: its name relative to the ingested folder, for messages and ids.
        limits: bounds; the child process itself bounds time and memory.

    Raises:
        DocumentError: unreadable, of an unknown kind, damaged or without text.
        DocumentTooLarge: past a limit.
    """
    extension = PurePosixPath(path).suffix.lower()
    data = _read(file, path, limits.file_bytes)
    reader = BYTES_LOADERS.get(extension)
    if reader is not None:
        return _require_text(reader(data, path, limits))
    decoded = decode(data, path, extension)
    if extension in source_code.EXTENSIONS:
        decoded = decoded.replace("\r\n", "\n")  # `make_storable` would split lines
        return _require_text(source_code.parse(decoded, path, limits))
    decoded = make_storable(decoded)
    records = RECORD_LOADERS.get(extension)
    if records is not None:
        return _drop_damaged(records(decoded, path, limits))
    loader = TEXT_LOADERS.get(extension)
    if loader is None:
        raise DocumentError(
            f"{path}: no loader reads {extension or 'a file without extension'};"
            f" known are {', '.join(sorted(EXTENSIONS))}"
        )
    return _require_text(loader(decoded, path, limits))


def _require_text(parsed: Parsed) -> Loaded:
    if not parsed.blocks:
        raise DocumentError(f"{parsed.path}: holds no text; remove it or add its text")
    if is_damaged(parsed.text):
        raise DocumentError(_describe_damage(parsed))
    return Loaded(documents=(parsed,))


def _drop_damaged(loaded: Loaded) -> Loaded:
    """Drop the documents whose text is damaged and report them as problems."""
    damaged = [one for one in loaded.documents if is_damaged(one.text)]
    if not damaged:
        return loaded
    kept = tuple(one for one in loaded.documents if one not in damaged)
    problems = (*loaded.problems, *map(_describe_damage, damaged))
    return loaded.model_copy(update={"documents": kept, "problems": problems})


def _describe_damage(parsed: Parsed) -> str:
    share = parsed.text.count(UNSHOWN) / len(parsed.text)
    return (
        f"{parsed.path}: {share:.0%} of its characters cannot be shown (U+FFFD and the "
        "like): it was decoded or saved wrongly; get the original again"
    )


def _read(file: Path, path: str, most: int) -> bytes:
    """Read a regular file; refuse a pipe or device before it is read."""
    try:
        with open(os.open(file, os.O_RDONLY | os.O_NONBLOCK), "rb") as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise DocumentError(f"{path}: is no regular file; remove it")
            data = stream.read(most + 1)
    except OSError as error:
        raise DocumentError(
            f"{path}: cannot be read ({error.strerror}); check its permissions"
        ) from error
    if len(data) > most:
        raise DocumentTooLarge(
            f"{path}: larger than {most:,} bytes; split it or raise the limit"
        )
    return data
