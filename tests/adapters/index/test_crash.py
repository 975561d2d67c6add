"""The embedded index survives kill -9 and a full disk."""

import random
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from adapters.index.embedded import EmbeddedIndex
from tests.adapters.index.crash_writer import IDENTITY
from tests.adapters.index.whole import assert_whole


def start(
    root: Path, folder: Path, first: int, limit: int = 0
) -> subprocess.Popen[str]:
    """Start the writing process."""
    module = "tests.adapters.index.crash_writer"
    return subprocess.Popen(
        [sys.executable, "-m", module, str(folder), str(first), str(limit)],
        cwd=root,
        stdout=subprocess.PIPE,
        text=True,
    )


async def assert_folder_whole(folder: Path, acknowledged: dict[str, int]) -> None:
    """As `assert_whole`, of the index in a folder."""
    index = EmbeddedIndex(folder, IDENTITY)
    await assert_whole(index, acknowledged)
    await index.close()


@pytest.mark.parametrize("kills", [10, pytest.param(200, marks=pytest.mark.prove)])
async def test_kill_9_during_put_loses_nothing_acknowledged(
    root: Path, tmp_path: Path, kills: int
):
    """After each kill the index opens, and every document is whole."""
    chance = random.Random(kills)
    acknowledged: dict[str, int] = {}
    first = 0
    for _ in range(kills):
        child = start(root, tmp_path, first)
        printed = [child.stdout.readline() for _ in range(chance.randint(1, 5))]
        with suppress(subprocess.TimeoutExpired):
            child.wait(timeout=chance.uniform(0, 0.05))
        child.kill()
        rest, _ = child.communicate()
        assert child.returncode == -9
        numbers = [int(line) for line in [*printed, *rest.splitlines()]]
        acknowledged.update({f"d{n % 7}": n for n in numbers})
        first = numbers[-1] + 1
        await assert_folder_whole(tmp_path, acknowledged)


@pytest.mark.parametrize("limit", [200_000, 1_500_000])
async def test_a_full_disk_fails_the_put_and_nothing_else(
    root: Path, tmp_path: Path, limit: int
):
    """IndexFailed, with what was there before untouched; space makes it work again."""
    child = start(root, tmp_path, 0, limit)
    out, _ = child.communicate()
    assert child.returncode == 0
    *stored, failure, repeated = out.splitlines()
    assert failure.startswith("failed: ")
    acknowledged = {f"d{int(n) % 7}": int(n) for n in [*stored, repeated]}
    await assert_folder_whole(tmp_path, acknowledged)
