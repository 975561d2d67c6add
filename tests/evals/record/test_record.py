"""Recording: what is shipped is asked, and the record holds nothing of the moment."""

import asyncio
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from engine.model.errors import UsageError
from evals import store
from evals.forms import Row
from evals.record.recorder import Progress, Tools
from evals.record.runner import Answered
from tests.evals import library
from tests.evals.library import Small

ONLY = ("plain", "changed")
CANONICAL = (store.ANSWERS, store.CASES, store.SOURCES, store.MANIFEST)


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Small:
    """A pack with three documents; its corpus is made once."""
    return library.make(tmp_path_factory.mktemp("evals"))


@pytest.fixture(scope="session")
def folder(small: Small) -> Path:
    """The folder of the run that most tests look at."""
    return small.folder / "run"


@pytest.fixture(scope="session")
def rows(small: Small, folder: Path) -> Mapping[str, Row]:
    """The rows of that run."""
    asyncio.run(small.record(small.plan("run", only=ONLY, repeats=2)))
    return {f"{r.case}/{r.repeat}": r for r in store.recorded(folder).rows}


async def test_every_case_has_a_row_R_E1_R_E4(rows: Mapping[str, Row]) -> None:
    """As often as it was to be asked; what cannot be asked has an error."""
    assert len(rows) == 2 * 7
    errors = {name: row.error for name, row in rows.items() if row.error}
    assert set(errors) == {"no-such-text/0", "no-such-text/1"}
    assert "does not hold 'no such words'" in str(errors["no-such-text/0"])


async def test_answers_and_refusals_come_as_they_are_shipped_R_E1(
    rows: Mapping[str, Row], folder: Path
) -> None:
    """Sections, evidence, sources and the text that a person reads."""
    fever, belt = rows["fever/0"], rows["belt/0"]
    sources = store.read_sources(folder)
    assert fever.answered
    assert "38 °C" in fever.served
    assert "Sources" in fever.served
    assert fever.record is not None
    for cited in fever.record["sources"]:
        held = sources[cited["version"]]
        assert held.path == "fever-during-chemotherapy.md"
        assert held.text[cited["start"] : cited["end"]]
        assert all(
            held.text[q["start"] : q["end"]] == q["text"] for q in cited["quotes"]
        )
    assert {passage["version"] for passage in fever.evidence} <= sources.keys()
    assert fever.sections[0]["claims"]
    assert belt.refused
    assert not belt.sections
    assert belt.served.strip()


async def test_a_changed_corpus_is_what_is_answered_from_R_E6(
    rows: Mapping[str, Row], folder: Path
) -> None:
    """A new figure is said, a deleted document missed, an added sentence there."""
    changed, deleted = rows["fever-changed/0"], rows["fever-deleted/0"]
    assert "39 °C" in changed.served
    assert "38 °C" not in changed.served
    assert deleted.refused
    offered = {passage["version"] for passage in rows["fever-added/0"].evidence}
    sources = store.read_sources(folder)
    assert any("cold tea" in sources[version].text for version in offered)


async def test_rows_hold_nothing_of_the_moment(
    rows: Mapping[str, Row], folder: Path, small: Small
) -> None:
    """No id, time, count of tokens or path of a machine, and figures of four digits.

    The id of a choice stays: it names its passage, in every run the same.
    """
    text = (folder / store.ANSWERS).read_text(encoding="utf-8")
    for name in ("audit_id", "created", "timings_ms", "token_use"):
        assert f'"{name}"' not in text
    for line in text.splitlines():
        assert "question_id" not in (json.loads(line)["record"] or {})
    assert "milliseconds" not in text
    assert str(small.folder) not in text
    assert str(small.folder) not in (folder / store.SOURCES).read_text("utf-8")
    assert max(_digits(json.loads(line)) for line in text.splitlines()) <= 4


def _digits(value: object) -> int:
    """The most digits behind the point of any figure in JSON."""
    if isinstance(value, float):
        return len(str(value).partition(".")[2])
    if not isinstance(value, dict | list):
        return 0
    held = value.values() if isinstance(value, dict) else value
    return max(map(_digits, held), default=0)


async def test_the_day_is_that_of_the_suite(rows: Mapping[str, Row]) -> None:
    """Rows do not depend on today, and an analysis date is that of the case."""
    day, other = rows["fever/0"].record, rows["as-of/0"].record
    assert day is not None
    assert other is not None
    assert day["analysis_date"] == {"as_of": "2026-06-20", "basis": "today"}
    assert other["analysis_date"]["as_of"] == "2026-06-10"


