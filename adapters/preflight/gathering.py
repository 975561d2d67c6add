"""The preflights of one repository, behind the port: a step in, blocks out."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from time import monotonic

from adapters import plugins
from adapters.preflight import commands, facts, search
from adapters.preflight.commands import AllowList
from adapters.preflight.hits import Hit, Look, gather_blocks
from adapters.preflight.repository import Repository
from adapters.preflight.retrieval import Retrieve, find_passages, refuse_retrieval
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
        repository: the repository.
        allowed: the commands that may be run.
        retrieve: finds passages of an index.
        clock: a clock in seconds, for the time limit of each step.
    """

    repository: Repository
    allowed: AllowList = field(default_factory=AllowList)
    retrieve: Retrieve = refuse_retrieval
    clock: Callable[[], float] = monotonic
    _syntax: Syntax = field(init=False, default_factory=Syntax)

    def gather(self, step: Step) -> Gathered:
        """Gather what one step finds; see `engine.inspection.ports.Preflight`."""
        look = Look(self.repository, step, self.clock)
        return gather_blocks(look, self._find_hits(look, step))

    def _find_hits(self, look: Look, step: Step) -> Iterator[Hit]:
        match step:
            case Files():
                yield from search.list_files(look)
            case Search():
                yield from search.find_lines(look, step)
            case Definitions():
                yield from self._syntax.definitions(look, step)
            case References():
                yield from self._syntax.references(look, step)
            case Dependencies():
                yield from facts.find_dependencies(look, step)
            case Configuration():
                yield from facts.find_configuration(look, step)
            case Command():
                yield from commands.run_command(look, step, self.allowed)
            case Retrieval():
                yield from find_passages(look, step, self.retrieve)
            case _:
                yield from plugins.load_preflight(step.plugin)(look, step)
