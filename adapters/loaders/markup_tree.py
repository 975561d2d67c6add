"""XML and HTML as trees, bounded: no entities, no deep nesting (R-S2)."""

from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

import re2
from selectolax.lexbor import LexborHTMLParser

from adapters.loaders.limits import Limits
from engine.model.errors import DocumentError, DocumentTooLarge

# Tags open at once before a page is parsed: its parser takes a time that grows with the
# square of that, five seconds for 20,000.
DEEPEST = 2_000
_TAG = re2.compile(r"<(/?)([a-zA-Z][^\s/>]*)[^>]*>")
# They end by themselves, or by the next of their kind, so that none nests in another.
_FLAT = frozenset(
    (
        *("a", "area", "base", "br", "button", "col", "colgroup", "dd", "dt", "embed"),
        *("form", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "img", "input", "li"),
        *("link", "meta", "nobr", "option", "optgroup", "p", "param", "rp", "rt"),
        *("source", "tbody", "td", "tfoot", "th", "thead", "tr", "track", "wbr"),
    )
)


def read_page(markup: str, path: str) -> LexborHTMLParser:
    """The tree of a page of HTML.

    Raises:
        DocumentTooLarge: more tags are open at once than a page has.
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
    """The root element; a name in a namespace is `{address}name`.

    Raises:
        DocumentError: it is no XML, or declares a document type, which could name
            other files or unfold to gigabytes.
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
        builder.start(_named(tag), {_named(k): v for k, v in attributes.items()})

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(_named(tag))

    def refuse(*_: object) -> None:
        raise DocumentError(
            f"{path}: declares a document type (<!DOCTYPE …>); take that line out"
        )

    # The text is decoded: what its declaration says of bytes is past.
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


def _named(name: str) -> str:
    """expat's "address}name" as ElementTree writes it."""
    return f"{{{name}" if "}" in name else name
