"""The answer from a chosen section: its sentences in order, as many as fit.

It opens with the block that came nearest to what was asked, or with the first of the
numbered steps that it is one of; the part of the section before that follows at the
end. An entity without fields that a question asks for by its name alone ("section 40")
is shown in the same way, and where the question has a topic opens with the nearest
block.
"""

from collections.abc import Iterator
from itertools import groupby
from math import inf

import re2

from engine.draft.extract import LONGEST_ANSWER
from engine.model.document import BlockKind
from engine.model.draft import Draft, DraftClaim, DraftSection, Selected
from engine.model.gate import Open
from engine.model.passage import CHOSEN, NAMED, TOPIC, Chunk
from engine.model.question import Intent
from engine.policy.pack import Pack
from engine.text.closure import is_selectable
from engine.text.quotable import render_quotation, text_of

_STEP = re2.compile(r"\d{1,3}[.)]\s")


def write_whole(opened: Open, intent: Intent, pack: Pack) -> Draft:
    """Draft the section, one quotation for each block.

    Where blocks are fewer than the citations needed, each sentence is one.
    """
    asked = opened.minimum_citations if intent.sensitive else 1
    needed = max(asked, pack.citations.minimum_sensitive)
    blocks = list(_iterate_blocks(opened))
    first = next((n for n, block in enumerate(blocks) if _is_nearest(block, opened)), 0)
    while first and all(_is_step(blocks[n], opened) for n in (first, first - 1)):
        first -= 1
    blocks = [*blocks[first:], *blocks[:first]]
    if len(blocks) < needed:
        blocks = [(one,) for block in blocks for one in block]
    claims: list[DraftClaim] = []
    room = LONGEST_ANSWER
    for block in blocks:
        at = tuple(selected.sentence for selected in block)
        room -= len(render_quotation(opened.chunks[block[0].chunk - 1], at).text)
        if room < 0 and len(claims) >= needed:
            break
        claims.append(DraftClaim(sentences=block))
    sections = (DraftSection(heading="", claims=tuple(claims)),) if claims else ()
    return Draft(sections=sections)


def is_named_whole(opened: Open, pack: Pack) -> bool:
    """Return whether the whole text of a named entity is asked for, not a part."""
    fields = {rule.kind for rule in pack.things if rule.fields}
    found = [chunk for chunk in opened.chunks if chunk.picks]
    return bool(found) and all(
        1.0 in (chunk.parts.get(NAMED), chunk.parts.get(TOPIC))
        and not any(thing.kind in fields for thing in chunk.things)
        and all(pick.last is None for pick in chunk.picks)
        for chunk in found
    )


def _iterate_blocks(opened: Open) -> Iterator[tuple[Selected, ...]]:
    """Yield the quotable sentences of each block, in the order of the document."""
    documents = list(dict.fromkeys(chunk.document for chunk in opened.chunks))
    for number, chunk in sorted(
        enumerate(opened.chunks, start=1),
        key=lambda each: (documents.index(each[1].document), each[1].start),
    ):
        places = [n for n, s in enumerate(chunk.sentences) if is_selectable(s)]
        for _, block in groupby(places, key=lambda n: chunk.sentences[n].block):
            yield tuple(Selected(chunk=number, sentence=at) for at in block)


def _is_step(block: tuple[Selected, ...], opened: Open) -> bool:
    """Return whether a block is a numbered item, which needs those before it."""
    chunk = opened.chunks[block[0].chunk - 1]
    sentence = chunk.sentences[block[0].sentence]
    numbered = _STEP.match(text_of(chunk, sentence)) is not None
    return sentence.kind is BlockKind.LIST_ITEM and numbered


def _is_nearest(block: tuple[Selected, ...], opened: Open) -> bool:
    """Return whether a block holds the sentence that came nearest to what was asked."""
    chunk = opened.chunks[block[0].chunk - 1]
    best = {
        pick.sentence
        for pick in chunk.picks
        if pick.score >= _find_threshold(opened, chunk)
    }
    return any(one.sentence in best for one in block)


def _find_threshold(opened: Open, chunk: Chunk) -> float:
    """Return the score from which a sentence of a passage counts as nearest."""
    if CHOSEN in chunk.parts:
        return 1.0
    scores = [p.score for c in opened.chunks for p in c.picks if TOPIC in c.parts]
    return max(scores, default=inf)
