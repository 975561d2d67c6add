"""Building the large reader: needs what `make reader` installs into build/reader."""

import zipfile

import numpy as np
import pytest
from rich.progress import Progress

from adapters.reader import (
    APART,
    large_reader_path,
    make_large_reader,
    measure_difference,
    tokenizer_path,
)
from config.settings import read
from engine.model.errors import ReaderFailed

ABSENT = "BUILD PACKAGES ABSENT: run `make test-servers`"
reader_graph = pytest.importorskip("adapters.reader_graph", reason=ABSENT)
reader_build = pytest.importorskip("adapters.reader_build", reason=ABSENT)
pytestmark = pytest.mark.servers


async def test_the_built_reader_scores_as_the_trained_one_r_g11():
    """Ten pairs, in fp32 under the library that it was trained with; within rounding.

    `pairs.json` holds those scores: transformers on torch, no code of this project.
    """
    assert await measure_difference(make_large_reader(read().cache)) < APART


def test_the_same_weights_give_the_same_bytes(tmp_path):
    """A second build is the pinned file, and nothing else is left in the cache."""
    assert not reader_build.is_built(tmp_path)
    parts = reader_build.list_parts()
    made = reader_build.build(parts, tmp_path, Progress(disable=True))
    assert reader_build.is_built(tmp_path)
    assert {made, tokenizer_path(tmp_path)} == set(made.parent.iterdir())


def test_a_damaged_model_is_built_again(tmp_path):
    """A file that is there but is not the pinned one does not count as built."""
    large_reader_path(tmp_path).parent.mkdir()
    large_reader_path(tmp_path).write_bytes(b"cut off")
    assert not reader_build.is_built(tmp_path)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 no archive"])
def test_parts_that_are_no_archive_are_refused(tmp_path, content):
    """The error names the packages to install again, and nothing is published."""
    part = tmp_path / "part"
    part.write_bytes(content)
    with pytest.raises(ReaderFailed, match=r"part-001.*part-005"):
        reader_build.build([part], tmp_path, Progress(disable=True))
    assert list(large_reader_path(tmp_path).parent.iterdir()) == []


def test_other_weights_are_refused(tmp_path):
    """An archive of the right form with other contents is not built from."""
    part = tmp_path / "part"
    with zipfile.ZipFile(part, "w") as archive:
        archive.writestr("all-mpnet-base-v2/model.safetensors", b"other")
        archive.writestr("all-mpnet-base-v2/tokenizer.json", b"{}")
    with pytest.raises(ReaderFailed, match=r"model\.safetensors has the SHA-256"):
        reader_build.build([part], tmp_path, Progress(disable=True))


def test_distances_share_rows_as_in_the_published_model():
    """Rows at the edges of the buckets, as the reference implementation gives them."""
    distances = np.array([0, 1, 7, 8, 11, 12, 15, 16, 22, 23, 90, 91, 128, 511])
    rows = [0, 1, 7, 8, 8, 9, 9, 10, 10, 11, 14, 15, 15, 15]
    assert reader_graph.find_buckets(-distances).tolist() == rows
    assert reader_graph.find_buckets(distances[1:]).tolist() == [
        r + 16 for r in rows[1:]
    ]
