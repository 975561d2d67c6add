"""Compiling: a better program is kept, and nothing else is (R-E8)."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from adapters import packs, programs
from engine.documents.records import Span
from engine.errors import BudgetExceeded, EnvironmentFailed, UsageError
from engine.policy.programs import Part
from engine.records import Chunk, Quote
from engine.validate.shown import _quote as quoted
from evals import store
from evals.deciding.verdict import Decision
from evals.optimise import Outcome
from tests.engine.small_program import demonstration, program
from tests.evals.library import PACK, Small
from tests.evals.optimising import school
from tests.loopback.model import Json, Said, provider


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Corpora are the same for all tests; each has a model, and so answers, of its
    own."""
    return tmp_path_factory.mktemp("corpora")


@pytest.fixture
def small(tmp_path: Path) -> Small:
    """The school's pack."""
    return school.make(tmp_path)


def folder(small: Small) -> Path:
    """Where its programs are written."""
    return small.library.packs / PACK / programs.FOLDER


async def compiled(
    small: Small, behaviour: school.Behaviour, **plan: Any
) -> tuple[Outcome, Sequence[str]]:
    """What came of it with a model that behaves like this."""
    async with provider(school.script(behaviour)) as served:
        return await school.compile_for(small, served, **plan)


async def test_a_better_program_is_written_with_its_comparison_R_E8_R_E10(
    small: Small, cache: Path
) -> None:
    """Its examples are drafts that passed; nobody has read them; the pack loads."""
    before = packs.load(small.library.packs / PACK)
    found, said = await compiled(small, school.learning, cache=cache)
    assert found.judgement.kept, found.judgement.reasons
    assert found.file == folder(small) / f"{school.SIGNATURE}.json"
    pack = packs.load(small.library.packs / PACK)
    assert pack.hash != before.hash
    program = pack.programs[school.SIGNATURE]
    missing, taught = program.demonstrations
    assert missing.not_found
    assert missing.reviewed is not None
    assert (taught.question, taught.reviewed) == (school.EASY, None)
    first = taught.sections[0].sentences[0]
    assert f"[{first}] {school.TRUTH}" in taught.passages
    assert program.reviewed is None

    origin = program.origin
    assert (origin.optimiser, origin.model) == ("bootstrap", "openai/test")
    assert set(origin.training).isdisjoint(origin.compared)
    assert "no document is on both sides" in said[0]
    asked = {row.case for row in store.recorded(small.folder / "work/present").rows}
    assert asked.isdisjoint(origin.training)
    assert {name for name in asked if "~" not in name} == set(origin.compared)
    assert "100.0 % now" in origin.figures["abstention"]
    assert "abstention" in found.judgement.reasons[0]
    records = store.recorded(small.folder / "work" / f"new-{school.SIGNATURE}").rows
    versions = {r.record["prompt_version"] for r in records if r.record}
    assert origin.against not in versions
    assert origin.digest == program.digest_for(PACK)


async def test_a_program_that_weakens_a_gate_metric_is_refused_R_E8(
    small: Small, cache: Path
) -> None:
    """Its examples make the model choose something else; a fact is gone."""
    found, _ = await compiled(small, school.unlearning, cache=cache)
    assert found.judgement.decision is Decision.REGRESSION
    assert found.file is None
    assert not folder(small).exists()
    assert any("facts is weaker" in why for why in found.judgement.reasons)
    assert any("passed facts in the baseline" in why for why in found.judgement.reasons)


