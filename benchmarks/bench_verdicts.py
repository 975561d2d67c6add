"""Twice forty questions with known answers: how many verdicts are right.

    python -m benchmarks verdicts  # by rules
    GROUNDRULE_MODEL=… GROUNDRULE_MODEL_URL=… python -m benchmarks verdicts  # and by it

The packs and what is known stand in `benchmarks/verdicts/`: of this repository and of
two installed packages; half of the questions are not answered by the files. The rules
of the first forty were corrected after a first run; those in `untuned/` were written
before the files were looked at, run once, and are not changed.
"""

import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import yaml

from benchmarks.figures import ROOT, Figure, NotMeasured

PLACE = ROOT / "benchmarks" / "verdicts"
UNTUNED = PLACE / "untuned"
UNSAID = frozenset({"NOT FOUND", "INSUFFICIENT EVIDENCE"})
Known = Mapping[str, Mapping[str, str | Mapping[str, str]]]


def bench_verdicts() -> Iterator[Figure]:
    """A table for each repository: by rules, and by the model that is configured."""
    yield from _figures(PLACE, "deterministic")
    if os.environ.get("GROUNDRULE_MODEL"):
        yield from _figures(PLACE, "llm")
    for each in _figures(UNTUNED, "deterministic"):
        yield replace(each, what=f"{each.what}, untuned", aim="none", met=None)


def _figures(place: Path, mode: str) -> Iterator[Figure]:
    for name, held in known(place).items():
        told = held["known"]
        if isinstance(told, str):
            raise NotMeasured(f"known.yaml: {name}: known: is no table")
        came = verdicts(place / f"{name}.yaml", str(held["repository"]), mode)
        ends = Counter(judged(came.get(asked), told[asked]) for asked in told)
        yield Figure(
            f"verdicts, {mode}, {name} ({len(told)} questions)",
            ", ".join(f"{ends[end]} {end}" for end in ENDS),
            "nothing wrong",
            not ends["wrong"],
        )


ENDS = ("right", "wrong", "NOT FOUND", "no verdict")


def judged(verdict: str | None, wanted: str) -> str:
    """What a verdict is against what is known; none where a draft was rejected."""
    if verdict is None:
        return "no verdict"
    said = "NOT FOUND" if verdict in UNSAID else verdict
    if said == wanted:
        return "right"
    return "NOT FOUND" if said == "NOT FOUND" else "wrong"


def known(place: Path = PLACE) -> Known:
    """What is known, by the name of the pack."""
    return dict(yaml.safe_load((place / "known.yaml").read_text("utf-8")))


def verdicts(pack: Path, repository: str, mode: str) -> Mapping[str, str | None]:
    """The verdict of each question; None where none passed.

    Raises:
        NotMeasured: the run did not come to an end.
    """
    with tempfile.TemporaryDirectory() as folder:
        root = ROOT if repository == "." else _installed(repository, Path(folder))
        out = Path(folder) / "runs"
        words = ["run-pack", str(pack), "--repo", str(root)]
        words += ["--out", str(out), "--answer-mode", mode]
        done = subprocess.run(
            [sys.executable, "-m", "bot", *words],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        found = list(out.glob("*/summary.json"))
        if not found:
            raise NotMeasured((done.stderr.strip().splitlines() or ["nothing"])[-1])
        summary = json.loads(found[0].read_text("utf-8"))
    return {
        each["id"]: None if each["status"] in ("failed", "error") else each["verdict"]
        for each in summary["questions"]
    }


def _installed(name: str, folder: Path) -> Path:
    """A copy of an installed package, with what pip wrote beside it."""
    root = folder / name
    for file in importlib.metadata.files(name) or ():
        if ".." not in file.parts and "__pycache__" not in file.parts:
            target = root / file
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(str(file.locate()), target)
    return root
