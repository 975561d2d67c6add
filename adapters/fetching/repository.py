"""Markdown from a git repository, by the machine's `git` with unsafe features off.

It makes a shallow copy of one branch, over https only, without submodules, hooks,
symbolic links, filters or the machine's configuration, and runs none of its files.
"""

import asyncio
import hashlib
import os
import socket
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

from adapters.fetching.records import Item, Known, Page
from adapters.fetching.web import Web, is_public
from engine.model.errors import FetchFailed
from engine.policy.records import Feed

SECONDS = 300.0
MOST_BYTES = 500_000_000
ENDINGS = frozenset({".md", ".markdown"})
SAFE = (
    *("-c", "core.hooksPath=/dev/null", "-c", "core.symlinks=false"),
    *("-c", "core.fsmonitor=false", "-c", "submodule.recurse=false"),
    *("-c", "protocol.allow=never", "-c", "protocol.https.allow=always"),
    *("-c", "http.followRedirects=false", "-c", "transfer.fsckObjects=true"),
    *("-c", "credential.helper="),
)


class Repository:
    """The Markdown files of a repository, copied while they are listed."""

    def __init__(self, feed: Feed, web: Web) -> None:
        self._feed = feed
        self._web = web
        self._files: dict[str, bytes] = {}

    async def items(self) -> AsyncIterator[Item]:
        """List every Markdown file below the feed's folders; its mark is its hash.

        Raises:
            FetchFailed: the repository cannot be copied.
        """
        await self._check()
        with TemporaryDirectory(prefix="groundrule-git-") as place:
            copy = Path(place) / "copy"
            await self._clone(copy, Path(place))
            listed = await self._git(Path(place), "-C", str(copy), "ls-files", "-sz")
            self._files = dict(self._read(copy, listed))
        for name, content in sorted(self._files.items()):
            mark = hashlib.sha256(content).hexdigest()
            yield Item(name, f"{self._feed.url}#{name}", mark)

    async def fetch(self, item: Item, known: Known | None) -> Page:
        """Return one file of the copy."""
        return Page(self._files[item.name])

    async def _check(self) -> None:
        """Check that the repository is at a public https address.

        Raises:
            FetchFailed: it is not.
        """
        parts = urlsplit(self._feed.url)
        host = parts.hostname or ""
        if host in self._web.private:
            return
        if parts.scheme != "https" or not host:
            raise FetchFailed(f"{self._feed.url}: only https repositories are copied")
        try:
            loop = asyncio.get_running_loop()
            found = await loop.getaddrinfo(host, 443, type=socket.SOCK_STREAM)
        except OSError as error:
            raise FetchFailed(f"{host}: is not found ({error})") from error
        if not all(is_public(str(each[4][0])) for each in found):
            raise FetchFailed(f"{host}: a private address is not fetched from")

    async def _clone(self, copy: Path, home: Path) -> None:
        branch = ("--branch", self._feed.branch) if self._feed.branch else ()
        await self._git(
            home,
            *("clone", "--quiet", "--depth=1", "--single-branch", "--no-tags"),
            *("--no-recurse-submodules", "--template=", *branch),
            *("--", self._feed.url, str(copy)),
        )

    async def _git(self, home: Path, *arguments: str) -> bytes:
        """Run git, with a time limit, and return its output.

        Raises:
            FetchFailed: it failed, or took too long.
        """
        private = urlsplit(self._feed.url).hostname in self._web.private
        plain = ("-c", "protocol.http.allow=always") if private else ()
        process = await asyncio.create_subprocess_exec(
            "git",
            *SAFE,
            *plain,
            *arguments,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=_make_environment(home),
        )
        try:
            async with asyncio.timeout(SECONDS):
                said, errors = await process.communicate()
        except TimeoutError as error:
            process.kill()
            await process.wait()
            raise FetchFailed(f"{self._feed.url}: took too long to copy") from error
        if process.returncode:
            told = " ".join(errors.decode("utf-8", "replace").split())[:300]
            raise FetchFailed(f"{self._feed.url}: cannot be copied ({told})")
        return said

    def _read(self, copy: Path, listed: bytes) -> Iterator[tuple[str, bytes]]:
        """Read the Markdown files below the feed's folders, with their paths.

        Only files that git lists as plain, so no links and no other repositories.
        """
        size = 0
        for line in listed.decode("utf-8", "replace").split("\0"):
            mode, _, name = line.partition("\t")
            file = copy / name
            wanted = not self._feed.below or any(
                name == each or name.startswith(each.rstrip("/") + "/")
                for each in self._feed.below
            )
            hidden = any(part.startswith(".") for part in name.split("/"))
            plain = mode.startswith("100") and file.is_file()
            if not plain or not wanted or hidden or file.suffix.lower() not in ENDINGS:
                continue
            size += file.stat().st_size
            if size > MOST_BYTES:
                raise FetchFailed(f"{self._feed.url}: more than {MOST_BYTES:,} bytes")
            yield name, file.read_bytes()


def _make_environment(home: Path) -> dict[str, str]:
    """Make git's environment: the path of programs, and no configuration."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(home),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "true",
        "GIT_LFS_SKIP_SMUDGE": "1",
        "LC_ALL": "C",
    }
