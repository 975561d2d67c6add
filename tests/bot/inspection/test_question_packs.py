"""The packs that come with it: over this repository, and over two real packages."""

import importlib.metadata
import json
import shutil
import textwrap
from pathlib import Path
from tempfile import TemporaryDirectory

import jsonschema
import pytest
import yaml

from adapters.preflight.gathering import RepositoryPreflights
from adapters.preflight.repository import Repository
from adapters.question_packs import load
from bot.__main__ import EXIT_CODES
from engine.inspection.rules import decide
from engine.model.places import decode_path, parse_place
from tests.adapters.preflight.repositories import made
from tests.bot.command import command
from tests.bot.inspection.conftest import Runs

ROOT = Path(__file__).resolve().parents[3]
PACKS = ROOT / "config" / "question_packs"
# Two packages of the runtime, as pip puts them onto a disk.
PACKAGES = ("httpx", "pypdf")
PYTHON_PACKAGE = load(PACKS / "python_package.yaml").pack


def installed(name: str, folder: Path) -> Path:
    """A copy of an installed package: its modules and what pip wrote beside them."""
    for file in importlib.metadata.files(name) or ():
        if ".." not in file.parts and "__pycache__" not in file.parts:
            target = folder / file
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(str(file.locate()), target)
    return folder


def assert_every_citation_resolves(run: Path, root: Path) -> int:
    """Each place that is cited, and each block of the evidence, read as bytes."""
    checked = 0
    for folder in (run / "questions").iterdir():
        result = json.loads((folder / "result.json").read_text("utf-8"))["result"]
        held = [b for found in result["gathered"] for b in found["blocks"]]
        for block in (*held, *result["decided"]["shown"]):
            lines = (root / decode_path(block["path"])).read_bytes().split(b"\n")
            assert 1 <= block["first"] <= block["last"] <= len(lines)
            for line in block["lines"]:
                text = lines[line["number"] - 1].decode("utf-8", "replace")
                shown = line["text"]
                pairs = zip(shown, text.rstrip("\r"), strict=False)
                assert all(a in (b, "•") for a, b in pairs), block
                assert line["cut"] or len(shown) == len(text.rstrip("\r"))
                checked += 1
    summary = json.loads((run / "summary.json").read_text("utf-8"))
    for question in summary["questions"]:
        for token in question["citations"]:
            cited = parse_place(token)
            assert cited is not None
            lines = (root / decode_path(cited.path)).read_bytes().split(b"\n")
            assert cited.last <= len(lines)
            checked += 1
    return checked


@pytest.mark.parametrize("name", PACKAGES)
def test_every_citation_over_a_real_package_resolves_R_P3(
    name: str, tmp_path: Path, runs: Runs
) -> None:
    root = installed(name, tmp_path / "package")
    pack = PACKS / "python_package.yaml"
    result = runs.bot("run-pack", pack, "--repo", root, "--out", runs.out)
    assert result.code == 1, result.out  # both catch every error somewhere
    assert assert_every_citation_resolves(runs.folder, root) > 100
    status = {each["id"]: each["status"] for each in runs.summary()["questions"]}
    assert set(status.values()) == {"met", "failed"}  # every question judges
    assert (status["licence"], status["broad_excepts"]) == ("met", "failed")
    said = {each["id"]: each["verdict"] for each in runs.summary()["questions"]}
    assert said["licence"] == "YES"
    assert said["python_versions"] == "STATED"
    assert said["dependencies"] == "SOME"
    _, required, *_ = json.loads(runs.read("questions/dependencies/evidence.json"))
    needed = required["blocks"]
    wanted = importlib.metadata.metadata(name).get_all("Requires-Dist") or []
    assert len(needed) == len(set(wanted))


