"""Secrets and unsafe calls: found, masked, cited, and made findings of."""

from pathlib import Path

import pytest

from adapters.preflight.python_security import check, extract
from engine.inspection.question_pack import Inquiry
from engine.inspection.records import Decided
from tests.adapters.preflight.repositories import assert_stands, gather, made
from tests.engine.inspection.small import inquiry

# Put together here, so that no file of the project holds what looks like a secret.
SECRETS = {
    "private_key": "-----BEGIN RSA " + "PRIVATE KEY-----",
    "aws_key": "key: AKIA" + "QWERTYUIOP" + "ASDFGH",
    "github_token": "t = ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8",
    "slack_token": "xoxb-" + "123456789012-" + "abcdefghijkl",
    "password": 'password = "' + "hunter22Hunter" + '"',
    "url_password": "postgresql://bot:" + "s3cretS3cret" + "@db.internal/x",
}
HARMLESS = (
    'password = "${DB_PASSWORD}"',
    "password = os.environ['PASSWORD']",
    "GROUNDRULE_SLACK_BOT_TOKEN=xoxb-…",
    "postgresql://user:password@host/db",
    'api_key = "your-key-goes-here"',
)
CALLS = {
    "eval(text)": "eval",
    "os.system('ls')": "shell",
    "subprocess.run(x, shell=True)": "shell",
    "pickle.loads(data)": "unpickle",
    "yaml.load(text)": "yaml_load",
    "requests.get(url, verify=False)": "no_certificate",
    "tempfile.mktemp()": "temporary_name",
}
SAFE = (
    "# eval(text)",
    "text = 'eval(text)'",
    "model.eval()",
    "subprocess.run(x, shell=False)",
    "yaml.load(text, Loader=yaml.CSafeLoader)",
    "json.loads(data)",
    "ast.literal_eval(x)",
)


@pytest.mark.parametrize("rule", SECRETS)
def test_a_secret_is_found_and_written_nowhere_R_P5(tmp_path: Path, rule: str) -> None:
    """The place is evidence; the secret is masked in it."""
    root = made(tmp_path, {"a.txt": f"one\n{SECRETS[rule]}\n"})
    found = gather(root, kind="plugin", plugin="python_security")
    (block,) = found.blocks
    assert (block.first, block.values[1], block.values[2]) == (2, rule, "error")
    assert assert_stands(root, found) == 1
    if rule != "private_key":
        assert SECRETS[rule] not in found.model_dump_json()
        assert "•" * 6 in block.text


@pytest.mark.parametrize("text", HARMLESS)
def test_what_stands_in_for_a_secret_is_none(tmp_path: Path, text: str) -> None:
    root = made(tmp_path, {"a.txt": f"{text}\n"})
    assert gather(root, kind="plugin", plugin="python_security").blocks == ()


@pytest.mark.parametrize("call", CALLS)
def test_an_unsafe_call_is_found_R_P5(tmp_path: Path, call: str) -> None:
    root = made(tmp_path, {"a.py": f"x = 1\n{call}\n", "a.txt": f"{call}\n"})
    found = gather(root, kind="plugin", plugin="python_security")
    assert [(b.path, b.first, b.values[1]) for b in found.blocks] == [
        ("a.py", 2, CALLS[call])
    ]


@pytest.mark.parametrize("text", SAFE)
def test_what_only_looks_like_one_is_none(tmp_path: Path, text: str) -> None:
    root = made(tmp_path, {"a.py": f"{text}\n"})
    assert gather(root, kind="plugin", plugin="python_security").blocks == ()


@pytest.fixture
def asked() -> Inquiry:
    return inquiry()


def test_an_answer_has_to_cite_what_is_bad_R_P5(tmp_path: Path, asked: Inquiry) -> None:
    """A warning may be left out; an error may not, and what nobody decided may."""
    root = made(tmp_path, {"a.py": "eval(x)\npickle.loads(x)\n"})
    bad, odd = gather(root, kind="plugin", plugin="python_security").blocks
    silent = Decided(verdict="NO", shown=(odd,))
    assert [p.explanation for p in check(asked, silent, (bad, odd))] == [
        "a.py:1 (unsafe call: eval) is not cited"
    ]
    assert not list(check(asked, Decided(verdict="YES", shown=(bad,)), (bad, odd)))
    assert not list(check(asked, Decided(verdict="NOT FOUND"), (bad, odd)))


