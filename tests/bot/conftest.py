"""A real, small corpus: parser, ledger, index and embedder, in a folder of the test."""

import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from adapters.embedding import MiniLM
from adapters.index.catalogue import Identity
from adapters.index.embedded import EmbeddedIndex
from adapters.ledger.database import sqlite_url
from adapters.ledger.store import SqlLedger
from adapters.loaders.sandbox import SERVED, Parser
from adapters.mail import Platform
from bot.documents.corpus import Corpus
from bot.documents.indexing import CHUNKER
from bot.documents.ingest import Job, Steps, Summary, ingest, look
from bot.wiring import RENDERERS
from config.settings import Settings
from tests.bot.chat import Chat
from tests.bot.messages.test_recollection import Handbook
from tests.bot.small import SmallApplication
from tests.demo import Demo
from tests.engine.small_pack import small_pack, source
from tests.fakes import FixedClock

PACK = small_pack(
    sources=[
        source("notes", path_globs=["**/notes/**"]),
        source("pages", url_prefixes=["https://example.org/"], tags=[]),
        source("toy", demo=True),
    ]
)


@pytest.fixture(scope="session")
def embedder() -> MiniLM:
    """The default embedder, loaded once."""
    return MiniLM(1)


@pytest.fixture(scope="session")
def parser() -> Iterator[Parser]:
    """One parser child for all tests."""
    with Parser() as parser:
        yield parser


@pytest.fixture
async def corpus(tmp_path: Path, embedder: MiniLM) -> AsyncIterator[Corpus]:
    """The corpus of a small pack with nothing in it."""
    identity = Identity(embedder.name, embedder.dimension, embedder.reduced, CHUNKER)
    ledger = SqlLedger(sqlite_url(tmp_path / "data" / "ledger.db"))
    (tmp_path / "data" / "index").mkdir()
    index = EmbeddedIndex(tmp_path / "data" / "index", identity)
    yield Corpus(PACK, ledger, index, embedder)
    await index.close()
    await ledger.close()


class Library:
    """A folder of documents, and its ingestion into a corpus."""

    def __init__(self, folder: Path, corpus: Corpus, parser: Parser) -> None:
        self.folder = folder
        self.corpus = corpus
        self._parser = parser

    def write(self, name: str, text: str, **matter: str) -> Path:
        """Write a document; `matter` is its front matter."""
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        lines = "".join(f"{field}: {value}\n" for field, value in matter.items())
        head = f"---\n{lines}---\n" if matter else ""
        file.write_text(f"{head}{text}\n", encoding="utf-8")
        return file

    async def ingest(
        self, path: Path | None = None, *, steps: Steps | None = None, **job: object
    ) -> Summary:
        """Take the folder in, or one path."""
        path = path or self.folder
        wanted = Job(path, **job)  # type: ignore[arg-type]
        folder = look(path, SERVED)
        return await ingest(self.corpus, self._parser, wanted, folder, steps or Steps())

    async def agrees(self) -> bool:
        """Whether index and ledger have the same current versions."""
        pack = self.corpus.pack.id
        ledger = self.corpus.documents
        assert isinstance(ledger, SqlLedger)
        current = await ledger.current_versions(pack)
        return dict(await self.corpus.index.versions(pack)) == dict(current)


@pytest.fixture
def library(tmp_path: Path, corpus: Corpus, parser: Parser) -> Library:
    """A library of two notes that an index does not have yet."""
    made = Library(tmp_path / "library", corpus, parser)
    made.write("notes/salt.md", "# Salt\n\nRinse the mouth with salt water.")
    made.write("notes/rest.md", "# Rest\n\nRest for one hour after lunch.")
    return made


@pytest.fixture
async def chat(tmp_path: Path) -> AsyncIterator[Chat]:
    """People and the bot, with a pack on Slack and another on Discord."""
    settings = Settings(
        data=tmp_path / "data",
        slack_pack="small",
        discord_pack="other",
        admins=("slack:T1:UOPS",),
    )
    async with SmallApplication(settings, clock=FixedClock()) as application:
        yield Chat(application)


@pytest.fixture
async def house(demo: Demo, tmp_path: Path) -> AsyncIterator[Chat]:
    """A channel over the demo texts, drawn as Slack shows it."""
    data = shutil.copytree(demo.data, tmp_path / "data")
    settings = Settings(data=data, slack_pack="textbook")
    async with Handbook(
        settings, embedder=demo.embedder, clock=FixedClock()
    ) as application:
        chat = Chat(application)  # type: ignore[arg-type]
        chat.renderer = RENDERERS[Platform.SLACK]  # type: ignore[assignment]
        yield chat
