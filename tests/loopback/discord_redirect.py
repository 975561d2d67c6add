"""Sends discord.py to another Discord for a while."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import yarl

with warnings.catch_warnings():
    # The library imports audioop, which Python 3.11 and 3.12 call deprecated.
    warnings.simplefilter("ignore", DeprecationWarning)
    from discord.gateway import DiscordWebSocket
    from discord.http import Route


@contextmanager
def redirected(api: str, gateway: str) -> Iterator[None]:
    """Let every client of this process talk to these addresses, then as before.

    Args:
        api: where the REST API is, with its version.
        gateway: the web socket.
    """
    before = Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY
    Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY = api, yarl.URL(gateway)
    try:
        yield
    finally:
        Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY = before
