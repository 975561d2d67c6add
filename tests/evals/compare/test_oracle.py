"""The oracle sees a moved outcome, place, block and field, and words alone apart."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from adapters.mail import Platform
from engine.model.errors import EnvironmentFailed, UsageError
from engine.model.outcome import Outcome
from engine.model.record import Record
from engine.policy.pack import Pack
from evals.commands.oracle import app, describe_moved, summarise
from evals.compare import oracle
from evals.compare import oracle as schema
from evals.compare import runs as baseline
from evals.compare import stored as kept
from evals.compare.oracle import Asked, Asking, Difference, Job
from evals.compare.stored import Kind, Moved
from evals.record import platforms as shapes
from evals.record.platforms import Rendered, render
from tests.evals import library

MESSAGES = Job(library.PACK, messages=True)
SAID = """\
{"id": "says-1", "says": "what temperature counts as fever during chemotherapy"}
{"id": "says-2", "says": "how do i change the oil of my car"}
{"id": "says-3", "says": "thanks!"}
{"id": "says-4", "says": "and in dogs?", "after": "What counts as fever?"}
"""
FEVER = "A temperature of 38 °C (100.4 °F) or higher counts as fever"
FIXTURE = """\
cases:
  - id: {id}
    question: {question}
"""


@dataclass(frozen=True)
class Bench:
    """A small pack with four messages, and what was stored of them."""

    folder: Path
    asking: Asking
    stored: Path

    def asked(self, *jobs: Job) -> Asked:
        """What comes of some jobs now."""
        rows, outlines = {}, {}
        for job in jobs or (MESSAGES,):
            oracle.record_job(self.asking, job)
            rows[job], found = oracle.read_outcome(self.asking.folder(job))
            outlines |= found
        return Asked(rows, outlines, schema.list_record_fields())

    def moved(self, asked: Asked | None = None) -> Mapping[str, list[Kind]]:
        """The kinds that moved, by case."""
        found: dict[str, list[Kind]] = {}
        for each in oracle.find_differences(asked or self.asked(), self.stored):
            found.setdefault(each.moved.case, []).append(each.moved.kind)
        return found

    def edit(self, name: str, old: str, new: str) -> None:
        """Change a file of the pack."""
        file = self.folder / "packs" / library.PACK / name
        text = file.read_text(encoding="utf-8")
        assert old in text
        file.write_text(text.replace(old, new), encoding="utf-8")


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """One of a test's own, that it may edit."""
    return _bench(tmp_path)


