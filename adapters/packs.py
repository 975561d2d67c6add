"""Policy packs on disk: load, check, lock and scaffold a pack's folder.

What every pack says and hears alike stands once in config/voice.yaml, by the reader
whom a pack serves; what a pack does not set at all is in config/defaults.yaml. A pack's
own words go before both.

A pack is `pack.yaml` (the policy) and `sources.yaml` (the register). `pack.lock` beside
them holds "version hash" lines: a version that stands there cannot change any more
(R-I12). The hash covers the content of both, not their layout or comments.
"""

import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Annotated

import re2
from pydantic import Field, ValidationError

from adapters.strict_yaml import Read, read
from engine.model.codes import RefusalReason
from engine.model.errors import EnvironmentFailed, PolicyError, UsageError
from engine.model.frozen import Frozen
from engine.policy.pack import PACK_ID, Domain, Pack, Violation, list_violations

POLICY = "pack.yaml"
SOURCES = "sources.yaml"
LOCK = "pack.lock"
PROGRAMS = "programs"  # a folder that is refused: what a model is told is no pack's
MUST_REFUSE = Path("fixtures") / "must_refuse.yaml"
CONFIG = Path(__file__).resolve().parent.parent / "config"
TEMPLATE = CONFIG / "pack_template"
VOICE = CONFIG / "voice.yaml"
DEFAULTS = CONFIG / "defaults.yaml"
_READER = "public"


class Fixture(Frozen):
    """A question that the pack must refuse (R-U8), and as what where that is sure."""

    id: Annotated[str, Field(min_length=1)]
    question: Annotated[str, Field(min_length=1)]
    refusal: tuple[RefusalReason, ...] = ()
    tags: tuple[str, ...] = ()


class Fixtures(Frozen):
    cases: Annotated[tuple[Fixture, ...], Field(min_length=1)]


@dataclass(frozen=True, slots=True)
class Facts:
    """What a new pack is told of its documents.

    `owner` publishes them, `contact` is whom to write to. `homepage` is where they
    stand in the web, `source` what else their source in the register says: where they
    lie, or where they are fetched from. `register` is a whole one, instead of it.
    """

    title: str
    owner: str
    contact: str
    day: date
    homepage: str | None = None
    source: Mapping[str, object] = field(default_factory=dict)
    register: Path | None = None

    def fill(self, text: str, pack: str) -> str:
        """A file of the template with all of this in it."""
        source: dict[str, object] = {"homepage": self.homepage, **self.source}
        lines = [f"    {n}: {_said(v)}" for n, v in source.items() if v is not None]
        told = {
            "__PACK__": pack,
            "__TITLE__": _said(self.title),
            "__OWNER__": _said(self.owner),
            "__CONTACT__": _said(self.contact),
            "__TURN_TO__": _said(f"Please ask {self.owner}."),
            "__DAY__": self.day.isoformat(),
            "    __SOURCE__": "\n".join(lines),
        }
        for name, value in told.items():
            text = text.replace(name, value)
        return text


