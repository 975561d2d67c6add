"""One folder, one baseline of each world, for all tests in here."""

from collections.abc import Mapping

import pytest

from evals.compare.runs import Finished
from tests.evals.sensitivity import worlds
from tests.evals.sensitivity.worlds import WORLDS, Bench


@pytest.fixture(scope="session")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """Where worlds are run; their corpora are made by whoever runs one first."""
    return worlds.make(tmp_path_factory.mktemp("sensitivity"))


@pytest.fixture(scope="session")
def baselines(bench: Bench) -> Mapping[str, Finished]:
    """Every world, unbroken."""
    return {world.name: bench.run(world, f"baseline-{world.name}") for world in WORLDS}
