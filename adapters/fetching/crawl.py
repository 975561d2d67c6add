"""The pages of a website that links lead to, from one page on and below given paths."""

from collections.abc import AsyncIterator, Iterator
from pathlib import PurePosixPath
from urllib.parse import urldefrag, urljoin, urlsplit

from selectolax.lexbor import LexborHTMLParser

from adapters.fetching.records import Item, Known, Page
from adapters.fetching.site import add_address, make_file_name
from adapters.fetching.web import Web
from adapters.loaders.decoding import decode
from engine.model.errors import DocumentError, FetchFailed, NotThere
from engine.policy.records import Feed

# Suffixes of pages; links to other files are not followed.
PAGES = frozenset(
    {"", ".html", ".htm", ".xhtml", ".php", ".asp", ".aspx", ".jsp", ".md"}
)


class Links:
    """The pages below a feed's paths that its page leads to, read while listed.

    A link with a query is not followed, because calendars and searches have no end; nor
    is one marked `nofollow`. A page that is gone or closed by robots.txt is not listed.
    A page that fails this time is listed, so that it does not count as gone, and its
    fetch fails.
    """

    def __init__(self, feed: Feed, web: Web) -> None:
        self._feed = feed
        self._web = web
        self._below = feed.below or (find_path_above(feed.url),)
        self._read: dict[str, Page | FetchFailed] = {}

    async def items(self) -> AsyncIterator[Item]:
        """List every page, in the order in which links lead to it.

        Raises:
            FetchFailed: the first page cannot be fetched.
        """
        start = urldefrag(self._feed.url).url
        waiting, seen = [start], {start}
        while waiting:
            url = waiting.pop(0)
            page = await self._get_page(url, first=url == start)
            if page is None:
                continue
            at = url if isinstance(page, FetchFailed) else page.url or url
            if at in self._read or not self._is_ours(at):
                continue
            self._read[at] = page
            seen.add(at)
            for link in () if isinstance(page, FetchFailed) else _list_links(page, at):
                if link not in seen and self._is_ours(link):
                    seen.add(link)
                    waiting.append(link)
            yield Item(make_file_name(at), at)

    async def fetch(self, item: Item, known: Known | None) -> Page:
        """Return one page that was read while it was listed.

        Raises:
            FetchFailed: it could not be fetched then.
        """
        page = self._read[item.url]
        if isinstance(page, FetchFailed):
            raise page
        return add_address(page, item.url)

    async def _get_page(self, url: str, *, first: bool) -> Page | FetchFailed | None:
        """Get a page, or the error of this time; return None where it is gone."""
        try:
            return await self._web.get(url)
        except NotThere:
            if first:
                raise
            return None
        except FetchFailed as error:
            if first:
                raise
            return error

    def _is_ours(self, url: str) -> bool:
        parts, home = urlsplit(url), urlsplit(self._feed.url)
        return (
            (parts.scheme, parts.netloc) == (home.scheme, home.netloc)
            and not parts.query
            and parts.path.startswith(tuple(self._below))
            and PurePosixPath(parts.path).suffix.lower() in PAGES
        )


def find_path_above(url: str) -> str:
    """Find the path that the pages beside and below a page share."""
    path = urlsplit(url).path or "/"
    folder, _, last = path.rpartition("/")
    return f"{folder}/" if "." in last or not last else path


def _list_links(page: Page, url: str) -> Iterator[str]:
    """List the addresses that a page leads to, unless they are marked `nofollow`."""
    try:
        tree = LexborHTMLParser(decode(page.content or b"", url, ".html", page.charset))
    except DocumentError:
        return
    for meta in tree.css("meta[name=robots]"):
        if "nofollow" in (meta.attributes.get("content") or "").lower():
            return
    for link in tree.css("a[href]"):
        if "nofollow" in (link.attributes.get("rel") or "").lower():
            continue
        try:
            yield urldefrag(urljoin(url, link.attributes["href"] or "")).url
        except ValueError:
            continue  # not an address
