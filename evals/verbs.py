"""The verbs of `python -m evals`."""

from functools import partial
from typing import Any

from bot.__main__ import run
from bot.verbs import add_verbs, command_line

HELP = """Proves on every change that the bot answers only what its sources say.

\b
Before a release:  make evals
A red run:         python -m evals why build/evals/oncology
One case:          python -m evals why build/evals/oncology CASE

Exit codes: 0 may be released, 1 a regression, 2 usage, 3 inconclusive, 4 the
environment.
"""

VERBS = {
    "record": "Ask every case of a pack's suites, and keep what was answered.",
    "score": "Judge what was recorded, without asking anything again.",
    "judge": "Put what was recorded before a model, and say what it is worth.",
    "ragas": "Score what was recorded by ragas, and compare it with the decision.",
    "decide": "Decide whether a scored run may go out.",
    "report": "Write a decided run as a page, a summary and test results.",
    "oracle": "Say what moved in what the bot does, or store it as it is now.",
    "release": "Record, score, decide and report every pack: may it go out?",
    "why": "Explain a red run, or one case, in sentences.",
    "baseline": "Say whose the wrong answers are that a baseline holds.",
    "own": "Ask labelled questions of six collections of a team's own documents.",
    "calibrate": "Fit relevance on labelled questions, or measure it.",
    "urgency": "Fit what hears emergencies, or measure it.",
}

app = command_line(HELP)


@app.callback()
def options() -> None:
    """Take no option: typer wants a callback to show a group."""


def command() -> Any:
    """Return the command line as one callable."""
    return add_verbs(app, "evals.commands", VERBS)


def main() -> None:
    """Run the command line and exit."""
    run(partial(command(), prog_name="python -m evals"))
