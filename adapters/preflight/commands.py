"""Commands that an operator allows, run without a shell and within bounds.

A question pack names a command with arguments and cannot define one: the allowed
commands are in a file of whoever runs the pack (`--commands`). An argument is one word
of the command, must match its pattern and may not begin with a dash.
"""

import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import re2
from pydantic import Field, ValidationError

from adapters.preflight.hits import Hit, Look
from adapters.strict_yaml import read
from engine.inspection.question_pack import Command, Id, Inquiry, Pattern
from engine.model.errors import PolicyError, UsageError
from engine.model.frozen import Frozen
from engine.model.places import parse_place
from engine.policy.pack import list_violations

MOST_OUTPUT = 4 << 20
BESIDE = "commands.yaml"  # name of a file that a pack's author may leave beside it
_PASSED_ON = ("PATH", "LANG", "LC_ALL", "VIRTUAL_ENV", "PYTHONPATH")
_HOLE = re.compile(r"\{(\w+)\}")
_LINE = re2.compile(r"^(?:\./)?(.+?):(\d{1,9})(?:-(\d{1,9}))?(?::\d+)?(?::\s*(.*))?$")


class Allowed(Frozen):
    """One command: its words, the patterns of its arguments, its bounds.

    In a word, `{repository}` is the folder, `{python}` the running interpreter,
    `{NAME}` an argument. It starts in an empty folder unless `inside` lets it start in
    the repository, where some programs load files that they find.
    """

    words: Annotated[tuple[str, ...], Field(min_length=1)]
    arguments: Mapping[Id, Pattern] = Field(default_factory=dict)
    seconds: Annotated[float, Field(gt=0, le=600)] = 30.0
    output: Annotated[int, Field(ge=1, le=MOST_OUTPUT)] = MOST_OUTPUT
    exit_codes: tuple[int, ...] = (0, 1)
    inside: bool = False


class AllowList(Frozen):
    """Every command that may be run, by name."""

    commands: Mapping[Id, Allowed] = Field(default_factory=dict)


def read_allow_list(file: Path) -> AllowList:
    """Read the allow-list of a file.

    Raises:
        PolicyError: it is missing or invalid; with file, line and field.
    """
    held = read(file)
    try:
        return AllowList.model_validate(held.data)
    except ValidationError as error:
        found = list_violations(error)
        told = [
            f"{file}:{held.lines.get(each.field, 1)}: {each.field}: {each.message}"
            for each in found
        ]
        raise PolicyError("\n".join(told)) from error


def check_allowed(inquiries: Iterable[Inquiry], allowed: AllowList, pack: Path) -> None:
    """Refuse questions with commands that are not allowed, before any is asked.

    Raises:
        UsageError: with the option and the expected file.
    """
    lacking = {
        step.command: inquiry.id
        for inquiry in reversed(tuple(inquiries))
        for step in inquiry.preflights
        if isinstance(step, Command) and step.command not in allowed.commands
    }
    if not lacking:
        return
    told = "; ".join(
        f"the question {lacking[name]} runs the command {name!r}"
        for name in sorted(lacking)
    )
    known = ", ".join(sorted(allowed.commands)) or "none"
    beside = pack.parent / BESIDE
    hint = f" ({beside} stands beside the pack: read it first)"
    raise UsageError(
        f"{pack}: {told}: pass --commands FILE.yaml, a file that lists under "
        f"`commands:` what may be run (now: {known})"
        f"{hint if beside.is_file() else ''}"
    )


def run_command(look: Look, step: Command, allowed: AllowList) -> Iterator[Hit]:
    """Run a command and make hits of the lines `path:line: text` that it prints.

    A command that does not end, prints too much or ends with another exit code has no
    hits and is recorded as unread.

    Raises:
        UsageError: it is not allowed, or not with these arguments.
    """
    rule = allowed.commands.get(step.command)
    if rule is None:
        known = ", ".join(sorted(allowed.commands)) or "none"
        raise UsageError(
            f"preflight {step.id}: the command {step.command!r} is not allowed: "
            f"--commands FILE lists what is (now: {known})"
        )
    words = _fill_words(step, rule, look.repository.root)
    look.files = 1
    out, flaw = _run(words, rule, look.repository.root)
    if flaw:
        look.miss(step.command, flaw)
    wanted = set(look.repository.chosen(step.include, step.exclude))
    for line in out.splitlines():
        hit = _read_hit(line)
        if hit is not None and hit.path in wanted:
            yield hit


def _fill_words(step: Command, rule: Allowed, root: Path) -> list[str]:
    unknown = sorted(set(step.arguments) ^ set(rule.arguments))
    if unknown:
        wanted = ", ".join(sorted(rule.arguments)) or "none"
        raise UsageError(
            f"preflight {step.id}: the command {step.command} takes the arguments "
            f"{wanted}; {unknown[0]} is missing or too much"
        )
    values = {"repository": str(root), "python": sys.executable}
    for name, value in step.arguments.items():
        said = str(value)
        fits = re2.fullmatch(rule.arguments[name], said) is not None
        if not fits or said.startswith("-") or "\0" in said:
            raise UsageError(
                f"preflight {step.id}: argument {name} is {said!r}, and has to match "
                f"{rule.arguments[name]} without a dash in front"
            )
        values[name] = said
    return [_HOLE.sub(lambda hole: _fill_hole(hole, values), w) for w in rule.words]


def _fill_hole(hole: re.Match[str], values: Mapping[str, str]) -> str:
    """Return the value of a placeholder; other braces stay as they are."""
    return values.get(hole[1], hole[0])


def _run(words: list[str], rule: Allowed, root: Path) -> tuple[str, str]:
    """Run a command; return its output, and the fault of its end or ""."""
    environment = {n: os.environ[n] for n in _PASSED_ON if n in os.environ}
    with tempfile.TemporaryDirectory() as empty, tempfile.TemporaryFile() as out:
        environment |= {"HOME": empty, "TMPDIR": empty, "GIT_CONFIG_NOSYSTEM": "1"}
        try:
            child = subprocess.Popen(
                words,
                cwd=root if rule.inside else empty,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            return "", f"cannot be started ({error.strerror})"
        bound = rule.output + 1  # bytes of every file that it writes
        with suppress(ProcessLookupError):
            resource.prlimit(child.pid, resource.RLIMIT_FSIZE, (bound, bound))
        flaw = _wait_for(child, rule)
        if out.seek(0, os.SEEK_END) > rule.output:
            return "", f"printed more than {rule.output} bytes"
        out.seek(0)
        return ("" if flaw else out.read().decode("utf-8", "replace")), flaw


def _wait_for(child: "subprocess.Popen[bytes]", rule: Allowed) -> str:
    """Wait for a command, end all that it started, and return the fault or ""."""
    try:
        code = child.wait(rule.seconds)
        flaw = "" if code in rule.exit_codes else f"ended with exit code {code}"
    except subprocess.TimeoutExpired:
        flaw = f"took longer than {rule.seconds:g} s"
    finally:
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
    return flaw


def _read_hit(line: str) -> Hit | None:
    found = _LINE.search(line)
    if found is None or parse_place(f"x:{found[2]}") is None:
        return None
    first = int(found[2])
    last = int(found[3]) if found[3] else first
    return Hit(found[1], first, max(first, last), note=(found[4] or "")[:200])
