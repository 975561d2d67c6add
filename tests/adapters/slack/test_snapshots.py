"""What Slack is sent, letter by letter, for one reply of each kind.

`python -m tests.adapters.slack.test_snapshots` writes the files anew, for a change that
is meant; their difference is then read before it is committed.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from adapters.mail import Part
from adapters.slack.writer import SLACK as post
from tests.adapters.slack.replies import answer, asked, emergency, long_answer, refusal

FOLDER = Path(__file__).parent / "snapshots"
READABLE = 120  # characters of a text that a snapshot shows
WIDTH = 100  # of its lines

SHOWN: Mapping[str, Sequence[Part]] = {
    "answer": post.answer(answer(), asked()),
    "refusal": post.answer(refusal(), asked()),
    "emergency": post.answer(emergency(), asked()),
    "long_answer": post.answer(long_answer(), asked(), people=False),
    "why": post.why(refusal(), asked()),
    "sources": post.sources(answer(), asked()),
}


def told(parts: Sequence[Part]) -> str:
    """The parts as text, long texts told by their beginning and length."""
    plain = [part.model_dump(mode="json", exclude_none=True) for part in parts]
    return _written(_brief(plain), "") + "\n"


def _brief(node: object) -> object:
    if isinstance(node, str) and len(node) > READABLE:
        return f"{node[:READABLE]}… ({len(node)} characters)"
    if isinstance(node, dict):
        return {name: _brief(value) for name, value in node.items()}
    return [_brief(value) for value in node] if isinstance(node, list) else node


def _written(node: object, margin: str) -> str:
    """JSON with as much on a line as fits."""
    line = json.dumps(node, ensure_ascii=False)
    inner = margin + " "
    if len(margin + line) <= WIDTH or not isinstance(node, dict | list):
        return line
    if isinstance(node, list):
        parts = [_written(value, inner) for value in node]
        return "[\n" + ",\n".join(inner + part for part in parts) + f"\n{margin}]"
    named = [f'"{name}": {_written(value, inner)}' for name, value in node.items()]
    return "{\n" + ",\n".join(inner + part for part in named) + f"\n{margin}}}"


@pytest.mark.parametrize("name", SHOWN)
def test_slack_is_sent_what_it_was_R_C4(name: str) -> None:
    """A change of what readers see is made on purpose."""
    kept = (FOLDER / f"{name}.json").read_text(encoding="utf-8")
    assert told(SHOWN[name]) == kept


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, parts in SHOWN.items():
        (FOLDER / f"{name}.json").write_text(told(parts), encoding="utf-8")
