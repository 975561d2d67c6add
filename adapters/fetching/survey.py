"""The survey of a website: its publisher, and a feed of its pages below an address."""

from dataclasses import dataclass
from urllib.parse import urldefrag, urlsplit

import re2
from selectolax.lexbor import LexborHTMLParser

from adapters.fetching.crawl import find_path_above
from adapters.fetching.site import Site
from adapters.fetching.web import Web
from adapters.loaders.decoding import decode
from engine.model.errors import DocumentError, FetchFailed
from engine.policy.records import Feed

_NAMES = ("meta[property='og:site_name']", "meta[name='application-name']")
_BETWEEN = re2.compile(r"\s+[|–—·»-]\s+")  # between the parts of a page's title


@dataclass(frozen=True, slots=True)
class Survey:
    """A site: its publisher, its first page, and the feed of its pages.

    `prefix` is the address above all of them.
    """

    publisher: str
    homepage: str
    prefix: str
    feed: Feed


async def survey_site(web: Web, url: str) -> Survey:
    """Survey a site by its first page, its robots.txt and its sitemaps.

    A sitemap is used where it lists a page below the address; otherwise links are.

    Raises:
        FetchFailed: the page cannot be fetched, or is not text.
    """
    page = await web.get(urldefrag(url).url)
    at = page.url or url
    try:
        text = decode(page.content or b"", at, ".html", page.charset)
    except DocumentError as error:
        raise FetchFailed(str(error)) from error
    parts = urlsplit(at)
    origin, below = f"{parts.scheme}://{parts.netloc}", find_path_above(at)
    feed = Feed(by="links", url=at, below=(below,))
    for sitemap in dict.fromkeys((*await web.sitemaps(at), f"{origin}/sitemap.xml")):
        listed = await _find_listing(web, sitemap, below)
        if listed is not None:
            feed = listed
            break
    publisher = _find_publisher(LexborHTMLParser(text)) or parts.netloc
    return Survey(publisher, at, f"{origin}{below}", feed)


async def _find_listing(web: Web, sitemap: str, below: str) -> Feed | None:
    """Make the feed of a sitemap; None if it is unreadable or lists no page below."""
    try:
        feed = Feed(by="sitemap", url=sitemap, below=(below,))
        async for _ in Site(feed, web).items():
            return feed
    except (FetchFailed, ValueError):
        return None
    return None


def _find_publisher(tree: LexborHTMLParser) -> str:
    """Find the name of a page's site, or else the last part of its title."""
    for name in _NAMES:
        for meta in tree.css(name):
            said = " ".join((meta.attributes.get("content") or "").split())
            if said:
                return said
    title = tree.css_first("title")
    said = " ".join(title.text().split()) if title is not None else ""
    return str(_BETWEEN.split(said)[-1])
