"""Dependencies and configuration with the line on which they stand."""

from pathlib import Path

import pytest

from tests.adapters.preflight.repositories import gather, made

MANIFESTS = {
    "pyproject.toml": (
        '[build-system]\nrequires = ["hatchling==1.33.0"]\n[project]\nname = "x"\n'
        'dependencies = [\n  "httpx[http2] >= 0.27",\n  "rich",  # colours\n]\n'
        'keywords = ["nothing"]\n[project.optional-dependencies]\ndev = ["ruff<2"]\n',
        [
            (2, "hatchling", "==1.33.0"),
            (6, "httpx", ">=0.27"),
            (7, "rich", ""),
            (11, "ruff", "<2"),
        ],
    ),
    "requirements.txt": (
        "# a comment\n-r other.txt\nhttpx==0.27.0 \\\n    --hash=sha256:00\nrich\n",
        [(3, "httpx", "==0.27.0"), (5, "rich", "")],
    ),
    "requirements/run.lock": (
        "numpy==2.4.6 \\\n    # via x\n",
        [(1, "numpy", "==2.4.6")],
    ),
    "x-1.dist-info/METADATA": (
        "Name: x\nRequires-Dist: idna (>=2.5,<4)\n\nRequires-Dist: text\n",
        [(2, "idna", ">=2.5,<4")],
    ),
    "x.egg-info/PKG-INFO": ("Requires-Dist: idna>=2\n", [(1, "idna", ">=2")]),
    "poetry/pyproject.toml": (
        '[tool.poetry]\nname = "x"\n[tool.poetry.dependencies]\npython = "^3.9"\n'
        'httpx = "^0.27"\nrich = {version = ">=13", extras = ["a"]}\n'
        '[tool.poetry.group.dev.dependencies]\nruff = "*"\n',
        [(5, "httpx", "^0.27"), (6, "rich", ">=13"), (8, "ruff", "")],
    ),
    "flit/pyproject.toml": (
        '[tool.flit.metadata]\nmodule = "x"\nrequires = ["idna"]\n',
        [(3, "idna", "")],
    ),
    "setup.cfg": (
        "[metadata]\nname = x\n[options]\npackages = find:\ninstall_requires =\n"
        "    httpx>=0.27\n    rich\npython_requires = >=3.9\n"
        "[options.extras_require]\ndev =\n    ruff<2\n",
        [(6, "httpx", ">=0.27"), (7, "rich", ""), (11, "ruff", "<2")],
    ),
    "setup.py": (
        'setup(\n    name="x",\n    install_requires=[\n        "httpx>=0.27",\n'
        '        "rich",\n    ],\n    keywords=["nothing"],\n)\n',
        [(4, "httpx", ">=0.27"), (5, "rich", "")],
    ),
    "Pipfile": (
        '[packages]\nrich = "*"\n[requires]\npython_version = "3.9"\n',
        [(2, "rich", "")],
    ),
    "package.json": (
        '{\n "name": "x",\n "dependencies": {\n  "left-pad": "^1.3.0"\n },\n'
        ' "main": "a.js"\n}\n',
        [(4, "left-pad", "^1.3.0")],
    ),
    "Cargo.toml": (
        '[package]\nversion = "1"\n[dependencies]\nserde = "1.0"\n'
        'tokio = { version = "1.38", features = ["full"] }\n',
        [(4, "serde", "1.0"), (5, "tokio", "1.38")],
    ),
    "go.mod": (
        "module a.b/c\n\nrequire example.org/x/net v0.28.0\n",
        [(3, "example.org/x/net", "v0.28.0")],
    ),
}
CONFIGURED = {
    "a.toml": ('top = 1\n[tool.x]\nkey = "v"  # why\n', [(3, "tool.x.key")]),
    "a.ini": ("[tool.x]\nkey: v\n", [(2, "tool.x.key")]),
    "a.yaml": ("tool:\n  x:\n    - 1\n    - key: v\n", [(4, "tool.x.1.key")]),
    "a.json": ('{\n\t"tool": {\n\t\t"key": "v"\n\t}\n}\n', [(3, "tool.key")]),
}


@pytest.mark.parametrize("name", MANIFESTS)
def test_dependencies_by_name_and_version_R_P3(tmp_path: Path, name: str) -> None:
    text, wanted = MANIFESTS[name]
    found = gather(made(tmp_path, {name: text}), kind="dependencies")
    assert [(block.first, *block.values) for block in found.blocks] == wanted


@pytest.mark.parametrize("name", CONFIGURED)
def test_configuration_by_dotted_key_R_P3(tmp_path: Path, name: str) -> None:
    text, wanted = CONFIGURED[name]
    found = gather(
        made(tmp_path, {name: text}), kind="configuration", key=r"tool\..*key"
    )
    assert [(block.first, block.values[0]) for block in found.blocks] == wanted
    assert all(block.values[1].startswith("v") for block in found.blocks)


@pytest.mark.parametrize(
    "text", ["[" * 100_000, "a: *b\n", "a: [1\n", "x: !!python/object:os.system 1\n"]
)
def test_hostile_data_is_named_or_read_as_data(tmp_path: Path, text: str) -> None:
    """Brackets without end, an alias of nothing, a tag: never run, never fatal."""
    root = made(tmp_path, {"a.yaml": text, "b.yaml": "key: v\n"})
    found = gather(root, kind="configuration", key="key")
    assert [block.path for block in found.blocks] == ["b.yaml"]
