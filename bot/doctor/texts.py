"""The check of texts that an older loader read: what it read wrongly stays wrong."""

from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress

from adapters.reply import many
from bot.doctor.check import Check, State
from bot.documents.corpus import Corpus
from bot.documents.reindex import current_members
from bot.documents.rereading import select_older
from bot.wiring import Application
from engine.model.document import Membership
from engine.model.errors import GroundruleError

NAMED = 3  # documents that one line names


async def check_texts(
    application: Application, *, verbose: bool
) -> AsyncIterator[Check]:
    """Name each corpus that has some, with `verbose` each text.

    Only of the packs that can be read; the others are named by their own check.
    """
    for name in application.pack_names():
        with suppress(GroundruleError):
            for corpus in await application.corpora(application.pack(name)):
                found = select_older((await current_members(corpus)).values())
                part = f"texts {corpus.name}"
                if found and not verbose:
                    yield Check(State.NOTE, part, _summarize(corpus, found))
                for one in found if verbose else ():
                    said = f"{one.document} was read by {one.loader}"
                    yield Check(State.NOTE, part, said)


def _summarize(corpus: Corpus, found: Sequence[Membership]) -> str:
    loaders = Counter(one.loader for one in found)
    by = ", ".join(f"{name} ({count:,})" for name, count in sorted(loaders.items()))
    names = ", ".join(one.document for one in found[:NAMED])
    names += f" and {len(found) - NAMED:,} more" if len(found) > NAMED else ""
    return (
        f"{many(len(found), 'text')} read by loaders of an earlier release, {by}: "
        f"{names}; run `sources reread --pack {corpus.pack.id}`"
    )
