"""`coverage`: requirements that no case and no test shows."""

from typing import Annotated

import typer

from adapters.inert import many
from bot.console import say, tell
from bot.options import group
from evals import suites
from evals.commands.release import every_pack
from evals.coverage import coverage, tests_of
from evals.options import Packs

HELP = """List the requirements that no case and no test shows.

\b
  python -m evals coverage
  python -m evals coverage --all

A requirement may belong to a pack or a part that is still to come, so a gap is told and
fails nothing.
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
    found = coverage(cases, tests_of())
    for each in found:
        if every or each.bare:
            by_case, by_test = (
                many(len(each.cases), "case"),
                many(len(each.tests), "test"),
            )
            tell(f"{each.requirement}\t{by_case}\t{by_test}")
    bare = sum(each.bare for each in found)
    say(f"{len(found) - bare} of {len(found)} requirements are shown, {bare} are not")
