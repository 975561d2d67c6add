"""A program that a person wrote or changed, to be compared as it stands (R-E10)."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from adapters import programs
from engine.answer.asking import program
from engine.answer.modules import version_of
from engine.errors import UsageError
from engine.policy.pack import Pack
from engine.policy.programs import Program
from evals.forms import Suite
from evals.optimising.split import Split, spelled


def given(
    file: Path, pack: Pack, loaded: Sequence[Suite], sides: Split, model: str
) -> Mapping[str, Program]:
    """A program that a person wrote or changed, as one that is still to be compared.

    Args:
        file: that holds it, outside of the pack.
        pack: whose program it is to be.
        loaded: the suites of the pack.
        sides: which cases it will be compared on.
        model: the name of the one that drafts meanwhile.

    Raises:
        UsageError: it is none, no intent names its signature, or it was made with what
            it would be compared on.
    """
    new = programs.draft(file)
    name = new.signature
    named(pack, name, f"{file}: signature: {name}")
    seen = set(new.origin.training) & sides.comparison
    if seen:
        raise UsageError(
            f"{file}: origin.training: {min(seen)} is a case of the comparison: give "
            "the --seed that it was compiled with"
        )
    cases = (case for suite in loaded for case in suite.cases)
    compared = (case for case in cases if case.id in sides.comparison)
    asked = {spelled(case.question): case.id for case in compared}
    for at, each in enumerate(new.demonstrations):
        if (words := spelled(each.question)) in asked:
            raise UsageError(
                f"{file}: demonstrations[{at}].question: is that of "
                f"{asked[words]}, which is a case of the comparison"
            )
    bare = {"compared": (), "figures": {}, "digest": "", "model": model}
    origin = new.origin.model_copy(update={**bare, "against": present(pack, name)})
    return {name: new.model_copy(update={"origin": origin})}


def named(pack: Pack, signature: str, where: str) -> None:
    """Pass where an intent of the pack names the signature.

    Raises:
        UsageError: none does.
    """
    known = {rule.signature for rule in pack.intents}
    if signature not in known:
        raise UsageError(f"{where}: the intents name {', '.join(sorted(known))}")


def present(pack: Pack, signature: str) -> str:
    """The hash of the program that a signature is asked with."""
    return version_of(program(signature, pack.programs.get(signature)))
