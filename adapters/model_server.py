"""One JSON request to a model's server: bounded, to no other host, its key unsaid."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import SplitResult, urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp

from adapters.retrying import PASSING, read_retry_after
from engine.model.errors import EnvironmentFailed


class Passing(Exception):
    """A request failed, and may succeed later: `after` seconds, if the server says."""

    def __init__(self, message: str, after: float | None = None) -> None:
        super().__init__(message)
        self.after = after


class Lasting(Exception):
    """A request failed, and would fail again."""


def split_url(url: str, what: str, error: type[EnvironmentFailed]) -> SplitResult:
    """Split the address of a server; raise the error where it is no HTTP address."""
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise error(
            f"{what} {url!r} must begin with https:// (or http:// for a server of your "
            "own)"
        )
    return parts


@dataclass(frozen=True, slots=True)
class Target:
    """Where requests go, with which key, and whether through the usual proxy."""

    url: str
    key: str | None = field(default=None, repr=False)
    proxied: bool = False


async def post_json(
    to: Target, body: Mapping[str, Any], seconds: float | None, most: int
) -> object:
    """Post JSON over a new connection, and read the JSON of the reply.

    A redirect is not followed, because it could send the key to another host.

    Args:
        to: its key is sent as a bearer token; None sends none.
        seconds: time limit, reply included; None for the caller's own.
        most: bytes of the reply.

    Raises:
        Passing: there is no reply in time, or a status that may pass.
        Lasting: another status than 200, or a reply that is too long or no JSON.
    """
    headers = {"Accept": "application/json"}
    if to.key:
        headers["Authorization"] = f"Bearer {to.key}"
    proxy = _find_proxy(to.url) if to.proxied else None
    data = bytearray()
    try:
        async with (
            asyncio.timeout(seconds),
            aiohttp.ClientSession(headers=headers) as session,
            session.post(
                to.url, json=body, allow_redirects=False, proxy=proxy
            ) as reply,
        ):
            if reply.status in PASSING:
                raise Passing(f"HTTP {reply.status}", read_retry_after(reply.headers))
            if reply.status != 200:
                raise Lasting(f"HTTP {reply.status} {reply.reason or ''}".rstrip())
            async for block in reply.content.iter_any():
                data += block
                if len(data) > most:
                    raise Lasting(f"a reply that is too long (over {most:,} bytes)")
        return json.loads(data)
    except aiohttp.InvalidURL as error:
        raise Lasting(f"{type(error).__name__}: of the server or its proxy") from error
    except aiohttp.ClientResponseError as error:
        # Its text, as that of a wrong address, has the proxy's, and so its password.
        raise Passing(f"{type(error).__name__}: HTTP {error.status}") from error
    except (aiohttp.ClientError, OSError) as error:
        said = f"{type(error).__name__}: {error}".removesuffix(": ")
        raise Passing(said) from error
    except ValueError as error:
        raise Lasting("no JSON") from error


def _find_proxy(url: str) -> str | None:
    parts = urlsplit(url)
    proxy = getproxies().get(parts.scheme)
    if not proxy or proxy_bypass(parts.hostname or ""):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"
