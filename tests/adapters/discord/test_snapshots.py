"""What Discord is sent, line by line, for one reply of each kind.

`python -m tests.adapters.discord.test_snapshots` writes the files anew, for a change
that is meant; their difference is then read before it is committed.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from adapters.discord.writer import DISCORD as post
from adapters.mail import Action, Part
from adapters.reply import Reply, compose
from engine.model.outcome import Outcome
from tests.adapters.discord.letters import answers, incoming
from tests.adapters.outcomes import (
    POINTING,
    TODAY,
    WORDING,
    answered,
    chunk,
    pointed,
    refused,
)

FOLDER = Path(__file__).parent / "snapshots"
CARE = chunk(
    "#Mouth care\nRinse with *salt* water, 4 times a day.\n-Use a soft brush.\n`ph = 7"
)
DRINK = chunk("Drink water often. See www.example.org/_x_ or ask.", "c2", "d2")
LONG = [
    chunk(f"Step {n}: " + "rinse well and wait. " * 60, f"c{n}", f"d{n}")
    for n in range(1, 6)
]


def reply(outcome: Outcome) -> Reply:
    """The outcome in words."""
    return compose(outcome, WORDING, TODAY)


MENTION, COMMAND = incoming(), incoming(callback=answers(private=True))
PRESSED = incoming(action=Action.WHY, callback=answers(private=True))
SHOWN: Mapping[str, Sequence[Part]] = {
    "answer": post.answer(
        reply(answered(CARE, DRINK, header="Analysis date basis: 2026-11-22 (today)")),
        MENTION,
    ),
    "refusal": post.answer(compose(pointed(), POINTING, TODAY), MENTION),
    "emergency": post.answer(
        reply(refused(emergency="Call 112 now: https://example.org/112.")), MENTION
    ),
    "long_answer": post.answer(reply(answered(*LONG)), MENTION, people=False),
    "command": post.answer(reply(answered(*LONG)), COMMAND, people=False),
    "why": post.why(reply(refused()), PRESSED),
    "sources": post.sources(reply(answered(CARE, DRINK)), PRESSED),
}


def told(parts: Sequence[Part]) -> str:
    """The parts as JSON, their texts as lists of lines."""
    plain = [part.model_dump(mode="json", exclude_none=True) for part in parts]
    return json.dumps(_lined(plain), ensure_ascii=False, indent=1) + "\n"


def _lined(node: object) -> object:
    if isinstance(node, dict):
        return {
            name: value.split("\n") if name == "content" else _lined(value)
            for name, value in node.items()
        }
    return [_lined(value) for value in node] if isinstance(node, list) else node


@pytest.mark.parametrize("name", SHOWN)
def test_discord_is_sent_what_it_was_R_C4(name: str) -> None:
    """A change of what readers see is made on purpose."""
    kept = (FOLDER / f"{name}.json").read_text(encoding="utf-8")
    assert told(SHOWN[name]) == kept


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, parts in SHOWN.items():
        (FOLDER / f"{name}.json").write_text(told(parts), encoding="utf-8")