def test_places_become_findings_with_their_own_rules_R_P5(
    tmp_path: Path, asked: Inquiry
) -> None:
    root = made(tmp_path, {"a.py": "eval(x)\npickle.loads(x)\n"})
    blocks = gather(root, kind="plugin", plugin="python_security").blocks
    others = gather(root, kind="files").blocks
    found = list(extract(asked, (*blocks, *others)))
    assert [(f.rule, f.severity, f.first) for f in found] == [
        ("python_security/eval", "error", 1),
        ("python_security/unpickle", "warning", 2),
    ]


# What Python calls all the same, by other names: rule by the lines that hold it.
HIDDEN = {
    "import os as o\no.system('id')": ("shell", 2),
    "from os import system as s\ns('id')": ("shell", 2),
    "from os import *\nsystem('id')": ("shell", 2),
    "import os.path as p, os\nos.system('id')": ("shell", 2),
    "from builtins import eval as ok\nok(x)": ("eval", 2),
    "import builtins as b\nb.exec(x)": ("eval", 2),
    "import builtins\nbuiltins.__dict__['eval'](x)": ("eval", 2),
    "e = eval\ne(x)": ("eval", 1),
    "e, f = print, exec\nf(x)": ("eval", 1),
    "(e := eval)(x)": ("eval", 1),
    "e: object = eval\ne(x)": ("eval", 1),
    "list(map(eval, texts))": ("eval", 1),
    "table = {'run': exec}": ("eval", 1),
    "def f(run=eval):\n    run(x)": ("eval", 1),
    "class A:\n    run = staticmethod(eval)": ("eval", 2),
    "@eval\ndef f(): ...": ("eval", 1),
    "(eval if x else print)(y)": ("eval", 1),
    "\uff45\uff56\uff41\uff4c(input())": ("eval", 1),
    "import os\nos.s\uff59stem('id')": ("shell", 2),
    "import os\ngetattr(os, 'system')('id')": ("shell", 2),
    "import os\ngetattr(os, 'sys' + 'tem')('id')": ("shell", 2),
    "import os\ngetattr(os, f'system')('id')": ("shell", 2),
    "import os\nrun = getattr(os, 'popen')": ("shell", 2),
    "import os\ngetattr(os, input())('id')": ("computed", 2),
    "import os\nvars(os)['system']('id')": ("shell", 2),
    "import sys\nsys.modules['os'].system('id')": ("shell", 2),
    "__import__('os').system('id')": ("shell", 1),
    "import importlib as i\ni.import_module('os').system('id')": ("shell", 2),
    "from importlib import import_module\nimport_module(x).system('id')": ("shell", 2),
    "globals()['eval'](x)": ("eval", 1),
    "__builtins__['eval'](x)": ("eval", 1),
    "__builtins__.eval(x)": ("eval", 1),
    "import posix\nposix.system('id')": ("shell", 2),
    "import subprocess as s\ns.run(x, shell=True)": ("shell", 2),
    "from subprocess import run as r\nr(x, shell=1)": ("shell", 2),
    "import subprocess\nsubprocess.run(x, **{'shell': True})": ("shell", 2),
    "import subprocess\nrun = subprocess.Popen\nrun(x, shell=True)": ("shell", 3),
    "from functools import partial\nimport subprocess\np = partial(subprocess.run, "
    "shell=True)": ("shell", 3),
    "import asyncio\nasyncio.create_subprocess_shell(x)": ("shell", 2),
    "import pickle as p\np.loads(x)": ("unpickle", 2),
    "from pickle import loads\nloads(x)": ("unpickle", 2),
    "import pickle\npickle.Unpickler(f).load()": ("unpickle", 2),
    "import yaml as y\ny.load(x)": ("yaml_load", 2),
    "from yaml import load, Loader\nload(x, Loader)": ("yaml_load", 2),
    "import requests as r\nr.get(u, verify=False)": ("no_certificate", 2),
    "import requests\ns = requests.Session()\ns.get(u, verify=False)": (
        "no_certificate",
        3,
    ),
    "from tempfile import mktemp as t\nt()": ("temporary_name", 2),
    "import os\rx = 1\ros.system('id')": ("shell", 1),
    "import os\n\fos.system('id')": ("shell", 2),
    "# -*- coding: latin-1 -*-\nev\xaal(x)": ("eval", 2),
}


