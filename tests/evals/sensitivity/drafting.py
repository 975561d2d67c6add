"""A model that drafts by a script: it copies its sources, and lies in every draft.

What it makes up is what validators are for; with them in place nobody reads it.
"""

import re
from collections.abc import Iterator

from engine.drafts import Models
from engine.orders import Order, Written
from engine.policy import Pack
from engine.prompts import Prompt
from engine.records import Draft, DraftClaim, DraftSection
from engine.sentences import split_sentences
from evals.forms import Json
from evals.recording.models import SharedModels

NAME = "scripted"
CALL = Prompt(module="general", model=NAME, program="0" * 64)
GATE = "garden gate"
UNCITED = "Every gardener of the town is happy with this rule."


class Scripted:
    """The Writer port: one draft a call, the same for the same order."""

    async def write(self, order: Order) -> Written:
        """Honest sentences with lies between them; first with its headings exchanged.

        It says that it found nothing on a garden gate whenever it is asked about one.
        """
        honest = list(_honest(order))
        headings = list(order.headings) or [""]
        if not order.feedback:
            headings.reverse()
        first = DraftSection(heading=headings[0], claims=tuple(honest))
        rest = [
            DraftSection(heading=heading, claims=tuple(_lies(honest)))
            for heading in headings[1:]
        ]
        if not rest:
            first = DraftSection(heading="", claims=(*honest, *_lies(honest)))
        missing = (GATE,) if GATE in order.question else ()
        draft = Draft(
            sections=(first, *rest), not_found=missing, mode="llm", model=NAME
        )
        return Written(draft=draft, prompt=CALL)


class ScriptedModels(SharedModels):
    """The models of a run, all of them the script."""

    def of(self, pack: Pack) -> Models:
        """The script for every pack."""
        return Models(writer=Scripted())

    def identity(self, pack: Pack) -> Json:
        """What stands in a manifest."""
        return {"writer": NAME}


def _honest(order: Order) -> Iterator[DraftClaim]:
    """The sentences of the first passage, in its words."""
    passage = order.passages[0]
    for line in passage.text.splitlines():
        for span in split_sentences(line) if line.endswith(".") else ():
            yield DraftClaim(text=span.of(line), citations=(passage.number,))


def _lies(honest: list[DraftClaim]) -> Iterator[DraftClaim]:
    """A figure changed, a word changed inside a quotation, a claim without a source."""
    for claim in honest:
        figure = re.sub(r"\d+", lambda found: str(int(found[0]) + 1), claim.text)
        if figure != claim.text:
            yield claim.model_copy(update={"text": figure})
        word = claim.text.replace(" must ", " may ").replace(" is ", " was ")
        yield claim.model_copy(update={"text": word, "quotation": True})
    yield DraftClaim(text=UNCITED, citations=())