@pytest.fixture(scope="module")
def still(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """One that no test edits; it is asked anew each time."""
    made = _bench(tmp_path_factory.mktemp("oracle"))
    return replace(made, asking=replace(made.asking, fresh=True))


def _bench(tmp_path: Path) -> Bench:
    small = library.make(tmp_path)
    said = tmp_path / "suites" / "messages" / f"{library.PACK}.jsonl"
    said.parent.mkdir()
    said.write_text(SAID, encoding="utf-8")
    for name in library.DOCUMENTS[1:]:
        (tmp_path / "packs" / library.PACK / "corpus" / name).unlink()
    asking = Asking(
        packs=[library.PACK],
        library=small.library,
        out=tmp_path / "out",
        cache=tmp_path / "cache",
        workers=1,
    )
    made = Bench(tmp_path, asking, tmp_path / "stored")
    oracle.pin(asking, made.asked(), made.stored)
    return made


def test_what_did_not_move_is_not_named_R_E3(still: Bench) -> None:
    asked = still.asked()
    assert still.moved(asked) == {}
    rows = {row.case: row for row in asked.rows[MESSAGES]}
    assert [rows[f"says-{n}"].outcome for n in (1, 2, 3)] == [
        "answer",
        "refusal",
        "talk",
    ]
    assert rows["says-1"].quotes
    assert summarise(asked, ()).startswith("Nothing moved, of 4 rows")


def test_a_moved_place_is_seen_R_E3(bench: Bench) -> None:
    """The same sentence, further down in another version."""
    bench.edit("corpus/fever-during-chemotherapy.md", FEVER, f"So: {FEVER}")
    assert Kind.QUOTATIONS in bench.moved()["says-1"]


def test_a_moved_outcome_is_seen_R_E3(bench: Bench) -> None:
    bench.edit("corpus/fever-during-chemotherapy.md", "counts as fever", "is")
    bench.edit("corpus/fever-during-chemotherapy.md", "fever", "heat")
    found = bench.moved()["says-1"]
    assert Kind.OUTCOME in found
    assert Kind.REASON in found


def test_renewed_words_are_told_apart_R_E3(bench: Bench) -> None:
    bench.edit(
        "pack.yaml", "holds no answer to this that I", "has no answer to this that I"
    )
    found = bench.moved()
    assert found
    assert {kind for kinds in found.values() for kind in kinds} == {Kind.WORDS}


@pytest.mark.parametrize(
    ("platform", "kind"),
    [(Platform.SLACK, Kind.SLACK), (Platform.DISCORD, Kind.DISCORD)],
)
def test_a_lost_block_is_seen_R_C4(
    still: Bench, monkeypatch: pytest.MonkeyPatch, platform: Platform, kind: Kind
) -> None:
    """On the platform that lost it alone, and with the way that shows it."""

    def shorter(outcome: Outcome, pack: Pack, today: date) -> Iterator[Rendered]:
        for one in render(outcome, pack, today):
            first = one.platform is platform and one.way == "mention"
            yield replace(one, parts=one.parts[:-1]) if first else one

    monkeypatch.setattr(shapes, "render", shorter)
    found = list(oracle.find_differences(still.asked(), still.stored))
    assert {each.moved.kind for each in found} == {kind}
    assert all("mention" in each.moved.then for each in found)


def test_a_field_of_the_record_is_seen_R_D1(
    still: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Longer(Record):
        weight: int = 0

    monkeypatch.setattr(schema, "Record", Longer)
    stored = {MESSAGES: kept.read_stored(still.stored / MESSAGES.place)}
    asked = Asked(stored, {}, schema.list_record_fields())
    assert still.moved(asked) == {"weight: integer": [Kind.FIELDS]}
    monkeypatch.undo()
    fewer = replace(
        asked, fields=[f for f in schema.list_record_fields() if "url" not in f]
    )
    gone = {each.moved.now for each in oracle.find_differences(fewer, still.stored)}
    assert gone == {"gone"}


def test_suites_and_messages_are_asked_in_processes_R_E4(bench: Bench) -> None:
    """All of it through the pool, and stored; then nothing moves."""
    fixtures = bench.folder / "packs" / library.PACK / "fixtures"
    asked_of = {"must_answer": library.FEVER, "must_refuse": "Who won the cup?"}
    for name, question in asked_of.items():
        text = FIXTURE.format(id=f"{name}-1", question=question)
        (fixtures / f"{name}.yaml").write_text(text, encoding="utf-8")
    for name in ("plain", "changed"):
        (bench.folder / "suites" / library.PACK / f"{name}.yaml").unlink()
    said: list[str] = []
    asking = replace(bench.asking, workers=2)
    asked = oracle.ask(asking, said.append)
    assert sorted(job.title for job in asked.rows) == [
        "messages of oncology",
        "suites of oncology",
    ]
    assert len(said) == 2
    oracle.pin(asking, asked, bench.stored)
    assert bench.moved(asked) == {}
    held = baseline.load(library.PACK, bench.stored)
    assert held is not None
    assert {score.case for score in held.held.scores} == set(held.rows)


def test_nothing_stored_is_a_matter_of_usage(still: Bench, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="oracle --pin"):
        list(oracle.find_differences(still.asked(), tmp_path / "none"))


def test_what_cannot_be_compared_is_found_before_it_is_asked_R_E3(
    still: Bench, tmp_path: Path
) -> None:
    """Rows of no pack mean that one was deleted."""
    with pytest.raises(UsageError, match="oracle --pin"):
        oracle.refuse_unstored(still.asking, tmp_path, whole=False)
    kept.write_stored(tmp_path / MESSAGES.place, ())
    oracle.refuse_unstored(still.asking, tmp_path, whole=True)
    kept.write_stored(tmp_path / "deleted" / kept.MESSAGES, ())
    oracle.refuse_unstored(still.asking, tmp_path, whole=False)
    with pytest.raises(UsageError, match=r"deleted: .*there is no such pack"):
        oracle.refuse_unstored(still.asking, tmp_path, whole=True)


def test_messages_that_nobody_asks_are_gone_R_E3(still: Bench) -> None:
    """Though the file of the messages is: nothing moved is said of nothing less."""
    suites = Job(library.PACK, messages=False)
    stored = still.stored / suites.place
    kept.write_stored(stored, ())
    asked = Asked({suites: ()}, {}, schema.list_record_fields())
    found = still.moved(asked)
    stored.unlink()
    assert found == {f"says-{n}": [Kind.GONE] for n in (1, 2, 3, 4)}


def test_fields_that_cannot_be_read_are_a_matter_of_the_machine(
    still: Bench, tmp_path: Path
) -> None:
    damaged = tmp_path / "stored"
    shutil.copytree(still.stored, damaged)
    (damaged / oracle.FIELDS).write_bytes(b"\xff")
    stored = {MESSAGES: kept.read_stored(damaged / MESSAGES.place)}
    with pytest.raises(EnvironmentFailed, match=oracle.FIELDS):
        list(oracle.find_differences(Asked(stored, {}), damaged))


PARENT = """
from evals.compare.oracle import start_processes

if __name__ == "__main__":
    pool = start_processes(1)
    pool.submit(print, "asked", flush=True).result()
    input()
"""


def test_no_process_outlives_an_oracle_that_was_killed(tmp_path: Path) -> None:
    """Its output ends when the last one is gone that writes to it."""
    (tmp_path / "parent.py").write_text(PARENT, encoding="utf-8")
    root = Path(__file__).resolve().parents[3]
    with subprocess.Popen(
        [sys.executable, tmp_path / "parent.py"],
        env={**os.environ, "PYTHONPATH": str(root)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == "asked\n"
        parent.kill()
        assert parent.communicate(timeout=60)[0] == ""


def run(monkeypatch: pytest.MonkeyPatch, bench: Bench, *options: str) -> Any:
    """The command over the small pack."""
    made = bench.asked()
    monkeypatch.setattr(oracle, "ask", lambda asking, done: made)
    given = ["--pack", library.PACK, "--baselines", str(bench.stored), *options]
    return CliRunner().invoke(app, given)


def test_the_exit_code_says_whether_something_moved_R_P2(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Words that may move fail nothing; what moves with them does."""
    assert run(monkeypatch, bench).exit_code == 0
    bench.edit(
        "pack.yaml", "holds no answer to this that I", "has no answer to this that I"
    )
    report = bench.folder / "moved" / "report.txt"
    said = run(monkeypatch, bench, "--report", str(report))
    assert said.exit_code == 1
    assert "in words alone" in said.output
    assert "says-2" in report.read_text(encoding="utf-8")
    assert run(monkeypatch, bench, "--words-may-move").exit_code == 0
    bench.edit("corpus/fever-during-chemotherapy.md", FEVER, f"So: {FEVER}")
    assert run(monkeypatch, bench, "--words-may-move").exit_code == 1
    assert run(monkeypatch, bench, "--pin").exit_code == 0
    assert run(monkeypatch, bench).exit_code == 0


def test_many_of_one_kind_are_cut_and_counted() -> None:
    found = [Difference("p", Moved(f"c{n}", Kind.OUTCOME, "a", "b")) for n in range(25)]
    lines: Sequence[str] = list(describe_moved(found, 20, 80))
    assert lines[0] == "outcome: 25"
    assert len(lines) == 22
    assert "5 more" in lines[-1]
