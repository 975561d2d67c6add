"""Building the larger model: needs what `make precise` installs into build/precise."""

import zipfile

import numpy as np
import pytest
from rich.progress import Progress

from adapters.embedding_precise import model_file, tokenizer_file
from engine.errors import EmbedderFailed

ABSENT = "BUILD PACKAGES ABSENT: run `make test-servers`"
mpnet_graph = pytest.importorskip("adapters.mpnet_graph", reason=ABSENT)
mpnet_build = pytest.importorskip("adapters.mpnet_build", reason=ABSENT)
pytestmark = pytest.mark.servers


def test_the_same_weights_give_the_same_bytes(tmp_path):
    """A second build is the pinned file, and nothing else is left in the cache."""
    assert not mpnet_build.built(tmp_path)
    parts = mpnet_build.parts()
    made = mpnet_build.build(parts, tmp_path, Progress(disable=True))
    assert mpnet_build.built(tmp_path)
    assert {made, tokenizer_file(tmp_path)} == set(made.parent.iterdir())


def test_a_damaged_model_is_built_again(tmp_path):
    """A file that is there but is not the pinned one does not count as built."""
    model_file(tmp_path).parent.mkdir()
    model_file(tmp_path).write_bytes(b"cut off")
    assert not mpnet_build.built(tmp_path)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 no archive"])
def test_parts_that_are_no_archive_are_refused(tmp_path, content):
    """The error names the packages to install again, and nothing is published."""
    part = tmp_path / "part"
    part.write_bytes(content)
    with pytest.raises(EmbedderFailed, match=r"part-001.*part-005"):
        mpnet_build.build([part], tmp_path, Progress(disable=True))
    assert list(model_file(tmp_path).parent.iterdir()) == []


def test_other_weights_are_refused(tmp_path):
    """An archive of the right form with other contents is not built from."""
    part = tmp_path / "part"
    with zipfile.ZipFile(part, "w") as archive:
        archive.writestr("all-mpnet-base-v2/model.safetensors", b"other")
        archive.writestr("all-mpnet-base-v2/tokenizer.json", b"{}")
    with pytest.raises(EmbedderFailed, match=r"model\.safetensors has the SHA-256"):
        mpnet_build.build([part], tmp_path, Progress(disable=True))


def test_distances_share_rows_as_in_the_published_model():
    """Rows at the edges of the buckets, as the reference implementation gives them."""
    distances = np.array([0, 1, 7, 8, 11, 12, 15, 16, 22, 23, 90, 91, 128, 511])
    rows = [0, 1, 7, 8, 8, 9, 9, 10, 10, 11, 14, 15, 15, 15]
    assert mpnet_graph.buckets(-distances).tolist() == rows
    assert mpnet_graph.buckets(distances[1:]).tolist() == [r + 16 for r in rows[1:]]
