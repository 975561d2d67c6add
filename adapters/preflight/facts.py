"""Facts of manifests and configuration files, each with its line."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

import re2
import yaml

from adapters.preflight.content import Content
from adapters.preflight.hits import Hit, Look
from engine.inspection.question_pack import Configuration, Dependencies

LARGEST = 2 << 20  # bytes of a manifest
LONGEST = 200  # characters of a value
DEEPEST = 60

_REQUIREMENT = re2.compile(
    r"^([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?\s*((?:(?:[=!<>~]=?=?)\s*[\w.*+!-]+,?\s*)*)"
)
_QUOTED = re2.compile(
    r"[\"']([A-Za-z0-9][\w.-]*(?:\[[^\]]*\])?\s*[=!<>~][^\"';]*|[A-Za-z0-9][\w.-]*)"
    r"\s*(?:;[^\"]*)?[\"']"
)
_GO = re2.compile(r"^\s*(?:require\s+)?([\w./~-]+\.[\w./~-]+)\s+(v[\w.+-]+)")
_NODE = re2.compile(r"^\s*\"([^\"]+)\"\s*:\s*\"([^\"]*)\"")
_SECTION = re2.compile(r"^\s*\[+\s*([^\]]+?)\s*\]+")
_KEY = re2.compile(r"^\s*([A-Za-z0-9_.\"'-]+)\s*[=:]\s*(.*?)\s*$")
_POETRY = re2.compile(r"tool\.poetry\.(?:group\.[^.]+\.)?(?:dev-)?dependencies")
_SETUP = re2.compile(r"\b(?:install|setup|tests)_requires?\s*=\s*\[")
_STRING = re2.compile(r"\"[^\"]*\"|'[^']*'")
_VERSION = re2.compile(r"version\s*=\s*\"([^\"]+)\"")


def find_dependencies(look: Look, step: Dependencies) -> Iterator[Hit]:
    """Find required packages by name, with their versions; "" where none is given."""
    pattern = re2.compile(step.name)
    for path, content in look.contents():
        read = _find_manifest_reader(path)
        if read is None or not _is_small(look, path, content):
            continue
        for number, name, version in read(content):
            if pattern.fullmatch(name) is not None:
                note = f"requires {name} {version}".strip()
                yield Hit(path, number, number, note, (name, version))


def find_configuration(look: Look, step: Configuration) -> Iterator[Hit]:
    """Find keys with their values; sections and keys are joined by dots."""
    pattern = re2.compile(step.key)
    for path, content in look.contents():
        read = _find_configuration_reader(path)
        if read is None or not _is_small(look, path, content):
            continue
        try:
            for number, key, value in read(content):
                if pattern.fullmatch(key) is not None:
                    values = (key, value[:LONGEST])
                    yield Hit(path, number, number, key, values)
        except (yaml.YAMLError, ValueError) as error:
            look.miss(path, f"is no YAML or JSON ({type(error).__name__})")


Facts = Callable[[Content], Iterator[tuple[int, str, str]]]


def _is_small(look: Look, path: str, content: Content) -> bool:
    if len(content.data) > LARGEST:
        look.miss(path, f"larger than {LARGEST >> 20} MiB: not read as data")
        return False
    return True


# --- manifests --------------------------------------------------------------------


def _list_lines(content: Content) -> Iterator[tuple[int, str]]:
    for number in range(1, content.count + 1):
        yield number, content.line(number).text


def _read_requirements(content: Content) -> Iterator[tuple[int, str, str]]:
    """Read requirements.txt, and lock files in its form."""
    for number, text in _list_lines(content):
        yield from _read_requirement(number, text.rstrip(" \\"))


def _read_requirement(number: int, text: str) -> Iterator[tuple[int, str, str]]:
    found = _REQUIREMENT.search(text)
    if found is not None:
        yield number, found[1], "".join(found[2].split())


def _read_metadata(content: Content) -> Iterator[tuple[int, str, str]]:
    """Read METADATA of an installed package or PKG-INFO of a source package."""
    for number, text in _list_lines(content):
        if not text:
            return  # the description follows
        if text.startswith("Requires-Dist:"):
            said = text.partition(":")[2].strip().replace("(", "").replace(")", "")
            yield from _read_requirement(number, said)


def _read_pyproject(content: Content) -> Iterator[tuple[int, str, str]]:
    """Read the lists of [project], [build-system], the groups and tables of tools."""
    section, inside = "", False
    for number, text in _list_lines(content):
        head = _SECTION.search(text)
        if head is not None and "=" not in text and not inside:
            section = head[1]
            continue
        key = _KEY.search(text)
        if key is not None and not inside and _POETRY.fullmatch(section) is not None:
            yield from _read_poetry(number, key[1].strip("\"'"), key[2])
            continue
        opens = key is not None and key[2].startswith("[")
        if opens and key is not None:
            inside = _lists_requirements(section, key[1])
        if inside:
            for each in _QUOTED.finditer(text):
                yield from _read_requirement(number, each[1])
            inside = not _closes_list(text)


def _closes_list(text: str) -> bool:
    """Tell whether a list ends on this line, ignoring brackets inside quotes."""
    plain = _STRING.sub("", text).partition("#")[0]
    return "]" in plain


def _lists_requirements(section: str, key: str) -> bool:
    if section in ("project", "build-system"):
        return key in ("dependencies", "requires")
    if section == "tool.flit.metadata":
        return key == "requires"
    if section == "tool.uv":
        return key == "dev-dependencies"
    return section in (
        "project.optional-dependencies",
        "dependency-groups",
        "tool.flit.metadata.requires-extra",
        "tool.pdm.dev-dependencies",
    )


def _read_poetry(number: int, name: str, said: str) -> Iterator[tuple[int, str, str]]:
    """Read a line of a table of Poetry or Pipenv; "*" means no version."""
    inner = _VERSION.search(said) if said.startswith("{") else _STRING.search(said)
    version = "" if inner is None else (inner[1] if said.startswith("{") else inner[0])
    if name.lower() != "python":
        yield number, name, version.strip("\"'*")


def _read_pipfile(content: Content) -> Iterator[tuple[int, str, str]]:
    section = ""
    for number, text in _list_lines(content):
        head, key = _SECTION.search(text), _KEY.search(text)
        if head is not None and "=" not in text:
            section = head[1]
        elif key is not None and section in ("packages", "dev-packages"):
            yield from _read_poetry(number, key[1].strip("\"'"), key[2])


def _read_setup_cfg(content: Content) -> Iterator[tuple[int, str, str]]:
    """Read the lists of setup.cfg, with a line for each requirement below its key."""
    section, inside = "", False
    for number, text in _list_lines(content):
        head, key = _SECTION.search(text), _KEY.search(text)
        if head is not None and not text[:1].isspace():
            section, inside = head[1], False
        elif text[:1].isspace():
            if inside:
                yield from _read_requirement(number, text.strip())
        elif key is not None:
            required = key[1] in ("install_requires", "setup_requires", "tests_require")
            inside = section == "options.extras_require" or (
                section == "options" and required
            )
            if inside:
                yield from _read_requirement(number, key[2])


def _read_setup_py(content: Content) -> Iterator[tuple[int, str, str]]:
    """Read the literal lists of setup.py, which is not run."""
    inside = False
    for number, text in _list_lines(content):
        opens = _SETUP.search(text)
        said = text[opens.end() :] if opens is not None else text
        if inside or opens is not None:
            for each in _QUOTED.finditer(said):
                yield from _read_requirement(number, each[1])
            inside = not _closes_list(said)


def _read_package_json(content: Content) -> Iterator[tuple[int, str, str]]:
    """Read the dependency tables of package.json, with one name a line."""
    inside = False
    for number, text in _list_lines(content):
        if 'ependencies"' in text and "{" in text:
            inside = "}" not in text
            continue
        if inside and "}" in text:
            inside = False
        found = _NODE.search(text) if inside else None
        if found is not None:
            yield number, found[1], found[2]


def _read_cargo(content: Content) -> Iterator[tuple[int, str, str]]:
    """Read the dependency tables of Cargo.toml."""
    section = ""
    for number, text in _list_lines(content):
        head, key = _SECTION.search(text), _KEY.search(text)
        if head is not None:
            section = head[1]
        elif key is not None and section.endswith("dependencies"):
            inner = _VERSION.search(key[2])
            version = inner[1] if inner else key[2].strip("\"'")
            yield number, key[1].strip("\"'"), version if "{" not in version else ""


def _read_go_mod(content: Content) -> Iterator[tuple[int, str, str]]:
    for number, text in _list_lines(content):
        found = _GO.search(text)
        if found is not None:
            yield number, found[1], found[2]


_MANIFESTS: Mapping[str, Facts] = {
    "pyproject.toml": _read_pyproject,
    "METADATA": _read_metadata,
    "PKG-INFO": _read_metadata,
    "requires.txt": _read_requirements,
    "setup.cfg": _read_setup_cfg,
    "setup.py": _read_setup_py,
    "Pipfile": _read_pipfile,
    "package.json": _read_package_json,
    "Cargo.toml": _read_cargo,
    "go.mod": _read_go_mod,
    "requirements*.txt": _read_requirements,
    "requirements*.in": _read_requirements,
    "requirements*.lock": _read_requirements,
    "constraints*.txt": _read_requirements,
}


def _find_manifest_reader(path: str) -> Facts | None:
    *folders, name = path.split("/")
    if folders[-1:] == ["requirements"] and name.endswith((".txt", ".in", ".lock")):
        return _read_requirements
    known = (read for glob, read in _MANIFESTS.items() if fnmatchcase(name, glob))
    return next(known, None)


# --- configuration ----------------------------------------------------------------


def _read_sections(content: Content) -> Iterator[tuple[int, str, str]]:
    """Read TOML, INI and .env: keys below their section, values on their first line."""
    section = ""
    for number, text in _list_lines(content):
        if text.lstrip().startswith(("#", ";")):
            continue
        key = _KEY.search(text)
        head = _SECTION.search(text) if key is None or text.startswith("[") else None
        if head is not None:
            section = f"{head[1]}."
        elif key is not None:
            yield number, section + key[1].strip("\"'"), key[2].strip("\"'")


@dataclass(slots=True)
class _Frame:
    """A mapping or a list that is being read; `at` is the current key."""

    mapping: bool
    at: str | None = None
    position: int = 0

    def next(self, said: str) -> bool:
        """Advance by a node and return whether it is a value instead of a key."""
        if self.mapping and self.at is None:
            self.at = said
            return False
        if self.mapping:
            self.at = None
        else:
            self.position += 1
        return True

    def __str__(self) -> str:
        return (self.at or "") if self.mapping else str(self.position)


def _read_nested(content: Content) -> Iterator[tuple[int, str, str]]:
    """Read YAML and JSON: every scalar with its path, event by event.

    No object is built, so that the cost of aliases and nested brackets is linear.

    Raises:
        ValueError: it is nested too deep.
    """
    text = content.data.decode("utf-8", "replace").replace("\t", " ")
    frames: list[_Frame] = []
    for event in yaml.parse(text, Loader=yaml.CSafeLoader):
        if isinstance(event, yaml.CollectionStartEvent):
            frames.append(_Frame(isinstance(event, yaml.MappingStartEvent)))
            if len(frames) > DEEPEST:
                raise ValueError("nested too deep")
        elif isinstance(event, yaml.CollectionEndEvent):
            frames.pop()
            if frames:
                frames[-1].next("?")
        elif isinstance(event, yaml.NodeEvent):
            said = str(getattr(event, "value", ""))
            key = ".".join(map(str, frames))
            if not frames or frames[-1].next(said):
                mark = event.start_mark
                yield mark.line + 1 if mark is not None else 1, key, said


_CONFIGURED: Mapping[str, Facts] = {
    ".toml": _read_sections,
    ".ini": _read_sections,
    ".cfg": _read_sections,
    ".env": _read_sections,
    ".properties": _read_sections,
    ".yaml": _read_nested,
    ".yml": _read_nested,
    ".json": _read_nested,
}


def _find_configuration_reader(path: str) -> Facts | None:
    return next((r for e, r in _CONFIGURED.items() if path.endswith(e)), None)
