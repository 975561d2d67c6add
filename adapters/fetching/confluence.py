"""Pages and files of Confluence spaces, in Cloud and Data Center alike.

Both are read by one resource, `content/search` of the REST API: Cloud no longer lists
pages by `content`, and Data Center has no second version of the API.
"""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from html import escape
from urllib.parse import urlencode, urlsplit

import re2

from adapters.fetching.records import Item, Known, Page
from adapters.fetching.web import Web
from engine.model.errors import FetchFailed
from engine.policy.records import Feed

A_PAGE = 100  # entries of one page of the list; Data Center returns 200 at most
ABOUT = (
    "version,container,ancestors,metadata.labels,"
    "restrictions.read.restrictions.user,restrictions.read.restrictions.group"
)
# Attachments that are documents, unlike pictures and archives.
FILES = re2.compile(r"(?i)\.(?:adoc|csv|docx|epub|html?|md|mdx|pdf|pptx|rst|txt|xlsx)$")
_STRANGE = re2.compile(r"[^A-Za-z0-9._-]+")

Entry = Mapping[str, object]  # as the API returns it, unchecked


class Confluence:
    """The pages, posts and files of a feed's spaces (`ids`), with access tags.

    The readers of an entry are limited by it and every page above it: each names
    groups, which `groups` maps to tags. A label may limit a page too (`labels`). An
    entry that is limited to people without a tag is listed as closed, and so is one
    whose limits cannot be read; no copy of it stays in force. A file cannot carry
    access tags, so the files of limited pages are closed too.
    """

    def __init__(self, feed: Feed, web: Web) -> None:
        self._feed = feed
        self._web = web
        self._base = feed.url.rstrip("/")
        self._entries: dict[str, Entry] = {}
        self._numbers: dict[str, str] = {}  # by the name of the file
        self._tags: dict[str, frozenset[str] | None] = {}

    async def items(self) -> AsyncIterator[Item]:
        """List every page, post and file of the spaces.

        Raises:
            FetchFailed: the complete list cannot be fetched.
        """
        await self._list()
        for number, entry in self._entries.items():
            file = entry.get("type") == "attachment"
            holder = _read_text(_descend(entry, "container"), "id") if file else number
            if file and (
                holder not in self._entries
                or not FILES.search(_read_text(entry, "title"))
            ):
                continue
            tags = await self._find_tags(holder)
            closed = tags is not None and (file or not tags)
            version = _descend(entry, "version").get("number")
            mark = f"{version} {','.join(sorted(tags or ()))}" if version else None
            name = _make_name(entry)
            self._numbers[name] = number
            yield Item(name, self._find_address(entry), mark, closed)

    async def fetch(self, item: Item, known: Known | None) -> Page:
        """Fetch a file, or a page with title, address, day and access tags in front.

        Raises:
            FetchFailed: it cannot be fetched.
        """
        number = self._numbers[item.name]
        entry = self._entries[number]
        if entry.get("type") == "attachment":
            return await self._web.get(item.url, known, robots=False, anywhere=True)
        asked = {"cql": f"id={number}", "expand": "body.export_view"}
        found = _read_results(
            await self._ask(f"{self._base}{_SEARCH}?{urlencode(asked)}")
        )
        body = _descend(next(iter(found), {}), "body", "export_view").get("value")
        if not isinstance(body, str):
            raise FetchFailed(f"{item.url}: comes without its text")
        title = _read_text(entry, "title")
        fields: dict[str, object] = {
            "title": title,
            "url": item.url,
            "published": _read_text(_descend(entry, "version"), "when")[:10] or None,
            "access_tags": sorted(await self._find_tags(number) or ()) or None,
        }
        head = "".join(f"{k}: {json.dumps(v)}\n" for k, v in fields.items() if v)
        text = f"---\n{head}---\n<h1>{escape(title)}</h1>\n{body}"
        return Page(text.encode("utf-8-sig"))

    async def _list(self) -> None:
        spaces = ",".join(f'"{key}"' for key in self._feed.ids)
        cql = f"space in ({spaces}) and type in (page,blogpost,attachment)"
        asked = {"cql": cql, "expand": ABOUT, "limit": str(A_PAGE)}
        url = f"{self._base}{_SEARCH}?{urlencode(asked)}"
        while url and len(self._entries) <= self._feed.most:
            page = await self._ask(url)
            entries = _read_results(page)
            for entry in entries:
                number = _read_text(entry, "id").removeprefix("att")
                if not number.isdecimal() or number in self._entries:
                    raise FetchFailed(f"{url}: lists {number or 'nothing'!r} twice")
                self._entries[number] = entry
            url = self._find_next(page)
            if url and not entries:
                raise FetchFailed(f"{url}: leads on and on")

    def _find_next(self, page: Entry) -> str:
        """Find the address of the list's next page; return "" after the last."""
        links = _descend(page, "_links")
        told = _read_text(links, "next")
        if not told:
            return ""
        origin = "://".join(urlsplit(self._base)[:2])
        context = urlsplit(self._base).path
        whole = told if told.startswith(f"{context}/rest/") else f"{context}{told}"
        return f"{origin}{whole}"

    async def _find_tags(self, number: str) -> frozenset[str] | None:
        """Find the access tags of an entry; return None where everybody may read it."""
        if number not in self._tags:
            self._tags[number] = await self._combine_limits(number)
        return self._tags[number]

    async def _combine_limits(self, number: str) -> frozenset[str] | None:
        entry = self._entries[number]
        if not isinstance(entry.get("ancestors"), list):
            return frozenset()  # unknown, so closed
        above = [_read_text(each, "id") for each in _list_entries(entry["ancestors"])]
        limits = [await self._read_limit(each) for each in (number, *above)]
        labels = _list_entries(_descend(entry, "metadata", "labels").get("results"))
        limits += [
            frozenset({tag})
            for label in labels
            if (tag := self._feed.labels.get(_read_text(label, "name"))) is not None
        ]
        said = [limit for limit in limits if limit is not None]
        return frozenset.intersection(*said) if said else None

    async def _read_limit(self, number: str) -> frozenset[str] | None:
        """Read the tags of the groups that one entry itself is limited to.

        An ancestor that is not listed (a folder) is fetched separately.
        """
        entry = self._entries.get(number)
        if entry is None:
            url = f"{self._base}/rest/api/content/{number}/restriction/byOperation/read"
            read = await self._ask(url)
        else:
            read = _descend(entry, "restrictions", "read")
        limits = _descend(read, "restrictions")
        groups, users = (_descend(limits, name) for name in ("group", "user"))
        if "results" not in groups or "results" not in users:
            return frozenset()  # unknown, so closed
        named = _list_entries(groups["results"])
        if not named and not _list_entries(users["results"]):
            return None
        tags = (self._feed.groups.get(_read_text(group, "name")) for group in named)
        return frozenset(tag for tag in tags if tag is not None)

    async def _ask(self, url: str) -> Entry:
        page = await self._web.get(url, robots=False)
        try:
            read = json.loads(page.content or b"")
        except (ValueError, RecursionError) as error:
            raise FetchFailed(f"{url}: does not answer in JSON ({error})") from error
        if not isinstance(read, Mapping):
            raise FetchFailed(f"{url}: does not answer as Confluence does")
        return read

    def _find_address(self, entry: Entry) -> str:
        links = _descend(entry, "_links")
        name = "download" if entry.get("type") == "attachment" else "webui"
        return f"{self._base}{_read_text(links, name)}"


_SEARCH = "/rest/api/content/search"


def _make_name(entry: Entry) -> str:
    """Make a file name with the entry's number, which does not change."""
    number = _read_text(entry, "id").removeprefix("att")
    if entry.get("type") != "attachment":
        return f"page-{number}.html"
    return f"file-{number}-{_STRANGE.sub('-', _read_text(entry, 'title'))[-80:]}"


def _read_results(page: Entry) -> Sequence[Entry]:
    found = page.get("results")
    if not isinstance(found, list):
        raise FetchFailed("Confluence answered without results")
    return list(_list_entries(found))


def _list_entries(value: object) -> list[Entry]:
    return (
        [v for v in value if isinstance(v, Mapping)] if isinstance(value, list) else []
    )


def _descend(value: object, *names: str) -> Entry:
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def _read_text(value: Entry, name: str) -> str:
    told = value.get(name)
    return told if isinstance(told, str) else ""
