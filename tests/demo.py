"""The engine over the demo texts of both packs, with the real parts behind it."""

import asyncio
import shutil
import uuid
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import yaml

from adapters.embedding import MiniLM
from adapters.ledger.store import SqlLedger
from adapters.loaders.sandbox import SERVED, Parser
from bot.calibrations import load_urgency
from bot.documents.ingest import Job, Steps, ingest, look
from bot.readers import open_reading
from bot.wiring import Application
from config.settings import PACKS, Settings
from engine import Answer, Engine, Outcome, Ports, Question, Quote
from engine.model.ports import Embedder
from engine.model.spans import Span
from engine.policy.pack import Pack
from engine.rank.reading import Reading

NAMES = ("oncology", "textbook")
ANSWERABLE = {
    "oncology": (
        "How is capecitabine taken?",
        "What temperature counts as fever during chemotherapy?",
        "What should I do when I have a fever during chemotherapy?",
        "When do mouth sores from chemotherapy start and heal?",
        "How can mouth sores be prevented?",
        "What are the signs of a low platelet count?",
        "Can I take aspirin with low platelets?",
        "What is DPD deficiency?",
        "How long does fatigue last after chemotherapy?",
        "Does tamoxifen cause hot flashes?",
        "How is 5FU given?",
        "Which foods should I avoid with mouth sores?",
    ),
    "textbook": (
        "What does the derivative gain of a PID controller do?",
        "What is integral windup?",
        "How do you tune a PID controller?",
        "What are the default QoS settings?",
        "What are the main QoS policies?",
        "What is tf2?",
        "Which command prints the transform between two frames?",
        "What belongs in the lab report of lab 6?",
        "How do I record a bag?",
        "What is SLAM?",
        "What is a digital twin?",
        "gazebo sim world file",
    ),
}


def reading_over(embedder: Embedder) -> Reading:
    """The small reader, with what was fitted for it over an embedder."""
    return open_reading(Settings(reader="small"), embedder)


@dataclass
class Recorder:
    """The Observer port over lists."""

    events: list[dict[str, object]] = field(default_factory=list)
    counts: list[tuple[str, Mapping[str, str]]] = field(default_factory=list)
    values: list[tuple[str, float]] = field(default_factory=list)
    traces: list[tuple[Span, ...]] = field(default_factory=list)

    def event(self, name: str, fields: Mapping[str, object]) -> None:
        assert fields["event"] == name
        self.events.append(dict(fields))

    def count(self, metric: str, labels: Mapping[str, str]) -> None:
        self.counts.append((metric, dict(labels)))

    def observe(self, metric: str, value: float) -> None:
        self.values.append((metric, value))

    def trace(self, spans: Sequence[Span]) -> None:
        self.traces.append(tuple(spans))

    def named(self, name: str) -> list[dict[str, object]]:
        """The events of one name, in order."""
        return [event for event in self.events if event["event"] == name]

    def counted(self, metric: str) -> int:
        """How often a metric was counted."""
        return sum(name == metric for name, _ in self.counts)


@dataclass(frozen=True)
class Demo:
    """A data folder that holds the demo texts, and the embedder they went through.

    `changes` are settings that differ from the defaults.
    """

    data: Path
    embedder: MiniLM
    changes: Mapping[str, object] = field(default_factory=dict)

    @property
    def settings(self) -> Settings:
        return Settings.model_validate({"data": self.data, **self.changes})

    @property
    def untouched(self) -> Path:
        """The folder before any test asked it something."""
        return self.data.with_name(f"{self.data.name}-untouched")

    def copy(self, to: Path) -> Path:
        """A copy in which nothing was asked yet."""
        return shutil.copytree(self.untouched, to)

    @asynccontextmanager
    async def open(self) -> AsyncIterator["Room"]:
        """Everything of one process, opened for one test."""
        async with Application(self.settings, embedder=self.embedder) as application:
            packs = {name: application.pack(name) for name in NAMES}
            ports = Ports(
                index=application.search.index,
                embedder=self.embedder,
                ledger=application.ledger,
                clock=application.clock,
                observer=Recorder(),
            )
            yield Room(packs, ports)

    def ask_all(self) -> tuple[Outcome, ...]:
        """Ask what the demo texts answer, and what each pack must refuse."""

        async def every() -> tuple[Outcome, ...]:
            async with self.open() as room:
                pairs = [
                    (pack, text)
                    for pack in NAMES
                    for text in (*ANSWERABLE[pack], *must_refuse(pack))
                ]
                return tuple([await room.ask(*pair) for pair in pairs])

        return asyncio.run(every())

    async def take_in(self) -> None:
        """Ingest the demo texts of every pack."""
        async with Application(self.settings, embedder=self.embedder) as application:
            with Parser() as parser:
                for name in NAMES:
                    corpus = application.corpus(application.pack(name))
                    job = Job(PACKS / name / "corpus", demo=True)
                    folder = look(job.path, SERVED)
                    await ingest(corpus, parser, job, folder, Steps())


@dataclass(frozen=True)
class Room:
    """An engine to ask, with its parts in reach; `but` changes parts."""

    packs: Mapping[str, Pack]
    ports: Ports

    @property
    def observer(self) -> Recorder:
        assert isinstance(self.ports.observer, Recorder)
        return self.ports.observer

    @property
    def ledger(self) -> SqlLedger:
        assert isinstance(self.ports.ledger, SqlLedger)
        return self.ports.ledger

    @property
    def engine(self) -> Engine:
        embedder = self.ports.embedder
        reading = reading_over(embedder)
        return Engine(self.packs, self.ports, reading, load_urgency(embedder))

    def but(self, packs: Mapping[str, Pack] | None = None, **ports: object) -> "Room":
        """The same with other packs or other parts."""
        changed = replace(self.ports, **ports)  # type: ignore[arg-type]
        return Room({**self.packs, **(packs or {})}, changed)

    async def ask(self, pack: str, text: str, **asked: object) -> Outcome:
        """Ask one question."""
        return await self.engine.ask(question(pack, text, **asked))


def must_refuse(pack: str) -> tuple[str, ...]:
    """The questions of a pack's must-refuse fixtures (R-U8)."""
    file = PACKS / pack / "fixtures" / "must_refuse.yaml"
    cases = yaml.safe_load(file.read_text(encoding="utf-8"))["cases"]
    return tuple(case["question"] for case in cases)


def question(pack: str, text: str, **asked: object) -> Question:
    """A question with an id of its own."""
    return Question.model_validate(
        {"id": uuid.uuid4().hex, "session": "s", "text": text, "pack": pack, **asked}
    )


def quotes(outcome: Outcome) -> list[Quote]:
    """Every quotation of an outcome, none of a refusal."""
    if not isinstance(outcome.result, Answer):
        return []
    return [
        quote
        for section in outcome.result.sections
        for claim in section.claims
        for quote in claim.quotes
    ]


def make(data: Path, **changes: object) -> Demo:
    """Take the demo texts into a new data folder (some 15 seconds)."""
    made = Demo(data, MiniLM(1), changes)
    asyncio.run(made.take_in())
    shutil.copytree(data, made.untouched)
    return made
