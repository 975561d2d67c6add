"""A question pack: questions, the evidence to gather for each, and its rule.

A pack is data. One that names a preflight which does not exist, or leaves a question
without a verdict, cannot be built. Files are read by adapters/question_packs.py.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Literal, Self

import re2
from pydantic import AfterValidator, ConfigDict, Field, model_validator

from engine.inspection.records import INSUFFICIENT, NOT_FOUND, Severity
from engine.model.frozen import Frozen

MOST_RETRIES = 3
Id = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,60}$")]
Text = Annotated[str, Field(min_length=1, max_length=4_000)]
Globs = tuple[Annotated[str, Field(min_length=1, max_length=400)], ...]
Verdict = Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9 _-]{0,40}$")]
Mode = Literal["deterministic", "llm"]
Scalar = str | int | bool


def _check_pattern(pattern: str) -> str:
    options = re2.Options()
    options.log_errors = False
    try:
        re2.compile(pattern, options)
    except re2.error as error:
        raise ValueError(f"not a pattern that RE2 accepts: {error}") from error
    return pattern


Pattern = Annotated[
    str, Field(min_length=1, max_length=2_000), AfterValidator(_check_pattern)
]

# --- preflights ------------------------------------------------------------


class _Step(Frozen):
    """The fields of every preflight: a name for rules, the files it covers, limits.

    `include` and `exclude` are globs as in .gitignore; no `include` means every file.
    Files that were not covered within `seconds` count as unread.
    """

    id: Id
    include: Globs = ()
    exclude: Globs = ()
    limit: Annotated[int, Field(ge=1, le=5_000)] = 200
    seconds: Annotated[float, Field(gt=0, le=600)] = 300.0


class Files(_Step):
    """The first line of each file: which files there are, and were covered."""

    kind: Literal["files"]


class Search(_Step):
    """Lines that a pattern (RE2) matches; its groups are the values of a hit."""

    kind: Literal["search"]
    pattern: Pattern
    ignore_case: bool = False
    context: Annotated[int, Field(ge=0, le=5)] = 0


What = Literal["function", "method", "class", "interface", "type", "constant", "module"]


class Definitions(_Step):
    """Definitions of names that a pattern matches whole, by syntax."""

    kind: Literal["definitions"]
    name: Pattern
    what: tuple[What, ...] = ()


class References(_Step):
    """Uses of names that a pattern matches whole, by syntax: not in comments."""

    kind: Literal["references"]
    name: Pattern
    calls: bool = False


class Dependencies(_Step):
    """Requirements of manifests and lock files: values are name and version."""

    kind: Literal["dependencies"]
    name: Pattern = ".+"


class Configuration(_Step):
    """Keys of TOML, YAML, JSON and INI files: values are dotted key and value."""

    kind: Literal["configuration"]
    key: Pattern


class Command(_Step):
    """A command of the operator's allow-list; lines `path:line: text` are evidence."""

    kind: Literal["command"]
    command: Id
    arguments: Mapping[Id, str | int] = Field(default_factory=dict)


class Plugin(_Step):
    """A preflight of a plugin."""

    kind: Literal["plugin"]
    plugin: Id
    options: Mapping[Id, Scalar] = Field(default_factory=dict)


class Retrieval(_Step):
    """Passages of an index that answer a query, as far as its pack's gate opens.

    A search by meaning cannot show that something is absent.
    """

    kind: Literal["retrieval"]
    query: Text
    context: Annotated[int, Field(ge=0, le=5)] = 0


Step = Annotated[
    Files
    | Search
    | Definitions
    | References
    | Dependencies
    | Configuration
    | Command
    | Plugin
    | Retrieval,
    Field(discriminator="kind"),
]

# --- rules -----------------------------------------------------------------

_KINDS = (
    "present",
    "absent",
    "count",
    "all_match",
    "version_at_least",
    "values_of",
    "all",
    "any",
    "none",
)
# The further fields of each kind: (needed, allowed).
_BESIDE: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {
    "count": (frozenset(), frozenset({"at_least", "at_most"})),
    "all_match": (frozenset({"pattern"}), frozenset()),
    "version_at_least": (frozenset({"version"}), frozenset()),
    "values_of": (frozenset({"among"}), frozenset({"ignore_case"})),
}


