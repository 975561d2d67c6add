"""Policy packs on disk: load, check, lock and scaffold a pack's folder.

Words that all packs share are in config/voice.yaml, by the kind of reader; defaults of
all other fields are in config/defaults.yaml. A pack's own values override both.

A pack is `pack.yaml` (the policy) and `sources.yaml` (the register). `pack.lock` beside
them has "version hash" lines: a locked version cannot change any more. The hash covers
the content of both files, not their layout or comments.
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
PROGRAMS = "programs"  # a refused folder: packs do not define prompts of models
MUST_REFUSE = Path("fixtures") / "must_refuse.yaml"
CONFIG = Path(__file__).resolve().parent.parent / "config"
TEMPLATE = CONFIG / "pack_template"
VOICE = CONFIG / "voice.yaml"
DEFAULTS = CONFIG / "defaults.yaml"
_READER = "public"


class Fixture(Frozen):
    """A question that the pack must refuse, with the allowed reasons, if given."""

    id: Annotated[str, Field(min_length=1)]
    question: Annotated[str, Field(min_length=1)]
    refusal: tuple[RefusalReason, ...] = ()
    tags: tuple[str, ...] = ()


class Fixtures(Frozen):
    cases: Annotated[tuple[Fixture, ...], Field(min_length=1)]


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts about its documents that a new pack starts with.

    `owner` publishes them, `contact` is their contact. `homepage` is their address on
    the web, `source` has further fields of their source in the register: where they are
    stored or fetched from. `register` is a complete register, instead of it.
    """

    title: str
    owner: str
    contact: str
    day: date
    homepage: str | None = None
    source: Mapping[str, object] = field(default_factory=dict)
    register: Path | None = None

    def fill(self, text: str, pack: str) -> str:
        """Fill a file of the template with these facts."""
        source: dict[str, object] = {"homepage": self.homepage, **self.source}
        lines = [f"    {n}: {_to_yaml(v)}" for n, v in source.items() if v is not None]
        told = {
            "__PACK__": pack,
            "__TITLE__": _to_yaml(self.title),
            "__OWNER__": _to_yaml(self.owner),
            "__CONTACT__": _to_yaml(self.contact),
            "__TURN_TO__": _to_yaml(f"Please ask {self._describe_owner()}."),
            "__DAY__": self.day.isoformat(),
            "    __SOURCE__": "\n".join(lines),
        }
        for name, value in told.items():
            text = text.replace(name, value)
        return text

    def _describe_owner(self) -> str:
        """Return the publisher with its contact, where that is not its name."""
        named = self.contact == self.owner
        return self.owner if named else f"{self.owner} ({self.contact})"


