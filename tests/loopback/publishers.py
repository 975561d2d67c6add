"""Publishers of documents on a loopback address, in the forms that they really have.

A trial register's API, the list of a country's laws, a website with a sitemap, and git.
"""

import asyncio
import os
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from aiohttp import web
from aiohttp.typedefs import Handler

from tests.adapters.loaders.studies import study_of

HOST = "127.0.0.1"


@dataclass
class Publishers:
    """What is published; tests change it between two runs.

    `records` maps a register's numbers to the day of their last update, `laws` an act's
    id to the day it is current to, `pages` a path to its text or bytes, `types` to what
    is said of their type. `asked` counts requests by path, `agents` holds who asked,
    `busy` answers of 503 that are still to come.
    """

    records: dict[str, str] = field(default_factory=dict)
    laws: dict[str, str] = field(default_factory=dict)
    pages: dict[str, str | bytes] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    robots: str = "User-agent: *\nDisallow: /private/\n"
    lost: int = 0
    busy: int = 0
    page_size: int = 2
    repositories: Path = Path("/nowhere")
    asked: Counter[str] = field(default_factory=Counter)
    agents: set[str] = field(default_factory=set)
    port: int = 0

    @property
    def base(self) -> str:
        return f"http://{HOST}:{self.port}"

    @asynccontextmanager
    async def open(self) -> AsyncIterator["Publishers"]:
        app = web.Application(middlewares=[self._noting])
        app.router.add_get("/api/v2/studies", self._studies)
        app.router.add_get("/api/v2/studies/{number}", self._study)
        app.router.add_get("/eng/XML/Legis.xml", self._legislation)
        app.router.add_get("/eng/XML/{name}.xml", self._law)
        app.router.add_get("/robots.txt", self._robots)
        app.router.add_get("/sitemap.xml", self._map)
        app.router.add_get("/pages.xml", self._urls)
        app.router.add_get("/away", self._away)
        app.router.add_route("*", "/git/{path:.*}", self._git)
        app.router.add_get("/{path:.*}", self._page)
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, HOST, 0)
        await site.start()
        self.port = runner.addresses[0][1]
        try:
            yield self
        finally:
            await runner.cleanup()

    @web.middleware
    async def _noting(
        self, request: web.Request, handler: Handler
    ) -> web.StreamResponse:
        self.asked[request.path] += 1
        self.agents.add(request.headers.get("User-Agent", ""))
        if self.busy and request.path != "/robots.txt":
            self.busy -= 1
            return web.Response(status=503, headers={"Retry-After": "1"})
        return await handler(request)

    # --- a register of trials ---

    async def _studies(self, request: web.Request) -> web.Response:
        asked = request.query
        wanted = [n for n in asked.get("filter.ids", "").split(",") if n]
        found = sorted(n for n in self.records if not wanted or n in wanted)
        start = int(asked.get("pageToken", "0"))
        shown = found[start : start + self.page_size]
        page: dict[str, object] = {
            "studies": [
                {
                    "protocolSection": {
                        "identificationModule": {"nctId": number},
                        "statusModule": {
                            "lastUpdatePostDateStruct": {"date": self.records[number]}
                        },
                    }
                }
                for number in shown[self.lost :]
            ]
        }
        if start + self.page_size < len(found):
            page["nextPageToken"] = str(start + self.page_size)
        if "pageToken" not in asked and asked.get("countTotal") == "true":
            page["totalCount"] = len(found)
        return web.json_response(page)

    async def _study(self, request: web.Request) -> web.Response:
        number = request.match_info["number"]
        if number not in self.records:
            raise web.HTTPNotFound
        study = study_of(number, f"KITE-{int(number[3:])}")
        protocol = study["protocolSection"]
        assert isinstance(protocol, dict)
        day = {"date": self.records[number], "type": "ACTUAL"}
        protocol["statusModule"]["lastUpdatePostDateStruct"] = day
        return web.json_response(study)

    # --- laws ---

    async def _legislation(self, request: web.Request) -> web.Response:
        acts = "".join(
            f"<Act><UniqueId>{name}</UniqueId><OfficialNumber>{name}</OfficialNumber>"
            f"<Language>eng</Language><LinkToXML>{self.base}/eng/XML/{name}.xml"
            f"</LinkToXML><Title>An act</Title><CurrentToDate>{day}</CurrentToDate>"
            "<RegsMadeUnderAct/></Act>"
            for name, day in self.laws.items()
        )
        text = f"<ActsRegsList><Acts>{acts}</Acts><Regulations/></ActsRegsList>"
        return web.Response(text=text, content_type="application/xml")

    async def _law(self, request: web.Request) -> web.Response:
        name = request.match_info["name"]
        text = (
            f'<Statute xml:lang="en"><Body><Section>{name}</Section></Body></Statute>'
        )
        return web.Response(text=text, content_type="application/xml")

    # --- a website ---

    async def _robots(self, request: web.Request) -> web.Response:
        if not self.robots:
            raise web.HTTPServiceUnavailable
        return web.Response(text=self.robots)

    async def _map(self, request: web.Request) -> web.Response:
        text = (
            '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
            f"<sitemap><loc>{self.base}/pages.xml</loc></sitemap></sitemapindex>"
        )
        return web.Response(text=text, content_type="application/xml")

    async def _urls(self, request: web.Request) -> web.Response:
        places = "".join(
            f"<url><loc>{self.base}{path}</loc></url>" for path in self.pages
        )
        space = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
        elsewhere = "<url><loc>https://elsewhere.example/page</loc></url>"
        text = f"<urlset {space}>{places}{elsewhere}</urlset>"
        return web.Response(text=text, content_type="application/xml")

    async def _git(self, request: web.Request) -> web.Response:
        """Git's own server program, as a web server runs it."""
        process = await asyncio.create_subprocess_exec(
            *("git", "http-backend"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env={
                "PATH": os.environ["PATH"],
                "GIT_PROJECT_ROOT": str(self.repositories),
                "GIT_HTTP_EXPORT_ALL": "1",
                "PATH_INFO": f"/{request.match_info['path']}",
                "QUERY_STRING": request.query_string,
                "REQUEST_METHOD": request.method,
                "CONTENT_TYPE": request.headers.get("Content-Type", ""),
                "GIT_PROTOCOL": request.headers.get("Git-Protocol", ""),
            },
        )
        said, _ = await process.communicate(await request.read())
        head, _, body = said.partition(b"\r\n\r\n")
        told = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
        status = int(told.pop("Status", "200").split()[0])
        return web.Response(status=status, body=body, headers=told)

    async def _away(self, request: web.Request) -> web.Response:
        raise web.HTTPFound(request.query.get("to", "/away"))

    async def _page(self, request: web.Request) -> web.Response:
        text = self.pages.get(request.path)
        if text is None:
            raise web.HTTPNotFound
        headers = {"Content-Type": self.types.get(request.path, "text/html")}
        body = text if isinstance(text, bytes) else text.encode()
        response = web.Response(body=body, headers=headers)
        response.etag = str(abs(hash(text)))
        if request.if_none_match and response.etag in request.if_none_match:
            raise web.HTTPNotModified
        return response