def _said(value: object) -> str:
    """A value as YAML on one line: JSON is."""
    return json.dumps(value, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a pack's folder, as `pack check` prints it."""

    file: Path
    line: int | None
    field: str
    message: str
    floor: str | None = None

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.line else str(self.file)
        floor = f" (floor of R-I9: {self.floor})" if self.floor else ""
        return f"{where}: {self.field}: {self.message}{floor}"


@dataclass(frozen=True, slots=True)
class Report:
    """What `pack check` found; `pack` is None where none could be built."""

    pack: Pack | None
    problems: tuple[Problem, ...]

    @property
    def passed(self) -> bool:
        return self.pack is not None and not self.problems


@dataclass(frozen=True, slots=True)
class _Files:
    """The files of a pack, read."""

    folder: Path
    policy: Read
    register: Read
    voice: Read
    defaults: Read

    def content(self) -> dict[str, object]:
        return {**self.voiced(), **self.register.data}

    def voiced(self) -> dict[str, object]:
        """The policy with its defaults, and what all packs of its reader say alike."""
        data, voice = _filled(self.policy.data, self.defaults.data), self.voice.data
        said = _table(voice, str(data.get("reader"))) or _table(voice, _READER)
        own = _table(data, "wording")
        kinds = _table(own, "emergencies")
        if not own or ("emergencies" in own and not kinds):
            return data  # wrong, as the pack will say
        known = _table(voice, "patterns")
        texts = _table(said, "emergencies")
        emergencies = [
            {"kind": k, "patterns": p, "text": texts[k], **_table(kinds, k)}
            for k, p in known.items()
        ]
        others = [k for k in kinds if k not in known]
        emergencies += [{"kind": k, **_table(kinds, k)} for k in others]
        wording = {**own, "emergencies": emergencies}
        wording["distress"] = {**_table(said, "distress"), **_table(own, "distress")}
        if data.get("domain") == Domain.MEDICAL:
            wording["fixed"] = {**_table(said, "fixed"), **_table(own, "fixed")}
        return {**data, "wording": wording}

    def hash(self) -> str:
        """SHA-256 over the canonical JSON of both files and the words of all packs."""
        canonical = json.dumps(
            [self.voiced(), self.register.data],
            sort_keys=True,
            ensure_ascii=False,
            separators=(",", ":"),
            default=str,
        )
        return sha256(canonical.encode()).hexdigest()

    def problem(self, violation: Violation) -> Problem:
        """A violation with file and line of its field, or of what should hold it."""
        sources = violation.field.split("[")[0] == "sources"
        name, lines = (
            (SOURCES, self.register.lines) if sources else (POLICY, self.policy.lines)
        )
        return Problem(
            file=self.folder / name,
            line=_line(violation.field, lines),
            field=violation.field,
            message=violation.message,
            floor=violation.floor,
        )


def _filled(
    own: Mapping[str, object], defaults: Mapping[str, object]
) -> dict[str, object]:
    """A table with the default of every field that it does not set, however deep."""
    filled = dict(own)
    for name, default in defaults.items():
        said = filled.setdefault(name, default)
        if isinstance(said, dict) and isinstance(default, dict):
            filled[name] = _filled(said, default)
    return filled


def _table(data: Mapping[str, object], name: str) -> dict[str, object]:
    """A field that holds fields; empty where it does not."""
    found = data.get(name)
    return found if isinstance(found, dict) else {}


def load(folder: Path) -> Pack:
    """The pack of a folder, with its hash.

    Raises:
        PolicyError: a file is missing or unsafe, a field is wrong or below its floor,
            or a locked version has changed; every problem with file, line and field.
    """
    report = _build(folder)
    problems = [*report.problems, *_lock_problems(folder, report.pack)]
    if report.pack is None or problems:
        below = any(problem.floor for problem in problems)
        raise PolicyError("\n".join(map(str, problems)), floor=below)
    return report.pack


def check(folder: Path) -> Report:
    """Everything that `load` refuses, and the pack's fixtures.

    Raises:
        PolicyError: a file is missing or unsafe, so that nothing can be checked.
    """
    report = _build(folder)
    problems = (
        *report.problems,
        *_lock_problems(folder, report.pack),
        *_fixture_problems(folder),
    )
    return Report(pack=report.pack, problems=problems)


def lock(folder: Path) -> Pack:
    """Enter the version and hash of a LOCKED pack in its lock; the pack (R-I12).

    Safe to repeat: a version that stands there as it is stays.

    Raises:
        PolicyError: the pack is wrong, its status is not LOCKED, or this version is
            locked with other content.
        EnvironmentFailed: the lock cannot be written.
    """
    report = _build(folder)
    problems = (*report.problems, *_fixture_problems(folder))
    pack = report.pack
    if pack is None or problems:
        below = any(problem.floor for problem in problems)
        raise PolicyError("\n".join(map(str, problems)), floor=below)
    locked = _locked(folder)
    if locked.get(pack.version, pack.hash) != pack.hash:
        raise PolicyError(_changed(folder, pack))
    if pack.status != "LOCKED":
        raise PolicyError(
            f"{folder / POLICY}: status: is {pack.status}; only a LOCKED pack is "
            "locked: set `status: LOCKED` first"
        )
    _write_lock(folder / LOCK, {**locked, pack.version: pack.hash})
    return pack


def new(packs: Path, name: str, facts: Facts, template: Path = TEMPLATE) -> Path:
    """Make a draft pack that passes `check`, whole or not at all; its folder (R-U8).

    Raises:
        UsageError: `name` is no pack id, or its folder exists.
        EnvironmentFailed: it cannot be written.
    """
    refuse_name(name)
    folder, draft = packs / name, packs / f".{name}.new"
    if folder.exists():
        raise UsageError(f"{folder}: exists already; choose another name")
    try:
        shutil.rmtree(draft, ignore_errors=True)
        for source in sorted(template.rglob("*.yaml")):
            target = draft / source.relative_to(template)
            target.parent.mkdir(parents=True, exist_ok=True)
            text = facts.fill(source.read_text(encoding="utf-8"), name)
            target.write_text(text, encoding="utf-8")
        if facts.register is not None:
            shutil.copyfile(facts.register, draft / SOURCES)
        load(draft)
        draft.rename(folder)
    except OSError as error:
        raise EnvironmentFailed(f"cannot write {folder} ({error.strerror})") from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return folder


def refuse_name(name: str) -> None:
    """Refuse what is no pack id, with one that is.

    Raises:
        UsageError: it is none.
    """
    if re2.fullmatch(PACK_ID, name) is None:
        plain = re2.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_0123456789")
        such = f", such as {plain}" if re2.fullmatch(PACK_ID, plain) else ""
        raise UsageError(
            f"{name!r} is no pack id: use a-z, 0-9 and _, a letter first{such}"
        )


def _build(folder: Path) -> Report:
    """The pack as its files have it, whatever its lock says."""
    files = _read(folder)
    try:
        pack = Pack.model_validate(files.content() | {"hash": files.hash()})
    except ValidationError as error:
        found = tuple(files.problem(violation) for violation in list_violations(error))
        return Report(pack=None, problems=found)
    if (folder / PROGRAMS).exists():
        said = (
            "is no part of a pack: nothing of a pack is shown to a model as its rules"
        )
        problem = Problem(folder / PROGRAMS, None, PROGRAMS, f"{said} (R-E8)")
        return Report(pack=None, problems=(problem,))
    return Report(pack=pack, problems=())


def _read(folder: Path) -> _Files:
    own = (read(folder / POLICY), read(folder / SOURCES))
    files = _Files(folder, *own, read(VOICE), read(DEFAULTS))
    for other in ("sources", "hash"):
        if other in files.policy.data:
            raise PolicyError(f"{folder / POLICY}: {other}: does not belong here")
    extra = set(files.register.data) - {"sources"}
    if extra:
        raise PolicyError(f"{folder / SOURCES}: {min(extra)}: unknown field")
    return files


def _line(field: str, lines: Mapping[str, int]) -> int | None:
    while field and field not in lines:
        cut = max(field.rfind("."), field.rfind("["))
        field = field[: max(cut, 0)]
    return lines.get(field)


# --- lock -------------------------------------------------------------------------


def _locked(folder: Path) -> dict[str, str]:
    """Hash by version, in the order of the lock file; empty without one."""
    file = folder / LOCK
    if not file.is_file():
        return {}
    locked: dict[str, str] = {}
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        parts = line.split()
        if len(parts) != 2 or len(parts[1]) != sha256().digest_size * 2:
            raise PolicyError(f'{file}:{number}: must be "version hash"')
        locked[parts[0]] = parts[1]
    return locked


def _write_lock(file: Path, locked: Mapping[str, str]) -> None:
    """Put a new lock in the place of the old one in one step."""
    draft = file.with_name(f"{LOCK}.new")
    lines = "".join(f"{version} {digest}\n" for version, digest in locked.items())
    try:
        draft.write_text(lines, encoding="utf-8")
        draft.replace(file)
    except OSError as error:
        raise EnvironmentFailed(f"cannot write {file} ({error.strerror})") from error


def _lock_problems(folder: Path, pack: Pack | None) -> Iterator[Problem]:
    """Why the lock does not let this pack through."""
    locked = _locked(folder)
    file = folder / POLICY
    if pack is None:
        return
    if pack.version not in locked:
        if pack.status == "LOCKED":
            message = f"is LOCKED, and {LOCK} has no line for {pack.version}"
            yield Problem(file, None, "status", message)
    elif locked[pack.version] != pack.hash:
        yield Problem(file, None, "version", _changed(folder, pack))


def _changed(folder: Path, pack: Pack) -> str:
    return (
        f"{pack.version} is locked in {folder / LOCK} and has changed: give the pack a "
        "new version and a changelog entry, then lock it"
    )


# --- fixtures ---------------------------------------------------------------------


def _fixture_problems(folder: Path) -> Iterator[Problem]:
    file = folder / MUST_REFUSE
    if not file.is_file():
        message = "is missing: every pack has questions that it must refuse (R-U8)"
        yield Problem(file, None, "cases", message)
        return
    content = read(file)
    try:
        Fixtures.model_validate(content.data)
    except ValidationError as error:
        for found in list_violations(error):
            line = _line(found.field, content.lines)
            yield Problem(file, line, found.field, found.message)
