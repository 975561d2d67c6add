"""A judge that advises: claims put before a model, and what its word is worth.

The judge says of each claim whether the passages that it cites carry it. Labels that
people gave go before it with the same prompt, so what they show of the judge holds for
the claims. A judged metric may gate only where a sealed part of the labels, never used
to word its prompt, shows that it tells right from wrong, and where it still judges its
canaries as it did. The rate that a judge gave is corrected for its known mistakes
(Rogan and Gladen, 1978), with an interval (Lang and Reiczigel, 2014).

Scores are in the folder `judged` of a run. `decide` does not read a metric that has
earned the weight of a gate: a person has to write it into `evals/score/metrics`.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from math import sqrt
from pathlib import Path
from statistics import NormalDist
from typing import Any, ClassVar, Literal, Protocol

from pydantic import BaseModel, TypeAdapter, ValidationError

from engine.policy.pack import list_violations
from evals import store
from evals.compare import statistics
from evals.forms import Result, Row, Score, Source, Weight
from evals.reading import claims, passages
from evals.score.catalogue import Finding, abstained, not_asked
from evals.score.score import STUMBLES, error, made

NAME = "judged_support"
FOLDER = "judged"  # in the folder of a run
AT_ONCE = 8
# The labels of the project: claims over the demo corpora of its packs.
COMMITTED = Path(__file__).resolve().parents[1] / "labels" / "judged_support.jsonl"
_TASK = """Decide whether passages carry a statement.

They carry it where somebody who knows the passages alone would say: this is what they
say. They do not where a figure, a unit, a negation, a condition or a person is another,
or where the statement says more than they do.

Reply with JSON alone: {"why": "one sentence", "carried": true or false}
"""

LEAST = 30  # sealed labels of each kind, below which nothing is known of a judge
LOWEST_RATE = 0.8  # lower end of sensitivity and of specificity, for a gate
LOWEST_KAPPA = 0.6  # lower end of agreement beyond chance, for a gate

Part = Literal["open", "sealed"]


class Asks(Protocol):
    """A judge, also as ragas needs one: a prompt in, an object of a form out."""

    name: str

    async def ask(self, prompt: str, form: type[Any]) -> Any:
        """Answer in the form.

        Raises:
            RuntimeError: there is no answer, or it is not in the form.
        """
        ...


class Verdict(BaseModel):
    """A judge's verdict on a claim; the reason comes first, so that it leads to it."""

    why: str
    carried: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """One thing that a person judged: a line of a labels file.

    Attributes:
        id: of the item, unique in its file.
        metric: the judged metric that it is a label of.
        good: the person's verdict.
        part: "sealed" labels are never looked at while a judge is worded.
        by: the person who judged, and `why` in a sentence.
        canary: true for a label that is judged again in each run.
        question, claim, passages: what was judged, as the judge is shown it.
    """

    __pydantic_config__: ClassVar[Mapping[str, Any]] = {"extra": "forbid"}

    id: str
    metric: str
    good: bool
    part: Part
    by: str
    why: str
    canary: bool = False
    question: str = ""
    claim: str = ""
    passages: tuple[str, ...] = ()


