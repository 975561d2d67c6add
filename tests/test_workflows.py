"""The hosted workflows run what is run here, with no more rights than they need."""

import importlib
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
FILES = sorted((ROOT / ".github" / "workflows").glob("*.yaml"))
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
each = pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)


def jobs(file: Path) -> dict[str, Any]:
    return dict(yaml.safe_load(file.read_text(encoding="utf-8"))["jobs"])


def scripts(file: Path) -> list[str]:
    return [s["run"] for job in jobs(file).values() for s in job["steps"] if "run" in s]


@each
def test_only_targets_that_exist_are_made(file: Path) -> None:
    made = {t for run in scripts(file) for t in re.findall(r"make ([a-z-]+)", run)}
    for target in made:
        assert re.search(rf"^{target}:", MAKEFILE, re.MULTILINE), target


def test_what_the_makefile_imports_exists() -> None:
    """A rename that misses it shows a stranger a traceback in `make demo`."""
    imports = re.findall(r"from ([a-z_.]+) import ([a-z_, ]+)", MAKEFILE)
    assert len(imports) > 2
    for module, names in imports:
        for name in names.replace(" ", "").split(","):
            assert hasattr(importlib.import_module(module), name), (module, name)


@each
def test_workflows_may_only_read_and_end_in_time(file: Path) -> None:
    content = yaml.safe_load(file.read_text(encoding="utf-8"))
    assert content["permissions"] == {"contents": "read"}
    assert all(job["timeout-minutes"] <= 60 for job in content["jobs"].values())
    assert all("permissions" not in job for job in content["jobs"].values())


@each
def test_actions_are_pinned_and_told_what_they_may(file: Path) -> None:
    """By a version or a commit; a checkout keeps no credentials."""
    steps = [step for job in jobs(file).values() for step in job["steps"]]
    for step in steps:
        if "uses" in step:
            assert re.fullmatch(r"actions/[a-z-]+@(v\d+|[0-9a-f]{40})", step["uses"])
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"] == {"persist-credentials": False}


@each
def test_no_text_of_others_reaches_a_shell(file: Path) -> None:
    """What a pull request says is data."""
    assert not any("${{" in run for run in scripts(file))


def test_hosted_and_local_runs_make_the_same_R_E4() -> None:
    """Every part of `.ci/run` has its place in a workflow."""
    local = re.findall(r"^make (.+)$", (ROOT / ".ci" / "run").read_text(), re.MULTILINE)
    wanted = set(" ".join(local).split())
    hosted = " ".join(run for file in FILES for run in scripts(file))
    assert wanted == {"check", "docs", "test", "test-servers", "evals", "ragas"}
    assert all(re.search(rf"make {target}(?![\w-])", hosted) for target in wanted)


def test_an_audit_that_could_not_run_fails_R_S4() -> None:
    (audit,) = [run for file in FILES for run in scripts(file) if "pip-audit" in run]
    assert "--strict" in audit
    assert "||" not in audit
