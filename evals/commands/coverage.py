"""`coverage`: requirements that no case and no test shows."""

from typing import Annotated

import typer

from adapters.inert import many
from bot.console import say, tell
from bot.options import group
from evals.cases import suites
from evals.commands.release import every_pack
from evals.deciding.coverage import Shown, cases_of_tests, coverage, tests_of
from evals.options import Packs

HELP = """List the requirements that no case and no test shows.

\b
  python -m evals coverage
  python -m evals coverage --all

Cases are those of the packs and of the suites kept in the tests; a test shows what its
name ends with. A requirement may belong to a part that is not built yet: that is told,
and fails nothing.
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
    found = coverage([*cases, *cases_of_tests()], tests_of())
    for each in found:
        if every or each.bare:
            tell(f"{each.requirement}\t{_by(each)}")
    bare = [each for each in found if each.bare]
    unbuilt = sum(bool(each.unbuilt) for each in bare)
    say(
        f"{len(found) - len(bare)} of {len(found)} requirements are shown; of the "
        f"other {len(bare)}, {unbuilt} are of parts that are not built yet"
    )


def _by(each: Shown) -> str:
    """What shows a requirement, or why nothing does."""
    if each.bare:
        return f"not built yet: {each.unbuilt}" if each.unbuilt else "nothing shows it"
    return f"{many(len(each.cases), 'case')}\t{many(len(each.tests), 'test')}"
