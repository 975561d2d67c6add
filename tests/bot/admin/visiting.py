"""Somebody who visits the administrators' pages over real HTTP."""

import re
import socket
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from html import unescape

import aiohttp

from bot.admin.guard import Guard, build_guard
from bot.admin.reading import PageReader
from bot.admin.site import AdminSite, serve_admin
from bot.wiring import Application
from config.settings import Settings

HOST = "127.0.0.1"
_PROOF = re.compile(r'name="csrf" value="([0-9a-f]{64})"|value="([0-9a-f]{64})"')


@dataclass(frozen=True)
class Shown:
    """What came back."""

    status: int
    text: str
    headers: Mapping[str, str]

    @property
    def read(self) -> str:
        """The text without what stands for signs."""
        return unescape(self.text)

    @property
    def proof(self) -> str:
        """What its forms hold."""
        found = _PROOF.search(self.text)
        assert found is not None
        return found[1] or found[2]


@dataclass(frozen=True)
class Visitor:
    """A client of one site."""

    session: aiohttp.ClientSession
    port: int
    guard: Guard | None = None

    def proof_of(self, who: str) -> str:
        """What the forms of somebody's pages hold, also where they see none."""
        assert self.guard is not None
        return self.guard.form_token(who)

    @property
    def origin(self) -> str:
        return f"http://{HOST}:{self.port}"

    async def get(self, path: str, **headers: str) -> Shown:
        return await self._call("GET", path, None, headers)

    async def post(self, path: str, form: Mapping[str, str], **headers: str) -> Shown:
        return await self._call("POST", path, form, headers)

    async def act(self, page: str, verb: str, **form: str) -> Shown:
        """Send a form of a page, as a browser does."""
        proof = (await self.get(page)).proof
        sent = {"Origin": self.origin, "Sec-Fetch-Site": "same-origin"}
        return await self.post(f"{page}/{verb}", {"csrf": proof, **form}, **sent)

    async def _call(
        self,
        method: str,
        path: str,
        form: Mapping[str, str] | None,
        headers: Mapping[str, str],
    ) -> Shown:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        async with self.session.request(
            method, f"{self.origin}{path}", data=form, headers=sent
        ) as got:
            return Shown(got.status, await got.text(), got.headers)


def free_port() -> int:
    """A port of the loopback that nobody has."""
    with socket.socket() as found:
        found.bind((HOST, 0))
        return int(found.getsockname()[1])


@asynccontextmanager
async def visiting(
    application: Application,
    tags: Collection[str] = (),
    settings: Settings | None = None,
) -> AsyncIterator[Visitor]:
    """The site of an application, and somebody there."""
    port = free_port()
    asked = build_guard(settings or application.settings, HOST, port)
    site = AdminSite(PageReader(application, frozenset(tags)), asked)
    async with serve_admin(site, HOST, port), aiohttp.ClientSession() as session:
        yield Visitor(session, port, asked)
