"""XML from the web as a tree; without entities, which unfold to gigabytes."""

from xml.etree import ElementTree

from adapters.fetching.records import Page
from engine.model.errors import FetchFailed


def read(url: str, page: Page) -> ElementTree.Element:
    """The root of a document.

    Raises:
        FetchFailed: it is no XML, or brings entities of its own.
    """
    content = page.content or b""
    if b"<!ENTITY" in content or b"<!DOCTYPE" in content[:4_096]:
        raise FetchFailed(f"{url}: has a document type of its own and is not read")
    try:
        return ElementTree.fromstring(content)
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise FetchFailed(f"{url}: is no XML ({error})") from error


def local(element: ElementTree.Element) -> str:
    """An element's name without its namespace."""
    return element.tag.rpartition("}")[2]


def said(element: ElementTree.Element, name: str) -> str:
    """The text of the first child of a name, empty where there is none."""
    found = next((child for child in element if local(child) == name), None)
    return " ".join("".join(found.itertext()).split()) if found is not None else ""
