"""Read suites from YAML, checked field by field: a fault names its file and line.

A pack's suites are the files of evals/suites/<pack>/ and the two fixtures that come
with the pack, its must-answer and must-refuse questions.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from adapters import strict_yaml
from adapters.packs import SOURCES
from adapters.strict_yaml import Read
from config.settings import PACKS
from engine.model.codes import FailureState, Reason, RefusalReason
from engine.model.errors import UsageError
from engine.policy.pack import list_violations
from evals.forms import AtMost, Case, Change, Expected, Suite

Form = TypeVar("Form")
ROOT = Path(__file__).resolve().parents[2]
SUITES = ROOT / "evals" / "suites"
SCHEMA = SUITES / "schema.json"
DEMO = "demo"
FIXTURES = "fixtures"
MUST_ANSWER, MUST_REFUSE = "must_answer", "must_refuse"

# The loader sets these, so they are no fields of a file.
_CASE_PLACE = ("suite", "pack", "file", "line")
_SUITE_PLACE = ("name", "pack")
_REASONS = frozenset((*RefusalReason, *Reason))
_STATES = frozenset(FailureState)
# pydantic's words for a field that a dataclass lacks.
_UNKNOWN = {"Unexpected keyword argument": "unknown field: remove or correct it"}
_CHANGES = ("delete", "without", "replace", "insert")


@dataclass(frozen=True, slots=True)
class Library:
    """The folders of suites and of packs, with a folder for each pack in both."""

    suites: Path = SUITES
    packs: Path = PACKS

    def corpus(self, suite: Suite) -> Path:
        """Return the folder of a suite's documents.

        Raises:
            UsageError: there is none.
        """
        if suite.corpus == DEMO:
            folder = self.packs / suite.pack / "corpus"
        else:
            folder = self.suites / suite.pack / "corpora" / suite.corpus
        if not folder.is_dir():
            raise UsageError(
                f"suite {suite.name}: corpus: there is no folder {folder}; name one of "
                f"evals/suites/{suite.pack}/corpora/, or `demo`"
            )
        return folder


def load(pack: str, library: Library | None = None) -> tuple[Suite, ...]:
    """Read every suite of a pack, those of its fixtures last.

    Raises:
        UsageError: a file is missing or wrong, a suite is empty, two cases have the
            same id, or one changes a case that is not there; every problem of the first
            wrong file is named.
    """
    places = library or Library()
    files = sorted((places.suites / pack).glob("*.yaml"))
    suites = [read(file) for file in files]
    suites += read_fixtures(places.packs / pack)
    known = index_cases(suites)
    _check_register(known.values(), places.packs / pack)
    for case in known.values():
        if case.original is not None and case.original not in known:
            raise UsageError(
                f"{_name_place(case)}: original: no case has the id {case.original}"
            )
    return tuple(suites)


def index_cases(suites: Sequence[Suite]) -> Mapping[str, Case]:
    """Return the cases of some suites by id.

    Raises:
        UsageError: there is none, or two have one id.
    """
    cases = [case for suite in suites for case in suite.cases]
    if not cases:
        raise UsageError("there is no case to ask: add a suite to evals/suites/<pack>/")
    known: dict[str, Case] = {}
    for case in cases:
        first = known.setdefault(case.id, case)
        if first is not case:
            raise UsageError(
                f"{_name_place(case)}: id: {case.id} is in {_name_place(first)} too; "
                "give one of them another id"
            )
    return known


def read(file: Path) -> Suite:
    """Read the suite of one file, named after it; its folder is its pack.

    Raises:
        UsageError: the file is missing or unsafe, a field is wrong, or it has no case.
    """
    content = _read_content(file)
    named = {"name": file.stem, "pack": file.parent.name}
    for field, value in named.items():
        if content.data.get(field, value) != value:
            raise _make_error(
                file, content, [(field, f"is {value!r}, by the file's path")]
            )
    suite = _build(_suite_form(), file, content, {**content.data, **named})
    found = [(f"cases{field}", why) for field, why in _find_problems(suite.cases)]
    if not suite.cases:
        found.append(("cases", "is empty: add a case or delete the file"))
    if found:
        raise _make_error(file, content, found)
    return _set_places(suite, file, content)


def read_fixtures(pack: Path) -> tuple[Suite, Suite]:
    """Read a pack's must-answer and must-refuse questions as suites.

    Args:
        pack: the folder of the pack.

    Raises:
        UsageError: a file is missing or wrong, or holds no question.
    """
    return (
        _read_fixture(pack, MUST_ANSWER, _must_answer),
        _read_fixture(pack, MUST_REFUSE, _must_refuse),
    )


def write_schema() -> str:
    """Write the JSON Schema of a suite's file, as committed beside the suites."""
    made = _suite_form().json_schema()
    for name in _SUITE_PLACE:
        made["required"].remove(name)
    for name in _CASE_PLACE:
        del made["$defs"]["Case"]["properties"][name]
    made["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    return json.dumps(made, indent=2, sort_keys=True) + "\n"


# --- fixtures of a pack -----------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fixture:
    """A question as the packs' fixtures have it; `tags` are requirement ids."""

    id: str
    question: str
    quotes: tuple[str, ...] = ()
    refusal: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fixtures:
    cases: tuple[_Fixture, ...]


def _read_fixture(
    pack: Path, name: str, expected: Callable[[_Fixture], Mapping[str, Any]]
) -> Suite:
    file = pack / FIXTURES / f"{name}.yaml"
    content = _read_content(file)
    found = _build(_fixture_form(), file, content, content.data)
    if not found.cases:
        raise _make_error(file, content, [("cases", "is empty: add a question")])
    suite = {
        "name": f"{name}_fixtures",
        "pack": pack.name,
        "title": f"Fixtures of the pack {pack.name}: {name.replace('_', ' ')}",
        "cases": [
            {
                "id": case.id,
                "question": case.question,
                "expected": expected(case),
                "shows": list(dict.fromkeys(("R-E1", *case.tags))),
                "slices": [name],
            }
            for case in found.cases
        ],
    }
    built = _build(_suite_form(), file, content, suite)
    problems = [(f"cases{field}", why) for field, why in _find_problems(built.cases)]
    if problems:
        raise _make_error(file, content, problems)
    return _set_places(built, file, content)


def _must_answer(case: _Fixture) -> Mapping[str, Any]:
    facts = [[quote] for quote in case.quotes]
    return {"outcome": "answer", "facts": facts, "citations": 1}


def _must_refuse(case: _Fixture) -> Mapping[str, Any]:
    return {"outcome": "refuse", "reasons": list(case.refusal)}


# --- one file ---------------------------------------------------------------------


@cache
def _suite_form() -> TypeAdapter[Suite]:
    return TypeAdapter(Suite)


@cache
def _fixture_form() -> TypeAdapter[_Fixtures]:
    return TypeAdapter(_Fixtures)


def _read_content(file: Path) -> Read:
    if not file.is_file():
        raise UsageError(f"{file}: is missing")
    return strict_yaml.read(file)


def _build(
    form: TypeAdapter[Form], file: Path, content: Read, data: Mapping[str, object]
) -> Form:
    """Put the content of a file into its form.

    It goes through JSON, so that a suite is what its schema says and nothing is taken
    for something else: `yes` is no text and "3" no number.
    """
    found = list(_find_loader_fields(data))
    if found:
        raise _make_error(file, content, found)
    try:
        return form.validate_json(json.dumps(data, default=str), strict=True)
    except ValidationError as error:
        wrong = [
            (each.field, _UNKNOWN.get(each.message, each.message))
            for each in list_violations(error)
        ]
        raise _make_error(file, content, wrong) from error


def _find_loader_fields(data: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    cases = data.get("cases")
    for at, case in enumerate(cases if isinstance(cases, list) else ()):
        for name in _CASE_PLACE:
            if isinstance(case, Mapping) and name in case:
                yield f"cases[{at}].{name}", "is set by the loader: remove it"


def _find_problems(cases: Iterable[Case]) -> Iterator[tuple[str, str]]:
    """Yield by field what a schema cannot say of cases."""
    for at, case in enumerate(cases):
        for field, why in _find_case_problems(case):
            yield f"[{at}].{field}", why


def _find_case_problems(case: Case) -> Iterator[tuple[str, str]]:
    if not case.id.strip():
        yield "id", "is empty"
    if not case.question.strip():
        yield "question", "is empty"
    for requirement in case.shows:
        if requirement not in KNOWN:
            yield "shows", f"{requirement} is no requirement id that is known"
    for at, change in enumerate(case.changes):
        why = _find_change_problem(change)
        if why:
            yield f"changes[{at}]", why
    for field, why in _find_expected_problems(case.expected):
        yield f"expected.{field}", why


def _check_register(cases: Iterable[Case], pack: Path) -> None:
    """Look up the source types and tiers of caps, where a case has some.

    Raises:
        UsageError: the pack has no source of one, or no register.
    """
    capped = [case for case in cases if _caps_sources(case.expected)]
    if not capped:
        return
    register = _read_content(pack / SOURCES).data.get("sources")
    for case in capped:
        for field, why in _find_unregistered(case.expected, register):
            raise UsageError(f"{_name_place(case)}: expected.{field}: {why}")


def _find_expected_problems(expected: Expected) -> Iterator[tuple[str, str]]:
    if expected.reasons and expected.outcome == "answer":
        yield "reasons", "are those of a refusal: outcome is `answer`"
    if expected.facts and expected.outcome == "refuse":
        yield "facts", "are those of an answer: outcome is `refuse`"
    if not all(expected.facts):
        yield "facts", "holds a fact without a wording"
    for reason in expected.reasons:
        if reason not in _REASONS:
            yield "reasons", f"there is no reason {reason}"
    for state in expected.states:
        if state not in _STATES:
            yield "states", f"there is no failure state {state}"
    yield from _find_cap_problems(expected)


def _find_change_problem(change: Change) -> str:
    """Say why a change cannot be made; empty where it can."""
    done = [name for name in _CHANGES if getattr(change, name)]
    if len(done) != 1:
        return f"does {len(done)} things: give one of {', '.join(_CHANGES)}"
    path = Path(change.path)
    if path.is_absolute() or ".." in path.parts or not change.path:
        return f"path: {change.path!r} is no path in the corpus folder"
    if change.replace is not None and not change.replace[0]:
        return "replace: the text that is replaced is empty"
    return ""


def _set_places(suite: Suite, file: Path, content: Read) -> Suite:
    """Give every case its place: the path in the checkout, or the name of the file."""
    known = file.resolve()
    inside = known.is_relative_to(ROOT)
    shown = known.relative_to(ROOT).as_posix() if inside else file.name
    place = partial(replace, suite=suite.name, pack=suite.pack, file=shown)
    cases = (
        place(case, line=content.lines.get(f"cases[{at}]", 0))
        for at, case in enumerate(suite.cases)
    )
    return replace(suite, cases=tuple(cases))


def _make_error(
    file: Path, content: Read, found: Iterable[tuple[str, str]]
) -> UsageError:
    """Make one sentence for each problem, with the line of its field."""
    said = []
    for field, why in found:
        line = find_line(field, content.lines)
        said.append(f"{file}:{line}: {field}: {why}")
    return UsageError("\n".join(said))


def find_line(field: str, lines: Mapping[str, int]) -> int:
    """Return the line of a field, or of what should hold it."""
    while field and field not in lines:
        field = field[: max(field.rfind("."), field.rfind("["), 0)]
    return lines.get(field, 1)


def _name_place(case: Case) -> str:
    return f"{case.file}:{case.line}"


def _find_cap_problems(expected: Expected) -> Iterator[tuple[str, str]]:
    """Yield caps of a refusal, and caps below what the case needs, by field."""
    most = expected.at_most
    if most != AtMost() and expected.outcome == "refuse":
        yield "at_most", "is of an answer: outcome is `refuse`"
    caps: dict[str, tuple[int | None, int]] = {
        "citations": (most.citations, expected.citations),
        "section": (most.section, 1),
    }
    for tier, cap in most.tiers.items():
        caps[f"tiers.{tier}"] = (cap, expected.tiers.get(tier, 0))
    for name, cap in most.types.items():
        caps[f"types.{name}"] = (cap, expected.types.get(name, 0))
    for field, (allowed, least) in caps.items():
        if allowed is not None and allowed < least:
            yield f"at_most.{field}", f"is {allowed}, and at least {least} are needed"


def _caps_sources(expected: Expected) -> bool:
    """Tell whether a cap is on a tier or type, which the register has to have."""
    return bool(expected.at_most.tiers or expected.at_most.types)


def _find_unregistered(
    expected: Expected, register: object
) -> Iterator[tuple[str, str]]:
    """Yield caps that no source of the pack could exceed, as it has none such.

    Args:
        expected: of a case.
        register: the sources of the pack, as read.
    """
    sources = register if isinstance(register, list) else []
    for field in ("tiers", "types"):
        key = field.removesuffix("s")
        known = {str(each.get(key)) for each in sources if isinstance(each, Mapping)}
        for name in getattr(expected.at_most, field):
            if str(name) not in known:
                there = ", ".join(sorted(known)) or "none"
                yield (
                    f"at_most.{field}",
                    f"no source of the pack has the {key} {name}; there are: {there}",
                )


_LAST = {
    "I": 12,  # invariants
    "R": 11,  # retrieval
    "G": 12,  # gate
    "A": 16,  # answering
    "V": 10,  # validation
    "M": 8,  # medicine
    "F": 9,  # freshness and failure states
    "P": 8,  # code reviews
    "D": 8,  # audit
    "U": 16,  # first use, packs, what people expect
    "O": 4,  # operation
    "C": 6,  # platforms
    "E": 10,  # evaluation
    "S": 8,  # security
    "Q": 6,  # questions that passages answer
}

KNOWN = frozenset(
    f"R-{letter}{number}"
    for letter, last in _LAST.items()
    for number in range(1, last + 1)
)
