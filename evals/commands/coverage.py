"""`coverage`: requirements that nothing shows on real text through the door."""

from collections.abc import Iterable
from typing import Annotated

import typer

from adapters.inert import many
from bot.console import say, tell
from bot.options import group
from evals.cases import suites
from evals.commands.release import every_pack
from evals.deciding import baseline
from evals.deciding.coverage import (
    ASKING,
    Passed,
    Shown,
    cases_of_tests,
    coverage,
    kept,
    names_of,
    passing,
    tests_of,
)
from evals.deciding.sentences import named as listed
from evals.metrics import catalogue
from evals.options import Packs

HELP = """List the requirements that no passed case and no passed test shows.

\b
  python -m evals coverage
  python -m evals coverage --all

What counts has passed on real text through the door: cases as the committed baselines
hold them, tests as they last ran (make test), where they asked. What only names a
requirement shows nothing, and is listed. A requirement may belong to a part that is not
built yet: that is told, and fails nothing.
"""

app = group()


@app.command("coverage", help=HELP)
def shown(
    pack: Packs = None,
    every: Annotated[
        bool, typer.Option("--all", help="Those that are shown, too.")
    ] = False,
) -> None:
    packs = pack or every_pack()
    cases = [
        case for name in packs for suite in suites.load(name) for case in suite.cases
    ]
    asked, nodes = [*cases_of_tests()], kept()
    passed = Passed(_passed(packs), names_of(nodes))
    if any(node.startswith(ASKING) for node in nodes):
        ids = (case.id for case in asked)
        passed = Passed(passed.cases.union(ids), passed.tests)
    found = coverage([*cases, *asked], tests_of(), passed)
    for each in found:
        if every or not each.shown:
            tell(f"{each.requirement}\t{_by(each)}")
    _sum_up(found)
    if not nodes:
        say("No test is on record as passed, so none counts: make test")


def _passed(packs: Iterable[str]) -> frozenset[str]:
    """The cases that the packs' baselines hold as passed."""
    weights = catalogue.weights()
    held = [made for name in packs if (made := baseline.load(name)) is not None]
    return frozenset(case for made in held for case in passing(made, weights))


def _sum_up(found: Iterable[Shown]) -> None:
    every = tuple(found)
    rest = [each for each in every if not each.shown]
    named = sum(not each.bare for each in rest)
    say(
        f"{len(every) - len(rest)} of {len(every)} requirements are shown by what "
        f"passed on real text through the door; of the other {len(rest)}, {named} are "
        "named by tests"
    )


def _by(each: Shown) -> str:
    """What shows a requirement, or why nothing does."""
    if each.shown:
        return f"{many(len(each.cases), 'case')}\t{many(len(each.tests), 'test')}"
    return f"only named, by {listed(each.named)}" if each.named else "nothing shows it"
