"""A plugin that finds secrets in any text file and unsafe calls in Python.

As preflight it finds places (values: rule and severity), as validator it objects to an
answer that does not cite an error, as extractor it makes findings of places. Secrets
are recognised by their form and masked in every output.
"""

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

import re2

from adapters.preflight.content import Content
from adapters.preflight.hits import Hit, Look
from adapters.preflight.python_names import Names, NotPython, list_keywords
from adapters.preflight.search import compile_expression
from adapters.preflight.syntax import LARGEST
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
# Patterns with the secret itself as their only group.
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
# Placeholders of secrets in documents and tests.
_PLACEHOLDER = re2.compile(
    r"(?i)example|placeholder|changeme|your[_-]|dummy|\*\*\*|xxxx|\.\.\.|^(.{0,4})$"
    r"|^password|^secret|^test|user:pass"
)
# ASCII files without any of these words are not parsed.
_WORDS = compile_expression(
    r"eval|exec|getoutput|popen|Popen|system|mktemp|[pP]ickle|dill|marshal|shelve|yaml"
    r"|subprocess|check_output|check_call|verify|getattr|import_module|__import__"
    r"|globals|locals|vars|__dict__|builtins|modules"
)
_CODING = re2.compile(rb"^(?:[^\n]*\n)?[^\n]*coding[:=]")
_LOADERS = re2.compile(r"(?:C?Safe|C?Base)\w*Loader")
_PYTHON = (".py", ".pyi", ".pyw", ".pyx")
_COMPILED = (".pyc", ".pyo", ".pyd", ".ipynb", ".pth")
_SCRIPT = re2.compile(rb"^#![^\n]{0,100}python")

Check = Callable[[ast.Call, Names], bool]


def _may_be_true(name: str) -> Check:
    """Make a check for a keyword argument that may be true."""

    def says(call: ast.Call, names: Names) -> bool:
        return any(
            not (isinstance(value, ast.Constant) and not value.value)
            for key, value in list_keywords(call)
            if key == name
        )

    return says


def _is_false(name: str) -> Check:
    """Make a check for a keyword argument that is certainly false."""

    def says(call: ast.Call, names: Names) -> bool:
        return any(
            isinstance(value, ast.Constant)
            and value.value is not None
            and not value.value
            for key, value in list_keywords(call)
            if key == name
        )

    return says


def _lacks_safe_loader(call: ast.Call, names: Names) -> bool:
    """Tell whether YAML is loaded with any loader that is not safe."""
    given = [value for key, value in list_keywords(call) if key == "Loader"]
    meant = {name for value in (*call.args[1:], *given) for name in names.of(value)}
    return not any(_LOADERS.search(name) for name in meant)


@dataclass(frozen=True, slots=True)
class _Unsafe:
    """A function with its severity; `says` tells whether a call of it is unsafe.

    Without `says` every use is unsafe, because a reference may be called anywhere.
    """

    rule: str
    name: str
    severity: Severity
    says: Check | None = None


UNSAFE = (
    _Unsafe("eval", r"eval|exec", "error"),
    _Unsafe(
        "shell",
        r"(?:os|commands|subprocess|asyncio|\?)(?:\.\w+)*"
        r"\.(?:system|popen[234]?|getoutput|getstatusoutput|create_subprocess_shell"
        r"|subprocess_shell)",
        "error",
    ),
    # A name that is computed at run time, which cannot be resolved.
    _Unsafe("computed", r"(?:os|subprocess|builtins|__builtins__)\.\?", "error"),
    _Unsafe(
        "shell",
        r"subprocess\.\w+|Popen|check_output|check_call",
        "error",
        says=_may_be_true("shell"),
    ),
    _Unsafe(
        "unpickle",
        r"(?:[pP]ickle|dill|marshal|shelve|cloudpickle|jsonpickle|joblib)"
        r"(?:\.Unpickler\(\))?\.(?:loads?|open|decode)",
        "warning",
    ),
    _Unsafe("yaml_load", r"yaml\.(?:unsafe|full)_load(?:_all)?", "error"),
    _Unsafe("yaml_load", r"yaml\.load(?:_all)?", "error", says=_lacks_safe_loader),
    _Unsafe(
        "no_certificate",
        r"(?:\w+\.)*(?:requests|httpx|session|client)\b.*\.\w+",
        "error",
        says=_is_false("verify"),
    ),
    _Unsafe("temporary_name", r"tempfile\.mktemp", "warning"),
)

_ANY = re2.compile("|".join(f"(?:{rule.name})" for rule in UNSAFE))


