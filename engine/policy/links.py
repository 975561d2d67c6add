"""Which addresses may be shown as links: those of the source register (R-V7).

A document's own address is what anybody may write into a file. It is shown only where
it lies below an address that the register names for the document's source.
"""

import re
from pathlib import PurePosixPath
from urllib.parse import SplitResult, quote, unquote, urlsplit

from engine.policy.records import Source

_PORTS = {"http": 80, "https": 443}
_FRONT = frozenset({"index", "readme"})  # files that stand for their folder
_DOUBLE = re.compile(r"([^:/])/{2,}")
_ENDS = ("/", "?", "=", "&", "#")  # where a part of an address may end


def permitted(url: str | None, source: Source | None) -> str | None:
    """The address where its source may be linked so, else None.

    Below a prefix, or equal to the homepage: the same scheme, host and port, nobody's
    name before the host, and no step upwards in the path.

    Args:
        url: what a document says.
        source: of the document; None where the register has none.
    """
    asked = None if url is None else address(url)
    if url is None or asked is None or source is None:
        return None
    if source.homepage is not None and _same(asked, source.homepage):
        return url
    prefixes = [*source.url_prefixes]
    if source.base_url is not None:
        prefixes.append(source.base_url.partition("{")[0])
    if source.code is not None and source.code.root is not None:
        prefixes.append(source.code.root)
    return url if any(below(url, prefix) for prefix in prefixes) else None


def page_of(place: str, source: Source) -> str | None:
    """The address that a file of a source has by where it lies (R-U16).

    Args:
        place: its whole path.
        source: of the file; None where it does not lie in the source's folder.
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
        return permitted(f"{source.base_url.rstrip('/')}/{said['{path}']}", source)
    url = source.base_url
    for each, written in said.items():
        url = url.replace(each, "" if written == "." else written)
    return permitted(_DOUBLE.sub(r"\1/", url), source)


def below(url: str, prefix: str) -> bool:
    """Whether an address lies below another one, read as a browser reads both."""
    asked, above = address(url), address(prefix)
    if asked is None or above is None or _site(above) != _site(asked):
        return False
    if ".." in unquote(unquote(asked.path)).replace("\\", "/").split("/"):
        return False
    start, rest = _rest(above), _rest(asked)
    if not rest.startswith(start):
        return False
    return start.endswith(_ENDS) or rest[len(start) :][:1] in ("", *_ENDS)


def address(url: str) -> SplitResult | None:
    """A web address that is read alike by everybody, in its parts; None for others.

    Left out: other schemes, a user's name before the host, hosts in letters beyond
    ASCII (look-alikes), blanks, control characters, backslashes.
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


def _site(parts: SplitResult) -> tuple[str, str, int]:
    """Scheme, host and port, as they are compared."""
    host = (parts.hostname or "").rstrip(".")
    return parts.scheme, host, parts.port or _PORTS[parts.scheme]


def _same(asked: SplitResult, homepage: str) -> bool:
    home = address(homepage)
    if home is None or _site(home) != _site(asked):
        return False
    return _rest(asked).rstrip("/") == _rest(home).rstrip("/")


def _rest(parts: SplitResult) -> str:
    """Everything behind the host."""
    rest = parts.path or "/"
    rest += f"?{parts.query}" if parts.query else ""
    return rest + (f"#{parts.fragment}" if parts.fragment else "")
