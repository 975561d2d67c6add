"""Acts and regulations from the Justice Laws website, as its list of all gives them."""

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
        """Those that the feed names; a change shows in the day they are current to.

        They are laid out as in the publisher's repository, which tells the loader where
        a section stands.

        Raises:
            FetchFailed: the list lacks one of them.
        """
        url = self._feed.url
        root = xml.read(url, await self._web.get(url))
        found: dict[str, Item] = {}
        for each in root.iter():
            name = xml.said(each, "UniqueId")
            if xml.local(each) in {"Act", "Regulation"} and name in self._feed.ids:
                link = urljoin(url, xml.said(each, "LinkToXML"))
                if (
                    not NAME.match(name)
                    or urlsplit(link).netloc != urlsplit(url).netloc
                ):
                    raise FetchFailed(f"{url}: lists {name!r} at a strange place")
                # The list still says http for what is served over TLS.
                link = urlsplit(link)._replace(scheme=urlsplit(url).scheme).geturl()
                mark = xml.said(each, "CurrentToDate") or None
                kind = "acts" if xml.local(each) == "Act" else "regulations"
                found[name] = Item(f"eng/{kind}/{name}.xml", link, mark)
        lost = [name for name in self._feed.ids if name not in found]
        if lost:
            raise FetchFailed(f"{url}: does not list {', '.join(lost)}")
        for item in found.values():
            yield item

    async def fetch(self, item: Item, known: Known | None) -> Page:
        """One act or regulation."""
        page = await self._web.get(item.url, known)
        if page.content is not None:
            xml.read(item.url, page)
        return page
