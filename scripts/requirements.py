"""Writes docs/requirements.md: what each requirement says, and which files show it.

    python -m scripts.requirements

The sentences are data, docs/requirements.yaml. A test shows what its name says, as in
`test_..._R_I7`, and a case what its `shows` lists. Files are named and not lines, so
that the page changes only where a requirement is shown in another file.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import yaml

from evals.cases import suites
from evals.deciding.coverage import named_in

ROOT = Path(__file__).resolve().parent.parent
SENTENCES, PAGE = Path("docs/requirements.yaml"), Path("docs/requirements.md")
HEAD = """# What it must do

<!-- Made by `python -m scripts.requirements`: edit docs/requirements.yaml. -->

Code, tests, suites and documents name requirements by these ids.
Below each stand the files that show it.
Those are tests whose names end with the id, and suites whose cases list it.
`python -m evals coverage` lists cases and tests one by one.
"""
NOT_YET = "Not yet shown."


def chapters(root: Path = ROOT) -> Mapping[str, Mapping[str, str]]:
    """What each requirement says, by chapter and id."""
    text = (root / SENTENCES).read_text(encoding="utf-8")
    read: dict[str, dict[str, str]] = yaml.safe_load(text)
    return read


def shown(root: Path = ROOT) -> Mapping[str, set[str]]:
    """The files that show each requirement."""
    found: dict[str, set[str]] = {}
    for requirement, file in (*_by_tests(root), *_by_suites(root)):
        place = file.relative_to(root).as_posix()
        found.setdefault(requirement, set()).add(place)
    return found


def _by_tests(root: Path) -> Iterator[tuple[str, Path]]:
    for file in (root / "tests").rglob("test_*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(
                node, ast.FunctionDef | ast.AsyncFunctionDef
            ) and node.name.startswith("test"):
                yield from ((each, file) for each in named_in(node.name))


def _by_suites(root: Path) -> Iterator[tuple[str, Path]]:
    files = (
        *(root / "evals/suites").glob("*/*.yaml"),
        *(root / "tests/evals/sensitivity/suites").glob("*/*.yaml"),
    )
    for file in files:
        for case in suites.read(file).cases:
            yield from ((each, file) for each in case.shows)


def page(root: Path = ROOT) -> str:
    """The page as it should stand."""
    files, parts = shown(root), [HEAD]
    for chapter, sentences in chapters(root).items():
        parts.append(f"\n## {chapter}\n")
        for requirement, text in sentences.items():
            places = _shown_by(files, requirement)
            parts.append(f"\n### {requirement}\n\n{_by_line(text)}\n\n{places}\n")
    return "".join(parts)


def _by_line(text: str) -> str:
    """One sentence a line."""
    return re.sub(r"(?<=[a-z)\]`\"][.?!]) (?=[A-Z])", "\n", text)


def _shown_by(files: Mapping[str, set[str]], requirement: str) -> str:
    named = [f"`{file}`" for file in sorted(files.get(requirement, ()))]
    return f"Shown by {', '.join(named)}." if named else NOT_YET


def main() -> None:
    """Write the page."""
    (ROOT / PAGE).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
