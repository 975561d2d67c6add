"""Bounded parsing of XML and HTML: no entities, no deep nesting."""

from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

import re2
from selectolax.lexbor import LexborHTMLParser

from adapters.loaders.limits import Limits
from engine.model.errors import DocumentError, DocumentTooLarge

# Tags open at once, checked before parsing: the parser's time grows with their square,
# to five seconds for 20,000.
DEEPEST = 2_000
_TAG = re2.compile(r"<(/?)([a-zA-Z][^\s/>]*)[^>]*>")
# They end by themselves or before the next of their kind, so they do not nest.
_FLAT = frozenset(
    (
        *("a", "area", "base", "br", "button", "col", "colgroup", "dd", "dt", "embed"),
        *("form", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "img", "input", "li"),
        *("link", "meta", "nobr", "option", "optgroup", "p", "param", "rp", "rt"),
        *("source", "tbody", "td", "tfoot", "th", "thead", "tr", "track", "wbr"),
    )
)


def read_page(markup: str, path: str) -> LexborHTMLParser:
    """Parse a page of HTML.

    Raises:
        DocumentTooLarge: more than DEEPEST tags are open at once.
    """
    depth = 0
    for match in _TAG.finditer(markup):
        if match[2].lower() not in _FLAT:
            depth = max(0, depth - 1) if match[1] else depth + 1
        if depth > DEEPEST:
            raise DocumentTooLarge(
                f"{path}: elements nest deeper than {DEEPEST} levels; flatten it"
            )
    return LexborHTMLParser(markup)


def read_tree(text: str, path: str, limits: Limits) -> Element:
    """Parse XML to its root element; a name in a namespace is `{address}name`.

    Raises:
        DocumentError: it is not XML, or declares a document type, which could include
            other files or expand to gigabytes.
        DocumentTooLarge: elements nest deeper than the limit.
    """
    builder, depth = TreeBuilder(), 0

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > limits.depth:
            raise DocumentTooLarge(
                f"{path}: elements nest deeper than {limits.depth} levels; flatten it"
            )
        builder.start(
            _write_name(tag), {_write_name(k): v for k, v in attributes.items()}
        )

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(_write_name(tag))

    def refuse(*_: object) -> None:
        raise DocumentError(
            f"{path}: declares a document type (<!DOCTYPE …>); take that line out"
        )

    # The text is decoded already, whatever encoding its declaration names.
    parser = expat.ParserCreate("utf-8", "}")
    parser.buffer_text = True
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(text.encode(), True)
    except expat.ExpatError as error:
        raise DocumentError(f"{path}: is not XML ({error}); repair the file") from error
    return builder.close()


def _write_name(name: str) -> str:
    """Write expat's "address}name" as ElementTree does."""
    return f"{{{name}" if "}" in name else name
