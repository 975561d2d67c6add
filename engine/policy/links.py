"""The addresses that may be shown as links: those of the source register.

Anybody may write an address into a document. It is shown only where it is below an
address that the register names for the document's source.
"""

import re
from pathlib import PurePosixPath
from urllib.parse import SplitResult, quote, unquote, urlsplit

from engine.policy.records import Source

_PORTS = {"http": 80, "https": 443}
_FRONT = frozenset({"index", "readme"})  # files that represent their folder
_DOUBLE = re.compile(r"([^:/])/{2,}")
_ENDS = ("/", "?", "=", "&", "#")  # where a part of an address may end


def permit_link(url: str | None, source: Source | None) -> str | None:
    """Return the address where its source may be linked so, else None.

    It has to be below a prefix, or equal to the homepage: the same scheme, host and
    port, no user name before the host, and no step upwards in the path.

    Args:
        url: from a document.
        source: of the document; None where the register has none.
    """
    asked = None if url is None else address(url)
    if url is None or asked is None or source is None:
        return None
    if source.homepage is not None and _is_homepage(asked, source.homepage):
        return url
    prefixes = [*source.url_prefixes]
    if source.base_url is not None:
        prefixes.append(source.base_url.partition("{")[0])
    if source.code is not None and source.code.root is not None:
        prefixes.append(source.code.root)
    return url if any(is_below(url, prefix) for prefix in prefixes) else None


def find_page(place: str, source: Source) -> str | None:
    """Return the address of a source's file by its place in the source's folder.

    Args:
        place: the file's whole path.
        source: of the file.

    Returns:
        None where the file is not in the folder, or the register forbids the address.
    """
    if source.folder is None or source.base_url is None:
        return None
    file, folder = PurePosixPath(place), PurePosixPath(source.folder)
    if not file.is_relative_to(folder):
        return None
    path = file.relative_to(folder)
    page = path.with_suffix("")
    if page.name.lower() in _FRONT:
        page = page.parent
    said = {"{path}": quote(path.as_posix()), "{page}": quote(page.as_posix())}
    if not any(each in source.base_url for each in said):
        return permit_link(f"{source.base_url.rstrip('/')}/{said['{path}']}", source)
    url = source.base_url
    for each, written in said.items():
        url = url.replace(each, "" if written == "." else written)
    return permit_link(_DOUBLE.sub(r"\1/", url), source)


def is_below(url: str, prefix: str) -> bool:
    """Return whether an address is below another one, both read as a browser reads
    them.
    """
    asked, above = address(url), address(prefix)
    if (
        asked is None
        or above is None
        or _normalise_site(above) != _normalise_site(asked)
    ):
        return False
    if ".." in unquote(unquote(asked.path)).replace("\\", "/").split("/"):
        return False
    start, rest = _join_rest(above), _join_rest(asked)
    if not rest.startswith(start):
        return False
    return start.endswith(_ENDS) or rest[len(start) :][:1] in ("", *_ENDS)


def address(url: str) -> SplitResult | None:
    """Parse a web address that every reader reads alike; None for any other.

    Left out: other schemes, a user name before the host, hosts in letters beyond ASCII
    (look-alikes), blanks, control characters, backslashes.
    """
    if not url.isprintable() or any(c.isspace() or c == "\\" for c in url):
        return None
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return None
    if parts.scheme not in _PORTS or not host or not host.isascii():
        return None
    return None if "@" in parts.netloc or "%" in parts.netloc else parts


def _normalise_site(parts: SplitResult) -> tuple[str, str, int]:
    """Return scheme, host and port in a form to compare."""
    host = (parts.hostname or "").rstrip(".")
    return parts.scheme, host, parts.port or _PORTS[parts.scheme]


def _is_homepage(asked: SplitResult, homepage: str) -> bool:
    home = address(homepage)
    if home is None or _normalise_site(home) != _normalise_site(asked):
        return False
    return _join_rest(asked).rstrip("/") == _join_rest(home).rstrip("/")


def _join_rest(parts: SplitResult) -> str:
    """Return path, query and fragment."""
    rest = parts.path or "/"
    rest += f"?{parts.query}" if parts.query else ""
    return rest + (f"#{parts.fragment}" if parts.fragment else "")
