"""A plugin: secrets in any text file, and calls in Python that deserve a second look.

As preflight it finds places (values: rule and severity), as validator it objects to an
answer that says nothing of what was found, as extractor it makes findings of places.
Secrets are known by their form, and what was found of one is masked wherever it goes.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

import re2
from tree_sitter import Node, Query, QueryCursor

from adapters.preflight.content import Content
from adapters.preflight.grammars import grammar, language_of
from adapters.preflight.hits import Hit, Look
from adapters.preflight.search import expression
from adapters.preflight.syntax import LARGEST, MOST_MATCHES, parsed
from engine.inspection.question_pack import Inquiry, Plugin
from engine.inspection.records import (
    INSUFFICIENT,
    NOT_FOUND,
    Block,
    Decided,
    Finding,
    Problem,
    Severity,
)

_QUOTE = "[\"'`]"
# Each with the secret itself as its one group.
SECRETS: Mapping[str, str] = {
    "private_key": r"-----BEGIN (?:[A-Z]+ )*(PRIVATE KEY)-----",
    "aws_key": r"\b((?:AKIA|ASIA)[0-9A-Z]{16})\b",
    "github_token": r"\b((?:ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{36}|"
    r"github_pat_[A-Za-z0-9_]{60,})\b",
    "slack_token": r"\b(xox[abposr]-[0-9A-Za-z]{8,}-[0-9A-Za-z-]{8,})\b",
    "google_key": r"\b(AIza[0-9A-Za-z_-]{35})\b",
    "api_key": r"\b(sk-(?:ant-|proj-)?[A-Za-z0-9_-]{32,})\b",
    "password": r"(?i)\b(?:password|passwd|secret_key|api_key|auth_token)[\"']?\s*"
    rf"[:=]\s*{_QUOTE}([^\s\"'`{{}}$<>%]{{8,}}){_QUOTE}",
    "url_password": r"\b[a-z][a-z0-9+]{1,20}://[^\s:@/'\"{}<>$]{1,80}:"
    r"([^\s:@/'\"{}<>$%]{6,})@[\w.-]+",
}
# What documents and tests write where a secret would stand.
_PLACEHOLDER = re2.compile(
    r"(?i)example|placeholder|changeme|your[_-]|dummy|\*\*\*|xxxx|\.\.\.|^(.{0,4})$"
    r"|^password|^secret|^test|user:pass"
)
_CALLS = """
(call function: [(identifier) (attribute)] @function arguments: (_) @arguments)
"""
# Files without any of these words are not parsed.
_WORDS = expression(
    r"\b(?:eval|exec|getoutput|popen|system|mktemp)\s*\("
    r"|\b(?:c?[pP]ickle|dill|marshal|shelve|yaml)\s*\.\s*(?:unsafe_)?(?:load|open)"
    r"|\bshell\s*=\s*True|\bverify\s*=\s*False"
)


@dataclass(frozen=True, slots=True)
class _Unsafe:
    """A call: its name, what its arguments say where that matters, how bad it is."""

    rule: str
    name: str
    severity: Severity
    arguments: str = ""
    unless: str = ""


UNSAFE = (
    _Unsafe("eval", r"eval|exec|builtins\.(?:eval|exec)", "error"),
    _Unsafe(
        "shell",
        r"subprocess\.\w+|Popen|check_output|check_call",
        "error",
        arguments=r"\bshell\s*=\s*True\b",
    ),
    _Unsafe("shell", r"os\.(?:system|popen)|commands\.getoutput", "error"),
    _Unsafe(
        "unpickle",
        r"c?[pP]ickle\.loads?|(?:dill|marshal|shelve)\.(?:loads?|open)",
        "warning",
    ),
    _Unsafe(
        "yaml_load",
        r"yaml\.(?:unsafe_)?load(?:_all)?",
        "error",
        unless=r"(?:Safe|Base)\w*Loader",
    ),
    _Unsafe(
        "no_certificate",
        r"(?:requests|httpx|session|client)\.\w+",
        "error",
        arguments=r"\bverify\s*=\s*False\b",
    ),
    _Unsafe("temporary_name", r"tempfile\.mktemp", "warning"),
)


def gather(look: Look, step: Plugin) -> Iterator[Hit]:
    """Secrets (`secrets: true`) and unsafe calls (`calls: true`); both by default."""
    secrets = bool(step.options.get("secrets", True))
    calls = bool(step.options.get("calls", True))
    patterns = [(rule, expression(text)) for rule, text in SECRETS.items()]
    for path, content in look.contents():
        if secrets:
            yield from _secrets(path, content, patterns)
        if calls and language_of(path) == "python":
            if len(content.data) > LARGEST:
                look.miss(path, f"larger than {LARGEST >> 20} MiB: not parsed")
                continue
            yield from _unsafe(path, content)


def check(
    inquiry: Inquiry, decided: Decided, blocks: tuple[Block, ...]
) -> Iterator[Problem]:
    """An answer that was given must cite every place of the severity `error`."""
    if decided.verdict in (NOT_FOUND, INSUFFICIENT):
        return
    shown = {block.place for block in decided.shown}
    for block in blocks:
        if _severity(block) == "error" and block.place not in shown:
            why = f"{block.place} ({block.note}) is not cited"
            yield Problem(rule="python_security", explanation=why)


def extract(inquiry: Inquiry, blocks: tuple[Block, ...]) -> Iterator[Finding]:
    """A finding at each place that this plugin found, with its own rule."""
    for block in blocks:
        severity = _severity(block)
        if severity is not None:
            yield Finding(
                question=inquiry.id,
                rule=f"python_security/{block.values[1]}",
                severity=severity,
                message=block.note,
                path=block.path,
                first=block.first,
                last=block.last,
            )


def _severity(block: Block) -> Severity | None:
    """How bad a place is; None for one that another preflight found."""
    known: Mapping[str, Severity] = {"error": "error", "warning": "warning"}
    if len(block.values) == 3 and block.values[0] == "python_security":
        return known.get(block.values[2])
    return None


@cache
def compiled(pattern: str) -> re2._Regexp:
    """A pattern over text, made once."""
    return re2.compile(pattern)


def _values(rule: str, severity: Severity) -> tuple[str, ...]:
    return "python_security", rule, severity


def _secrets(
    path: str, content: Content, patterns: Iterable[tuple[str, re2._Regexp]]
) -> Iterator[Hit]:
    told: set[int] = set()
    for rule, pattern in patterns:
        for found in pattern.finditer(content.data):
            secret = found[1].decode("utf-8", "replace")
            number = content.number(found.start(1))
            if number in told or _PLACEHOLDER.search(secret) is not None:
                continue
            told.add(number)
            yield Hit(
                path,
                number,
                number,
                note=f"looks like a secret: {rule.replace('_', ' ')}",
                values=_values(rule, "error"),
                masked=() if rule == "private_key" else (secret,),
            )


def _unsafe(path: str, content: Content) -> Iterator[Hit]:
    if _WORDS.search(content.data) is None:
        return
    known = grammar("python")
    cursor = QueryCursor(Query(known.language, _CALLS), match_limit=MOST_MATCHES)
    for _, found in cursor.matches(parsed(path, content).root_node):
        name, said = _text(found["function"]), _text(found["arguments"])
        rule = next((r for r in UNSAFE if _matches(r, name, said)), None)
        if rule is not None:
            number = found["function"][0].start_point.row + 1
            note = f"unsafe call: {name}"
            yield Hit(path, number, number, note, _values(rule.rule, rule.severity))


def _matches(rule: _Unsafe, name: str, said: str) -> bool:
    if compiled(rule.name).fullmatch(name) is None:
        return False
    if rule.arguments and compiled(rule.arguments).search(said) is None:
        return False
    return not rule.unless or compiled(rule.unless).search(said) is None


def _text(nodes: list[Node]) -> str:
    return " ".join((nodes[0].text or b"").decode("utf-8", "replace").split())[:400]
