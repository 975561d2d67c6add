"""The response contract of a question: the form that a draft must have to be read.

A draft is text: `VERDICT=` and `CITATIONS=` first (`:` does as well), then the lines
that the question asks for, then a body. Only verdict, citations, values of a fixed set
and gaps in the question's words are shown to a reader.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import re2

from engine.inspection.question_pack import Inquiry, parse_line
from engine.inspection.records import INSUFFICIENT, NOT_FOUND, Block, Problem
from engine.model.places import Place, parse_place

VERDICT, CITATIONS, GAPS = "VERDICT", "CITATIONS", "GAPS"
LONGEST = 100_000  # characters of a draft that are read
NONE = frozenset({"", "none", "-", "n/a"})  # how an empty list of citations is written

# A word of the body that names a file: with a folder, or with an extension of code.
_PATH = re2.compile(
    r"(?i)(?:^|[\s`'\"(\[<=,])"
    r"((?:\.{0,2}/)?(?:[\w.@+%~$\[\]-]+/)*[\w.@+%~$\[\]-]*"
    r"(?:\.(?:py|pyi|js|jsx|mjs|cjs|ts|tsx|go|rs|java|kt|c|h|cc|cpp|hpp|cs|rb|php|sh|"
    r"sql|toml|ya?ml|json|ini|cfg|conf|env|lock|md|rst|txt|html|css|xml|gradle|proto)"
    r"|/(?:Makefile|Dockerfile|LICENSE|METADATA)))(?::(\d{1,9}))?\b"
)


@dataclass(frozen=True, slots=True)
class Reply:
    """A parsed draft: its lines by name, the rest as body.

    `first` are the names of its first two non-empty lines.
    """

    lines: Mapping[str, str]
    body: tuple[str, ...]
    first: tuple[str, ...]

    @property
    def verdict(self) -> str:
        said = self.lines.get(VERDICT, "").strip(" .`*\"'")
        return " ".join(said.upper().split())

    @property
    def cited(self) -> tuple[str, ...]:
        """The pieces of CITATIONS, whether they are tokens or not."""
        said = self.lines.get(CITATIONS, "").strip(" []")
        pieces = (piece.strip(" `") for piece in said.split(","))
        return tuple(piece for piece in pieces if piece.lower() not in NONE)

    @property
    def gaps(self) -> tuple[str, ...]:
        said = (gap.strip(" .") for gap in self.lines.get(GAPS, "").split(";"))
        return tuple(gap for gap in said if gap.lower() not in NONE)


def parse_reply(text: str, names: frozenset[str]) -> Reply:
    """Parse a draft; of two lines with one name the first counts, the other is body.

    Args:
        text: of the draft.
        names: of the lines that the question asks for, besides those of every contract.
    """
    known = names | {VERDICT, CITATIONS, GAPS}
    lines: dict[str, str] = {}
    body: list[str] = []
    first: list[str] = []
    for each in text[:LONGEST].splitlines():
        if not each.strip() or each.strip().startswith("```"):
            continue
        named = parse_line(each.strip(" *"))
        fresh = named is not None and named[0] in known and named[0] not in lines
        if named is not None and fresh:
            lines[named[0]] = named[1]
        else:
            body.append(each)
        if len(first) < 2:
            first.append(named[0] if named and fresh else "")
    return Reply(lines, tuple(body), tuple(first))


def format_draft(
    verdict: str, cited: tuple[str, ...], fields: Mapping[str, str], body: str = ""
) -> str:
    """Format a draft from its parts; line ends in a value become spaces."""
    lines = {VERDICT: verdict, CITATIONS: ", ".join(cited) or "none", **fields}
    told = [f"{name}={' '.join(value.split())}" for name, value in lines.items()]
    return "\n".join((*told, body) if body else told)


def list_problems(
    reply: Reply, inquiry: Inquiry, blocks: tuple[Block, ...], *, analyse_only: bool
) -> tuple[Problem, ...]:
    """List all reasons to reject a draft, in the contract's order."""
    return (
        *_check_schema(reply, inquiry),
        *_check_verdict(reply, inquiry, bool(blocks), analyse_only),
        *_check_provenance(reply, blocks),
        *_check_paths(reply, blocks),
    )


def find_places(reply: Reply) -> tuple[Place, ...]:
    """Return the places that a draft cites, those that are tokens."""
    found = (parse_place(piece) for piece in reply.cited)
    return tuple(each for each in found if each is not None)


