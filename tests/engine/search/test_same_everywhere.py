"""Relevance belongs to a question and its passage, whatever else is in the corpus."""

import shutil
from datetime import date
from pathlib import Path

import pytest

from adapters.loaders.sandbox import SERVED, Parser
from bot.documents.ingest import Job, Steps, ingest
from bot.documents.ingest import look as look_into
from bot.wiring import Application
from config.settings import PACKS, Settings
from engine.model.question import Scope
from engine.parse.intent import read
from engine.search.search import SearchBackend, find_candidates
from tests.demo import Demo, question, reading_over

TODAY = date(2026, 11, 1)
APART = 0.05  # relevance of the same passage may differ by less
SUFFICIENT = 0.7
FEW = 5  # documents
CASES = [
    ("textbook", "pid-control", "What is integral windup?"),
    ("textbook", "ros2-qos", "What are the default QoS settings?"),
    # Not one that a line of questions.jsonl is near to: of a section that is there
    # twice one copy gets the line, and the copy that is quoted may be the other.
    ("oncology", "tamoxifen", "What is the usual dose of tamoxifen?"),
    ("oncology", "fever-during-chemotherapy", "Which vaccines cause a fever?"),
]


async def relevance(demo: Demo, data: Path, pack: str, page: str, text: str) -> float:
    """Of a page for a question, over what a data folder holds."""
    settings = Settings(data=data)
    async with Application(settings, embedder=demo.embedder) as application:
        index = application.search.index
        statistics = await index.statistics(Scope(pack=pack))
        asked, rules = question(pack, text), application.pack(pack)
        places = SearchBackend(index, demo.embedder)
        intent = read(asked, rules, statistics, TODAY)
        found = await find_candidates(places, asked, intent, rules, statistics)
    judged = await found.judge(reading_over(demo.embedder))
    return max(c.relevance for c in judged if c.document.endswith(page))


async def taken_in(demo: Demo, data: Path, pack: str, folder: Path) -> Path:
    """A data folder that holds one folder's documents."""
    settings = Settings(data=data)
    async with Application(settings, embedder=demo.embedder) as application:
        with Parser() as parser:
            corpus = application.corpus(application.pack(pack))
            job = Job(folder)
            await ingest(corpus, parser, job, look_into(folder, SERVED), Steps())
    return data


def cut(pack: str, page: str, number: int, folder: Path) -> Path:
    """A folder with a page and others of the demo corpus, so many in all.

    With the stored questions of the page: they belong to its passages (R-Q3).
    """
    pages = sorted((PACKS / pack / "corpus").glob("*.md"))
    own = next(path for path in pages if path.stem == page)
    folder.mkdir()
    for path in [own, *(p for p in pages if p != own)][:number]:
        shutil.copy(path, folder)
    lines = (PACKS / pack / "corpus" / "questions.jsonl").read_text(encoding="utf-8")
    asked = [line for line in lines.splitlines(keepends=True) if f"demo/{page}" in line]
    (folder / "questions.jsonl").write_text("".join(asked), encoding="utf-8")
    return folder


def doubled(folder: Path, page: str) -> Path:
    """The folder, its page with its sections a second time at its end."""
    file = folder / f"{page}.md"
    text = file.read_text(encoding="utf-8")
    sections = text[text.index("\n## ") :]
    file.write_text(f"{text}\n{sections}", encoding="utf-8")
    return folder


@pytest.mark.parametrize(("pack", "page", "text"), CASES, ids=lambda one: one[:12])
async def test_the_same_passage_keeps_its_relevance_in_every_corpus_R_G6(
    demo: Demo, tmp_path: Path, pack: str, page: str, text: str
) -> None:
    """Its document alone, with few and with all others, and said twice."""
    folders = {
        "alone": cut(pack, page, 1, tmp_path / "alone"),
        "few": cut(pack, page, FEW, tmp_path / "few"),
        "doubled": doubled(cut(pack, page, 1, tmp_path / "doubled"), page),
    }
    places = {"all": demo.data}
    for name, folder in folders.items():
        places[name] = await taken_in(demo, tmp_path / f"{name}-data", pack, folder)
    said = {
        name: await relevance(demo, data, pack, page, text)
        for name, data in places.items()
    }
    assert max(said.values()) - min(said.values()) < APART, said
    assert len({one >= SUFFICIENT for one in said.values()}) == 1, said
