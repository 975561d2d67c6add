"""DSPy's optimisers, each over the corridor and a model that is scripted (R-E8)."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import get_args

import pytest

from adapters import packs
from engine.answer.demonstrations import demonstrations
from engine.answer.signatures import SELECTING, SIGNATURES
from engine.policy.programs import Program
from evals.cases import suites
from evals.optimise import Means, Trainer
from evals.optimising.plan import Optimiser, Plan
from evals.optimising.split import Split
from evals.optimising.weigh import Judgement
from evals.recording.costs import Purse
from evals.recording.models import SharedModels
from tests.evals.library import PACK, Small
from tests.evals.optimising import school
from tests.loopback.model import Json, Provider, Said, prompt_of, provider

BETTER = "Answer every question about a temperature with its figure."
PROPOSED = {
    "proposed_instruction": BETTER,
    "proposed_prefix_for_output_field": "Status:",
    "new_instruction": BETTER,
}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Small:
    """The school's pack."""
    return school.make(tmp_path_factory.mktemp("school"), easy=3, hard=3)


def proposing(body: Json) -> Said:
    """Drafts by the instructions it is given; asked for better ones, it has one."""
    if "[[ ## passages ## ]]" not in prompt_of(body["messages"][-1]):
        wanted = [name for name in PROPOSED if name in prompt_of(body)]
        if "Respond with a JSON object" in prompt_of(body):
            return Said(json.dumps({name: PROPOSED[name] for name in wanted}))
        told = "".join(f"[[ ## {k} ## ]]\n{PROPOSED[k]}\n\n" for k in wanted)
        return Said(f"{told}[[ ## completed ## ]]")
    asked = school.read(body)
    if asked.question == school.EASY or BETTER in asked.system or asked.taught:
        return Said(asked.saying(school.TRUTH, school.URGENT))
    return Said(asked.nothing())


async def trained(
    small: Small, served: Provider, optimiser: Optimiser
) -> Mapping[str, Program | Judgement]:
    """What an optimiser makes of all cases."""
    settings = small.settings.model_copy(update=school.model_of(served))
    plan = Plan(
        pack=PACK,
        work=small.folder / "work",
        cache=small.folder / "cache",
        optimiser=optimiser,
    )
    means = Means(lambda: SharedModels(settings))
    trainer = Trainer(plan, settings, small.library, means, Purse())
    loaded = suites.load(PACK, small.library)
    every = frozenset(case.id for suite in loaded for case in suite.cases)
    sides = Split(every, frozenset(), (len(every), 0))
    pack = packs.load(small.library.packs / PACK)
    return await trainer.compiled(pack, loaded, sides)


@pytest.mark.parametrize("optimiser", get_args(Optimiser))
async def test_each_optimiser_runs_with_what_is_installed_R_E8(
    small: Small, optimiser: Optimiser
) -> None:
    """New examples or new instructions; the rules of all were sent each time."""
    async with provider(proposing) as served:
        made = await trained(small, served, optimiser)
        drafts = [b for b in served.asked if "[[ ## passages ## ]]" in prompt_of(b)]
    program = made[school.SIGNATURE]
    assert isinstance(program, Program), program
    built_in = SIGNATURES[school.SIGNATURE].instructions
    if optimiser in ("copro", "gepa"):
        assert program.instructions == BETTER
        assert program.demonstrations == tuple(demonstrations(school.SIGNATURE))
    else:
        assert program.instructions == built_in
        assert any(each.reviewed is None for each in program.demonstrations)
    rules = json.dumps(SELECTING.strip().splitlines()[-1], ensure_ascii=False)[1:-1]
    assert drafts
    assert all(rules in prompt_of(body) for body in drafts)
    assert program.origin.optimiser == optimiser


async def test_a_rejected_draft_teaches_nothing_where_sources_are_quoted_R_E8(
    tmp_path: Path,
) -> None:
    """The reader gets a good answer, and it is not the draft's."""
    small = school.make(tmp_path, easy=3, hard=0)
    file = small.library.packs / PACK / "pack.yaml"
    text = file.read_text(encoding="utf-8")
    other = text.replace(
        "on_rejected_draft: fallback", "on_rejected_draft: deterministic"
    )
    file.write_text(other, encoding="utf-8")

    def uncited(body: Json) -> Said:
        asked = school.read(body)
        return Said(asked.saying(school.TRUTH, school.URGENT, cited=False))

    async with provider(uncited) as served:
        made = await trained(small, served, "bootstrap")
    program = made[school.SIGNATURE]
    assert isinstance(program, Program)
    assert all(each.reviewed for each in program.demonstrations)
