"""Questions to begin with: those that a pack must answer."""

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from adapters import strict_yaml
from engine.model.errors import PolicyError

MUST_ANSWER = Path("fixtures") / "must_answer.yaml"
MOST = 4  # Slack shows no more


class _Case(BaseModel):
    """A question that the pack must answer; the rest is for evals."""

    model_config = ConfigDict(extra="ignore")
    question: Annotated[str, Field(min_length=1)]


class _Cases(BaseModel):
    model_config = ConfigDict(extra="ignore")
    cases: list[_Case]


def read_first_questions(pack: Path) -> tuple[str, ...]:
    """Read the first of a pack's folder; none where they are absent or unreadable."""
    try:
        read = _Cases.model_validate(strict_yaml.read(pack / MUST_ANSWER).data)
    except (PolicyError, ValidationError):
        return ()
    return tuple(case.question for case in read.cases[:MOST])
