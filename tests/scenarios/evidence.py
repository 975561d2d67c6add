"""A few pages taken into a pack, and what comes of questions over them."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from adapters.loaders.sandbox import SERVED, Parser
from bot.documents.ingest import Job, Steps, Summary, ingest, look
from bot.wiring import Application
from config.settings import Settings
from engine import Answer, Outcome
from engine.model.ports import Embedder
from tests.demo import question


@dataclass(frozen=True, slots=True)
class Room:
    """Where pages are written to, and who asks; each ingestion adds to the last."""

    folder: Path
    embedder: Embedder
    pack: str

    def ask(
        self, pages: Mapping[str, str], questions: Sequence[str], source: str
    ) -> tuple[Summary, list[Outcome]]:
        """Write the pages, take the folder in, ask."""
        documents = self.folder / "documents"
        documents.mkdir(exist_ok=True)
        for name, text in pages.items():
            (documents / name).parent.mkdir(parents=True, exist_ok=True)
            (documents / name).write_text(text, encoding="utf-8")
        return asyncio.run(self._asked(documents, questions, source))

    async def _asked(
        self, documents: Path, questions: Sequence[str], source: str
    ) -> tuple[Summary, list[Outcome]]:
        settings = Settings(data=self.folder / "data")
        async with Application(settings, embedder=self.embedder) as application:
            pack = application.pack(self.pack)
            job = Job(documents, source=source)
            with Parser() as parser:
                corpus, folder = application.corpus(pack), look(documents, SERVED)
                summary = await ingest(corpus, parser, job, folder, Steps())
            engine = application.engine(pack)
            asked = (question(self.pack, text) for text in questions)
            return summary, [await engine.ask(one) for one in asked]


def quoted(outcome: Outcome) -> str:
    """All that an answer quotes; nothing of a refusal."""
    if not isinstance(outcome.result, Answer):
        return ""
    sections = outcome.result.sections
    return "\n".join(claim.text for one in sections for claim in one.claims)
