"""Acts and regulations from the Justice Laws website, found in its complete list."""

from collections.abc import AsyncIterator
from urllib.parse import urljoin, urlsplit

import re2

from adapters.fetching import xml
from adapters.fetching.records import Item, Known, Page
from adapters.fetching.web import Web
from engine.model.errors import FetchFailed
from engine.policy.records import Feed

NAME = re2.compile(r"^[A-Za-z0-9][\w.,-]{0,80}$")


class JusticeLaws:
    """The acts and regulations that a feed names, one XML file each."""

    def __init__(self, feed: Feed, web: Web) -> None:
        self._feed = feed
        self._web = web

    async def items(self) -> AsyncIterator[Item]:
        """List those that the feed names; the mark is the day they are current to.

        Their names are paths as in the publisher's repository, from which the loader
        makes the addresses of sections.

        Raises:
            FetchFailed: the list lacks one of them.
        """
        url = self._feed.url
        root = xml.parse(url, await self._web.get(url))
        found: dict[str, Item] = {}
        for each in root.iter():
            name = xml.child_text(each, "UniqueId")
            if xml.local_name(each) in {"Act", "Regulation"} and name in self._feed.ids:
                link = urljoin(url, xml.child_text(each, "LinkToXML"))
                if (
                    not NAME.match(name)
                    or urlsplit(link).netloc != urlsplit(url).netloc
                ):
                    raise FetchFailed(f"{url}: lists {name!r} at a strange place")
                # The list still has http addresses of files served over TLS.
                link = urlsplit(link)._replace(scheme=urlsplit(url).scheme).geturl()
                mark = xml.child_text(each, "CurrentToDate") or None
                kind = "acts" if xml.local_name(each) == "Act" else "regulations"
                found[name] = Item(f"eng/{kind}/{name}.xml", link, mark)
        lost = [name for name in self._feed.ids if name not in found]
        if lost:
            raise FetchFailed(f"{url}: does not list {', '.join(lost)}")
        for item in found.values():
            yield item

    async def fetch(self, item: Item, known: Known | None) -> Page:
        """Fetch one act or regulation."""
        page = await self._web.get(item.url, known)
        if page.content is not None:
            xml.parse(item.url, page)
        return page
