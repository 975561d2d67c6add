"""Fixtures that every room's tests share."""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from engine import Outcome
from tests.demo import Demo, Room, make

pytest_plugins = ["tests.servers"]

ROOT = Path(__file__).resolve().parent.parent

# How long an example takes says how busy the machine is, and nothing of the code.
settings.register_profile(
    "groundrule", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


def pytest_configure() -> None:
    """Choose the one profile of Hypothesis, and the reader that every checkout has."""
    os.environ["GROUNDRULE_READER"] = "small"
    settings.load_profile("groundrule")


@pytest.fixture(autouse=True)
def patient_recording(monkeypatch: pytest.MonkeyPatch) -> None:
    """A record may take a minute: on a busy machine it comes late."""
    monkeypatch.setattr("engine.pipeline.ask.RECORDING", 60.0)


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The real documents beside the checkout; a test that needs them skips loudly."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"REAL DOCUMENTS ABSENT: {folder} does not exist")
    return folder


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    """The demo texts of both packs, taken in once for all tests."""
    return make(tmp_path_factory.mktemp("demo") / "data")


@pytest.fixture(scope="session")
def asked(demo: Demo) -> tuple[Outcome, ...]:
    """What came of the demo questions and of every must-refuse fixture."""
    return demo.ask_all()


@pytest.fixture
async def room(demo: Demo) -> AsyncIterator[Room]:
    """An engine over the demo texts, with its parts in reach."""
    async with demo.open() as opened:
        yield opened
