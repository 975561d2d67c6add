"""What is asked, broken and unbroken: a pack, its small suite, and who drafts."""

import asyncio
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from adapters.embedding import MiniLM
from config.settings import PACKS, Settings
from evals.cases.suites import Library
from evals.compare.decide import RunScores, decide
from evals.compare.runs import Finished, make_baseline, read_run, write_verdict
from evals.compare.verdict import Verdict
from evals.record.recorder import Plan, Summary, Tools, record
from evals.score import catalogue
from evals.score.score import score_run
from tests.evals.sensitivity.drafting import ScriptedModels

HERE = Path(__file__).parent
SUITES = HERE / "suites"
# Of a shipped pack so many documents are taken in: below twenty, a search has no rivals
# to learn relevance from, and nothing would be as it is shipped.
DOCUMENTS = 20
ASKED_ABOUT: Mapping[str, tuple[str, ...]] = {
    "oncology": (
        *("fever-during-chemotherapy.md", "tamoxifen.md", "hormone-therapy.md"),
        *("capecitabine-and-fluorouracil.md", "hair-skin-and-nails.md"),
        *("follow-up-care-after-treatment.md", "antinausea-medicines.md"),
    ),
    "textbook": (
        *("pid-control.md", "ros2-services.md", "ros2-topics.md", "ros2-qos.md"),
        "ros2-nodes.md",
    ),
}


@dataclass(frozen=True)
class World:
    """A pack with one of its suites; `scripted`: a model drafts."""

    pack: str
    suite: str = "small"
    scripted: bool = False

    @property
    def name(self) -> str:
        return f"{self.pack}-{self.suite}"


ONCOLOGY, TEXTBOOK = World("oncology"), World("textbook")
BYLAWS, DRAFTED = World("bylaws"), World("bylaws", "drafted", scripted=True)
CHANGED = World("oncology", "changed")
WORLDS = (ONCOLOGY, CHANGED, TEXTBOOK, BYLAWS, DRAFTED)


@dataclass(frozen=True)
class Bench:
    """Runs worlds in one folder, with the corpora that were made there before."""

    folder: Path
    embedder: MiniLM
    suites: Path = SUITES

    @property
    def runs(self) -> Path:
        """The folders of runs, by name."""
        return self.folder / "runs"

    def with_suites(self, suites: Path) -> "Bench":
        """The same with other suites."""
        return replace(self, suites=suites)

    def run(self, world: World, name: str, **plan: object) -> Finished:
        """Ask a world anew, score it, and read it back."""
        out = self.runs / name
        self.record(world, out, **plan)
        score_run(out)
        return read_run(out, name)

    def record(self, world: World, out: Path, **changes: object) -> Summary:
        """Ask a world anew; nothing is known from before but the corpora."""
        base: dict[str, object] = {"fresh": True, "generated": False}
        held = {"pack": world.pack, "out": out, "only": (world.suite,)}
        plan = Plan(**base | held | {"cache": self.folder / "cache"} | changes)  # type: ignore[arg-type]
        settings = Settings.model_validate({"data": self.folder / "untouched"})
        tools = Tools(models=ScriptedModels(settings) if world.scripted else None)
        with pytest.MonkeyPatch.context() as patch:  # loaded once, instead of each time
            patch.setattr(
                "evals.record.recorder.open_embedder", lambda *_: self.embedder
            )
            library = Library(self.suites, self.folder / "packs")
            return asyncio.run(record(plan, settings, library, tools))


def make(folder: Path) -> Bench:
    """The packs in a new folder: the by-laws, and the shipped ones with fewer texts."""
    for pack, first in ASKED_ABOUT.items():
        target = folder / "packs" / pack
        shutil.copytree(PACKS / pack, target, ignore=shutil.ignore_patterns("corpus"))
        (target / "corpus").mkdir()
        every = sorted(file.name for file in (PACKS / pack / "corpus").iterdir())
        for name in sorted({*first, *every[:DOCUMENTS]}):
            shutil.copyfile(PACKS / pack / "corpus" / name, target / "corpus" / name)
    shutil.copytree(HERE / "packs" / "bylaws", folder / "packs" / "bylaws")
    return Bench(folder, MiniLM(1))


def decided(
    run: Finished | RunScores, baseline: Finished, *, keep: Path | None = None
) -> Verdict:
    """The verdict on a run beside a baseline, kept in a folder where one is named."""
    scored = run if isinstance(run, RunScores) else run.scored
    verdict = decide(scored, make_baseline(baseline).held, catalogue.WEIGHTS)
    if keep is not None:
        write_verdict(keep, verdict)
    return verdict