def _to_yaml(value: object) -> str:
    """Write a value as YAML on one line, by JSON."""
    return json.dumps(value, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Problem:
    """A fault of a pack's folder, as `pack check` prints it."""

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
    """The result of `pack check`; `pack` is None where it could not be built."""

    pack: Pack | None
    problems: tuple[Problem, ...]

    @property
    def passed(self) -> bool:
        return self.pack is not None and not self.problems


@dataclass(frozen=True, slots=True)
class _Files:
    """The files of a pack, parsed."""

    folder: Path
    policy: Read
    register: Read
    voice: Read
    defaults: Read

    def join_content(self) -> dict[str, object]:
        return {**self.merge_words(), **self.register.data}

    def merge_words(self) -> dict[str, object]:
        """Return the policy with defaults and the shared words of its reader."""
        data, voice = (
            _fill_defaults(self.policy.data, self.defaults.data),
            self.voice.data,
        )
        said = _read_table(voice, str(data.get("reader"))) or _read_table(
            voice, _READER
        )
        own = _read_table(data, "wording")
        kinds = _read_table(own, "emergencies")
        if not own or ("emergencies" in own and not kinds):
            return data  # invalid, as the pack's validation will report
        known = _read_table(voice, "patterns")
        texts = _read_table(said, "emergencies")
        emergencies = [
            {"kind": k, "patterns": p, "text": texts[k], **_read_table(kinds, k)}
            for k, p in known.items()
        ]
        others = [k for k in kinds if k not in known]
        emergencies += [{"kind": k, **_read_table(kinds, k)} for k in others]
        wording = {**own, "emergencies": emergencies}
        wording["distress"] = {
            **_read_table(said, "distress"),
            **_read_table(own, "distress"),
        }
        if data.get("domain") == Domain.MEDICAL:
            wording["fixed"] = {
                **_read_table(said, "fixed"),
                **_read_table(own, "fixed"),
            }
        return {**data, "wording": wording}

    def hash(self) -> str:
        """Hash the canonical JSON of both files, with shared words (SHA-256)."""
        canonical = json.dumps(
            [self.merge_words(), self.register.data],
            sort_keys=True,
            ensure_ascii=False,
            separators=(",", ":"),
            default=str,
        )
        return sha256(canonical.encode()).hexdigest()

    def make_problem(self, violation: Violation) -> Problem:
        """Make a problem of a violation, with the line of its field or its parent."""
        sources = violation.field.split("[")[0] == "sources"
        name, lines = (
            (SOURCES, self.register.lines) if sources else (POLICY, self.policy.lines)
        )
        return Problem(
            file=self.folder / name,
            line=_find_line(violation.field, lines),
            field=violation.field,
            message=violation.message,
            floor=violation.floor,
        )


def _fill_defaults(
    own: Mapping[str, object], defaults: Mapping[str, object]
) -> dict[str, object]:
    """Fill a table with defaults of unset fields, at every depth."""
    filled = dict(own)
    for name, default in defaults.items():
        said = filled.setdefault(name, default)
        if isinstance(said, dict) and isinstance(default, dict):
            filled[name] = _fill_defaults(said, default)
    return filled


def _read_table(data: Mapping[str, object], name: str) -> dict[str, object]:
    """Return a nested table; an empty one where the field is not a table."""
    found = data.get(name)
    return found if isinstance(found, dict) else {}


def load(folder: Path) -> Pack:
    """Load the pack of a folder, with its hash.

    Raises:
        PolicyError: a file is missing or unsafe, a field is invalid or below its
            floor, or a locked version has changed; with file, line and field of each.
    """
    report = _build(folder)
    problems = [*report.problems, *_list_lock_problems(folder, report.pack)]
    if report.pack is None or problems:
        below = any(problem.floor for problem in problems)
        raise PolicyError("\n".join(map(str, problems)), floor=below)
    return report.pack


def check(folder: Path) -> Report:
    """Check a folder for everything that `load` refuses, and the pack's fixtures.

    Raises:
        PolicyError: a file is missing or unsafe, so that no check is possible.
    """
    report = _build(folder)
    problems = (
        *report.problems,
        *_list_lock_problems(folder, report.pack),
        *_list_fixture_problems(folder),
    )
    return Report(pack=report.pack, problems=problems)


def lock(folder: Path) -> Pack:
    """Add the version and hash of a LOCKED pack to its lock, and return the pack.

    It is safe to repeat.

    Raises:
        PolicyError: the pack is invalid, its status is not LOCKED, or this version is
            locked with other content.
        EnvironmentFailed: the lock cannot be written.
    """
    report = _build(folder)
    problems = (*report.problems, *_list_fixture_problems(folder))
    pack = report.pack
    if pack is None or problems:
        below = any(problem.floor for problem in problems)
        raise PolicyError("\n".join(map(str, problems)), floor=below)
    locked = _read_lock(folder)
    if locked.get(pack.version, pack.hash) != pack.hash:
        raise PolicyError(_explain_changed(folder, pack))
    if pack.status != "LOCKED":
        raise PolicyError(
            f"{folder / POLICY}: status: is {pack.status}; only a LOCKED pack is "
            "locked: set `status: LOCKED` first"
        )
    _write_lock(folder / LOCK, {**locked, pack.version: pack.hash})
    return pack


def create_pack(
    packs: Path, name: str, facts: Facts, template: Path = TEMPLATE
) -> Path:
    """Create a draft pack that passes `check`, or nothing; return its folder.

    Raises:
        UsageError: `name` is not a pack id, or its folder exists.
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
    """Refuse a name that is not a pack id, and suggest one that is.

    Raises:
        UsageError: it is not a pack id.
    """
    if re2.fullmatch(PACK_ID, name) is None:
        plain = re2.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_0123456789")
        such = f", such as {plain}" if re2.fullmatch(PACK_ID, plain) else ""
        raise UsageError(
            f"{name!r} is no pack id: use a-z, 0-9 and _, a letter first{such}"
        )


def _build(folder: Path) -> Report:
    """Build the pack from its files, without its lock."""
    files = _read(folder)
    try:
        pack = Pack.model_validate(files.join_content() | {"hash": files.hash()})
    except ValidationError as error:
        found = tuple(
            files.make_problem(violation) for violation in list_violations(error)
        )
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


def _find_line(field: str, lines: Mapping[str, int]) -> int | None:
    while field and field not in lines:
        cut = max(field.rfind("."), field.rfind("["))
        field = field[: max(cut, 0)]
    return lines.get(field)


# --- lock -------------------------------------------------------------------------


def _read_lock(folder: Path) -> dict[str, str]:
    """Read the hashes by version, in the order of the lock file."""
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
    """Replace the lock atomically."""
    draft = file.with_name(f"{LOCK}.new")
    lines = "".join(f"{version} {digest}\n" for version, digest in locked.items())
    try:
        draft.write_text(lines, encoding="utf-8")
        draft.replace(file)
    except OSError as error:
        raise EnvironmentFailed(f"cannot write {file} ({error.strerror})") from error


def _list_lock_problems(folder: Path, pack: Pack | None) -> Iterator[Problem]:
    """List the problems of a pack with its lock."""
    locked = _read_lock(folder)
    file = folder / POLICY
    if pack is None:
        return
    if pack.version not in locked:
        if pack.status == "LOCKED":
            message = f"is LOCKED, and {LOCK} has no line for {pack.version}"
            yield Problem(file, None, "status", message)
    elif locked[pack.version] != pack.hash:
        yield Problem(file, None, "version", _explain_changed(folder, pack))


def _explain_changed(folder: Path, pack: Pack) -> str:
    return (
        f"{pack.version} is locked in {folder / LOCK} and has changed: give the pack a "
        "new version and a changelog entry, then lock it"
    )


# --- fixtures ---------------------------------------------------------------------


def _list_fixture_problems(folder: Path) -> Iterator[Problem]:
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
            line = _find_line(found.field, content.lines)
            yield Problem(file, line, found.field, found.message)
