"""Try a new pack out: ask what its documents' own headings ask."""

from collections.abc import AsyncIterator, Iterator
from itertools import zip_longest
from pathlib import Path

import yaml

from bot.assistant import Asked, Assistant, take_choice
from bot.documents.corpus import Corpus
from bot.documents.reindex import current_members, read_stored
from bot.first_questions import MUST_ANSWER, read_first_questions
from engine.model.answer import Answer
from engine.model.document import BlockKind, Document
from engine.model.outcome import Outcome
from engine.policy.pack import Pack

WANTED = 3
TRIED = 9  # headings that are asked until so many are answered
LOOKED_INTO = 40  # documents
WORDS = range(2, 13)  # of a heading that can be asked


async def try_out(
    assistant: Assistant, corpus: Corpus, pack: Pack
) -> AsyncIterator[Outcome]:
    """Ask what headings of the documents ask; three that are answered, if there are.

    Where a heading is no question and is offered as a choice, the choice is taken.

    Raises:
        EnvironmentFailed: ledger, index or embedder failed.
    """
    members = list((await current_members(corpus)).values())[:LOOKED_INTO]
    documents = [await read_stored(corpus, member) for member in members]
    refused: list[Outcome] = []
    answered = 0
    for text in list(list_questions(documents))[:TRIED]:
        outcome = await assistant.ask(pack, Asked(text=text))
        if not isinstance(outcome.result, Answer):
            outcome = await _take_offer(assistant, pack, outcome) or outcome
        if isinstance(outcome.result, Answer):
            answered += 1
            yield outcome
        else:
            refused.append(outcome)
        if answered == WANTED:
            return
    for outcome in refused[: WANTED - answered]:
        yield outcome


async def _take_offer(
    assistant: Assistant, pack: Pack, refused: Outcome
) -> Outcome | None:
    """Take the choice that offers the very heading that was asked; None without."""
    asked = refused.question.text
    for number, choice in enumerate(refused.choices, start=1):
        section = choice.section.rpartition(" > ")[2] if choice.section else ""
        taken = take_choice(refused, number)
        if section == asked and taken is not None:
            return await assistant.ask(pack, taken)
    return None


def list_questions(documents: list[Document]) -> Iterator[str]:
    """List what headings ask: questions first, of each document in turn."""
    headings = [list(_find_headings(document)) for document in documents]
    turns = [said for turn in zip_longest(*headings) for said in turn if said]
    asking = [said for said in turns if said.endswith("?")]
    yield from dict.fromkeys(asking)
    yield from (said for said in dict.fromkeys(turns) if said not in asking)


def _find_headings(document: Document) -> Iterator[str]:
    """Find headings below a document's title that can be asked, else the title."""
    found = [
        " ".join(block.of(document.text).split())
        for block in document.blocks
        if block.kind is BlockKind.HEADING
    ]
    below = [
        said
        for said in found
        if said != document.title and said.isprintable() and len(said.split()) in WORDS
    ]
    yield from below or [document.title] * (len(document.title.split()) in WORDS)


def _quote(answer: Answer) -> str:
    """Return the first sentence of a source in an answer."""
    claims = (claim for section in answer.sections for claim in section.claims)
    return next(claim.text for claim in claims if claim.citations)


def keep_questions(folder: Path, outcomes: list[Outcome]) -> None:
    """Keep the questions that were answered at once as the pack's first ones, once."""
    if read_first_questions(folder):
        return
    cases = [
        {
            "id": f"{folder.name}-answer-{number:02}",
            "question": outcome.question.text,
            "quotes": [_quote(outcome.result)],
        }
        for number, outcome in enumerate(outcomes, start=1)
        if isinstance(outcome.result, Answer) and outcome.question.chosen_from is None
    ]
    if cases:
        file = folder / MUST_ANSWER
        head = file.read_text(encoding="utf-8").partition("cases:")[0]
        told = yaml.safe_dump({"cases": cases}, allow_unicode=True, sort_keys=False)
        file.write_text(head + told, encoding="utf-8")