async def test_the_same_code_writes_the_same_bytes(
    rows: Mapping[str, Row], folder: Path, small: Small
) -> None:
    """A second run, asked anew and one at a time, differs in its timings alone."""
    plan = small.plan("again", only=ONLY, repeats=2, concurrency=1)
    summary = await small.record(plan)
    assert summary.took["asked"] == summary.rows == len(rows)
    for name in CANONICAL:
        first = (folder / name).read_bytes()
        assert (plan.out / name).read_bytes() == first, name


async def test_a_repeat_differs_in_nothing_but_its_address(
    rows: Mapping[str, Row],
) -> None:
    """Without a model the second answer is the first."""
    first, second = rows["fever/0"], rows["fever/1"]
    assert first.key != second.key
    assert first.record == second.record
    assert first.served == second.served


async def test_what_was_asked_before_is_not_asked_again_R_E4(
    rows: Mapping[str, Row], folder: Path, small: Small
) -> None:
    """A run that is begun again goes on: only errors are tried once more."""
    plan = small.plan("cached", only=ONLY, repeats=2, fresh=False)
    summary = await small.record(plan)
    assert (summary.took["asked"], summary.errors) == (2, 2)
    for name in CANONICAL:
        assert (plan.out / name).read_bytes() == (folder / name).read_bytes(), name


async def test_nobody_writes_where_a_corpus_is_kept(
    rows: Mapping[str, Row], small: Small
) -> None:
    """Asking writes records; the kept corpus stays as it was made."""

    def state() -> dict[str, str]:
        places = (small.folder / "cache" / "corpora").rglob("*")
        return {
            str(p): hashlib.sha256(p.read_bytes()).hexdigest()
            for p in places
            if p.is_file()
        }

    before = state()
    await small.record(small.plan("third", only=ONLY))
    assert state() == before
    assert not (small.folder / "untouched").exists()


async def test_progress_is_told_of_each_case(small: Small) -> None:
    """What shows a bar hears how many come, and of each that is done."""
    expected: list[int] = []
    done: list[Answered] = []
    tools = Tools(Progress(expect=expected.append, done=done.append))
    plan = small.plan("told", only=("must_answer_fixtures",), fresh=False)
    await small.record(plan, tools)
    assert expected == [len(done)] == [4]


async def test_generated_cases_follow_from_answers_R_E6_R_E7(small: Small) -> None:
    """Each names the case that it changes, and was asked."""
    plan = small.plan("generated", only=ONLY, generated=True)
    await small.record(plan)
    found = store.recorded(plan.out)
    made = {id: case for id, case in found.cases.items() if "~" in id}
    assert {case.original for case in made.values()} <= found.cases.keys()
    kinds = {case.slices[0] for case in made.values()}
    assert kinds >= {
        "cited_removed",
        "figure_changed",
        "document_deleted",
        "document_order",
        "question_order",
        "look_alike",
    }
    rows = {row.case: row for row in found.rows}
    assert rows["fever~document_deleted"].refused
    assert "38 °C" not in rows["fever~figure_changed"].served
    assert all(rows[id].error is None for id in made)
    counted = {case.suite for case in made.values()}
    assert counted == {
        "counterfactual_generated_2026-06-20",
        "adversarial_generated_2026-06-20",
    }


async def test_the_manifest_says_what_a_run_was_made_from(
    rows: Mapping[str, Row], folder: Path
) -> None:
    """Hashes of code, policy, corpus and suites; and whether rows are errors."""
    made = store.read_manifest(folder)
    assert made["pack"] == library.PACK
    assert (made["rows"], made["errors"], made["repeats"]) == (14, 2, 2)
    assert made["model"] is None
    assert set(made["suites"]) == set(ONLY)
    hashes = [made["code"], made["policy"]["hash"], made["corpora"]["demo"]]
    assert all(len(each) == 64 for each in hashes)


async def test_what_is_wrong_with_a_plan_is_said(small: Small) -> None:
    """An unknown suite, or no repeat at all, is no empty run."""
    with pytest.raises(UsageError, match="--suite large: there are changed, plain"):
        await small.record(small.plan("none", only=("large",)))
    with pytest.raises(UsageError, match="--repeats 0"):
        await small.record(small.plan("none", repeats=0))