def _check_schema(reply: Reply, inquiry: Inquiry) -> Iterator[Problem]:
    """Yield problems of required lines, their order and their values."""
    for name in (VERDICT, CITATIONS):
        if name not in reply.lines:
            yield Problem(rule="schema", explanation=f"the line {name}= is missing")
    if reply.first not in ((VERDICT, CITATIONS), ()) and not _is_headless(reply):
        why = f"{VERDICT}= has to be the first line and {CITATIONS}= the second"
        yield Problem(rule="schema", explanation=why)
    for line in inquiry.schema_lines:
        if line.name in (VERDICT, CITATIONS, GAPS):
            continue
        said = reply.lines.get(line.name, "")
        if not said:
            why = f"the line {line.name}= is missing"
        elif line.values and said not in line.values:
            why = f"{line.name}= has to be one of {', '.join(line.values)}"
        else:
            continue
        yield Problem(rule="schema", explanation=why)
    if inquiry.strict_response_template and reply.body:
        why = "nothing may stand besides the required lines"
        yield Problem(rule="template", explanation=why)


def _is_headless(reply: Reply) -> bool:
    return VERDICT not in reply.lines or CITATIONS not in reply.lines


def _check_verdict(
    reply: Reply, inquiry: Inquiry, found: bool, analyse_only: bool
) -> Iterator[Problem]:
    """Yield problems of the verdict, and of its citations and gaps."""
    verdict = reply.verdict
    if VERDICT not in reply.lines:
        return
    if verdict == NOT_FOUND:
        if analyse_only and found:
            why = (
                f"there is evidence, so {NOT_FOUND} is no verdict: give "
                f"{INSUFFICIENT} and name in {GAPS}= what is missing"
            )
            yield Problem(rule="not_found", explanation=why)
    elif verdict == INSUFFICIENT:
        if not analyse_only:
            why = f"without enough evidence the verdict is {NOT_FOUND}"
            yield Problem(rule="verdict", explanation=why)
        elif not find_gaps(reply, inquiry):
            why = (
                f"{INSUFFICIENT} has to name in {GAPS}= which words of the question "
                "the evidence does not answer, copied from it"
            )
            yield Problem(rule="gaps", explanation=why)
    elif verdict not in inquiry.verdicts:
        why = f"{VERDICT}= has to be one of {', '.join(inquiry.verdicts)}"
        yield Problem(rule="verdict", explanation=why)
    elif not reply.cited and CITATIONS in reply.lines:
        why = f"{verdict} needs at least one citation"
        yield Problem(rule="citations", explanation=why)


def find_gaps(reply: Reply, inquiry: Inquiry) -> tuple[str, ...]:
    """Return the gaps that a draft names in the question's words, no others."""
    asked = _fold(inquiry.question)
    return tuple(gap for gap in reply.gaps if _fold(gap) and _fold(gap) in asked)


def _fold(text: str) -> str:
    return " ".join("".join(c if c.isalnum() else " " for c in text.lower()).split())


def _check_provenance(reply: Reply, blocks: tuple[Block, ...]) -> Iterator[Problem]:
    """Yield a problem for each citation that is no token or outside the evidence."""
    for piece in reply.cited:
        cited = parse_place(piece)
        if cited is None:
            why = f"{piece[:200]!r} is no citation: write path:line or path:line-line"
            yield Problem(rule="token", explanation=why)
        elif not any(cited.within(block.place) for block in blocks):
            why = f"{cited} is not in the evidence"
            yield Problem(rule="provenance", explanation=why)


def _check_paths(reply: Reply, blocks: tuple[Block, ...]) -> Iterator[Problem]:
    """Yield a problem for each path not in the evidence (A), or not cited (B)."""
    known = {block.path for block in blocks}
    cited = {each.path for each in find_places(reply)}
    told: set[str] = set()
    told_by_question = (VERDICT, CITATIONS, GAPS)  # gaps are in the question's words
    named = [said for n, said in reply.lines.items() if n not in told_by_question]
    for found in _PATH.finditer("\n".join((*named, *reply.body))):
        path = found[1].removeprefix("./")
        if path in told:
            continue
        told.add(path)
        if path not in known:
            why = f"{path[:200]} is named, and is no path of the evidence"
            yield Problem(rule="path_a", explanation=why)
        elif path not in cited:
            why = f"{path} is named, and is not in {CITATIONS}="
            yield Problem(rule="path_b", explanation=why)
