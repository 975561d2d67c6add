"""The concrete classes of one process: from settings to index, ledger, engine."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Self

from adapters import packs
from adapters.clock import SystemClock
from adapters.discord.writer import DISCORD
from adapters.index.catalogue import Identity
from adapters.index.upkeep import SHARED, IndexKeys, KeptIndex
from adapters.ledger.database import sqlite_url
from adapters.ledger.index_keys import LedgerKeys
from adapters.ledger.installations import Installations
from adapters.ledger.mailbox import Mailbox
from adapters.ledger.store import SqlLedger
from adapters.mail import Outgoing, Platform
from adapters.observer import EventsObserver
from adapters.owner import FOLDER, close_to_others, list_open_to_others
from adapters.posts import Posts
from adapters.slack.writer import SLACK
from bot.calibrations import load_urgency
from bot.conversation import Conversation, Files
from bot.delivery import Answering, Dependencies
from bot.documents.corpus import Corpus
from bot.documents.demo import take_in_demo
from bot.documents.embedders import open_embedder
from bot.documents.indexes import open_home
from bot.documents.indexing import CHUNKER
from bot.first_questions import read_first_questions
from bot.messages.administration import Administration
from bot.messages.pseudonym import Pseudonyms, open_pseudonyms
from bot.messages.recollection import Recollection
from bot.models import LanguageModels
from bot.readers import find_reading, open_reading
from bot.routing import Router, Rules, read_rules
from bot.serving.inbox import Inbox
from bot.serving.readiness import Readiness
from bot.tracing import open_traces
from config import settings as configuration
from config.settings import Settings, reveal
from engine import Engine, Ports
from engine.model.errors import EnvironmentFailed, UsageError
from engine.model.ports import Clock, Embedder, Observer
from engine.model.question import Scope
from engine.parse import language
from engine.pipeline.ask import RECORDING
from engine.pipeline.drafting import Models
from engine.policy.pack import Pack
from engine.rank.reading import Reading

SPARE_S = 20.0  # of a worker's lease, beyond what a question and its record may take
RENDERERS: Mapping[Platform, Posts] = {Platform.SLACK: SLACK, Platform.DISCORD: DISCORD}
Show = Callable[[Outgoing], Awaitable[None]]


def read_settings(data: Path | None = None) -> Settings:
    """Read the environment's settings; `data`, from the command line, wins.

    Raises:
        UsageError: a variable is unknown or wrong.
    """
    try:
        return configuration.read(data)
    except configuration.SettingsError as error:
        raise UsageError(str(error)) from error


class Search:
    """The embedder, and the index that holds its vectors.

    Args:
        settings: say where the index is.
        data: the data folder.
        embedder: of questions and passages.
        keys: opens what says which keys of an index on a server are in force.
    """

    def __init__(
        self,
        settings: Settings,
        data: Path,
        embedder: Embedder,
        keys: Callable[[], IndexKeys],
    ) -> None:
        self.embedder = embedder
        self.identity = Identity(
            embedder.name, embedder.dimension, embedder.reduced, CHUNKER
        )
        self.home = open_home(settings, data, self.identity, keys)

    @property
    def index(self) -> KeptIndex:
        """The index.

        Raises:
            IndexFailed: it cannot be opened, or `reindex` has to make it first.
        """
        return self.home.index


class Application:
    """The parts of one process, each made when it is first used.

    A context manager that closes what was opened.

    Args:
        settings: where everything is.
        embedder: replaces the configured one.
        clock: replaces the system's.
        observer: replaces the events file.
        only_read: nothing will be recorded, so that a data folder that cannot be
            written will do.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        embedder: Embedder | None = None,
        clock: Clock | None = None,
        observer: Observer | None = None,
        only_read: bool = False,
    ) -> None:
        self.settings = settings
        self.models = LanguageModels(settings)
        self.clock: Clock = clock or SystemClock()
        self._embedder = embedder
        self._observer = observer
        self._only_read = only_read
        self._packs: dict[str, Pack] = {}
        self._engines: dict[str, Engine] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close what was opened."""
        if "search" in self.__dict__:
            await self.search.home.close()
        await self.models.close()
        if "ledger" in self.__dict__:
            await self.ledger.close()
        observed = self.__dict__.get("observer")
        if isinstance(observed, EventsObserver):
            observed.close()

    def another(self) -> Self:
        """Make the same parts once more, for another event loop or thread."""
        return type(self)(self.settings, embedder=self._embedder, clock=self.clock)

    @cached_property
    def data(self) -> Path:
        """The data folder, made where it does not exist; its owner's alone.

        Raises:
            EnvironmentFailed: it cannot be made.
        """
        folder = self.settings.data
        try:
            folder.mkdir(mode=FOLDER, parents=True, exist_ok=True)
        except OSError as error:
            raise EnvironmentFailed(
                f"cannot make the data folder {folder} ({error.strerror}): choose "
                "another with --data or GROUNDRULE_DATA"
            ) from error
        for place in list_open_to_others(folder):
            close_to_others(place)
        return folder

    @cached_property
    def ledger(self) -> SqlLedger:
        """The ledger, brought to this release's schema."""
        return SqlLedger(
            reveal(self.settings.database_url) or sqlite_url(self.data / "ledger.db"),
            anchor=self.data / "ledger.head.json",
            clock=self.clock,
            only_read=self._only_read,
        )

    @cached_property
    def mailbox(self) -> Mailbox:
        """Inbox and outbox, in the ledger's database."""
        return Mailbox(self.ledger)

    @cached_property
    def installations(self) -> Installations:
        """The Slack workspaces that installed the app."""
        return Installations(self.ledger.transactions)

    @cached_property
    def pseudonyms(self) -> Pseudonyms:
        """Pseudonyms of persons, under the key of this data folder."""
        return open_pseudonyms(self.data)

    @cached_property
    def rules(self) -> Rules:
        """The rules for conversations that the settings give."""
        return read_rules(self.settings, self.pack_names())

    @cached_property
    def router(self) -> Router:
        """The router of events to packs."""
        return Router(self.mailbox, self, self.rules, self.clock, self.readiness)

    @cached_property
    def observer(self) -> Observer:
        """The observer of events and figures: events.jsonl, unless one was given."""
        if self._observer is not None:
            return self._observer
        return EventsObserver(self.data / "events.jsonl", open_traces(self.settings))

    @cached_property
    def search(self) -> Search:
        """The embedder and its index.

        Raises:
            EmbedderFailed: a file of its model is missing.
        """
        embedder = self._embedder or open_embedder(self.settings)
        return Search(self.settings, self.data, embedder, self._index_keys)

    def _index_keys(self) -> IndexKeys:
        return LedgerKeys(self.ledger.transactions, self.clock)

    @cached_property
    def reading(self) -> Reading:
        """The reader of passages for this embedder.

        Raises:
            EmbedderFailed: nothing was fitted for the embedder and the reader.
        """
        return open_reading(self.settings, self.search.embedder)

    def pack(self, name: str) -> Pack:
        """Return a policy pack by its id.

        Raises:
            UsageError: there is none of this name, or it is wrong.
        """
        if name not in self._packs:
            folder = self.settings.packs / name
            if name not in self.pack_names():
                raise UsageError(
                    f"no pack is called {name!r}; there are "
                    + (", ".join(self.pack_names()) or "none")
                )
            pack = packs.load(folder)
            strict = self.settings.no_silent_fallback
            self._packs[name] = pack.narrow() if strict else pack
        return self._packs[name]

    def choose_pack(self, name: str | None) -> str:
        """Choose the pack that is named, or the only one.

        Raises:
            UsageError: none is named, and there is not exactly one.
        """
        names = [name] if name is not None else self.pack_names()
        if len(names) != 1:
            raise UsageError(
                f"name a pack with --pack: {', '.join(names) or 'none is installed'}"
            )
        return names[0]

    def pack_names(self) -> list[str]:
        """List the packs that are installed, right or wrong."""
        return sorted(p.parent.name for p in self.settings.packs.glob("*/pack.yaml"))

    def first_questions(self, name: str) -> tuple[str, ...]:
        """Return questions to begin with, which a pack must answer, if any."""
        return read_first_questions(self.settings.packs / name)

    def corpus(self, pack: Pack, tenant: str = SHARED) -> Corpus:
        """Open the documents of a pack, those of all or of a tenant."""
        search = self.search
        reading = find_reading(self.settings, search.embedder)
        return Corpus(pack, self.ledger, search.index, search.embedder, tenant, reading)

    async def corpora(self, pack: Pack) -> list[Corpus]:
        """Open the corpus that all may see of a pack, and that of each tenant."""
        shelves = await self.ledger.shelves()
        alone = f"{pack.id}@"
        names = [
            shelf.removeprefix(alone) for shelf in shelves if shelf.startswith(alone)
        ]
        return [self.corpus(pack, tenant) for tenant in (SHARED, *names)]

    @cached_property
    def readiness(self) -> Readiness:
        """The packs that can answer, and the others on their way there."""
        return Readiness(self._take_in)

    async def _take_in(self, pack: Pack) -> None:
        """Take a pack in on another event loop, which no connection can be shared with.

        So the index is opened once more.
        """
        search = self.search
        opened = open_home(self.settings, self.data, search.identity, self._index_keys)
        try:
            corpus = Corpus(pack, self.ledger, opened.index, search.embedder)
            await take_in_demo(corpus, self.settings.packs, self.data)
        finally:
            await opened.close()

    def inbox(
        self, wake: Callable[[], None], answering: Callable[[], bool] = lambda: True
    ) -> Inbox:
        """Make the door for event listeners; `wake` tells that something came."""
        limit = self.settings.waiting_limit
        return Inbox(self.mailbox, self.pseudonyms, limit, wake, answering)

    def answering(
        self, worker: str, show: Show, files: Files | None = None
    ) -> Answering:
        """Make one worker; `show` shows what could not be written down."""
        recollection = Recollection(self.ledger, self.clock)
        ready, rules, router = self.readiness, self.rules, self.router
        administration = Administration(self.mailbox, self, rules, ready, router)
        conversation = Conversation(
            self.mailbox,
            self,
            router,
            recollection=recollection,
            administration=administration,
            rules=rules,
            clock=self.clock,
            observer=self.observer,
            files=files,
        )
        dependencies = Dependencies(
            conversation, self.engine, RENDERERS, show, self.clock
        )
        budgets = [self.pack(name).budget.seconds for name in self.pack_names()]
        lease = max(budgets, default=0.0) + RECORDING + SPARE_S
        return Answering(self.mailbox, dependencies, worker, lease)

    async def packs_in_use(self) -> Mapping[str, Pack]:
        """Return the packs that some channel is bound to, and those of all others.

        One that is gone or wrong is left out: its channels are told so.
        """
        named = {*self.rules.packs.values()}
        for platform in Platform:
            named |= {b.pack for b in await self.mailbox.bindings(platform)}
        found: dict[str, Pack] = {}
        for name in self.pack_names():
            if name in named:
                with suppress(UsageError):
                    found[name] = self.pack(name)
        return found

    async def warm(self) -> None:
        """Load what the first question of each pack or language would wait for.

        Raises:
            EnvironmentFailed: an index or an embedder cannot be opened.
        """
        language.load_identifier()
        for pack in (await self.packs_in_use()).values():
            search = self.search
            search.embedder.encode_question(pack.title)
            # First what may take long: statistics have the time of a question.
            await search.index.versions(pack.id)
            await search.index.statistics(Scope(pack=pack.id))
            self.engine(pack)
            self.readiness.begin(pack)

    def engine(self, pack: Pack) -> Engine:
        """Return the engine that answers for a pack.

        Raises:
            EnvironmentFailed: its index, its embedder or a model cannot be opened.
            UsageError: a model is configured that is not known, or a pack wants what
                no signature writes.
        """
        key = f"{pack.id}/{pack.answer.mode}"
        if key not in self._engines:
            self._engines[key] = self.new_engine(pack, self.models.of(pack))
        return self._engines[key]

    def new_engine(
        self, pack: Pack, models: Models | None = None, *, offers: bool = True
    ) -> Engine:
        """Make an engine of a pack as it is given, which is not kept.

        Without `offers` refusals offer no choices, which takes less time.
        """
        search = self.search
        ports = Ports(
            index=search.index,
            embedder=search.embedder,
            ledger=self.ledger,
            clock=self.clock,
            observer=self.observer,
            models=models or Models(),
            offers=offers,
        )
        heard = load_urgency(search.embedder)
        return Engine({pack.id: pack}, ports, self.reading, heard)