@pytest.mark.parametrize("text", HIDDEN)
def test_an_unsafe_call_by_another_name_is_found_R_P5(
    tmp_path: Path, text: str
) -> None:
    """By alias, import, look-up, or letters that Python reads as others."""
    coding = "latin-1" if "latin-1" in text else "utf-8"
    (tmp_path / "a.py").write_bytes(text.encode(coding))
    found = gather(tmp_path, kind="plugin", plugin="python_security")
    assert HIDDEN[text] in [(b.values[1], b.first) for b in found.blocks]


HONEST = (
    "import yaml as y\ny.load(x, Loader=y.CSafeLoader)",
    "from yaml import CSafeLoader as L, load\nload(x, L)",
    "import yaml\nclass L(yaml.SafeLoader): ...\nyaml.load(x, L)",
    "import re as os\nos.compile('x')",
    "import subprocess\nsubprocess.run(x, shell=False, check=True)",
    "import requests\nrequests.get(u, verify='/etc/ca.pem')",
    "getattr(model, name)()",
    "self.system()",
    "from .os import path\npath.system()",
    "import os\ngetattr(os, 'getcwd')()",
)


@pytest.mark.parametrize("text", HONEST)
def test_what_is_called_otherwise_is_none(tmp_path: Path, text: str) -> None:
    root = made(tmp_path, {"a.py": f"{text}\n"})
    found = gather(root, kind="plugin", plugin="python_security")
    assert found.blocks == ()
    assert found.complete


UNREAD = {
    "nul.py": b"import os\nos.system('id')\n\0",
    "late.py": b"x = 1\n" * 3000 + b"\0",
    "wide.py": "eval(x)\n".encode("utf-16-be"),
    "wide.txt": f"one\n{SECRETS['aws_key']}\n".encode("utf-16"),
    "wide": "\u6f22".encode("utf-16"),
    "seven.py": b"# -*- coding: utf-7 -*-\n+AGUAdgBhAGw-(x)\n",
    "odd.py": b"# -*- coding: nonsense -*-\neval(x)\n",
    "broken.py": b"eval(x\n",
    "two.py": b"exec 'x'\n",
    "bytes.py": b"eval(x)  # \xff\n",
    "deep.py": b"eval(" + b"-" * 200_000 + b"1)\n",
    "braces.py": b"x = f'" + b"{eval}" * 30_000 + b"'\n",
    "book.ipynb": b'{"cells": ["eval(x)"]}',
    "site.pth": b"import os; os.system(input())",
    "made.pyc": b"\x6f\x0d\x0d\x0aeval",
    "tool": b"#!/usr/bin/env python3\neval(x\n",
    "run.sh": b"rm -rf x\n\0",
}


@pytest.mark.parametrize("name", UNREAD)
def test_what_is_not_read_is_not_known_to_be_absent_R_P5(
    tmp_path: Path, name: str
) -> None:
    """Whatever keeps it from being read, it is named."""
    (tmp_path / name).write_bytes(UNREAD[name])
    found = gather(tmp_path, kind="plugin", plugin="python_security")
    assert not found.complete
    assert [unread.path for unread in found.unread][:1] == [name]


def test_a_script_without_a_suffix_is_python_by_its_first_line_R_P5(
    tmp_path: Path,
) -> None:
    root = made(tmp_path, {"tool": "#!/usr/bin/env python3\neval(x)\n"})
    (block,) = gather(root, kind="plugin", plugin="python_security").blocks
    assert (block.first, block.values[1]) == (2, "eval")