class Condition(Frozen):
    """One condition over the evidence: exactly one kind, with the fields of that kind.

    `present`, `absent`, `count` (`at_least`, `at_most`), `all_match` (`pattern`),
    `version_at_least` (`version`) and `values_of` (`among`: other preflights that hold
    each of its values) name a preflight; `all`, `any` and `none` hold conditions.
    """

    present: Id | None = None
    absent: Id | None = None
    count: Id | None = None
    at_least: Annotated[int, Field(ge=0)] | None = None
    at_most: Annotated[int, Field(ge=0)] | None = None
    all_match: Id | None = None
    pattern: Pattern | None = None
    version_at_least: Id | None = None
    version: Annotated[str, Field(pattern=r"^\d+(\.\d+){0,5}$")] | None = None
    values_of: Id | None = None
    among: tuple[Id, ...] | None = None
    ignore_case: bool | None = None
    all: tuple["Condition", ...] | None = None
    any: tuple["Condition", ...] | None = None
    none: tuple["Condition", ...] | None = None

    @property
    def kind(self) -> str:
        return next(kind for kind in _KINDS if getattr(self, kind) is not None)

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        given = {n for n in type(self).model_fields if getattr(self, n) is not None}
        kinds = [kind for kind in _KINDS if kind in given]
        if len(kinds) != 1:
            raise ValueError(
                f"needs exactly one of {', '.join(_KINDS)}; "
                f"it has {', '.join(kinds) or 'none'}"
            )
        needed, allowed = _BESIDE.get(kinds[0], (frozenset(), frozenset()))
        beside = given - {kinds[0]}
        for name in sorted(needed - beside):
            raise ValueError(f"{kinds[0]} needs {name}")
        for name in sorted(beside - needed - allowed):
            raise ValueError(f"{name} does not go with {kinds[0]}")
        if kinds[0] == "count" and not beside:
            raise ValueError("count needs at_least, at_most or both")
        return self

    def iterate_preflights(self) -> Iterator[str]:
        """Yield the preflights that it names."""
        for name in ("present", "absent", "count", "all_match", "version_at_least"):
            if getattr(self, name) is not None:
                yield getattr(self, name)
        if self.values_of is not None:
            yield from (self.values_of, *(self.among or ()))
        for inner in (*(self.all or ()), *(self.any or ()), *(self.none or ())):
            yield from inner.iterate_preflights()


