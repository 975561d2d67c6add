"""A repository of 5,000 files, made from installed packages, asked twenty questions.

Every question has preflights over all files: text, definitions, references, facts, and
the plugin for secrets and unsafe calls. What is measured is the whole command, with the
start of the process and its reports.
"""

import json
import shutil
import site
import tempfile
from collections.abc import Iterator
from pathlib import Path

import yaml

from benchmarks.figures import ROOT, Figure, NotMeasured, ran

FILES = 5_000
QUESTIONS = 20
SECONDS, MIB = 20.0, 500.0  # the aims, on two cores
PACK = ROOT / "config" / "question_packs" / "python_package.yaml"
KINDS = frozenset({".py", ".pyi", ".txt", ".md", ".json", ".toml", ".yaml", ""})
NAMES = ("Parser", "main", "from_.*", "load", "_[a-z]+_error", "Config", "run", "close")


def bench_inspection() -> Iterator[Figure]:
    """What twenty questions of 5,000 files take."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "repository"
        size = repository(root)
        pack = Path(folder) / "pack.yaml"
        pack.write_text(json.dumps(questions()), encoding="utf-8")
        done = ran("bot", "run-pack", str(pack), "--repo", str(root), "--out", folder)
    what = f"{QUESTIONS} questions of {FILES} files, {size >> 20} MiB"
    yield Figure(
        f"{what}: seconds",
        f"{done.seconds:.1f} s, {done.processor_s:.1f} s of a processor",
        f"<= {SECONDS:g} s",
        done.seconds <= SECONDS,
    )
    yield Figure(
        f"{what}: memory",
        f"{done.peak_mib:.0f} MiB",
        f"<= {MIB:g} MiB",
        done.peak_mib <= MIB,
    )


def repository(root: Path) -> int:
    """Copy files of installed packages, in the order of their names; their bytes.

    Raises:
        NotMeasured: too few are installed.
    """
    held = Path(site.getsitepackages()[0])
    files = (f for f in sorted(held.rglob("*")) if f.suffix in KINDS and f.is_file())
    size = count = 0
    for file in files:
        if "__pycache__" in file.parts or file.is_symlink():
            continue
        target = root / file.relative_to(held)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)
        size += target.stat().st_size
        count += 1
        if count == FILES:
            return size
    raise NotMeasured(f"only {count} files of packages are installed")


def questions() -> dict[str, object]:
    """The pack for any package, filled up with definitions and references."""
    held: dict[str, object] = yaml.safe_load(PACK.read_text(encoding="utf-8"))
    asked = held["questions"]
    if not isinstance(asked, list):
        raise NotMeasured(f"{PACK}: holds no questions")
    for number in range(QUESTIONS - len(asked)):
        name = NAMES[number % len(NAMES)]
        kinds = ("definitions", "references")
        steps = [{"id": k, "kind": k, "name": name, "limit": 1000} for k in kinds]
        rule = [{"when": {"present": "references"}, "is": "USED"}, {"is": "UNUSED"}]
        question = f"Where is {name} defined and used?"
        told = {"id": f"name_{number}", "question": question, "preflights": steps}
        asked.append({**told, "rule": rule})
    return held
