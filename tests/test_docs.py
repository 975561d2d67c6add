"""What the documents say about the code is true, and nothing is left out."""

import inspect
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import discord
import pytest

import engine.text.folding as folding
from adapters.slack.install import SCOPES
from bot.__main__ import EXIT_CODES, main
from bot.cli import VERBS, make_command
from config.settings import Settings, name
from engine import Reason
from engine.model.codes import RefusalReason
from tests.shape.source import ROOMS

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = (
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    *sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").glob("*.md")),
)
LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")
NAMED_PATH = re.compile(rf"`((?:{'|'.join(ROOMS)}|tests|docs|requirements)/[\w./-]*)`")


def text(document: str) -> str:
    return (ROOT / document).read_text(encoding="utf-8")


def pages() -> str:
    """The README and every page beside it."""
    return "\n".join(text(document) for document in DOCUMENTS)


def letters(said: str) -> str:
    return "".join(filter(str.isalnum, said))


def commands() -> list[str]:
    """Every command of the command line, with those below it: "pack check"."""
    found = []
    for verb in VERBS:
        group = make_command()
        _, stub, _ = group.resolve_command(None, [verb])
        below = getattr(stub, "commands", None)
        found += [f"{verb} {each}" for each in below] if below else [verb]
    return found


@pytest.mark.parametrize("verb", commands())
def test_docs_show_every_command(verb: str) -> None:
    """Whatever `--help` offers is shown in use, where it is explained."""
    assert f"groundrule {verb}" in pages()


def test_every_page_uses_the_command_that_make_env_installs_R_U13() -> None:
    """`python -m bot` is named once, as what does the same."""
    assert pages().count("python -m bot") == 1
    rule = text("Makefile").split("\n.venv/.runtime:")[1].split("\n\n")[0]
    assert "pip install" in rule and "--no-deps -e ." in rule
    command = tomllib.loads(text("pyproject.toml"))["project"]["scripts"]
    assert command == {"groundrule": f"{main.__module__}:{main.__name__}"}


@pytest.mark.parametrize("field", Settings.model_fields)
def test_every_setting_is_explained(field: str) -> None:
    """Each environment variable has its line."""
    assert f"| `{name(field)}` |" in text("docs/settings.md")


@pytest.mark.parametrize("reason", sorted(set(Reason) - {Reason.FIXED_TEXT}))
def test_every_refusal_reason_is_explained(reason: Reason) -> None:
    """Each reason has its row, with what callers see of it."""
    rows = [
        row for row in text("docs/refusals.md").splitlines() if f"| `{reason}` |" in row
    ]
    assert len(rows) == 1
    assert any(f"`{shown}`" in rows[0] for shown in RefusalReason)


@pytest.mark.parametrize("folder", [*ROOMS, "tests"])
def test_readme_shows_the_tree(folder: str) -> None:
    """Each folder of code has its row."""
    assert f"| `{folder}/` |" in text("README.md")


def test_every_permission_is_explained() -> None:
    """Each scope of Slack's manifest has its row; the invitation to Discord asks for
    the permissions that are named, and for no others."""
    page = text("docs/platforms.md")
    assert sorted(SCOPES) == [row for row in sorted(SCOPES) if f"\n| `{row}` |" in page]
    asked = re.search(r"scope=bot\+applications.commands&permissions=(\d+)", page)
    assert asked
    named = discord.Permissions(
        view_channel=True,
        send_messages=True,
        send_messages_in_threads=True,
        read_message_history=True,
    )
    assert int(asked[1]) == named.value
    rows = ("View Channels", "Send Messages, Send Messages in Threads")
    assert all(f"\n| {row} |" in page for row in (*rows, "Read Message History"))


def test_readme_opens_with_the_promise_and_an_exchange() -> None:
    """A stranger meets the promise, a question and its answer before any command."""
    readme = text("README.md")
    assert readme.startswith("# Groundrule\n")
    exchange = readme.index("groundrule ask")
    assert exchange < readme.index("\n## ")
    assert "To check this answer later: " in readme[exchange : readme.index("\n## ")]


def test_readme_quotes_the_demo_texts_word_for_word_R_I7() -> None:
    """What the README shows as quoted stands in the demo texts of the pack."""
    corpus = ROOT / "config" / "packs" / "oncology" / "corpus"
    held = letters("".join(p.read_text("utf-8") for p in corpus.glob("*.md")))
    quoted = re.findall(r"(?:^│.*\n)+", text("README.md"), re.MULTILINE)
    assert len(quoted) >= 2
    for quotation in quoted:
        for line in re.sub(r"\[\d\]", "", quotation).splitlines():
            assert letters(line) in held, line


def test_formats_lists_what_is_folded_R_I7() -> None:
    """The list of docs/formats.md is that of the module which folds."""
    documented = inspect.getdoc(folding) or ""
    formats = " ".join(text("docs/formats.md").split())
    for item in re.findall(r"^- (.+?[;.])$", documented, re.MULTILINE | re.DOTALL):
        assert " ".join(item.split()) in formats
    never = documented[documented.index("Never folded") :]
    assert " ".join(never.split()) in formats


def test_formats_lists_every_exit_code_R_P2() -> None:
    """Each exit code has its row."""
    for code in {0, *(code for _, code in EXIT_CODES)}:
        assert f"\n| {code} | " in text("docs/formats.md")


@pytest.mark.parametrize("what", ["pack", "source", "validator", "intent"])
def test_contributing_says_how_to_add(what: str) -> None:
    """Each of the four additions has its section."""
    assert re.search(rf"^### Add an? {what}$", text("CONTRIBUTING.md"), re.MULTILINE)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_documents_point_to_what_exists(document: str) -> None:
    """Links and paths of the tree lead somewhere."""
    said = text(document)
    folder = (ROOT / document).parent
    for link in LINK.findall(said):
        assert "://" in link or (folder / link).exists(), link
    for path in NAMED_PATH.findall(said):
        assert (ROOT / path).exists(), path


@pytest.mark.parametrize("document", DOCUMENTS)
def test_one_sentence_a_line(document: str) -> None:
    """A change of one sentence is a change of one line."""
    fenced = False
    for line in text(document).splitlines():
        fenced ^= line.startswith("```")
        prose = re.sub(r"`[^`]*`|\([^)]*\)", "", line)
        if not fenced and not line.startswith("|"):
            assert not re.search(r"[a-z)][.?!] [A-Z]", prose), line


def test_the_tutorial_works_as_it_stands_R_U13(tmp_path: Path) -> None:
    """Its commands behind the environment's, one after the other, in a new folder."""
    page = text("docs/tutorial.md")
    environment, *blocks = re.findall(r"(?ms)^```sh\n(.*?)^```$", page)
    assert environment == "make env\nsource .venv/bin/activate\n"
    assert "pack tune" in blocks[-1]
    some_fail = f"{blocks.pop().rstrip()} || test $? = 1"
    done = subprocess.run(
        ["bash", "-e"],
        input="\n".join([*blocks, some_fail]),
        cwd=tmp_path,
        env={
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "HOME": str(tmp_path),
            "GROUNDRULE_DATA": str(tmp_path / "data"),
            "GROUNDRULE_PACKS": str(tmp_path / "packs"),
            "GROUNDRULE_READER": "small",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    promised = re.findall(r"(?ms)^```\n(From .*?|I found .*?)^```$", page)
    assert len(promised) == 2
    for reply in promised:
        assert letters(reply) in letters(done.stdout)