class Case(Frozen):
    """A verdict and when it is given; the last case of a rule has no `when`."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", validate_by_name=True, validate_by_alias=True
    )

    when: Condition | None = None
    verdict: Annotated[Verdict, Field(alias="is")]


# --- questions --------------------------------------------------------------------


_LINE = re2.compile(r"\s*([A-Z][A-Z0-9_]{0,40})\s*[=:]\s*(.*?)\s*")


@dataclass(frozen=True, slots=True)
class SchemaLine:
    """One line; without `values` it takes any text, and is never shown."""

    name: str
    values: tuple[str, ...]


def _parse_schema(schema: str) -> tuple[SchemaLine, ...]:
    """Parse the lines of a `response_schema`, in order; other text in it is
    explanation.
    """
    found = []
    for line in schema.splitlines():
        match = _LINE.fullmatch(line)
        if match is not None:
            values = tuple(each.strip() for each in match[2].split("|"))
            found.append(SchemaLine(match[1], values if len(values) > 1 else ()))
    return tuple(found)


def parse_line(text: str) -> tuple[str, str] | None:
    """Parse `NAME=value` or `NAME: value`; None for other lines."""
    match = _LINE.fullmatch(text)
    return (match[1], match[2]) if match else None


class Inquiry(Frozen):
    """One question of a pack.

    `rule` gives the verdict without a model. `expect` are the verdicts with which the
    question is met; another fails the run and becomes a finding of `severity` at each
    place cited. NOT FOUND meets it where `expect` lists it or `must_find` is false, and
    never where that is true. Without both a verdict is reported, not judged.
    `response_schema` adds lines that a model has to fill: `RISK=low|medium|high`.
    `top_k` blocks are shown to a model.
    """

    id: Id
    question: Text
    why: str = ""
    preflights: Annotated[tuple[Step, ...], Field(min_length=1, max_length=20)]
    rule: Annotated[tuple[Case, ...], Field(max_length=20)] = ()
    allowed_verdicts: tuple[Verdict, ...] = ()
    expect: tuple[Verdict, ...] = ()
    severity: Severity = "warning"
    answer_mode: Mode | None = None
    response_schema: str = ""
    strict_response_template: bool = False
    retry_on_schema_fail: bool = True
    schema_retry_attempts: Annotated[int, Field(ge=0, le=MOST_RETRIES)] = 2
    must_find: bool | None = None
    top_k: Annotated[int, Field(ge=1, le=500)] = 40
    adaptive_top_k: bool = True
    validators: tuple[Id, ...] = ()
    extractors: tuple[Id, ...] = ()

    @property
    def verdicts(self) -> tuple[str, ...]:
        """The allowed verdicts, without the two that mean that there is none."""
        told = next((x.values for x in self.schema_lines if x.name == "VERDICT"), ())
        named = self.allowed_verdicts or told or (case.verdict for case in self.rule)
        without = (each for each in named if each not in (NOT_FOUND, INSUFFICIENT))
        return tuple(dict.fromkeys(without))

    @property
    def judged(self) -> bool:
        """True where a verdict is expected."""
        return bool(self.expect) or self.must_find is not None

    @property
    def schema_lines(self) -> tuple[SchemaLine, ...]:
        return _parse_schema(self.response_schema)

    @model_validator(mode="after")
    def _whole(self) -> Self:
        ids = [step.id for step in self.preflights]
        twice = sorted({each for each in ids if ids.count(each) > 1})
        if twice:
            raise ValueError(f"preflights: the id {twice[0]} stands twice")
        for case in self.rule:
            for name in case.when.iterate_preflights() if case.when else ():
                if name not in ids:
                    raise ValueError(f"rule: there is no preflight {name}")
        if self.rule and any(case.when is None for case in self.rule[:-1]):
            raise ValueError("rule: only its last case has no `when`")
        if self.rule and self.rule[-1].when is not None:
            raise ValueError("rule: its last case has no `when`, for all else")
        return self

    @model_validator(mode="after")
    def _decidable(self) -> Self:
        if not self.verdicts:
            raise ValueError("needs a rule, allowed_verdicts or a response_schema")
        for case in self.rule:
            if case.verdict not in (*self.verdicts, NOT_FOUND, INSUFFICIENT):
                raise ValueError(f"rule: {case.verdict} is not in allowed_verdicts")
        for verdict in self.expect:
            if verdict not in (*self.verdicts, NOT_FOUND):
                raise ValueError(f"expect: {verdict} is not in allowed_verdicts")
        if self.must_find and NOT_FOUND in self.expect:
            raise ValueError(
                f"expect: {NOT_FOUND} cannot meet a question that must_find"
            )
        return self


class QuestionPack(Frozen):
    """A list of questions about repositories, as a file holds it.

    `include` and `exclude` bound every preflight of the pack.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", title="Groundrule question pack"
    )

    id: Id
    title: Text
    version: Annotated[str, Field(pattern=r"^\d+\.\d+\.\d+$")]
    description: str = ""
    answer_mode: Mode = "deterministic"
    include: Globs = ()
    exclude: Globs = ()
    questions: Annotated[tuple[Inquiry, ...], Field(min_length=1, max_length=500)]

    @model_validator(mode="after")
    def _unlike(self) -> Self:
        ids = [each.id for each in self.questions]
        twice = sorted({each for each in ids if ids.count(each) > 1})
        if twice:
            raise ValueError(f"questions: the id {twice[0]} stands twice")
        return self
