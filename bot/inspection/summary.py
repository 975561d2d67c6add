"""A run in figures and words: the result of each question, and of the run."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from adapters.inert import many, one_line
from adapters.question_packs import Loaded
from bot.inspection.run_folder import as_json
from bot.inspection.runner import Ran
from engine.inspection.question_pack import Inquiry
from engine.inspection.records import NOT_FOUND, Result, Status

FORMAT = 1
# What failed for sure is told before what may come right by itself.
EXIT_CODES: Mapping[Status, int] = {
    Status.FAILED: 1,
    Status.ERROR: 4,
    Status.INCONCLUSIVE: 3,
}

_HARMLESS = {status.value for status in Status if status.harmless}


@dataclass(frozen=True, slots=True)
class Change:
    """A question whose verdict, status or places differ from an earlier run's."""

    question: str
    before: str
    now: str
    worse: bool


@dataclass(frozen=True, slots=True)
class Run:
    """A pack, its results, and the differences from another run."""

    loaded: Loaded
    ran: Ran
    model: str | None = None
    compared: str | None = None
    changes: tuple[Change, ...] = ()

    @property
    def exit_code(self) -> int:
        """0 where all is met, else that of the gravest status."""
        statuses = {result.status for result in self.ran.results}
        if self.ran.aborted or any(change.worse for change in self.changes):
            statuses.add(Status.FAILED)
        return next((c for s, c in EXIT_CODES.items() if s in statuses), 0)

    def inquiry(self, question: str) -> Inquiry:
        return next(q for q in self.loaded.pack.questions if q.id == question)


def deterministic_hash(loaded: Loaded, results: Sequence[Result]) -> str:
    """SHA-256 of all that does not depend on a model: the same for equal inputs."""
    held: list[object] = [loaded.hash]
    for result in results:
        evidence = [each.model_dump(mode="json") for each in result.gathered]
        alone = result.mode == "deterministic"
        held.append([result.question, result.mode, evidence])
        held.append([result.status, result.why, result.answer] if alone else [])
    return sha256(as_json(held).encode()).hexdigest()


def find_changes(
    before: Mapping[str, object], results: Sequence[Result]
) -> tuple[Change, ...]:
    """Compare results with an earlier run's; worse is what was harmless before."""
    told = before.get("questions")
    earlier = {
        str(each.get("id")): each
        for each in (told if isinstance(told, list) else [])
        if isinstance(each, dict)
    }
    found = []
    for result in results:
        was = earlier.pop(result.question, None)
        if was is None:
            found.append(Change(result.question, "not asked", _describe(result), False))
            continue
        said = f"{was.get('verdict')} ({was.get('status')})"
        worse = was.get("status") in _HARMLESS and not result.status.harmless
        if said != _describe(result):
            found.append(Change(result.question, said, _describe(result), worse))
        elif was.get("citations") != list(result.citations):
            found.append(Change(result.question, said, "other places", False))
    gone = (Change(name, "asked", "not asked", False) for name in earlier)
    return (*found, *gone)


def _describe(result: Result) -> str:
    return f"{result.verdict} ({result.status})"


def as_data(run: Run) -> Mapping[str, object]:
    """Give the summary as it is stored."""
    results = run.ran.results
    return {
        "format": FORMAT,
        "pack": {
            "id": run.loaded.pack.id,
            "version": run.loaded.pack.version,
            "hash": run.loaded.hash,
        },
        "model": run.model,
        "exit_code": run.exit_code,
        "deterministic_hash": deterministic_hash(run.loaded, results),
        "aborted": run.ran.aborted,
        "unstarted": list(run.ran.unstarted),
        "statuses": dict(Counter(result.status.value for result in results)),
        "questions": [
            {
                "id": result.question,
                "question": run.inquiry(result.question).question,
                "mode": result.mode,
                "verdict": result.verdict,
                "status": result.status,
                "why": result.why,
                "diagnosis": result.diagnosis,
                "citations": list(result.citations),
                "findings": len(result.findings),
            }
            for result in results
        ],
        "compared": run.compared,
        "changes": [
            {"id": c.question, "before": c.before, "now": c.now, "worse": c.worse}
            for c in run.changes
        ],
    }


def summarize(run: Run) -> str:
    """Summarize a run in one sentence."""
    if run.ran.aborted:
        left = many(len(run.ran.unstarted), "question")
        return f"Aborted at {run.ran.aborted}: no evidence, {left} not started"
    results = run.ran.results
    counts = Counter(result.status for result in results)
    parts = [f"{counts[status]} {status.value}" for status in Status if counts[status]]
    met = (result for result in results if result.status is Status.MET)
    unsaid = sum(result.verdict == NOT_FOUND for result in met)
    if unsaid:
        at = parts.index(f"{counts[Status.MET]} {Status.MET}")
        parts[at] += f" ({unsaid} by NOT FOUND)"
    return f"{many(len(results), 'question')}: {', '.join(parts)}"


def explain_unjudged(run: Run) -> str:
    """Say that a run expects nothing; "" where it expects something."""
    if any(result.status is not Status.UNJUDGED for result in run.ran.results):
        return ""
    return (
        "nothing is expected of any verdict, so that none of them can fail this run: "
        "say `expect` or `must_find` in the pack"
    )


def render_markdown(run: Run) -> str:
    """Render the summary for people, as Markdown."""
    return "\n".join(_render_lines(run)) + "\n"


def _render_lines(run: Run) -> Iterator[str]:
    pack = run.loaded.pack
    yield f"# {_escape(pack.title)}"
    yield ""
    yield f"{summarize(run)}."
    yield f"Exit code {run.exit_code}."
    yield ""
    yield "| question | verdict | status | places | why |"
    yield "|---|---|---|---|---|"
    for result in run.ran.results:
        yield (
            f"| `{result.question}` | {result.verdict} | {result.status} "
            f"| {len(result.citations)} | {_escape(result.why)[:300]} |"
        )
    if run.changes:
        yield ""
        yield f"Against {_escape(run.compared or '')}:"
        yield ""
        for change in run.changes:
            mark = "worse: " if change.worse else ""
            yield f"- {mark}`{change.question}`: {change.before}, now {change.now}"


def _escape(text: str) -> str:
    """Escape a text so that it stays in its cell and is no markup."""
    line = one_line(text)
    return "".join(f"\\{c}" if c in "|<>[]`*_\\" else c for c in line)
