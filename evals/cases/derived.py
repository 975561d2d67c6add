"""Cases that follow from answered ones: which to take, and how they are named."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from evals.forms import Case, Expected, Row, Source, Suite

DEMO = "demo"


@dataclass(frozen=True, slots=True)
class Original:
    """A must-answer case with its answer; `paths` are the documents that it cites."""

    case: Case
    row: Row
    paths: tuple[str, ...]

    def quotes(self, path: str, sources: Mapping[str, Source]) -> Iterator[str]:
        """The lines that the answer takes from a document, each once."""
        record = self.row.record or {}
        lines: dict[str, None] = {}
        for cited in record.get("sources", ()):
            if sources[cited["version"]].path == path:
                for quote in cited["quotes"]:
                    lines |= dict.fromkeys(quote["text"].split("\n"))
        return (line.strip() for line in lines if line.strip())


def originals(
    suite: Suite, rows: Mapping[str, Row], sources: Mapping[str, Source]
) -> list[Original]:
    """The cases of a suite that had to be answered from its corpus, and were."""
    found = []
    for case in suite.cases:
        row = rows.get(case.id)
        asked = case.expected.outcome == "answer" and not case.selection
        if row is None or row.record is None or row.refused or not asked:
            continue
        if case.changes or case.original is not None:
            continue
        versions = dict.fromkeys(str(c["version"]) for c in row.record["sources"])
        paths = dict.fromkeys(sources[version].path for version in versions)
        found.append(Original(case, row, tuple(paths)))
    return found


def spread(found: Iterable[Original], most: int, seed: str) -> list[Original]:
    """Some of them: from every document one before from any two, by a seed."""

    def drawn(original: Original) -> str:
        return sha256(f"{seed}/{original.case.id}".encode()).hexdigest()

    turns: dict[str, int] = {}
    placed = []
    for original in sorted(found, key=drawn):
        document = original.case.document or original.paths[0]
        turns[document] = turns.get(document, 0) + 1
        placed.append((turns[document], drawn(original), original))
    return [original for *_, original in sorted(placed, key=lambda p: p[:2])[:most]]


def derived(original: Case, kind: str, expected: Expected, shows: str) -> Case:
    """A case of its original, of a kind, before anything in it is changed."""
    slices = (kind, "generated")
    return replace(
        original,
        id=f"{original.id}~{kind}",
        expected=expected,
        shows=(shows,),
        slices=slices,
        original=original.id,
        suite="",
    )


def suite_of(name: str, base: Suite, cases: Sequence[Case]) -> Suite:
    """A suite of generated cases, over the corpus of their originals, on their day."""
    apart = [base.corpus] if base.corpus != DEMO else []
    apart += [base.today.isoformat()] if base.today else []
    full = "_".join((name, *apart))
    placed = tuple(replace(case, suite=full) for case in cases)
    title = f"{name.replace('_', ' ')}: made from what was answered"
    return replace(base, name=full, title=title, cases=placed)
