"""The language models of a run: opened once for all of its corpora."""

from bot.models import LanguageModels
from engine.policy.pack import Pack
from evals.forms import Json


class SharedModels(LanguageModels):
    """Models that outlive the application that asks them; `end` closes them."""

    taped = False  # whether their calls are played from a cassette, or kept on one

    async def close(self) -> None:
        """An application is closed: the models stay open for the next."""

    async def end(self) -> None:
        """Close the connections of what was opened."""
        await super().close()

    def identity(self, pack: Pack) -> Json | None:
        """What of the models shapes an answer; None where the pack asks none."""
        if not self.configured or pack.answer.mode != "llm":
            return None
        judge = self.judge
        return {
            "writer": self.writer.name,
            "parameters": dict(self.writer.parameters),
            "judge": judge.name if judge else None,
        }
