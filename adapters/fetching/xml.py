"""XML from the web, parsed without entities, which could expand to gigabytes."""

from xml.etree import ElementTree

from adapters.fetching.records import Page
from engine.model.errors import FetchFailed


def parse(url: str, page: Page) -> ElementTree.Element:
    """Parse a document and return its root.

    Raises:
        FetchFailed: it is not XML, or declares a document type.
    """
    content = page.content or b""
    if b"<!ENTITY" in content or b"<!DOCTYPE" in content[:4_096]:
        raise FetchFailed(f"{url}: has a document type of its own and is not read")
    try:
        return ElementTree.fromstring(content)
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise FetchFailed(f"{url}: is no XML ({error})") from error


def local_name(element: ElementTree.Element) -> str:
    """Return an element's name without its namespace."""
    return element.tag.rpartition("}")[2]


def child_text(element: ElementTree.Element, name: str) -> str:
    """Return the text of the first child with a name, or ""."""
    found = next((child for child in element if local_name(child) == name), None)
    return " ".join("".join(found.itertext()).split()) if found is not None else ""
