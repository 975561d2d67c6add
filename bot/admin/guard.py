"""Who may see the administrators' pages, and what may be sent to them.

A browser on this machine can be led here by any page of the web. So a request has to
name this site (no rebound name), and what changes something has to come from a page of
ours: same origin, and a token that only such a page has (no forged form).
"""

import base64
import binascii
import hashlib
import hmac
import ipaddress
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from aiohttp import hdrs, web
from aiohttp.typedefs import Handler, Middleware

from bot.pages.templates import policy
from config import settings as configuration
from config.settings import Settings, reveal
from engine.model.errors import UsageError

EVERY = "*"  # every pack, of whoever runs the bot
LOCAL = "local"  # acts where no login is asked for
FORMS = "'self'"  # where forms may be sent
TOKEN = "csrf"  # the field of a form
WHO = web.RequestKey("who", str)
REALM = 'Basic realm="Groundrule", charset="UTF-8"'
LONGEST_NAME = 200
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


@dataclass(frozen=True, slots=True)
class Guard:
    """What a request to this site has to bring.

    Attributes:
        hosts: the names of this site, as a browser sends them.
        token: the password of the pages.
        login: the header of a proxy that says who logged in.
        owners: the logins that see a pack, by its id; None where no login is asked
            for, and whoever gets here runs the bot.
    """

    hosts: frozenset[str]
    token: str | None = None
    login: str | None = None
    owners: Mapping[str, frozenset[str]] | None = None
    _secret: bytes = field(default_factory=lambda: secrets.token_bytes(32))

    def form_token(self, who: str) -> str:
        """Return the token that a form on somebody's page has to bring back."""
        named = who.encode("utf-8", "surrogatepass")
        return hmac.new(self._secret, named, hashlib.sha256).hexdigest()

    def authenticate(self, request: web.Request) -> str:
        """Return the login of whoever asks, or `LOCAL` where none is asked for.

        Raises:
            HTTPUnauthorized: a password or a login is missing or wrong.
        """
        name = LOCAL
        if self.token is not None:
            name, given = _read_password(request)
            if not _are_equal(given, self.token):
                raise web.HTTPUnauthorized(
                    text="A password is needed.", headers={"WWW-Authenticate": REALM}
                )
        if self.login is not None:
            named = request.headers.getall(self.login, [])
            if len(named) != 1 or not named[0].strip():
                raise web.HTTPUnauthorized(text="Nobody is logged in at the proxy.")
            name = named[0].strip()
        return name[:LONGEST_NAME]

    def owns(self, who: str, pack: str) -> bool:
        """Tell whether somebody may see what a pack was asked, and act on its gaps."""
        if self.owners is None:
            return True
        return any(who in self.owners.get(name, ()) for name in (pack, EVERY))

    def of_this_site(self, request: web.Request) -> bool:
        """Tell whether the request was sent to a name of this site."""
        named = request.headers.getall(hdrs.HOST, [])
        return len(named) == 1 and named[0].casefold() in self.hosts

    def from_this_site(self, request: web.Request) -> bool:
        """Tell whether it came from a page of this site, as far as a browser says."""
        origin = request.headers.get(hdrs.ORIGIN)
        fetched = request.headers.get("Sec-Fetch-Site", "same-origin")
        ours = origin is None or urlsplit(origin).netloc.casefold() in self.hosts
        return ours and fetched == "same-origin"

    async def check_form(self, request: web.Request) -> None:
        """Check that a request that changes something comes from a form of ours.

        Raises:
            HTTPForbidden: it does not come from a form of ours.
        """
        given = (await request.post()).get(TOKEN, "")
        wanted = self.form_token(request[WHO])
        if not self.from_this_site(request) or not _are_equal(str(given), wanted):
            raise web.HTTPForbidden(text="This did not come from a form of this site.")

    @property
    def middleware(self) -> Middleware:
        """Checks every request before a page sees it."""

        @web.middleware
        async def guarded(request: web.Request, handler: Handler) -> web.StreamResponse:
            if not self.of_this_site(request):
                variable = configuration.name("admin_hosts")
                told = f"This site has another name; {variable} adds one."
                raise web.HTTPMisdirectedRequest(text=told)
            request[WHO] = self.authenticate(request)
            if request.method not in (hdrs.METH_GET, hdrs.METH_HEAD):
                await self.check_form(request)
            return await handler(request)

        return guarded


def build_guard(settings: Settings, host: str, port: int) -> Guard:
    """Build the guard of an address.

    Raises:
        UsageError: others could reach it, and nothing is asked of them; or they log in,
            and no pack has an owner.
    """
    if settings.admin_login and not settings.admin_owners:
        raise UsageError(
            f"{configuration.name('admin_login')}: say in "
            f"{configuration.name('admin_owners')} which logins see which pack: "
            "oncology=anna@example.org|ben, *=eve for every pack"
        )
    token = reveal(settings.admin_token)
    names = {f"{name}:{port}" for name in ("localhost", "127.0.0.1", "[::1]")}
    if not is_loopback(host):
        if not token and not settings.admin_login:
            raise UsageError(
                f"--admin {host}:{port}: others reach that address, so set "
                f"{configuration.name('admin_token')}, or "
                f"{configuration.name('admin_login')} behind your proxy"
            )
        names.add(f"{host}:{port}".casefold())
    names |= {name.casefold() for name in settings.admin_hosts}
    login = settings.admin_login
    owners = settings.admin_owners if login else None
    return Guard(frozenset(names), token or None, login, owners)


def is_loopback(host: str) -> bool:
    """Tell whether an address is reached from this machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


async def add_headers(request: web.Request, response: web.StreamResponse) -> None:
    """Say on every response what a browser may do with it."""
    allowed = f"{policy(forms=FORMS)}; frame-ancestors 'none'"
    for name, value in {"Content-Security-Policy": allowed, **HEADERS}.items():
        response.headers.setdefault(name, value)


def _read_password(request: web.Request) -> tuple[str, str]:
    """Return the name and password that a request brings, "" for none."""
    kind, _, given = request.headers.get(hdrs.AUTHORIZATION, "").partition(" ")
    if kind.casefold() == "bearer":
        return "token", given.strip()
    if kind.casefold() != "basic":
        return "", ""
    try:
        plain = base64.b64decode(given, validate=True).decode("utf-8")
    except (binascii.Error, ValueError):
        return "", ""
    name, _, password = plain.partition(":")
    return name or "token", password


def _are_equal(given: str, wanted: str) -> bool:
    """Compare two secrets in a time that tells nothing of them."""
    return hmac.compare_digest(
        given.encode("utf-8", "surrogatepass"), wanted.encode("utf-8")
    )
