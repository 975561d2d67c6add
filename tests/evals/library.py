"""A pack with three documents, and suites over it, for tests that record."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from config.settings import PACKS, Settings
from evals.cases.suites import Library
from evals.record.recorder import Plan, Summary, Tools, record

PACK = "oncology"
DOCUMENTS = (
    "fever-during-chemotherapy.md",
    "capecitabine-and-fluorouracil.md",
    "tamoxifen.md",
)
FEVER = "What temperature counts as fever during chemotherapy?"
PLAIN = f"""\
today: 2026-06-20
cases:
  - id: fever
    question: {FEVER}
    expected:
      outcome: answer
      facts: [[38 °C], [counts as fever]]
      sources: [fever-during-chemotherapy.md]
    shows: [R-E1]
    document: fever-during-chemotherapy
  - id: belt
    question: How do I replace the serpentine belt on a car?
    expected: {{outcome: refuse}}
"""
CHANGED = f"""\
today: 2026-06-20
cases:
  - id: fever-changed
    question: {FEVER}
    expected: {{outcome: either, facts: [[39 °C]], absent: [38 °C]}}
    changes: [{{path: fever-during-chemotherapy.md, replace: [38 °C, 39 °C]}}]
    original: fever
  - id: fever-deleted
    question: {FEVER}
    expected: {{outcome: refuse}}
    changes: [{{path: fever-during-chemotherapy.md, delete: true}}]
    original: fever
  - id: fever-added
    question: {FEVER}
    expected: {{outcome: answer}}
    changes:
      - path: fever-during-chemotherapy.md
        insert: The cancer medicine oncofarin is taken once a week with cold tea.
  - id: no-such-text
    question: {FEVER}
    expected: {{outcome: refuse}}
    changes: [{{path: tamoxifen.md, without: no such words}}]
  - id: as-of
    question: {FEVER}
    expected: {{outcome: answer}}
    as_of: 2026-06-10
"""


@dataclass(frozen=True)
class Small:
    """Suites over a small corpus, and where their runs go."""

    folder: Path

    @property
    def library(self) -> Library:
        return Library(self.folder / "suites", self.folder / "packs")

    @property
    def settings(self) -> Settings:
        return Settings.model_validate({"data": self.folder / "untouched"})

    def plan(self, run: str, **changes: object) -> Plan:
        """A plan that keeps nothing outside of the folder."""
        base = {"fresh": True, "generated": False, "cache": self.folder / "cache"}
        return Plan(pack=PACK, out=self.folder / run, **(base | changes))  # type: ignore[arg-type]

    async def record(self, plan: Plan, tools: Tools | None = None) -> Summary:
        """Record a run."""
        return await record(plan, self.settings, self.library, tools or Tools())


def make(folder: Path) -> Small:
    """The pack and its suite, in a new folder."""
    pack = folder / "packs" / PACK
    (pack / "corpus").mkdir(parents=True)
    for name in ("pack.yaml", "sources.yaml", "fixtures"):
        source = PACKS / PACK / name
        copy = shutil.copytree if source.is_dir() else shutil.copyfile
        copy(source, pack / name)
    for name in DOCUMENTS:
        shutil.copyfile(PACKS / PACK / "corpus" / name, pack / "corpus" / name)
    suites = folder / "suites" / PACK
    suites.mkdir(parents=True)
    (suites / "plain.yaml").write_text(PLAIN, encoding="utf-8")
    (suites / "changed.yaml").write_text(CHANGED, encoding="utf-8")
    return Small(folder)
