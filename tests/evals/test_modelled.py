"""What a model makes of questions, beside the quotations: counted, kept, as a table."""

from pathlib import Path

import pytest

from engine.errors import UsageError
from evals.modelled import REFUSED, WITH, WITHOUT, Came, Plan, asked, kept, table
from evals.recording.models import SharedModels
from tests.engine.drafts.test_drafting import passages, saying
from tests.evals import library
from tests.loopback.model import Json, Said, Script, provider


async def came(small: library.Small, script: Script) -> tuple[list[Came], int]:
    """What came of the plain suite, and how often the model was asked."""
    plan = Plan(
        suite="plain",
        most=None,
        seconds=60.0,
        passages=2,
        kept=small.folder / "kept.jsonl",
        cache=small.folder / "cache",
        library=small.library,
    )
    async with provider(script) as served:
        told = {"model": "openai/test", "model_url": served.url}
        settings = small.settings.model_copy(update={**told, "model_prices": (0, 0)})
        models = SharedModels(settings)
        found = [each async for each in asked(library.PACK, plan, settings, models)]
        await models.end()
        return found, len(served.asked)


def chosen(body: Json) -> Said:
    """The first passage of a prompt, and a sentence of the last, which is another's."""
    first, *_, last = passages(body)
    return Said(saying(*first, min(last)))


async def test_questions_are_asked_with_and_without_and_kept_R_E4(
    tmp_path: Path,
) -> None:
    """A question without facts is none of them; the second run asks nothing."""
    small = library.make(tmp_path)
    found, calls = await came(small, chosen)
    assert [(each.case, each.mode) for each in found] == [
        ("fever", "deterministic"),
        ("fever", "llm"),
    ]
    alone, modelled = found
    assert (alone.end, alone.chosen, alone.sent) == (WITH, False, 0)
    assert modelled.chosen
    assert modelled.sent > 0
    assert (modelled.retries, modelled.lost, calls) == (0, 0, 1)
    again, calls = await came(small, chosen)
    assert (again, calls) == (found, 0)
    assert list(kept(tmp_path / "kept.jsonl").values()) == found


async def test_a_model_that_writes_nothing_readable_is_counted(tmp_path: Path) -> None:
    """Oncology refuses where no draft passed: the first, and the one after it."""
    found, calls = await came(library.make(tmp_path), lambda _: Said("no"))
    modelled = found[-1]
    assert (modelled.end, modelled.chosen) == (REFUSED, False)
    assert (modelled.retries, modelled.lost, calls) == (1, 2, 2)


def test_a_file_of_something_else_is_named(tmp_path: Path) -> None:
    file = tmp_path / "other.jsonl"
    file.write_text("{}\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"other\.jsonl: is no file of this program"):
        kept(file)


def test_the_table_has_a_column_for_each_pack_and_mode() -> None:
    """Every question is in exactly one of the three ends."""
    every = [
        Came("1", "oncology", "a", "deterministic", WITH, seconds=0.1),
        Came("2", "oncology", "b", "deterministic", REFUSED, seconds=0.3),
        Came("3", "oncology", "a", "llm", WITHOUT, True, 1, 1, 900, 40, 20.0),
        Came("4", "oncology", "b", "llm", WITH, True, 0, 0, 700, 60, 40.0),
    ]
    assert list(table(every, "small")) == [
        "| | `oncology`, quotations alone | `oncology`, small |",
        "| --- | --- | --- |",
        "| questions | 2 | 2 |",
        "| answered with the facts | 1 | 1 |",
        "| answered without them | 0 | 1 |",
        "| wrongly refused | 1 | 0 |",
        "| shown as the model chose | 0 | 2 |",
        "| drafts beyond the first | 0 | 1 |",
        "| calls without a readable draft | 0 | 1 |",
        "| tokens sent and written, median | 0 and 0 | 800 and 50 |",
        "| seconds a question, median and most | 0.2 and 0.3 | 30.0 and 40.0 |",
    ]
