"""What scenarios share: the demo texts of a pack, taken in once; a small real model."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib.util import find_spec

import pytest

from adapters.embedding import MiniLM
from bot.documents.demo import take_in_demo
from bot.wiring import Application
from config.settings import Settings, read
from engine import Outcome
from scripts.small_model import model_file, start_server
from tests.demo import question

PACK = "mrd"
Ask = Callable[[Iterable[str]], Mapping[str, Outcome]]
TakenIn = Callable[[str], Settings]


@pytest.fixture(scope="session")
def embedder() -> MiniLM:
    """The embedder that the demo texts go through."""
    return MiniLM(1)


@pytest.fixture(scope="session")
def taken_in(embedder: MiniLM, tmp_path_factory: pytest.TempPathFactory) -> TakenIn:
    """Takes in the demo texts of a pack, once: the settings that lead to them."""

    async def take_in(pack: str, settings: Settings) -> None:
        async with Application(settings, embedder=embedder) as application:
            corpus = application.corpus(application.pack(pack))
            await take_in_demo(corpus, application.settings.packs, application.data)

    @cache
    def settings_of(pack: str) -> Settings:
        settings = Settings(data=tmp_path_factory.mktemp(pack) / "data")
        asyncio.run(take_in(pack, settings))
        return settings

    return settings_of


@pytest.fixture(scope="session")
def ask_mrd(embedder: MiniLM, taken_in: TakenIn) -> Ask:
    """Asks the demo texts questions: what comes of each, without what is offered."""
    settings = taken_in(PACK)

    async def every(texts: Iterable[str]) -> Mapping[str, Outcome]:
        async with Application(settings, embedder=embedder) as application:
            engine = application.new_engine(application.pack(PACK), offers=False)
            return {text: await engine.ask(question(PACK, text)) for text in texts}

    return lambda texts: asyncio.run(every(texts))


@pytest.fixture(scope="session")
def small_model() -> Iterator[Settings]:
    """The settings that lead to a real model, which is served on the loopback."""
    kept = read().cache
    if not model_file(kept).exists() or find_spec("xllamacpp") is None:
        pytest.skip("SMALL MODEL ABSENT: rm -rf build/small_model; make small-model")
    with start_server(kept) as leading:
        yield Settings(
            model=leading["GROUNDRULE_MODEL"],
            model_url=leading["GROUNDRULE_MODEL_URL"],
            model_prices=(0.0, 0.0),
        )