def test_this_repository_keeps_its_rules_R_P4(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As `make audit` runs it; the licences are another test's."""
    bot = command(tmp_path / "data", monkeypatch, capsys)
    listed = tmp_path / "commands.yaml"
    words = ["{python}", "-c", "pass"]
    allowed = {"commands": {"licences": {"words": words}}}
    listed.write_text(json.dumps(allowed), encoding="utf-8")
    out = tmp_path / "runs"
    given = ("--repo", ROOT, "--out", out, "--commands", listed, "--strict-evidence")
    result = bot("run-pack", PACKS / "groundrule.yaml", *given)
    assert result.code == 0, result.out
    (run,) = out.iterdir()
    assert assert_every_citation_resolves(run, ROOT) > 1_000


def test_without_the_commands_it_is_refused_before_anything_runs_R_P3(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The error names the question, the option and the file; `--only` others run."""
    bot = command(tmp_path / "data", monkeypatch, capsys)
    out, pack = tmp_path / "runs", PACKS / "groundrule.yaml"
    result = bot("run-pack", pack, "--repo", ROOT, "--out", out)
    assert result.code == 2
    assert "question licences runs the command 'licences'" in result.err
    assert "pass --commands FILE.yaml" in result.err
    assert str(PACKS / "commands.yaml") in result.err
    assert not out.exists()
    one = bot("run-pack", pack, "--repo", ROOT, "--out", out, "--only", "core_arrows")
    assert one.code == 0, one.err


def test_the_example_of_contributing_is_complete(tmp_path: Path, runs: Runs) -> None:
    """Copied as it stands it runs, and says where library code prints."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    example = next(
        part.partition("```")[0]
        for part in text.split("```yaml\n")[1:]
        if "question_packs/schema.json" in part
    )
    pack = tmp_path / "my_rules.yaml"
    pack.write_text(textwrap.dedent(example), encoding="utf-8")
    given = ("run-pack", pack, "--repo", runs.root, "--out", runs.out)
    assert runs.bot(*given).code == 0
    (runs.root / "src" / "loud.py").write_text("print('x')\n", encoding="utf-8")
    result = runs.bot(*given)
    assert (result.code, "src/loud.py:1" in result.out) == (1, True)


@pytest.mark.parametrize("name", ["groundrule", "python_package"])
def test_a_pack_is_what_editors_are_told_R_P1(name: str) -> None:
    schema = json.loads((PACKS / "schema.json").read_text("utf-8"))
    held = yaml.safe_load((PACKS / f"{name}.yaml").read_text("utf-8"))
    jsonschema.validate(held, schema)
    assert held["id"] == name


def test_the_check_runs_the_audit() -> None:
    """So that every run of the release's commands does."""
    makefile = (ROOT / "Makefile").read_text("utf-8")
    check = makefile.partition("\ncheck:")[2].partition("\n\n")[0]
    assert "$(MAKE) --no-print-directory audit" in check
    assert "config/question_packs/groundrule.yaml" in makefile
    assert {code for _, code in EXIT_CODES} == {1, 2, 3, 4}


MODULE = {"pkg/__init__.py": "def f(x: int) -> int:\n    return x\n"}
PROJECT = '[project]\nname = "pkg"\n'
SAMPLES = [
    ("typed", "YES", {"pkg/py.typed": "", "pyproject.toml": PROJECT}),
    ("typed", "YES", {"pkg/py.typed": "partial\n", "setup.py": "setup()\n"}),
    (
        "typed",
        "YES",
        {"pyproject.toml": f'{PROJECT}classifiers = ["Typing :: Typed"]\n'},
    ),
    ("typed", "YES", {"pkg-1.dist-info/RECORD": "pkg/py.typed,,\n"}),
    ("typed", "YES", {"pkg-stubs/a.pyi": "x: int\n", "pyproject.toml": PROJECT}),
    ("typed", "NO", {"pyproject.toml": PROJECT}),
    (
        "licence",
        "YES",
        {"pyproject.toml": f'{PROJECT}classifiers = ["License :: X"]\n'},
    ),
    ("licence", "YES", {"README.md": "# pkg\n\n## License\n\nMIT\n"}),
    ("licence", "YES", {"pkg/a.py": "# SPDX-License-Identifier: MIT\n"}),
    ("licence", "NO", {"pyproject.toml": PROJECT}),
    ("dependencies", "SOME", {"setup.cfg": "[options]\ninstall_requires =\n  idna\n"}),
    (
        "dependencies",
        "SOME",
        {"pyproject.toml": '[tool.poetry.dependencies]\nidna = "^3"\n'},
    ),
    (
        "dependencies",
        "INSUFFICIENT EVIDENCE",
        {"setup.py": "setup(install_requires=read())\n"},
    ),
    ("dependencies", "NONE", {"pyproject.toml": PROJECT}),
    (
        "python_versions",
        "STATED",
        {"pyproject.toml": '[tool.poetry.dependencies]\npython = "^3.9"\n'},
    ),
    (
        "python_versions",
        "NAMED",
        {"setup.py": 'c = ["Programming Language :: Python :: 3.9"]\n'},
    ),
    ("python_versions", "OPEN", {"pyproject.toml": PROJECT}),
    (
        "subprocesses",
        "YES",
        {"pkg/a.py": "import os\n\nos.execl('/bin/ls', 'ls')\n"},
    ),
    ("subprocesses", "YES", {"pkg/a.py": "import os\nos.system('ls')\n"}),
    ("subprocesses", "MAY", {"pkg/a.py": "from subprocess import run as go\ngo(x)\n"}),
    ("subprocesses", "NO", MODULE),
    ("network", "YES", {"pkg/a.py": "import socket\ns = socket.socket()\n"}),
    ("network", "MAY", {"pkg/a.py": "import requests as r\nr.get('x')\n"}),
    ("network", "MAY", {"pkg/a.py": "from urllib import request\n"}),
    ("network", "NO", {"pkg/a.py": "from urllib.parse import urlsplit\n"}),
    ("environment", "SOME", {"pkg/a.py": "x = environ.pop('HOME')\n"}),
    ("environment", "SOME", {"pkg/a.py": "x = 'HOME' in os.environ\n"}),
    ("environment", "SOME", {"pkg/a.py": "x = os.environ[NAME]\n"}),
    ("environment", "NONE", MODULE),
    (
        "broad_excepts",
        "YES",
        {
            "pkg/a.py": "try:\n    f()\nexcept (\n    OSError,\n"
            "    Exception,\n):\n    pass\n"
        },
    ),
    ("broad_excepts", "YES", {"pkg/a.py": "with suppress(Exception):\n    f()\n"}),
    (
        "broad_excepts",
        "YES",
        {"pkg/a.py": "try:\n    f()\nexcept builtins.Exception:\n    pass\n"},
    ),
    ("broad_excepts", "NO", {"pkg/a.py": "class E(Exception):\n    '''No.'''\n"}),
    ("deprecated", "SOME", {"pkg/a.py": "@deprecated('no')\ndef f(): ...\n"}),
    (
        "deprecated",
        "SOME",
        {**MODULE, "CHANGELOG.md": "# 2\n\n- `f` is deprecated.\n"},
    ),
    ("deprecated", "NONE", MODULE),
    (
        "left_open",
        "MUCH",
        {"pkg/a.py": '"""Much.\n\n' + "TODO: more\n" * 11 + '"""\n'},
    ),
    ("left_open", "LITTLE", MODULE),
]


@pytest.mark.parametrize(("question", "verdict", "files"), SAMPLES)
def test_a_search_is_as_wide_as_its_question_R_A16(
    question: str, verdict: str, files: dict[str, str]
) -> None:
    """A NO says that the package has it nowhere; what cannot be told is not denied."""
    with TemporaryDirectory() as folder:
        root = made(Path(folder), files)
        preflights = RepositoryPreflights(Repository(root))
        inquiry = next(q for q in PYTHON_PACKAGE.questions if q.id == question)
        found = [preflights.gather(step) for step in inquiry.preflights]
        assert decide(inquiry, found, analyse_only=False).verdict == verdict
