"""Wrong answers that are accepted for a while: whose each is, and until when.

An answer is wrong where it fails a gate metric. A baseline may hold one, so that a
change is compared with what was; this file says who mends it and by when. Without an
entry, and after its day, a wrong answer keeps a release back.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, RootModel, ValidationError, field_validator

from adapters import strict_yaml
from adapters.inert import many
from engine.model.errors import EnvironmentFailed, UsageError
from engine.policy.pack import list_violations
from evals.cases.suites import find_line
from evals.compare.runs import Finished
from evals.compare.verdict import Check, Status, count_cases, list_names, sort_unique
from evals.forms import Result, Weight

FILE = "accepted.yaml"  # beside the baselines
CHECK = "accepted wrong answers"
_OPENING = """\
# Wrong answers that the baselines hold: who mends each, and its last day.
# `python -m evals baseline accept RUN --until DATE` takes out those that are mended and
# adds new ones under the pack's owner: read the change before you commit it.
"""


class Accepted(BaseModel):
    """One wrong answer; `until` is the last day on which it is accepted."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)

    case: str
    owner: str
    until: date
    why: str

    @field_validator("case", "owner", "why")
    @classmethod
    def _refuse_empty(cls, value: str) -> str:
        if not value:
            raise ValueError("is empty: say it")
        return value


class _Packs(RootModel[dict[str, tuple[Accepted, ...]]]):
    """The file: entries by pack."""


ByPack = Mapping[str, tuple[Accepted, ...]]


def read(baselines: Path) -> ByPack:
    """Read the accepted wrong answers of every pack; none where there is no file.

    Raises:
        UsageError: an entry lacks its owner or its day, or comes twice; with the line.
        PolicyError: the file is no YAML.
    """
    file = baselines / FILE
    if not file.is_file():
        return {}
    content = strict_yaml.read(file)
    try:
        found = _Packs.model_validate(content.data).root
    except ValidationError as error:
        said = [
            f"{file}:{find_line(each.field, content.lines)}: "
            f"{each.field}: {each.message}"
            for each in list_violations(error)
        ]
        raise UsageError("\n".join(said)) from error
    for pack, entries in found.items():
        names = [entry.case for entry in entries]
        twice = {name for name in names if names.count(name) > 1}
        if twice:
            raise UsageError(f"{file}: {pack}: {list_names(twice)} is there twice")
    return found


def describe(by_pack: ByPack, today: date) -> str:
    """Say in one line how many there are."""
    held = {pack: entries for pack, entries in by_pack.items() if entries}
    every = [entry for entries in held.values() for entry in entries]
    if not every:
        return "No wrong answer is accepted."
    share = ", ".join(f"{pack} {len(entries)}" for pack, entries in held.items())
    said = f"{many(len(every), 'wrong answer')} accepted for now ({share}); "
    said += f"the first ends on {min(entry.until for entry in every)}"
    late = sum(entry.until < today for entry in every)
    past = "1 past its day" if late == 1 else f"{late} past their day"
    return f"{said}, {past}." if late else f"{said}."


def find_reasons(run: Finished, weights: Mapping[str, Weight]) -> Mapping[str, str]:
    """Say what is wrong with each answer that fails a gate metric, by case."""
    answered = {
        (row.case, row.repeat)
        for rows in run.rows.values()
        for row in rows
        if row.answered
    }
    found: dict[str, str] = {}
    for scores in run.scores.values():
        for score in scores:
            failed = score.result is Result.FAIL
            gate = weights.get(score.metric) == "gate"
            if failed and gate and (score.case, score.repeat) in answered:
                found[score.case] = score.why  # the last metric's, by name
    return found


def check_owners(
    found: Iterable[str], entries: Sequence[Accepted], today: date
) -> Iterator[Check]:
    """Check that each wrong answer has an owner, has days left and is still wrong."""
    held, there = {entry.case: entry for entry in entries}, set(found)
    bare = there - held.keys()
    if bare:
        why = f"{count_cases(bare)} answered wrongly and without an owner: "
        why += f"{list_names(bare)}. "
        why += f"Mend them, or say in {FILE} who does and by when."
        yield _make_check(Status.FAIL, why, bare)
    late = {name for name in there & held.keys() if held[name].until < today}
    if late:
        why = f"{count_cases(late)} should be mended by now: "
        why += ", ".join(
            f"{name} ({held[name].owner}, {held[name].until})" for name in sorted(late)
        )
        yield _make_check(Status.FAIL, f"{why}.", late)
    mended = held.keys() - there
    if mended:
        why = f"{count_cases(mended)} of {FILE} are not answered wrongly: "
        why += f"{list_names(mended)}. "
        why += "Take them out: python -m evals baseline accept RUN --until DATE."
        yield _make_check(Status.INCONCLUSIVE, why, mended)
    if not bare and not late and not mended:
        why = f"{count_cases(there)} answered wrongly; each has an owner and a day."
        yield _make_check(Status.PASS, why, there)


def _make_check(result: Status, why: str, cases: Iterable[str]) -> Check:
    return Check(check=CHECK, result=result, why=why, cases=sort_unique(cases))


def renew(
    entries: Sequence[Accepted], reasons: Mapping[str, str], owner: str, until: date
) -> tuple[Accepted, ...]:
    """Update the entries to what is wrong now.

    Old entries stay as they are, new ones get this owner.

    Args:
        entries: those of the pack so far.
        reasons: what is wrong with each wrong answer, by case.
        owner: of new ones.
        until: their last day.
    """
    held = {entry.case: entry for entry in entries}
    return tuple(
        held.get(name) or Accepted(case=name, owner=owner, until=until, why=why)
        for name, why in sorted(reasons.items())
    )


def write(baselines: Path, by_pack: ByPack) -> Path:
    """Write the file and return its path.

    Raises:
        EnvironmentFailed: it cannot be written.
    """
    file = baselines / FILE
    plain = {
        pack: [entry.model_dump(mode="json") for entry in entries]
        for pack, entries in sorted(by_pack.items())
        if entries
    }
    text = yaml.safe_dump(plain, sort_keys=False, allow_unicode=True, width=88)
    try:
        file.write_text(_OPENING + text, encoding="utf-8")
    except OSError as error:
        raise EnvironmentFailed(f"{file}: cannot be written ({error})") from error
    return file