class LabelsWrong(ValueError):
    """Labels that prove nothing; the message names the label and the fix."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with the ends of its interval, at 95 %."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Counts:
    """Verdicts of a judge against those of people.

    A judge that gave no verdict, or none that could be read, is counted as wrong.
    """

    good_kept: int
    good_missed: int
    bad_caught: int
    bad_missed: int

    @property
    def good(self) -> int:
        return self.good_kept + self.good_missed

    @property
    def bad(self) -> int:
        return self.bad_caught + self.bad_missed

    @property
    def total(self) -> int:
        return self.good + self.bad


@dataclass(frozen=True, slots=True)
class Permit:
    """The permission of a judged metric to gate, or the reasons against it."""

    granted: bool
    why: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Believed:
    """The worth of a judged rate.

    Attributes:
        judged_good, judged: claims that the judge called carried, of all it judged.
        counts: its verdicts on the sealed labels.
        rate: the corrected share of carried claims; None where nothing can be said.
        permit: whether it may gate.
        weight: "gate" where it may, else "advice".
    """

    judged_good: int
    judged: int
    counts: Counts
    rate: Estimate | None
    permit: Permit
    weight: Weight


# --- labels -----------------------------------------------------------------------


def check_labels(labels: Iterable[Label]) -> tuple[Label, ...]:
    """Return the labels, where they can prove something.

    Raises:
        LabelsWrong: there are none, two have one id, or the same claim over the same
            passages is both open and sealed.
    """
    held = tuple(labels)
    if not held:
        raise LabelsWrong("there are no labels: label some answers first")
    seen: set[str] = set()
    parts: dict[tuple[str, str, tuple[str, ...]], Part] = {}
    for label in held:
        if label.id in seen:
            raise LabelsWrong(f"label {label.id} is there twice: rename one")
        seen.add(label.id)
        what = (label.metric, label.claim, label.passages)
        if parts.setdefault(what, label.part) != label.part:
            raise LabelsWrong(f"label {label.id} is open and sealed: seal one part")
    return held


def read_labels(file: Path) -> tuple[Label, ...]:
    """Read labels, one JSON object a line.

    Raises:
        LabelsWrong: the file cannot be read, a line is no label, or see `check_labels`.
    """
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as failed:
        raise LabelsWrong(f"{file}: cannot be read ({failed})") from failed
    return check_labels(
        _read_label(line, f"{file}:{number}")
        for number, line in enumerate(lines, start=1)
        if line.strip()
    )


def _read_label(line: str, place: str) -> Label:
    try:
        label = _LABEL.validate_json(line, strict=True)
    except ValidationError as failed:
        wrong = "; ".join(f"{e.field}: {e.message}" for e in list_violations(failed))
        raise LabelsWrong(f"{place}: {wrong}") from failed
    for name in ("id", "metric", "by", "why"):
        if not getattr(label, name):
            raise LabelsWrong(f"{place}: {name}: is empty")
    return label


_LABEL = TypeAdapter(Label)


def count_verdicts(
    labels: Iterable[Label], verdicts: Mapping[str, bool | None], part: Part = "sealed"
) -> Counts:
    """Count a judge's verdicts, by label id, against a part of the labels.

    A label without a verdict counts as judged wrongly.
    """
    tally = {(good, right): 0 for good in (True, False) for right in (True, False)}
    for label in labels:
        if label.part == part:
            tally[label.good, verdicts.get(label.id) is label.good] += 1
    return Counts(
        good_kept=tally[True, True],
        good_missed=tally[True, False],
        bad_caught=tally[False, True],
        bad_missed=tally[False, False],
    )


# --- figures ----------------------------------------------------------------------


def estimate_rate(successes: int, trials: int) -> Estimate:
    """Compute a share with its Wilson interval.

    Raises:
        LabelsWrong: there were no trials, or more successes than these.
    """
    found = statistics.wilson(successes, trials) if successes <= trials else None
    if found is None:
        raise LabelsWrong(f"{successes} of {trials} is no share")
    return Estimate(successes / trials, found.low, found.high)


def estimate_kappa(counts: Counts) -> Estimate:
    """Compute Cohen's kappa with the interval of Fleiss, Cohen and Everitt (1969).

    It is 0.0 where the judge says the same of everything, and so agrees by chance
    alone.
    """
    n = counts.total
    cells = (
        (counts.good_kept / n, counts.good_missed / n),
        (counts.bad_missed / n, counts.bad_caught / n),
    )
    people = tuple(sum(row) for row in cells)
    judged = tuple(sum(column) for column in zip(*cells, strict=True))
    agreed = cells[0][0] + cells[1][1]
    chance = sum(p * j for p, j in zip(people, judged, strict=True))
    if chance >= 1.0:
        return Estimate(0.0, 0.0, 0.0)
    value = (agreed - chance) / (1 - chance)
    diagonal = sum(
        cells[k][k] * (1 - (people[k] + judged[k]) * (1 - value)) ** 2 for k in (0, 1)
    )
    beside = sum(cells[i][1 - i] * (judged[i] + people[1 - i]) ** 2 for i in (0, 1))
    last = (value - chance * (1 - value)) ** 2
    variance = diagonal + (1 - value) ** 2 * beside - last
    half = _quantile() * sqrt(max(0.0, variance) / n) / (1 - chance)
    return Estimate(value, max(-1.0, value - half), min(1.0, value + half))


def correct_rate(judged_good: int, judged: int, counts: Counts) -> Estimate | None:
    """Estimate the share of good things behind what a judge called good.

    This is Rogan and Gladen's estimate with the interval of Lang and Reiczigel, which
    allows for sensitivity and specificity being estimates too. None where the judge is
    no better than a coin: nothing can be concluded from it.

    Args:
        judged_good: things that it called good.
        judged: things that it judged.
        counts: its verdicts on the sealed labels.

    Raises:
        LabelsWrong: nothing was judged, or a kind has no labels.
    """
    if not 0 <= judged_good <= judged or not judged or not counts.good * counts.bad:
        raise LabelsWrong("a rate needs judged things, and labels of both kinds")
    z = _quantile()
    squared = z * z
    n, share = judged + squared, (judged_good + squared / 2) / (judged + squared)
    sensitivity = (counts.good_kept + 1) / (counts.good + 2)
    specificity = (counts.bad_caught + 1) / (counts.bad + 2)
    better = sensitivity + specificity - 1
    value = _estimate_plainly(judged_good / judged, counts)
    if better <= 0 or value is None:
        return None
    point = (share + specificity - 1) / better
    false, missed = counts.bad + 2, counts.good + 2
    at_bad = specificity * (1 - specificity) / false
    at_good = sensitivity * (1 - sensitivity) / missed
    shift = 2 * squared * (point * at_good - (1 - point) * at_bad)
    spread = share * (1 - share) / n + point**2 * at_good + (1 - point) ** 2 * at_bad
    half = z * sqrt(spread) / better
    low, high = (_clip(point + shift + side * half) for side in (-1, 1))
    return Estimate(min(max(value, low), high), low, high)


def _estimate_plainly(share: float, counts: Counts) -> float | None:
    """Compute the plain estimate, cut to a share; None for a judge that is no
    better."""
    sensitivity = counts.good_kept / counts.good
    specificity = counts.bad_caught / counts.bad
    better = sensitivity + specificity - 1
    return _clip((share + specificity - 1) / better) if better > 0 else None


def _clip(value: float) -> float:
    return min(1.0, max(0.0, value))


def _quantile() -> float:
    return NormalDist().inv_cdf((1 + statistics.CONFIDENCE) / 2)


# --- may it gate ------------------------------------------------------------------


def decide_permit(
    labels: Sequence[Label], verdicts: Mapping[str, bool | None]
) -> Permit:
    """Decide whether the labels of a metric let its judge gate; give every reason not
    to.

    Args:
        labels: of one metric.
        verdicts: of the judge in this run, by label id; None where it gave none.
    """
    counts = count_verdicts(labels, verdicts)
    why = [
        f"{found} sealed labels of {kind} things, {LEAST} are needed"
        for kind, found in (("good", counts.good), ("bad", counts.bad))
        if found < LEAST
    ]
    if counts.good and counts.bad:
        sensitivity = estimate_rate(counts.good_kept, counts.good)
        why += _explain_weakness("sensitivity", sensitivity, LOWEST_RATE)
        specificity = estimate_rate(counts.bad_caught, counts.bad)
        why += _explain_weakness("specificity", specificity, LOWEST_RATE)
        why += _explain_weakness("kappa", estimate_kappa(counts), LOWEST_KAPPA)
    canaries = [label for label in labels if label.canary]
    if not canaries:
        why.append("there is no canary: mark some labels that it judges rightly")
    why += [
        f"canary {label.id} is judged otherwise"
        for label in find_drifted(canaries, verdicts)
    ]
    return Permit(not why, tuple(why))


def _explain_weakness(what: str, found: Estimate, lowest: float) -> list[str]:
    if found.low >= lowest:
        return []
    return [f"{what} {found.value:.2f}, from {found.low:.2f}; {lowest} is needed"]


def find_drifted(
    labels: Iterable[Label], verdicts: Mapping[str, bool | None]
) -> tuple[Label, ...]:
    """Find the canaries that a judge no longer judges as they are labelled.

    One drifted canary takes the judge out of every gate until somebody has looked.
    """
    return tuple(
        label
        for label in labels
        if label.canary and verdicts.get(label.id) is not label.good
    )


# --- claims and labels before a judge --------------------------------------------


def write_prompt(claim: str, texts: Sequence[str]) -> str:
    """Write the message to the judge."""
    listed = "\n\n".join(f"Passage {n}:\n{text}" for n, text in enumerate(texts, 1))
    return f"{_TASK}\n{listed}\n\nStatement:\n{claim}\n"


def hash_task() -> str:
    """Hash the task (SHA-256): labels speak of the judge under this one alone."""
    return sha256(_TASK.encode()).hexdigest()


async def judge_labels(asks: Asks, labels: Iterable[Label]) -> dict[str, bool | None]:
    """Put labels before the judge; its verdicts by id, None where it gave none."""
    own = [label for label in labels if label.metric == NAME]
    turns = asyncio.Semaphore(AT_ONCE)

    async def one(label: Label) -> bool | None:
        async with turns:
            try:
                return (await _ask_verdict(asks, label.claim, label.passages)).carried
            except STUMBLES:
                return None

    async with asyncio.TaskGroup() as group:
        tasks = {label.id: group.create_task(one(label)) for label in own}
    return {name: task.result() for name, task in tasks.items()}


async def judge_rows(
    asks: Asks, rows: Iterable[Row], sources: Mapping[str, Source]
) -> list[Score]:
    """Score rows, one score for each.

    A row for which one verdict is missing is an ERROR.
    """
    turns = asyncio.Semaphore(AT_ONCE)

    async def one(row: Row) -> Score:
        async with turns:
            return made(row, NAME, await _judge_row(asks, row, sources))

    held = list(rows)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(row)) for row in held]
    return sorted((t.result() for t in tasks), key=lambda s: (s.case, s.repeat))


def estimate_worth(
    scores: Iterable[Score],
    labels: Sequence[Label],
    verdicts: Mapping[str, bool | None],
) -> Believed:
    """Say what the judge's rate over claims is worth, by its verdicts on the labels."""
    own = [label for label in labels if label.metric == NAME]
    marks = [mark for s in scores if s.metric == NAME for mark in s.marks]
    good = sum(bool(mark["carried"]) for mark in marks)
    counts, allowed = count_verdicts(own, verdicts), decide_permit(own, verdicts)
    known = bool(marks and counts.good and counts.bad)
    return Believed(
        judged_good=good,
        judged=len(marks),
        counts=counts,
        rate=correct_rate(good, len(marks), counts) if known else None,
        permit=allowed,
        weight="gate" if allowed.granted else "advice",
    )


