"""What scenarios share: the demo texts of the mrd pack, taken in once."""

import asyncio
from collections.abc import Callable, Iterable, Mapping

import pytest

from bot.documents.demo import take_in_demo
from bot.wiring import Application
from config.settings import Settings
from engine import Outcome
from tests.demo import Demo, question

PACK = "mrd"
Ask = Callable[[Iterable[str]], Mapping[str, Outcome]]


@pytest.fixture(scope="session")
def ask_mrd(demo: Demo, tmp_path_factory: pytest.TempPathFactory) -> Ask:
    """Asks the demo texts questions: what comes of each, without what is offered."""
    settings = Settings(data=tmp_path_factory.mktemp("mrd") / "data")

    async def take_in() -> None:
        async with Application(settings, embedder=demo.embedder) as application:
            corpus = application.corpus(application.pack(PACK))
            await take_in_demo(corpus, application.settings.packs, application.data)

    async def every(texts: Iterable[str]) -> Mapping[str, Outcome]:
        async with Application(settings, embedder=demo.embedder) as application:
            engine = application.new_engine(application.pack(PACK), offers=False)
            return {text: await engine.ask(question(PACK, text)) for text in texts}

    asyncio.run(take_in())
    return lambda texts: asyncio.run(every(texts))
