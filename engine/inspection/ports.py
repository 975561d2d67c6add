"""What an inspection needs from outside: who gathers evidence, and who picks of it."""

from typing import Protocol

from engine.inspection.orders import Drafted, Request
from engine.inspection.question_pack import Step
from engine.inspection.records import Gathered


class Preflight(Protocol):
    """Evidence with its places, gathered before any model is asked (R-P3)."""

    def gather(self, step: Step) -> Gathered:
        """What one step of a question finds.

        Every block stood in its file when that was read for the last time. A file that
        cannot be read is named in what comes back, and ends nothing.

        Raises:
            UsageError: the step asks for what this repository may not be asked.
        """
        ...


class Inspector(Protocol):
    """A language model that picks lines of evidence and a verdict (R-P7)."""

    @property
    def name(self) -> str:
        """Provider and model, as configured."""
        ...

    async def inspect(self, request: Request) -> Drafted:
        """One draft, by one call. A provider that fails is no exception."""
        ...
