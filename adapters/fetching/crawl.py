"""The pages of a website that links lead to, from one page on and below its paths."""

from collections.abc import AsyncIterator, Iterator
from pathlib import PurePosixPath
from urllib.parse import urldefrag, urljoin, urlsplit

from selectolax.lexbor import LexborHTMLParser

from adapters.fetching.records import Item, Known, Page
from adapters.fetching.site import addressed, name_of
from adapters.fetching.web import Web
from adapters.loaders.decoding import decode
from engine.model.errors import DocumentError, FetchFailed, NotThere
from engine.policy.records import Feed

# What pages are called; a link to anything else is not followed.
PAGES = frozenset(
    {"", ".html", ".htm", ".xhtml", ".php", ".asp", ".aspx", ".jsp", ".md"}
)


class Links:
    """The pages below a feed's paths that its page leads to, read while listed.

    A link with a query is not followed, because calendars and searches have no end; nor
    is one that its page asks not to follow. What is gone or closed by robots.txt is no
    page of the site; what cannot be had this time is listed, so that it is not taken
    for gone, and fails when it is fetched.
    """

    def __init__(self, feed: Feed, web: Web) -> None:
        self._feed = feed
        self._web = web
        self._below = feed.below or (path_above(feed.url),)
        self._read: dict[str, Page | FetchFailed] = {}

    async def items(self) -> AsyncIterator[Item]:
        """Every page, in the order in which links lead to it.

        Raises:
            FetchFailed: the first page cannot be had.
        """
        start = urldefrag(self._feed.url).url
        waiting, seen = [start], {start}
        while waiting:
            url = waiting.pop(0)
            page = await self._page(url, first=url == start)
            if page is None:
                continue
            at = url if isinstance(page, FetchFailed) else page.url or url
            if at in self._read or not self._ours(at):
                continue
            self._read[at] = page
            seen.add(at)
            for link in () if isinstance(page, FetchFailed) else _links(page, at):
                if link not in seen and self._ours(link):
                    seen.add(link)
                    waiting.append(link)
            yield Item(name_of(at), at)

    async def fetch(self, item: Item, known: Known | None) -> Page:
        """One page that was read while it was listed.

        Raises:
            FetchFailed: it could not be had then.
        """
        page = self._read[item.url]
        if isinstance(page, FetchFailed):
            raise page
        return addressed(page, item.url)

    async def _page(self, url: str, *, first: bool) -> Page | FetchFailed | None:
        """A page, or why it cannot be had this time; None where there is none."""
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

    def _ours(self, url: str) -> bool:
        parts, home = urlsplit(url), urlsplit(self._feed.url)
        return (
            (parts.scheme, parts.netloc) == (home.scheme, home.netloc)
            and not parts.query
            and parts.path.startswith(tuple(self._below))
            and PurePosixPath(parts.path).suffix.lower() in PAGES
        )


def path_above(url: str) -> str:
    """The path that the pages beside and below a page share."""
    path = urlsplit(url).path or "/"
    folder, _, last = path.rpartition("/")
    return f"{folder}/" if "." in last or not last else path


def _links(page: Page, url: str) -> Iterator[str]:
    """The addresses that a page leads to, unless it asks not to be followed."""
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
            continue  # no address