async def test_a_program_that_breaks_an_invariant_is_refused_R_E8(
    small: Small, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One sentence, which its examples make the model add, is shown altered."""

    def altered(chunk: Chunk, span: Span) -> Quote:
        quote = quoted(chunk, span)
        text = quote.text.replace(" can hide ", " cannot hide ")
        return quote.model_copy(update={"text": text})

    monkeypatch.setattr("engine.validate.shown._quote", altered)
    monkeypatch.setattr("adapters.ledger.proof.prove", lambda *_: None)
    found, _ = await compiled(small, school.adding, cache=cache)
    assert found.judgement.decision is Decision.REGRESSION
    assert not folder(small).exists()
    why = " ".join(found.judgement.reasons)
    assert "quote_anchor must never fail and failed in" in why


def written(
    folder: Path,
    signature: str = school.SIGNATURE,
    question: str = "What is a fever?",
    training: Sequence[str] = ("a",),
) -> Path:
    """A program that somebody wrote by hand, outside of the pack; it teaches."""
    part = Part(sentences=(1,))
    passage = f"Fever\n[1] {school.TRUTH}"
    taught = demonstration(question=question, passages=passage, sections=(part,))
    made = program(signature, demonstrations=(taught,))
    bare = {"compared": (), "digest": "", "model": "none", "optimiser": "by hand"}
    bare["training"] = tuple(training)
    origin = made.origin.model_copy(update=bare)
    made = made.model_copy(update={"origin": origin})
    return programs.write(made, folder / "by_hand")


async def test_a_program_written_by_hand_is_compared_as_it_stands_R_E10(
    small: Small, cache: Path
) -> None:
    """It is kept where it is better, with a comparison of its own; nothing is
    compiled."""
    by_hand = written(small.folder)
    found, said = await compiled(small, school.learning, cache=cache, program=by_hand)
    assert found.judgement.kept, found.judgement.reasons
    kept = packs.load(small.library.packs / PACK).programs[school.SIGNATURE]
    assert kept.demonstrations == programs.draft(by_hand).demonstrations
    asked = {row.case for row in store.recorded(small.folder / "work/present").rows}
    assert {name for name in asked if "~" not in name} == set(kept.origin.compared)
    assert "abstention" in kept.origin.figures
    assert kept.origin.against != "0" * 64
    assert (kept.origin.optimiser, kept.origin.model) == ("by hand", "openai/test")
    assert said[-1] == f"{school.SIGNATURE}: written to {found.file}"

    # What a reviewer takes out may have bettered no figure.
    reviewed = small.folder / "by_hand" / f"{school.SIGNATURE}.json"
    shorter = kept.model_copy(update={"instructions": "Say what the passages say."})
    programs.write(shorter, reviewed.parent)
    found, _ = await compiled(small, school.learning, cache=cache, program=reviewed)
    assert found.judgement.kept, found.judgement.reasons
    assert "No gate metric is lower" in found.judgement.reasons[0]
    again = packs.load(small.library.packs / PACK).programs[school.SIGNATURE]
    assert again.instructions == "Say what the passages say."


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"signature": "comparison"}, "signature: comparison: the intents name "),
        ({"question": school.HARD}, r"demonstrations\[0\]\.question: is that of hard-"),
        (
            {"question": f"  {school.HARD.upper()} ?"},
            r"demonstrations\[0\]\.question: is that of hard-",
        ),
        (
            {"training": [f"hard-{number}" for number in range(11)]},
            r"origin\.training: hard-\d+ is a case of the comparison: give the --seed",
        ),
    ],
)
async def test_a_program_by_hand_is_made_without_what_it_is_compared_on_R_E10(
    small: Small, cache: Path, how: dict[str, Any], said: str
) -> None:
    """And is one that the pack has a place for."""
    file = written(small.folder, **how)
    with pytest.raises(UsageError, match=said):
        await compiled(small, school.learning, cache=cache, program=file)
    assert not folder(small).exists()


async def test_too_few_cases_decide_nothing_R_E8(tmp_path: Path, cache: Path) -> None:
    """However much better it does in them."""
    small = school.make(tmp_path, easy=2, hard=2)
    found, _ = await compiled(
        small,
        school.learning,
        cache=cache,
    )
    assert found.judgement.decision is Decision.INCONCLUSIVE, found.judgement.reasons
    assert "are the fewest in which" in found.judgement.reasons[-1]
    assert not folder(small).exists()


async def test_a_draft_that_never_passes_teaches_nothing_R_E8(
    small: Small, cache: Path
) -> None:
    """A program without new examples betters nothing, and stays away."""
    found, _ = await compiled(small, school.Asked.nothing, cache=cache)
    assert found.judgement.decision is Decision.REGRESSION
    assert found.judgement.reasons == (
        "No gate metric got better, so the present program stays.",
    )


async def test_money_ends_it_before_anything_is_written_R_E8(
    small: Small, cache: Path
) -> None:
    """While it is compiled, or while it is compared: then rows are errors."""
    with pytest.raises(BudgetExceeded, match="--max-usd"):
        await compiled(small, school.learning, cache=cache, max_usd=0.001)
    assert not folder(small).exists()
    async with provider(school.script(school.learning)) as served:
        found, _ = await school.compile_for(small, served, cache=cache, max_usd=0.13)
    assert found.file is None
    assert "could not be run or judged" in " ".join(found.judgement.reasons)
    assert not folder(small).exists()


async def test_a_model_that_cannot_be_asked_is_no_bad_program_R_E8(
    small: Small, cache: Path
) -> None:
    """Its key is refused: exit code 4, and no mark for anything."""
    async with provider(lambda body: Said(status=401)) as served:
        with pytest.raises(EnvironmentFailed, match="cannot be asked"):
            await school.compile_for(small, served, cache=cache)


async def test_a_comparison_after_a_failure_asks_the_model_again_R_E8_R_E4(
    small: Small, cache: Path
) -> None:
    """What was quoted while the provider was away is no answer of a program."""

    away = True

    def said(body: Json) -> Said:
        failing = away and school.read(body).question == school.HARD
        return Said(status=400) if failing else school.script(school.learning)(body)

    by_hand = written(small.folder)
    async with provider(said) as served:
        found, _ = await school.compile_for(small, served, cache=cache, program=by_hand)
        assert found.judgement.decision is Decision.INCONCLUSIVE
        assert "was not heard on every case" in found.judgement.reasons[0]
        away = False
        found, _ = await school.compile_for(small, served, cache=cache, program=by_hand)
    assert found.judgement.kept, found.judgement.reasons


async def test_what_cannot_be_compiled_is_said_first_R_E8(
    small: Small, cache: Path
) -> None:
    """A pack without models, a locked one, a signature that nobody names."""
    with pytest.raises(UsageError, match="--signature none: the intents name"):
        await compiled(small, school.learning, cache=cache, signatures=("none",))
    file = small.library.packs / PACK / "pack.yaml"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("status: active", "status: LOCKED"), encoding="utf-8")
    packs.lock(file.parent)
    with pytest.raises(UsageError, match="is LOCKED"):
        await compiled(small, school.learning, cache=cache)
    (file.parent / packs.LOCK).unlink()
    file.write_text(text.replace("mode: llm", "mode: deterministic"), encoding="utf-8")
    with pytest.raises(UsageError, match=r"answer\.mode: is deterministic"):
        await compiled(small, school.learning, cache=cache)
