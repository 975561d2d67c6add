"""Trial records from the API of ClinicalTrials.gov (version 2)."""

import json
from collections.abc import AsyncIterator, Mapping
from urllib.parse import urlencode

import re2

from adapters.fetching.records import Item, Known, Page
from adapters.fetching.web import Web
from engine.model.errors import FetchFailed
from engine.policy.records import Feed

NUMBER = re2.compile(r"^NCT\d{8}$")
A_PAGE = 1_000  # records of one page of the list, with numbers and dates alone
LISTED = "NCTId|LastUpdatePostDate"


class TrialRegister:
    """The records of a search or of a list of numbers, one file each."""

    def __init__(self, feed: Feed, web: Web) -> None:
        self._feed = feed
        self._web = web
        self._studies = feed.url.rstrip("/")

    async def items(self) -> AsyncIterator[Item]:
        """List every record found.

        Raises:
            FetchFailed: the list differs from the number that the register states, or
                lacks a number of the feed.
        """
        seen: set[str] = set()
        total: object = None
        token: object = None
        while True:
            page = await self._list(token)
            total = page.get("totalCount") if total is None else total  # first page's
            studies = page.get("studies")
            for study in studies if isinstance(studies, list) else ():
                item = self._make_item(study)
                if item.name not in seen:
                    seen.add(item.name)
                    yield item
            token = page.get("nextPageToken")
            if not token:
                break
        if total != len(seen):
            raise FetchFailed(
                f"{self._studies}: says {total} records and lists {len(seen)}"
            )
        lost = sorted(n for n in self._feed.ids if f"{n}.json" not in seen)
        if lost:
            raise FetchFailed(f"{self._studies}: has no record {', '.join(lost)}")

    async def fetch(self, item: Item, known: Known | None) -> Page:
        """Fetch one complete record."""
        page = await self._web.get(item.url, known, robots=False)
        number = item.name.removesuffix(".json")
        if (
            page.content is not None
            and _read_number(_read_json(item.url, page)) != number
        ):
            raise FetchFailed(f"{item.url}: is not the record {number}")
        return page

    async def _list(self, token: object) -> dict[str, object]:
        feed = self._feed
        asked = {
            "query.cond": feed.condition,
            "query.term": feed.term,
            "filter.ids": ",".join(feed.ids),
            "fields": LISTED,
            "pageSize": str(A_PAGE),
            "countTotal": "true",
            "pageToken": token,
        }
        told = urlencode({key: value for key, value in asked.items() if value})
        url = f"{self._studies}?{told}"
        return dict(_read_json(url, await self._web.get(url, robots=False)))

    def _make_item(self, study: object) -> Item:
        number = _read_number(study)
        if not NUMBER.match(number):
            raise FetchFailed(f"{self._studies}: lists a record without its number")
        status = _descend(study, "protocolSection", "statusModule")
        posted = _descend(status, "lastUpdatePostDateStruct").get("date")
        mark = posted if isinstance(posted, str) else None
        return Item(f"{number}.json", f"{self._studies}/{number}", mark)


def _read_json(url: str, page: Page) -> Mapping[str, object]:
    try:
        read = json.loads(page.content or b"")
    except (ValueError, RecursionError) as error:
        raise FetchFailed(f"{url}: does not answer in JSON ({error})") from error
    return read if isinstance(read, Mapping) else {}


def _read_number(study: object) -> str:
    told = _descend(study, "protocolSection", "identificationModule").get("nctId")
    return told if isinstance(told, str) else ""


def _descend(value: object, *path: str) -> Mapping[str, object]:
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}
