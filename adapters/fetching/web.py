"""A polite and bounded HTTP client: robots.txt, one request at a time, public hosts.

It connects to public addresses only, whatever a name resolves to or a redirect leads
to; tests and administrators may except hosts. The connection resolves names through the
check itself, so that the checked address is the one connected to.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_address, ip_network
from types import TracebackType
from typing import Self
from urllib.parse import urljoin, urlsplit

import aiohttp
from aiohttp.abc import ResolveResult
from aiohttp.resolver import ThreadedResolver
from protego import Protego

from adapters.fetching.records import Known, Page
from adapters.retrying import PASSING, Pauses, again, read_retry_after
from engine.model.errors import FetchFailed, NotThere

AGENT = "groundrule-sync"
ROBOTS_BYTES = 512_000
REDIRECTS = 5
TRIES, PAUSE_S = 3, 1.0  # where a server is busy and asks for no other pause
NOT_CHANGED, OK = 304, 200
GONE = frozenset({404, 410})

# Networks of addresses that map to others, or to internal machines.
_INWARD = tuple(
    ip_network(each)
    for each in (
        *("::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23"),
        *("2002::/16", "3fff::/20", "5f00::/16", "fec0::/10"),
        *("192.0.0.0/24", "192.88.99.0/24"),
    )
)


@dataclass(frozen=True, slots=True)
class Manners:
    """The pauses in seconds between requests to one host, and bounds."""

    pause: float = 1.0
    longest_pause: float = 30.0
    seconds: float = 30.0
    page_bytes: int = 20_000_000


def is_public(address: str) -> bool:
    """Tell whether an address belongs to the public internet."""
    ip = ip_address(address.partition("%")[0])
    if isinstance(ip, IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour or (ip.teredo and ip.teredo[1])
        if inner or ip.is_site_local:
            return False  # it maps to another address, which no publisher needs
    if any(ip in network for network in _INWARD if network.version == ip.version):
        return False
    return ip.is_global and not ip.is_multicast


class PublicResolver(ThreadedResolver):
    """A resolver of names to public addresses only, except `private` hosts."""

    def __init__(self, private: Collection[str]) -> None:
        super().__init__()
        self._private = private

    async def resolve(
        self,
        host: str,
        port: int = 0,
        family: socket.AddressFamily = socket.AF_INET,
    ) -> list[ResolveResult]:
        """Resolve a name as the system does.

        Raises:
            OSError: one of the addresses is not public.
        """
        found = await super().resolve(host, port, family)
        if host not in self._private:
            for each in found:
                if not is_public(each["host"]):
                    raise OSError(f"{host} has the private address {each['host']}")
        return found


@dataclass
class Web:
    """The client; use it as a context manager.

    Attributes:
        contact: the contact for site owners, sent with each request.
        private: hosts that may have private addresses and be used without TLS.
        pause: wait for some seconds; tests pass another function.
        keys: the `Authorization` header by origin ("https://host").
    """

    contact: str
    private: frozenset[str] = frozenset()
    manners: Manners = Manners()
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep
    keys: Mapping[str, str] = field(default_factory=dict, repr=False)
    _robots: dict[str, Protego] = field(default_factory=dict)
    _asked: set[str] = field(default_factory=set)
    _session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        resolver = PublicResolver(self.private)
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(resolver=resolver, limit=1),
            timeout=aiohttp.ClientTimeout(total=self.manners.seconds),
            headers={"User-Agent": f"{AGENT} (+{self.contact})"},
            cookie_jar=aiohttp.DummyCookieJar(),
            trust_env=False,
        )
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._session is not None:
            await self._session.close()

    async def get(
        self,
        url: str,
        known: Known | None = None,
        *,
        robots: bool = True,
        anywhere: bool = False,
    ) -> Page:
        """Fetch a page, unless it is unchanged.

        Args:
            url: a public address.
            known: the state of an earlier fetch.
            robots: whether robots.txt applies; not to an API.
            anywhere: whether redirects may lead to another public host, which gets no
                key.

        Raises:
            FetchFailed: it cannot, or must not, be fetched.
        """
        return await self._get(url, known, robots=robots, anywhere=anywhere)

    async def sitemaps(self, url: str) -> list[str]:
        """List the sitemaps in the robots.txt of an address's host, in order.

        Raises:
            FetchFailed: the address must not be fetched, or robots.txt is unreadable.
        """
        self._check(url)
        await self._is_allowed(url)
        parts = urlsplit(url)
        return list(self._robots[f"{parts.scheme}://{parts.netloc}"].sitemaps)

    async def _get(
        self, url: str, known: Known | None, *, robots: bool, anywhere: bool
    ) -> Page:
        origin = urlsplit(url).netloc
        for _ in range(REDIRECTS):
            self._check(url)
            if robots and not await self._is_allowed(url):
                raise NotThere(f"{url}: its robots.txt asks not to be fetched")
            await self._wait(url)
            answer = await self._request(url, known, self.manners.page_bytes)
            if answer.to is None:
                return _make_page(url, answer)
            url = urljoin(url, answer.to)
            if urlsplit(url).netloc != origin and not anywhere:
                raise NotThere(f"{url}: is where {origin} leads; name it instead")
        raise FetchFailed(f"{url}: leads on and on")

    def _check(self, url: str) -> None:
        """Check that an address is a public web address.

        Raises:
            FetchFailed: it is not.
        """
        parts = urlsplit(url)
        host = parts.hostname or ""
        excepted = host in self.private
        if parts.scheme not in ({"http", "https"} if excepted else {"https"}):
            raise FetchFailed(f"{url}: only https addresses are fetched")
        if not host or parts.username is not None:
            raise FetchFailed(f"{url}: is no plain address")
        try:
            literal = is_public(host)
        except ValueError:
            return  # a name, which the resolver checks
        if not literal and not excepted:
            raise FetchFailed(f"{url}: a private address is not fetched from")

    async def _is_allowed(self, url: str) -> bool:
        parts = urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc}"
        if origin not in self._robots:
            self._robots[origin] = Protego.parse(await self._fetch_rules(origin))
        return bool(self._robots[origin].can_fetch(url, AGENT))

    async def _fetch_rules(self, origin: str) -> str:
        """Fetch a site's robots.txt; return "" where it has none.

        Raises:
            FetchFailed: it is unreachable, which forbids everything (RFC 9309).
        """
        url = f"{origin}/robots.txt"
        answer = await self._request(url, None, ROBOTS_BYTES)
        if answer.status == OK:
            return answer.content.decode("utf-8", "replace")
        if 400 <= answer.status < 500:
            return ""
        raise FetchFailed(f"{url}: status {answer.status}, so nothing of it is fetched")

    async def _wait(self, url: str) -> None:
        """Wait between two requests to a host, for longer where robots.txt says so."""
        parts = urlsplit(url)
        if parts.netloc not in self._asked:
            self._asked.add(parts.netloc)
            return
        rules = self._robots.get(f"{parts.scheme}://{parts.netloc}")
        wanted = float((rules and rules.crawl_delay(AGENT)) or 0.0)
        longest = self.manners.longest_pause
        await self.pause(min(max(self.manners.pause, wanted), longest))

    async def _request(self, url: str, known: Known | None, most: int) -> "_Answer":
        """Request an address, and again where the server is busy."""
        longest = self.manners.longest_pause
        pauses = Pauses(PAUSE_S, longest, most_asked=longest)
        retrying = again(_is_busy, pauses, TRIES).copy(sleep=self.pause)
        try:
            return await retrying(self._request_once, url, known, most)
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise FetchFailed(f"{url}: cannot be fetched ({error})") from error

    async def _request_once(
        self, url: str, known: Known | None, most: int
    ) -> "_Answer":
        assert self._session is not None
        headers: dict[str, str] = {}
        key = self.keys.get("://".join(urlsplit(url)[:2]))
        if key is not None:
            headers["Authorization"] = key
        if known and known.etag:
            headers["If-None-Match"] = known.etag
        elif known and known.modified:
            headers["If-Modified-Since"] = known.modified
        async with self._session.get(
            url, headers=headers, allow_redirects=False
        ) as response:
            content = bytearray()
            async for part in response.content.iter_chunked(1 << 16):
                content += part
                if len(content) > most:
                    raise FetchFailed(f"{url}: larger than {most:,} bytes")
            told = (response.headers, response.charset)
            return _Answer(response.status, bytes(content), *told)


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    content: bytes
    headers: Mapping[str, str]
    charset: str | None = None

    @property
    def to(self) -> str | None:
        """Return the target of a redirect, or None."""
        leads = self.status in {301, 302, 303, 307, 308}
        return self.headers.get("Location", "") if leads else None

    @property
    def after(self) -> float | None:
        """Return the seconds of `Retry-After`, or None."""
        return read_retry_after(self.headers)


def _is_busy(answer: object) -> bool:
    return isinstance(answer, _Answer) and answer.status in PASSING


def _make_page(url: str, answer: _Answer) -> Page:
    headers = answer.headers
    if answer.status == NOT_CHANGED:
        return Page(None)
    if answer.status in GONE:
        raise NotThere(f"{url}: status {answer.status}")
    if answer.status != OK:
        raise FetchFailed(f"{url}: status {answer.status}")
    told = (headers.get("ETag"), headers.get("Last-Modified"), answer.charset)
    return Page(answer.content, *told, url=url)
