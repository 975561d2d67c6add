"""A Confluence on a loopback address, in the shapes of Cloud and Data Center."""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import re2
from aiohttp import web

HOST = "127.0.0.1"
Json = dict[str, object]


@dataclass
class Entry:
    """A page, a post or a file; `groups` and `users` are whom it is limited to."""

    title: str
    body: str | bytes = "<p>Nothing yet.</p>"
    above: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    users: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    version: int = 1
    kind: str = "page"
    space: str = "WARD"


@dataclass
class Confluence:
    """What is in it by number; `key` is what `Authorization` has to say.

    In Cloud lists go on by a cursor below "/wiki", in Data Center by a start below
    "/confluence", and a file of Cloud lies on another host. `asked` counts requests.
    """

    entries: dict[str, Entry]
    key: str
    cloud: bool = True
    a_page: int = 2
    silent: bool = False  # whether it says nothing of who may read
    silent_above: bool = False  # or of what stands above a page
    folders: dict[str, tuple[str, ...]] = field(default_factory=dict)
    asked: Counter[str] = field(default_factory=Counter)
    keys_elsewhere: list[str | None] = field(default_factory=list)
    port: int = 0

    @property
    def context(self) -> str:
        return "/wiki" if self.cloud else "/confluence"

    @property
    def base(self) -> str:
        return f"http://{HOST}:{self.port}{self.context}"

    @asynccontextmanager
    async def open(self) -> AsyncIterator["Confluence"]:
        app = web.Application()
        rest = f"{self.context}/rest/api/content"
        app.router.add_get(f"{rest}/search", self._search)
        limits = f"{rest}/{{number}}/restriction/byOperation/read"
        app.router.add_get(limits, self._limits_of_a_folder)
        app.router.add_get(f"{self.context}/download/{{number}}", self._download)
        app.router.add_get("/media/{number}", self._media)
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, HOST, 0)
        await site.start()
        self.port = runner.addresses[0][1]
        try:
            yield self
        finally:
            await runner.cleanup()

    def _may(self, request: web.Request) -> None:
        self.asked[request.path.removeprefix(self.context)] += 1
        if request.headers.get("Authorization") != self.key:
            raise web.HTTPUnauthorized

    async def _search(self, request: web.Request) -> web.Response:
        self._may(request)
        cql, expand = request.query["cql"], request.query["expand"].split(",")
        one = re2.fullmatch(r"id=(\d+)", cql)
        if one:
            found = [one[1]] if one[1] in self.entries else []
            self.asked[f"page {one[1]}"] += 1
        else:
            listed = re2.fullmatch(
                r"space in \(([^)]*)\) and type in \(page,blogpost,attachment\)", cql
            )
            spaces = listed[1].replace('"', "").split(",")
            found = [n for n, e in self.entries.items() if e.space in spaces]
        start = int(request.query.get("cursor" if self.cloud else "start", "0"))
        stop = start + self.a_page
        links: Json = {"base": self.base, "context": self.context}
        if stop < len(found):
            query = dict(request.query) | {
                "cursor" if self.cloud else "start": str(stop)
            }
            url = request.rel_url.with_query(query)
            # Cloud leaves the context away, Data Center too: both say it beside that.
            links["next"] = str(url).removeprefix(self.context)
        results = [self._shown(number, expand) for number in found[start:stop]]
        return web.json_response({"results": results, "_links": links})

    def _shown(self, number: str, expand: list[str]) -> Json:
        entry = self.entries[number]
        file = entry.kind == "attachment"
        links = {"webui": f"/spaces/{entry.space}/pages/{number}"}
        if file:
            links["download"] = f"/download/{number}"
        shown: Json = {
            "id": f"att{number}" if file and self.cloud else number,
            "type": entry.kind,
            "title": entry.title,
            "_links": links,
        }
        if "version" in expand:
            when = "2026-03-04T10:00:00.000Z"
            shown["version"] = {"number": entry.version, "when": when}
        if "container" in expand and file:
            shown["container"] = {"id": entry.above[-1]}
        if "ancestors" in expand and not self.silent_above:
            shown["ancestors"] = [] if file else [{"id": n} for n in entry.above]
        if "metadata.labels" in expand:
            shown["metadata"] = {
                "labels": {"results": [{"name": name} for name in entry.labels]}
            }
        if "restrictions.read.restrictions.user" in expand and not self.silent:
            shown["restrictions"] = {"read": limits(entry.users, entry.groups)}
        if "body.export_view" in expand:
            shown["body"] = {"export_view": {"value": entry.body}}
        return shown

    async def _limits_of_a_folder(self, request: web.Request) -> web.Response:
        self._may(request)
        number = request.match_info["number"]
        if number not in self.folders:
            raise web.HTTPNotFound
        return web.json_response(limits((), self.folders[number]))

    async def _download(self, request: web.Request) -> web.Response:
        self._may(request)
        number = request.match_info["number"]
        if self.cloud:
            media = f"http://localhost:{self.port}/media/{number}"
            raise web.HTTPFound(media)
        return self._file(number)

    async def _media(self, request: web.Request) -> web.Response:
        self.keys_elsewhere.append(request.headers.get("Authorization"))
        return self._file(request.match_info["number"])

    def _file(self, number: str) -> web.Response:
        body = self.entries[number].body
        return web.Response(body=body if isinstance(body, bytes) else body.encode())


def limits(users: tuple[str, ...], groups: tuple[str, ...]) -> Json:
    """Restrictions as the API shows them."""
    return {
        "operation": "read",
        "restrictions": {
            "user": {"results": [{"accountId": name} for name in users]},
            "group": {"results": [{"name": name} for name in groups]},
        },
    }
