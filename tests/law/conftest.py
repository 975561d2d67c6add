"""The engine over the demo law, taken in once."""

import asyncio
import uuid
from collections.abc import Callable

import pytest

from adapters.embedding import MiniLM
from adapters.loaders.sandbox import SERVED, Parser
from bot.documents.ingest import Job, Steps, ingest, look
from bot.wiring import Application
from config.settings import PACKS, Settings
from engine.model.outcome import Outcome
from engine.model.question import Question

NAME = "immigration"
Ask = Callable[..., Outcome]


async def _take_in(settings: Settings, embedder: MiniLM) -> None:
    async with Application(settings, embedder=embedder) as application:
        corpus = application.corpus(application.pack(NAME))
        job = Job(PACKS / NAME / "corpus", demo=True)
        with Parser() as parser:
            folder = look(job.path, SERVED)
            summary = await ingest(corpus, parser, job, folder, Steps())
    assert not summary.failures


@pytest.fixture(scope="session")
def law(tmp_path_factory: pytest.TempPathFactory) -> Ask:
    """Asks the demo law a question; other fields of the question by keyword."""
    settings = Settings(data=tmp_path_factory.mktemp("law") / "data", packs=PACKS)
    embedder = MiniLM(1)
    asyncio.run(_take_in(settings, embedder))

    async def ask(text: str, fields: dict[str, object]) -> Outcome:
        async with Application(settings, embedder=embedder) as application:
            engine = application.engine(application.pack(NAME))
            asked = {"id": uuid.uuid4().hex, "session": "s", "text": text}
            return await engine.ask(
                Question.model_validate({**asked, "pack": NAME, **fields})
            )

    def asked(text: str, **fields: object) -> Outcome:
        return asyncio.run(ask(text, fields))

    return asked
