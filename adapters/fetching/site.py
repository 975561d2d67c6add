"""The pages of a website that its sitemap lists."""

import hashlib
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from urllib.parse import urlsplit

import re2

from adapters.fetching import xml
from adapters.fetching.records import Item, Known, Page
from adapters.fetching.web import Web
from adapters.loaders.decoding import decode
from engine.model.errors import DocumentError, FetchFailed
from engine.policy.records import Feed

DEEPEST = 2  # sitemaps that list sitemaps
MOST_MAPS = 200
STRANGE = re2.compile(r"[^a-z0-9]+")


class Site:
    """The pages that a sitemap lists on its own host, as HTML with their address."""

    def __init__(self, feed: Feed, web: Web) -> None:
        self._feed = feed
        self._web = web

    async def items(self) -> AsyncIterator[Item]:
        """List every page of the sitemap below the feed's paths, each once.

        Raises:
            FetchFailed: a sitemap cannot be read.
        """
        maps, seen, pages = [(self._feed.url, 0)], {self._feed.url}, set[str]()
        while maps:
            url, depth = maps.pop(0)
            root = xml.parse(url, await self._web.get(url))
            listing = xml.local_name(root) == "sitemapindex"
            for each in root:
                place = xml.child_text(each, "loc")
                if not place or place in seen or not self._is_ours(place):
                    continue
                if listing and depth < DEEPEST and len(seen) < MOST_MAPS:
                    seen.add(place)
                    maps.append((place, depth + 1))
                elif listing:
                    raise FetchFailed(f"{url}: lists sitemaps without end")
                elif place not in pages and self._is_wanted(place):
                    pages.add(place)
                    yield Item(
                        make_file_name(place),
                        place,
                        xml.child_text(each, "lastmod") or None,
                    )

    async def fetch(self, item: Item, known: Known | None) -> Page:
        """Fetch one page, with its address in front matter.

        It is converted to UTF-8 with a byte order mark, because the encoding that the
        server stated is not stored and the page's own label no longer holds.

        Raises:
            FetchFailed: it cannot be fetched, or is not text in its encoding.
        """
        return add_address(await self._web.get(item.url, known), item.url)

    def _is_ours(self, url: str) -> bool:
        return urlsplit(url).netloc == urlsplit(self._feed.url).netloc

    def _is_wanted(self, url: str) -> bool:
        below = self._feed.below
        return not below or urlsplit(url).path.startswith(below)


def add_address(page: Page, url: str) -> Page:
    """Add the address and the day to a page, as front matter.

    Raises:
        FetchFailed: it is not text in its encoding.
    """
    if page.content is None:
        return page
    try:
        text = decode(page.content, url, ".html", page.charset)
    except DocumentError as error:
        raise FetchFailed(str(error)) from error
    day = datetime.now(UTC).date().isoformat()
    head = f"---\nurl: {json.dumps(url)}\nretrieved: {day}\n---\n"
    return Page((head + text).encode("utf-8-sig"), page.etag, page.modified)


def make_file_name(url: str) -> str:
    """Make a readable and unique file name of an address."""
    path = urlsplit(url).path.lower()
    plain = STRANGE.sub("-", path.removesuffix(".html")).strip("-")[:60] or "page"
    return f"{plain}-{hashlib.sha256(url.encode()).hexdigest()[:8]}.html"