async def _ask_verdict(asks: Asks, claim: str, texts: Sequence[str]) -> Verdict:
    found = await asks.ask(write_prompt(claim, texts), Verdict)
    if not isinstance(found, Verdict):
        raise TypeError(f"{asks.name} gave no verdict")
    return found


async def _judge_row(asks: Asks, row: Row, sources: Mapping[str, Source]) -> Finding:
    if row.record is None:
        return error(row.error or "the row has no record")
    if row.refused:
        return abstained()
    marks = []
    try:
        for claim in claims(row):
            texts = [text for _, text in passages(claim, row, sources)]
            said = await _ask_verdict(asks, claim.text, texts) if texts else None
            marks.append(
                {
                    "claim": claim.text[:80],
                    "carried": said is not None and said.carried,
                    "why": said.why if said else "cites nothing",
                }
            )
    except STUMBLES as stumble:
        return error(f"{type(stumble).__name__}: {stumble}")
    if not marks:
        return not_asked("the answer claims nothing")
    wrong = [mark for mark in marks if not mark["carried"]]
    return Finding(
        result=Result.FAIL if wrong else Result.PASS,
        value=1 - len(wrong) / len(marks),
        why="; ".join(f"“{m['claim']}” {m['why']}" for m in wrong) or "all carried",
        marks=tuple(marks),
    )


# --- a run ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Judged:
    """The scores of a judge by case and repeat, and their worth."""

    scores: tuple[Score, ...]
    believed: Believed

    def count(self, result: Result) -> int:
        """Count the scores that have a result."""
        return sum(score.result is result for score in self.scores)


async def judge_run(run: Path, judge: Asks, labels: Sequence[Label]) -> Judged:
    """Judge a recorded run, and the labels with it, and write its folder `judged`.

    Raises:
        StoreFailed: a file is missing, damaged or cannot be written.
    """
    recorded = store.recorded(run)
    verdicts = await judge_labels(judge, labels)
    found = await judge_rows(judge, recorded.rows, recorded.sources)
    worth = estimate_worth(found, labels, verdicts)
    store.write_scores(run / FOLDER, found)
    manifest = {
        "judge": judge.name,
        "metrics": [NAME],
        "task": hash_task(),
        "labels": len(labels),
        "believed": asdict(worth),
    }
    store.write_manifest(run / FOLDER, manifest)
    return Judged(tuple(found), worth)
