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
