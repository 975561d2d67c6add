"""What a website says of itself, and how its pages below an address can be listed."""

from dataclasses import dataclass
from urllib.parse import urldefrag, urlsplit

import re2
from selectolax.lexbor import LexborHTMLParser

from adapters.fetching.crawl import path_above
from adapters.fetching.site import Site
from adapters.fetching.web import Web
from adapters.loaders.decoding import decode
from engine.model.errors import DocumentError, FetchFailed
from engine.policy.records import Feed

_NAMES = ("meta[property='og:site_name']", "meta[name='application-name']")
_BETWEEN = re2.compile(r"\s+[|–—·»-]\s+")  # of the parts of a page's title


@dataclass(frozen=True, slots=True)
class Survey:
    """A site: who it says it is, its first page, and the feed of its pages.

    `prefix` is the address that all of them lie below.
    """

    publisher: str
    homepage: str
    prefix: str
    feed: Feed


async def survey(web: Web, url: str) -> Survey:
    """Look at a site's first page, its robots.txt and its sitemaps.

    A sitemap counts where it lists a page below the address; else links are followed.

    Raises:
        FetchFailed: the page cannot be had, or is no text.
    """
    page = await web.get(urldefrag(url).url)
    at = page.url or url
    try:
        text = decode(page.content or b"", at, ".html", page.charset)
    except DocumentError as error:
        raise FetchFailed(str(error)) from error
    parts = urlsplit(at)
    origin, below = f"{parts.scheme}://{parts.netloc}", path_above(at)
    feed = Feed(by="links", url=at, below=(below,))
    for sitemap in dict.fromkeys((*await web.sitemaps(at), f"{origin}/sitemap.xml")):
        listed = await _listing(web, sitemap, below)
        if listed is not None:
            feed = listed
            break
    publisher = _publisher(LexborHTMLParser(text)) or parts.netloc
    return Survey(publisher, at, f"{origin}{below}", feed)


async def _listing(web: Web, sitemap: str, below: str) -> Feed | None:
    """The feed of a sitemap; None where it cannot be read or lists nothing below."""
    try:
        feed = Feed(by="sitemap", url=sitemap, below=(below,))
        async for _ in Site(feed, web).items():
            return feed
    except (FetchFailed, ValueError):
        return None
    return None


def _publisher(tree: LexborHTMLParser) -> str:
    """Who a page says that its site is; else the last part of its title."""
    for name in _NAMES:
        for meta in tree.css(name):
            said = " ".join((meta.attributes.get("content") or "").split())
            if said:
                return said
    title = tree.css_first("title")
    said = " ".join(title.text().split()) if title is not None else ""
    return str(_BETWEEN.split(said)[-1])
