"""A handbook set by a printer answers what the same handbook in plain letters does."""

import asyncio
import re
from collections.abc import Mapping
from pathlib import Path

from adapters.loaders.sandbox import SERVED, Parser
from bot.documents.ingest import Job, Steps, ingest, look
from bot.wiring import Application
from config.settings import Settings
from engine import Outcome
from engine.text.legible import legible
from tests.demo import Demo, question, quotes
from tests.scenarios.test_small_corpus import ANSWERABLE, HANDBOOK, PACK

LIGATURES = (("ffi", "ﬃ"), ("ffl", "ﬄ"), ("ff", "ﬀ"), ("fi", "ﬁ"), ("fl", "ﬂ"))
# Where a line may end, as a printer parts these words.
PARTED = ("bat-tery", "cali-brated", "emer-gency", "re-leased", "grip-per", "but-ton")


def set_in_print(text: str) -> str:
    """Markdown with ligatures, soft hyphens, zero-width signs, and parted words."""
    lines = []
    for line in text.split("\n"):
        if not line.startswith(("#", "---", "title", "source", "id")):
            for word in PARTED:
                line = re.sub(
                    rf"\b{word.replace('-', '')}", word.replace("-", "-\n"), line
                )
            line = re.sub(r"\b([a-z]{4})([a-z]{3,})\b", "\\1\u00ad\\2", line)
            line = re.sub(r"\b([a-z]{2})([a-z]{2})\b", "\\1\u200b\\2", line)
        for letters, sign in LIGATURES:
            line = line.replace(letters, sign)
        lines.append(line)
    return "\n".join(lines)


async def _asked(demo: Demo, folder: Path, data: Path) -> Mapping[str, Outcome]:
    settings = Settings(data=data)
    async with Application(settings, embedder=demo.embedder) as application:
        pack = application.pack(PACK)
        with Parser() as parser:
            corpus = application.corpus(pack)
            await ingest(corpus, parser, Job(folder), look(folder, SERVED), Steps())
        engine = application.engine(pack)
        return {text: await engine.ask(question(PACK, text)) for text in ANSWERABLE}


def test_presentation_changes_no_answer_R_A15(demo: Demo, tmp_path: Path) -> None:
    """Nor how close each source is; what is quoted is what the page has."""
    printed = tmp_path / "printed" / HANDBOOK.name
    printed.mkdir(parents=True)
    for file in HANDBOOK.iterdir():
        text = set_in_print(file.read_text("utf-8"))
        (printed / file.name).write_text(text, "utf-8")
    plain = asyncio.run(_asked(demo, HANDBOOK, tmp_path / "one"))
    other = asyncio.run(_asked(demo, printed, tmp_path / "two"))
    printed_quotes = []
    for text, outcome in plain.items():
        assert other[text].answered == outcome.answered, text
        said = [quote.text for quote in quotes(other[text])]
        assert [*map(legible, said)] == [quote.text for quote in quotes(outcome)]
        printed_quotes += said
    assert any("\u00ad" in said and "\n" in said for said in printed_quotes)
