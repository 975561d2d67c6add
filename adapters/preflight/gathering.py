"""The preflights of one repository behind the port: a step in, blocks out (R-P3)."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from time import monotonic

from adapters import plugins
from adapters.preflight import commands, facts, search
from adapters.preflight.commands import AllowList
from adapters.preflight.hits import Hit, Look, gathered
from adapters.preflight.repository import Repository
from adapters.preflight.retrieval import Retrieve, no_index, retrieval
from adapters.preflight.syntax import Syntax
from engine.inspection.question_pack import (
    Command,
    Configuration,
    Definitions,
    Dependencies,
    Files,
    References,
    Retrieval,
    Search,
    Step,
)
from engine.inspection.records import Gathered


@dataclass(slots=True)
class RepositoryPreflights:
    """The Preflight port over a repository.

    Args:
        repository: what is looked into.
        allowed: the commands that may be run.
        retrieve: finds passages of an index.
        clock: seconds, for the time limit of each step.
    """

    repository: Repository
    allowed: AllowList = field(default_factory=AllowList)
    retrieve: Retrieve = no_index
    clock: Callable[[], float] = monotonic
    _syntax: Syntax = field(init=False, default_factory=Syntax)

    def gather(self, step: Step) -> Gathered:
        """What one step finds; see `engine.inspection.ports.Preflight`."""
        look = Look(self.repository, step, self.clock)
        return gathered(look, self._hits(look, step))

    def _hits(self, look: Look, step: Step) -> Iterator[Hit]:
        match step:
            case Files():
                yield from search.files(look)
            case Search():
                yield from search.search(look, step)
            case Definitions():
                yield from self._syntax.definitions(look, step)
            case References():
                yield from self._syntax.references(look, step)
            case Dependencies():
                yield from facts.dependencies(look, step)
            case Configuration():
                yield from facts.configuration(look, step)
            case Command():
                yield from commands.command(look, step, self.allowed)
            case Retrieval():
                yield from retrieval(look, step, self.retrieve)
            case _:
                yield from plugins.preflight(step.plugin)(look, step)
