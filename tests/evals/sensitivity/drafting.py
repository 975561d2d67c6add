"""A model that drafts by a script: it selects, and says more in every draft.

What it writes beside numbers is discarded before any validator looks at the draft.
"""

from collections.abc import Sequence
from types import SimpleNamespace

from engine.model.draft import Offered, Order, Written
from engine.model.prompt import Prompt
from engine.pipeline.drafting import Models
from engine.policy.pack import Pack
from engine.prompting.exchange import read_reply
from engine.prompting.signatures import SectionOut
from evals.forms import Json
from evals.record.cassettes import SharedModels

NAME = "scripted"
CALL = Prompt(module="general", model=NAME, program="0" * 64)
# What it selects where a question has these words; else all of the first passage.
LAST_SENTENCE, FIRST_OF_EVERY, BESIDE_FIRST = "paddling pool", "swing", "how many days"
ALL_OF_EVERY = "water tap"
UNCITED = "Every gardener of the town is happy with this rule."


class Scripted:
    """The Writer port: one draft a call, the same for the same order."""

    async def write(self, order: Order) -> Written:
        """Numbers with lies beside them; first with its headings exchanged."""
        chosen = list(_chosen(order))
        headings = list(order.headings) or [""]
        if not order.feedback:
            headings.reverse()
        parts = [chosen[:1], chosen[1:]] if len(headings) > 1 else [chosen]
        sections = [
            SectionOut(heading=heading, sentences=[each.number for each in part])
            for heading, part in zip(headings, parts, strict=True)
        ]
        for section in sections:
            section.sentences.append(UNCITED)
        said = {"sections": sections, "texts": ["text-99"], "status": "answered"}
        found = SimpleNamespace(**said, not_found=["the price"])
        call = CALL.model_copy(update={"answer": UNCITED * len(sections)})
        return read_reply(found, call, order)


class ScriptedModels(SharedModels):
    """The models of a run, all of them the script."""

    def of(self, pack: Pack) -> Models:
        """The script for every pack."""
        return Models(writer=Scripted())

    def identity(self, pack: Pack) -> Json:
        """What stands in a manifest."""
        return {"writer": NAME}


def _chosen(order: Order) -> Sequence[Offered]:
    first = order.passages[0].sentences
    if LAST_SENTENCE in order.question:
        return first[-1:]
    if FIRST_OF_EVERY in order.question:
        return [passage.sentences[0] for passage in order.passages]
    if ALL_OF_EVERY in order.question:
        return [each for passage in order.passages for each in passage.sentences]
    if BESIDE_FIRST in order.question and not order.feedback:
        return first[:1]
    return first