def gather(look: Look, step: Plugin) -> Iterator[Hit]:
    """Find secrets (`secrets: true`) and unsafe calls (`calls: true`), or both."""
    secrets = bool(step.options.get("secrets", True))
    calls = bool(step.options.get("calls", True))
    patterns = [(rule, compile_expression(text)) for rule, text in SECRETS.items()]
    for path, content in look.contents():
        if secrets:
            yield from _find_secrets(path, content, patterns)
        if calls and _is_python(path, content):
            if len(content.data) > LARGEST:
                look.miss(path, f"larger than {LARGEST >> 20} MiB: not parsed")
                continue
            yield from _find_unsafe(look, path, content)
        elif calls and path.lower().endswith(_COMPILED):
            look.miss(path, "holds code that is not read as Python")


def _is_python(path: str, content: Content) -> bool:
    """Tell whether a file is Python, by its name or its `#!` line."""
    named = path.lower().endswith(_PYTHON)
    return named or _SCRIPT.search(content.data[:200]) is not None


def check(
    inquiry: Inquiry, decided: Decided, blocks: tuple[Block, ...]
) -> Iterator[Problem]:
    """Object to an answer that does not cite every place of the severity `error`."""
    if decided.verdict in (NOT_FOUND, INSUFFICIENT):
        return
    shown = {block.place for block in decided.shown}
    for block in blocks:
        if _read_severity(block) == "error" and block.place not in shown:
            why = f"{block.place} ({block.note}) is not cited"
            yield Problem(rule="python_security", explanation=why)


def extract(inquiry: Inquiry, blocks: tuple[Block, ...]) -> Iterator[Finding]:
    """Make a finding of each place that this plugin found."""
    for block in blocks:
        severity = _read_severity(block)
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


def _read_severity(block: Block) -> Severity | None:
    """Read the severity of a place; return None for one of another preflight."""
    known: Mapping[str, Severity] = {"error": "error", "warning": "warning"}
    if len(block.values) == 3 and block.values[0] == "python_security":
        return known.get(block.values[2])
    return None


@cache
def compile_pattern(pattern: str) -> re2._Regexp:
    """Compile a pattern over text, once."""
    return re2.compile(pattern)


def _make_values(rule: str, severity: Severity) -> tuple[str, ...]:
    return "python_security", rule, severity


def _find_secrets(
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
                values=_make_values(rule, "error"),
                masked=() if rule == "private_key" else (secret,),
            )


def _find_unsafe(look: Look, path: str, content: Content) -> Iterator[Hit]:
    """Find the unsafe calls of a file; record one that is not Python as unread."""
    if not _may_be_unsafe(content.data):
        return
    try:
        names = Names(content.data)
    except NotPython as error:
        look.miss(path, str(error))
        return
    called = {id(n.func) for n in ast.walk(names.tree) if isinstance(n, ast.Call)}
    told: set[tuple[int, str]] = set()
    for node in ast.walk(names.tree):
        if not isinstance(node, ast.Call | ast.Name | ast.Attribute | ast.Subscript):
            continue
        found = _match_unsafe(node, names, called)
        if found is None:
            continue
        name, rule = found
        number = content.number(names.offset(node))
        if (number, name) not in told:
            told.add((number, name))
            note = f"unsafe call: {name}"
            yield Hit(
                path, number, number, note, _make_values(rule.rule, rule.severity)
            )


def _may_be_unsafe(data: bytes) -> bool:
    """Tell whether a file may have an unsafe call, by the words in its bytes.

    A file in another encoding than ASCII may spell them differently.
    """
    plain = data.isascii() and b"\0" not in data and _CODING.search(data) is None
    return not plain or _WORDS.search(data) is not None


def _match_unsafe(
    node: ast.Call | ast.Name | ast.Attribute | ast.Subscript,
    names: Names,
    called: set[int],
) -> tuple[str, _Unsafe] | None:
    """Find the unsafe function that a node calls, or uses without a call."""
    if not isinstance(node, ast.Call):
        used = isinstance(node.ctx, ast.Load) and id(node) not in called
        if not used:
            return None
    meant = names.of(node)
    if isinstance(node, ast.Call):
        meant |= names.of(node.func)
    meant = {name for name in meant if _ANY.fullmatch(name) is not None}
    for rule in UNSAFE if meant else ():
        for name in sorted(meant):
            if compile_pattern(rule.name).fullmatch(name) is None:
                continue
            if rule.says is None:
                return name, rule
            if isinstance(node, ast.Call) and rule.says(node, names):
                return name, rule
    return None
