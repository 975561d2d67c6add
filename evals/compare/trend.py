"""Rates over runs in trend.jsonl: a line for each run, the newest last, none twice."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.model.errors import EnvironmentFailed
from evals.compare.runs import Finished
from evals.compare.verdict import DIGITS, Verdict, tally
from evals.forms import Json, Score
from evals.store import canonical

TREND = "trend.jsonl"


@dataclass(frozen=True, slots=True)
class Point:
    """One run: its name, its verdict and the rate of each metric."""

    run: str
    result: str
    rates: Mapping[str, float]
    errors: int

    def line(self) -> Json:
        """Return the point as JSON."""
        return {
            "run": self.run,
            "result": self.result,
            "rates": dict(self.rates),
            "errors": self.errors,
        }


def make_point(run: Finished, verdict: Verdict) -> Point:
    """Make the point of a run; a metric that judged nothing has no rate.

    It is named after the commit, or after the hash of the code where the tree
    differs from its commit or there is none.
    """
    by_metric: dict[str, list[Score]] = {}
    for score in run.scored.scores:
        by_metric.setdefault(score.metric, []).append(score)
    tallies = {name: tally(scores) for name, scores in sorted(by_metric.items())}
    rates = {
        name: round(counts.rate, DIGITS)
        for name, counts in tallies.items()
        if counts.rate is not None
    }
    errors = sum(counts.errors for counts in tallies.values())
    return Point(_name_run(run.manifest), verdict.decision.value, rates, errors)


def read(file: Path) -> tuple[Point, ...]:
    """Read the points of a file, oldest first; a missing file has none.

    Raises:
        EnvironmentFailed: it cannot be read, or a line is no point.
    """
    if not file.exists():
        return ()
    try:
        lines = file.read_text(encoding="utf-8").split("\n")
        return tuple(_read_point(json.loads(line)) for line in lines if line.strip())
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise EnvironmentFailed(f"{file}: cannot be read ({error})") from error


def append(file: Path, new: Point) -> None:
    """Add a point, unless the last one is the same.

    Raises:
        EnvironmentFailed: the file cannot be read or written.
    """
    if new in read(file)[-1:]:
        return
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a", encoding="utf-8") as stream:
            stream.write(canonical(new.line()) + "\n")
    except OSError as error:
        why = f"{file}: cannot be written ({error.strerror})"
        raise EnvironmentFailed(why) from error


def join(*trends: Iterable[Point]) -> tuple[Point, ...]:
    """Join trends one after another, without points that repeat the one before."""
    found: list[Point] = []
    for each in (point for trend in trends for point in trend):
        if found[-1:] != [each]:
            found.append(each)
    return tuple(found)


def list_metrics(points: Sequence[Point]) -> tuple[str, ...]:
    """List every metric that has a rate in a trend, by name."""
    return tuple(sorted({name for each in points for name in each.rates}))


def _read_point(held: Json) -> Point:
    rates = {str(name): float(rate) for name, rate in held["rates"].items()}
    return Point(str(held["run"]), str(held["result"]), rates, int(held["errors"]))


def _name_run(manifest: Json) -> str:
    git = manifest.get("git", {})
    commit = None if git.get("dirty") else git.get("commit")
    return str(commit or manifest.get("code") or "unknown")[:12]
