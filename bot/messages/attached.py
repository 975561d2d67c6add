"""The file that came with a question, read as if its text had been selected.

It is fetched from where the platform keeps it and from nowhere else, with a bound on
size and time, and parsed in the loaders' child process. The bot's token goes to Slack's
own host alone.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

from adapters.fetching.web import Manners, Web
from adapters.inert import inert
from adapters.loaders.limits import Limits
from adapters.loaders.sandbox import Parser
from adapters.mail import File, Incoming, Platform
from bot.wiring import Application
from engine.model.document import Block, BlockKind
from engine.model.errors import DocumentError, GroundruleError

READ = frozenset({".txt", ".md", ".pdf", ".docx"})
BYTES = 1_000_000
SECONDS = 8.0  # to fetch one, and again to parse it
HOSTS = {
    Platform.SLACK: frozenset({"files.slack.com"}),
    Platform.DISCORD: frozenset({"cdn.discordapp.com", "media.discordapp.net"}),
}
CONTACT = "the bot that was asked about this file"
_LIMITS = Limits(file_bytes=BYTES, characters=BYTES, pages=200, seconds=SECONDS)


async def _find_no_token(tenant: str) -> str | None:
    return None


@dataclass(frozen=True, slots=True)
class Attached:
    """Reads the one file that came with a question.

    Attributes:
        hosts: where each platform keeps files.
        token: what opens them in a Slack workspace; None where nothing does.
        private: hosts of them that may have private addresses, for tests.
    """

    hosts: Mapping[Platform, frozenset[str]] = field(default_factory=lambda: HOSTS)
    token: Callable[[str], Awaitable[str | None]] = _find_no_token
    private: frozenset[str] = frozenset()

    async def read(self, incoming: Incoming) -> str | None:
        """Read its text, nothing in it active; None where there is not one to read."""
        if len(incoming.attached) != 1:
            return None
        [file] = incoming.attached
        kind = PurePosixPath(file.name).suffix.lower()
        if kind not in READ or not 0 < file.size <= BYTES:
            return None
        try:
            async with asyncio.timeout(SECONDS):
                data = await self._fetch(file, incoming)
            text = await asyncio.to_thread(_parse, data, kind)
        except (GroundruleError, OSError, ValueError):  # a timeout, a full disk
            return None
        return inert(text).strip() or None

    async def _fetch(self, file: File, incoming: Incoming) -> bytes:
        """Fetch the file as the platform has it.

        Raises:
            DocumentError: it is kept elsewhere, or is not what was said of it.
            FetchFailed: it cannot be had.
            LedgerFailed: the token is not known at present.
        """
        place, parts = incoming.place, urlsplit(file.url)
        if parts.hostname not in self.hosts[place.platform]:
            raise DocumentError("it is kept elsewhere")
        keys: dict[str, str] = {}
        if place.platform is Platform.SLACK and (key := await self.token(place.tenant)):
            keys[f"{parts.scheme}://{parts.netloc}"] = f"Bearer {key}"
        manners = Manners(seconds=SECONDS, page_bytes=BYTES)
        async with Web(CONTACT, self.private, manners, keys=keys) as web:
            page = await web.get(file.url, robots=False)
        if page.content is None or len(page.content) != file.size:
            raise DocumentError("it is another file, or a page about it")
        return page.content


def _parse(data: bytes, kind: str) -> str:
    """Read the file with the loader of its kind.

    Raises:
        DocumentError: it cannot be read.
        EnvironmentFailed: the parser does not start.
    """
    with TemporaryDirectory(prefix="groundrule-") as folder, Parser(_LIMITS) as parser:
        path = Path(folder, f"attached{kind}")
        path.write_bytes(data)
        return "\n".join(
            line
            for parsed in parser.parse(path, path.name)
            for block in parsed.blocks
            if block.quotable and (line := _line(block, parsed.text))
        )


def _line(block: Block, text: str) -> str:
    """Put a block of a file on one line: each line of a selection is a paragraph.

    A sentence that the file breaks would else be two, and lose its "not". Code keeps
    its lines.
    """
    said = block.of(text)
    return said if block.kind is BlockKind.CODE else " ".join(said.split())


def open_attached(application: Application) -> Attached:
    """Make the reader of files of a process; a Slack elsewhere keeps its own."""
    settings = application.settings

    async def token(tenant: str) -> str | None:
        if settings.slack_bot_token is not None:
            return settings.slack_bot_token.get_secret_value()
        found = await application.installations.find(tenant)
        return found.token if found else None

    host = urlsplit(settings.slack_api).hostname or ""
    if host == "slack.com":
        return Attached(token=token)
    own = frozenset({host})
    return Attached({**HOSTS, Platform.SLACK: own}, token, own)
